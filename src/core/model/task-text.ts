import type { ListTasksRequest, Task } from './a2a.ts';
import { withHistory } from './fold.ts';
import { endOfString, endOfValue } from './json.ts';

/** Parts of a task that a request selects. `includeArtifacts` absent: the request has no such field, and gets them. */
export type WantedParts = Pick<ListTasksRequest, 'historyLength' | 'includeArtifacts'>;

/** Returns the parts of a task that a request selects. */
export function shownTask(task: Task, { historyLength, includeArtifacts }: WantedParts): Task {
  const shown = withHistory(task, historyLength);
  if (includeArtifacts === undefined) return shown;
  const { artifacts, ...rest } = shown;
  return includeArtifacts && artifacts ? { ...rest, artifacts } : rest;
}

/**
 * Returns the JSON text of `shownTask`, cut out of the task's JSON: a large task is neither parsed nor written again.
 */
export function shownText(json: string, { historyLength, includeArtifacts }: WantedParts): string {
  if (historyLength === undefined && includeArtifacts === undefined) return json;
  const members: string[] = [];
  const last: string[] = [];
  for (let at = 1; json.charCodeAt(at) === 0x22; ) {
    const colon = endOfString(json, at) + 1;
    const name = json.slice(at + 1, colon - 1);
    const items = name === 'history' && historyLength !== undefined ? startsOfItems(json, colon + 1) : [];
    const end = items.at(-1) ?? endOfValue(json, colon + 1);
    const from =
      historyLength !== undefined && items.length - 1 > historyLength ? items.at(-1 - historyLength) : undefined;
    if (from !== undefined) {
      if (from < end) last.unshift(`"history":[${json.slice(from, end)}`);
    } else if (name !== 'artifacts' || includeArtifacts === undefined) members.push(json.slice(at, end));
    else if (includeArtifacts) last.push(json.slice(at, end));
    at = end + 1;
  }
  return `{${[...members, ...last].join(',')}}`;
}

/** Returns the position of each item of a JSON array, and then the position after the array. */
function startsOfItems(json: string, from: number): number[] {
  const starts: number[] = [];
  let at = from + 1;
  while (json.charCodeAt(at) !== 0x5d) {
    starts.push(at);
    at = endOfValue(json, at);
    if (json.charCodeAt(at) === 0x2c) at += 1;
  }
  return [...starts, at + 1];
}
