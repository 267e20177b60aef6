import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The docstrings of the sources that have a block of TypeScript, as Markdown: by path, with each line where it stands in its
 * file, so that what the compiler says of a block leads there.
 */
export function docstrings(root: string): Map<string, string> {
  const files = globSync('src/**/*.ts', { cwd: root }).sort();
  return new Map(
    files.flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return / \* ```ts/.test(text) ? [[path.replaceAll('\\', '/'), commentsOf(text)] as const] : [];
    }),
  );
}

const commentsOf = (text: string): string =>
  text
    .split('\n')
    .map((line) => /^\s*\* ?(.*)$/.exec(line)?.[1]?.replace(/^\/$/, '') ?? '')
    .join('\n');
