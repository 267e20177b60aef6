import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Change } from './diff.ts';

/** A source file that mentions what changed. */
export interface Mention {
  /** Path below the folder. */
  readonly file: string;
  readonly words: readonly string[];
}

/** Names that are in every file and say nothing. */
const common = new Set(['id', 'name', 'url', 'text', 'data', 'list', 'description', 'version', 'metadata']);

/**
 * The TypeScript files in a folder that mention a changed name. Added names are left out, since no file can mention
 * them yet, and so are names that are everywhere, such as `id`.
 */
export function mentions(dir: string, changes: readonly Change[]): Mention[] {
  if (!existsSync(dir)) return [];
  const words = changes.filter(({ change }) => change !== 'added').flatMap((change) => change.words);
  const wanted = [...new Set(words)].filter((word) => !common.has(word)).sort();
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.sort().flatMap((file) => {
    const text = readFileSync(join(dir, file), 'utf8');
    const found = wanted.filter((word) => new RegExp(`\\b${word}\\b`).test(text));
    return found.length > 0 ? [{ file, words: found }] : [];
  });
}
