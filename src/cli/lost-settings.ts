import { readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { agentFolderOf } from '../config/load.ts';
import { plainConfig } from '../config/parse.ts';
import { isObject } from '../core/model/json.ts';
import { readFileText } from '../net/read-file.ts';

/** Contents of the files of a configuration, for a comparison with a later state. */
export interface WrittenSettings {
  /** The settings. Undefined if they cannot be read. */
  readonly settings: unknown;
  /** Files that end with a line break. */
  readonly complete: ReadonlySet<string>;
}

/** Reads a configuration file and the files of `agents.d` next to it, without checking them. */
export function readWritten(file: string): WrittenSettings {
  const complete = new Set<string>();
  const read = (path: string): unknown => {
    const text = readFileText(path);
    if (text.endsWith('\n')) complete.add(path);
    return plainConfig(text);
  };
  try {
    const main = read(file);
    const agents = agentFilesOf(file).map(read);
    if (![main, ...agents].every((each) => isObject(each ?? {}))) return { settings: undefined, complete };
    const all = Object.assign({}, isObject(main) ? main.agents : {}, ...agents);
    return { settings: { ...(main as object), agents: all }, complete };
  } catch {
    return { settings: undefined, complete };
  }
}

function agentFilesOf(file: string): string[] {
  const folder = agentFolderOf(file);
  try {
    const names = readdirSync(folder).filter((name) => !name.startsWith('.') && /^\.ya?ml$/.test(extname(name)));
    return names.sort().map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/**
 * Returns the paths of settings that existed before and no longer do, as in a file that is only partly written. Empty
 * if the files cannot be read, because they are refused then.
 */
export function lostSettings(before: WrittenSettings, now: WrittenSettings): string[] {
  if (before.settings === undefined || now.settings === undefined) return [];
  const cut = [...before.complete].filter((path) => !now.complete.has(path));
  return [...lostBelow([], before.settings, now.settings), ...cut.map((path) => `the end of ${path}`)];
}

function lostBelow(path: readonly string[], before: unknown, now: unknown): string[] {
  const here = [path.join('.')];
  if (Array.isArray(before)) {
    if (!Array.isArray(now) || now.length < before.length) return here;
    return before.flatMap((each, index) => lostBelow([...path, String(index)], each, now[index]));
  }
  if (isObject(before)) {
    if (!isObject(now)) return here;
    return Object.entries(before).flatMap(([key, each]) =>
      Object.hasOwn(now, key) ? lostBelow([...path, key], each, now[key]) : [[...path, key].join('.')],
    );
  }
  // A text that was truncated within a line.
  return typeof before === 'string' && typeof now === 'string' && now !== before && before.startsWith(now) ? here : [];
}
