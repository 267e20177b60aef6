import type { Artifact, Message, StreamResponse, Task, TaskState, TaskStatus } from '../../core/model/a2a.ts';
import { isLegal, isResting, isTerminal } from '../../core/model/lifecycle.ts';

/**
 * How a difference is told: as one event, which is how what a broken stream missed arrives, or piece by piece, as the
 * stream of an agent that can only be polled.
 */
export type DiffStyle = 'whole' | 'pieces';

/**
 * What has to happen to a task as it is known for it to be as its agent says that it is: folding these events makes it
 * so. Nothing where nothing is new. Both tasks bear the same ids.
 *
 * What the agent leaves out (history, artifacts, metadata) is kept; a time alone is no news; a state that cannot follow
 * the known one, or that the agent does not know itself, is not taken over; nothing happens to a task that is over.
 */
export function difference(known: Task, theirs: Task, manner: DiffStyle): StreamResponse[] {
  if (isTerminal(known.status.state)) return [];
  const news = compare(known, theirs);
  if (!news.any) return [];
  const others = news.messages.filter((message) => message !== news.current);
  const rest = others.length + news.artifacts.length;
  const status = statusUpdate(known, news);
  if (rest === 0) return [status];
  if (manner === 'whole' || others.some(({ role }) => role !== 'ROLE_AGENT'))
    return [{ task: mergeWith(known, theirs, news) }];
  const state = isResting(news.status.state) ? 'TASK_STATE_WORKING' : news.status.state;
  return [
    ...others.map((message) => statusUpdate(known, { status: { ...timeOf(theirs), state, message } })),
    ...news.artifacts.map((artifact) => artifactUpdate(known, artifact)),
    ...(news.changed || others.length > 0 ? [status] : []),
  ];
}

/** The known task with all that its agent says of it. */
export const mergeTasks = (known: Task, theirs: Task): Task => mergeWith(known, theirs, compare(known, theirs));

/** What is new. */
interface TaskDiff {
  readonly any: boolean;
  /** Messages that were not known, in the agent's order, the current one last. */
  readonly messages: readonly Message[];
  /** The current message, where it was not known. */
  readonly current: Message | undefined;
  /** Artifacts that are new, or other than they were. */
  readonly artifacts: readonly Artifact[];
  /** The status as it is to be. */
  readonly status: TaskStatus;
  /** Metadata that are new, or other than they were. */
  readonly metadata: Task['metadata'] | undefined;
  /** Whether the status or the metadata have changed. */
  readonly changed: boolean;
  /** For each message of the agent's history, which of ours it is. */
  readonly places: readonly (number | undefined)[];
  readonly ours: readonly Message[];
}

function compare(known: Task, theirs: Task): TaskDiff {
  const ours = [...(known.history ?? []), ...(known.status.message ? [known.status.message] : [])];
  const { history = [], status: said } = theirs;
  const [current] = said.message && !isIn(history, said.message) ? [said.message] : [];
  const all = current ? [...history, current] : history;
  const places = matchMessages(ours, all);
  const messages = all.filter((_, at) => places[at] === undefined);
  const artifacts = (theirs.artifacts ?? []).filter((artifact) => {
    const before = known.artifacts?.findLast(({ artifactId }) => artifactId === artifact.artifactId);
    return !jsonEqual(before, artifact);
  });
  const metadata = changedIn(known.metadata, theirs.metadata);
  const state = stateAfter(known.status.state, said.state);
  const isNew = said.message !== undefined && messages.some((message) => isSame(message, said.message));
  const status: TaskStatus = { ...said, state };
  if (said.message) status.message = ourOwn(said.message, all, places, ours);
  const changed = state !== known.status.state || isNew || metadata !== undefined;
  return {
    any: changed || messages.length > 0 || artifacts.length > 0,
    messages,
    current: isNew ? messages.find((message) => isSame(message, said.message)) : undefined,
    artifacts,
    status,
    metadata,
    changed,
    places,
    ours,
  };
}

const isSame = (one: Message, other: Message | undefined): boolean => one.messageId === other?.messageId;

const isIn = (history: readonly Message[], message: Message): boolean => history.some((one) => isSame(one, message));

/** A message of theirs under the name that it has here. */
function ourOwn(
  message: Message,
  all: readonly Message[],
  places: readonly (number | undefined)[],
  ours: readonly Message[],
): Message {
  const at = places[all.findIndex((one) => isSame(one, message))];
  return (at === undefined ? undefined : ours[at]) ?? message;
}

/** The state that a task gets into when its agent says `next`. */
export const stateAfter = (known: TaskState, next: TaskState): TaskState =>
  next !== 'TASK_STATE_UNSPECIFIED' && isLegal(known, next) ? next : known;

