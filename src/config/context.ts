import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';

/** Reports a problem at a path of the configuration. */
export type ReportProblem = (path: readonly string[], message: string) => void;

/** The context in which a section is resolved. */
export interface ResolveContext {
  /** Makes a path in the file absolute. */
  readonly locate: (path: string) => string;
  /** The process's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Paths are relative to the section. */
  readonly report: ReportProblem;
}

/** The context of a section below these keys. */
export const below = (cx: ResolveContext, ...keys: readonly string[]): ResolveContext => ({
  ...cx,
  report: (path, message) => cx.report([...keys, ...path], message),
});

/** An absolute path; `~/` is the home folder. */
export const absolute = (folder: string, path: string): string =>
  path.startsWith('~/') ? resolve(homedir(), path.slice(2)) : isAbsolute(path) ? path : resolve(folder, path);
