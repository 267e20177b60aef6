import { importsOf } from './imports.ts';

/**
 * Converts a declaration file's relative imports of `.ts` to `.js`. The compiler rewrites them only in JavaScript, and
 * the package contains no `.ts` sources to which they could resolve.
 */
export function declarationForConsumers(text: string): string {
  let rewritten = text;
  for (const { specifier, start, end } of importsOf(text).sort((a, b) => b.start - a.start)) {
    if (!/^\.{1,2}\/.*\.ts$/.test(specifier)) continue;
    rewritten = `${rewritten.slice(0, start)}'${specifier.replace(/\.ts$/, '.js')}'${rewritten.slice(end)}`;
  }
  return rewritten;
}
