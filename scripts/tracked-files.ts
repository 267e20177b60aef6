import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Texts that must not be committed. Paths such as home folders belong to a single machine; a registry's host in the
 * lock file would bind all users to that registry.
 */
const forbidden: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w.$}>/-])\/(?:home|Users)\/(?!(?:me|you|user)\b)\w+/, 'a path in a home folder'],
  [/(?<![\w.$}>/-])\/(?:root|work)\/\w+/, "a path of one machine's"],
  [/[A-Za-z]:\\Users\\/, 'a path in a home folder'],
  [/\bregistry\.(?:npmjs|yarnpkg|npmmirror)\.|\bnpm\.pkg\.github\./, "a package registry's host"],
  [/"resolved": "https?:/, "a package registry's host"],
];

/** Checks one line of a file. Returns the reason if it must not be committed. */
export function forbiddenIn(line: string): string | undefined {
  return forbidden.find(([pattern]) => pattern.test(line))?.[1];
}

/** Returns the lines of tracked text files that contain a machine's path or a registry, as `file:line: reason`. */
export function trackedErrors(root: URL): { errors: string[]; files: number } {
  const paths = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', timeout: 30_000 })
    .split('\0')
    .filter((path) => path !== '');
  const errors: string[] = [];
  for (const path of paths) {
    let text: string;
    try {
      text = readFileSync(new URL(encodeURI(path), root), 'utf8');
    } catch {
      continue; // deleted, and not committed yet
    }
    if (text.includes('\0')) continue;
    for (const [index, line] of text.split('\n').entries()) {
      const reason = forbiddenIn(line);
      if (reason !== undefined) errors.push(`${path}:${index + 1}: ${reason}: ${line.trim().slice(0, 120)}`);
    }
  }
  return { errors, files: paths.length };
}
