import { createHash } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { fileState } from '../net/file-state.ts';
import { Secret } from '../net/secret.ts';

/**
 * Returns a text for a part of a configuration, which does not depend on the order of keys. It contains the secrets:
 * never store it.
 */
export function canonicalText(value: unknown): string {
  if (value instanceof Secret) return `secret ${JSON.stringify(value.reveal())}`;
  if (value instanceof Map) return `map [${[...value].map((entry) => canonicalText(entry)).join()}]`;
  if (value instanceof Set) return `set [${[...value].map((each) => canonicalText(each)).join()}]`;
  if (Array.isArray(value)) return `[${value.map((each) => canonicalText(each)).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, each]) => `${JSON.stringify(key)}:${canonicalText(each)}`).join()}}`;
}

/**
 * Returns a hash of a part of a configuration and of the state of the files that it names, so that it changes when a
 * file is replaced.
 */
export function fingerprint(part: unknown): string {
  const hash = createHash('sha256').update(canonicalText(part));
  for (const path of new Set(pathsIn(part))) hash.update(`${path} ${fileState(path)}`);
  return hash.digest('base64url');
}

/** Yields texts that may be paths of files. Paths in a parsed configuration are absolute. */
function* pathsIn(value: unknown): Generator<string> {
  if (typeof value === 'string' && isAbsolute(value)) yield value;
  else if (value instanceof Map) yield* pathsIn([...value]);
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* pathsIn(each);
}
