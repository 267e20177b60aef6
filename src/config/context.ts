import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';

export type ReportProblem = (path: readonly string[], message: string) => void;

export interface ResolveContext {
  /** Makes a path from the file absolute. */
  readonly locate: (path: string) => string;
  /** Environment variables of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reports a problem. Its path is relative to the section. */
  readonly report: ReportProblem;
}

export const below = (cx: ResolveContext, ...keys: readonly string[]): ResolveContext => ({
  ...cx,
  report: (path, message) => cx.report([...keys, ...path], message),
});

/** Makes a path absolute. `~/` stands for the home folder. */
export const absolute = (folder: string, path: string): string =>
  path.startsWith('~/') ? resolve(homedir(), path.slice(2)) : isAbsolute(path) ? path : resolve(folder, path);