function changedIn(known: Task['metadata'], theirs: Task['metadata']): Task['metadata'] {
  const changed = Object.entries(theirs ?? {}).filter(([key, value]) => !jsonEqual(known?.[key], value));
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

const timeOf = ({ status: { timestamp } }: Task): Pick<TaskStatus, 'timestamp'> =>
  timestamp === undefined ? {} : { timestamp };

function statusUpdate(known: Task, { status, metadata }: Pick<TaskDiff, 'status'> & Partial<TaskDiff>): StreamResponse {
  const ids = { taskId: known.id, contextId: known.contextId ?? '' };
  return { statusUpdate: { ...ids, status, ...(metadata && { metadata }) } };
}

/** An artifact that has only grown is told by what it has grown by. */
function artifactUpdate(known: Task, artifact: Artifact): StreamResponse {
  const ids = { taskId: known.id, contextId: known.contextId ?? '' };
  const before = known.artifacts?.findLast(({ artifactId }) => artifactId === artifact.artifactId);
  const grown = before && grownBy(before, artifact);
  if (!grown) return { artifactUpdate: { ...ids, artifact } };
  return { artifactUpdate: { ...ids, artifact: { artifactId: artifact.artifactId, parts: grown }, append: true } };
}

function grownBy(before: Artifact, after: Artifact): Artifact['parts'] | undefined {
  const { parts, ...rest } = after;
  const { parts: had, ...restBefore } = before;
  if (parts.length <= had.length || !jsonEqual(restBefore, rest)) return undefined;
  return had.every((part, at) => jsonEqual(part, parts[at])) ? parts.slice(had.length) : undefined;
}

function mergeWith(known: Task, theirs: Task, { status, places, ours }: TaskDiff): Task {
  const history = mergeHistories(theirs.history ?? [], places, ours, status.message);
  const artifacts = mergeArtifacts(known.artifacts ?? [], theirs.artifacts ?? []);
  const metadata = { ...known.metadata, ...theirs.metadata };
  const { history: _, artifacts: __, metadata: ___, ...others } = theirs;
  return {
    ...others,
    id: known.id,
    ...(known.contextId !== undefined && { contextId: known.contextId }),
    status,
    ...(history.length > 0 && { history }),
    ...(artifacts.length > 0 && { artifacts }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** Theirs in their order, under the names that we know; ours that they do not have stay where they were among ours. */
function mergeHistories(
  theirs: readonly Message[],
  places: readonly (number | undefined)[],
  ours: readonly Message[],
  current: Message | undefined,
): Message[] {
  const matched = new Set(places);
  const merged: Message[] = [];
  let next = 0;
  const upTo = (end: number): void => {
    for (; next < end; next++) if (!matched.has(next)) merged.push(ours[next] as Message);
  };
  theirs.forEach((message, i) => {
    const at = places[i];
    if (at === undefined) merged.push(message);
    else {
      upTo(at);
      merged.push(ours[at] as Message);
    }
  });
  upTo(ours.length);
  // What is current is told in the status, unless the agent tells it twice.
  return merged.filter((message, at) => message !== current || isIn(theirs.slice(at), message));
}

function mergeArtifacts(ours: readonly Artifact[], theirs: readonly Artifact[]): Artifact[] {
  const merged = new Map(ours.map((artifact) => [artifact.artifactId, artifact]));
  for (const artifact of theirs) merged.set(artifact.artifactId, artifact);
  return [...merged.values()];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether two JSON values are the same; a member that is undefined is not there. */
export function jsonEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => jsonEqual(item, other[at]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  for (const key in one) if (!jsonEqual(one[key], other[key])) return false;
  for (const key in other) if (other[key] !== undefined && one[key] === undefined) return false;
  return true;
}

/** Whether two messages say the same, whatever they are called. */
const sayTheSame = (one: Message, other: Message): boolean =>
  one.role === other.role && jsonEqual(one.parts, other.parts);

/** Ways for two messages to be one, the surest first. */
const likenesses: readonly ((one: Message, other: Message) => boolean)[] = [
  // Clients use ids again.
  (one, other) => one.messageId === other.messageId && sayTheSame(one, other),
  (one, other) => one.messageId === other.messageId,
  sayTheSame,
];

/**
 * For each of `theirs` the place of the message among `ours` that it is, or undefined where it is none of them. By id;
 * failing that by what it says, since old dialects give messages no ids, so that one read twice has two. No message of
 * ours stands for two of theirs.
 */
export function matchMessages(ours: readonly Message[], theirs: readonly Message[]): (number | undefined)[] {
  const free = new Set(ours.keys());
  const places = new Array<number | undefined>(theirs.length).fill(undefined);
  for (const alike of likenesses) {
    if (free.size === 0) break;
    theirs.forEach((message, i) => {
      if (places[i] !== undefined) return;
      for (const at of free) {
        if (!alike(ours[at] as Message, message)) continue;
        free.delete(at);
        places[i] = at;
        return;
      }
    });
  }
  return places;
}
