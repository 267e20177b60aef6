import { importsOf } from './imports.ts';

/**
 * Turns a declaration file's relative imports of `.ts` into `.js`, as its JavaScript has them: the compiler rewrites
 * them in JavaScript alone, and the package ships no `.ts` sources for them to resolve to.
 */
export function declarationForConsumers(text: string): string {
  let rewritten = text;
  for (const { specifier, start, end } of importsOf(text).sort((a, b) => b.start - a.start)) {
    if (!/^\.{1,2}\/.*\.ts$/.test(specifier)) continue;
    rewritten = `${rewritten.slice(0, start)}'${specifier.replace(/\.ts$/, '.js')}'${rewritten.slice(end)}`;
  }
  return rewritten;
}
