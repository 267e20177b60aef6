import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the docstrings of the sources that have a block of TypeScript, as Markdown by path. Each line keeps its number, so
 * that the compiler's messages lead to the source. A block may use exports of its own file without an import.
 */
export function docstrings(root: string): Map<string, string> {
  const files = globSync('src/**/*.ts', { cwd: root }).sort();
  return new Map(
    files.flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      if (!/ \* ```ts/.test(text)) return [];
      const comments = commentsOf(text);
      return [[path.replaceAll('\\', '/'), withOwnImports(comments, exportsOf(text), join(root, path))] as const];
    }),
  );
}

const commentsOf = (text: string): string =>
  text
    .split('\n')
    .map((line) => /^\s*\* ?(.*)$/.exec(line)?.[1]?.replace(/^\/$/, '') ?? '')
    .join('\n');

/** Returns the names that a source exports, each in the form of an import. */
function exportsOf(text: string): ReadonlyMap<string, string> {
  const pattern = /^export (?:abstract |async )?(const|function\*?|class|interface|type) (\w+)/gm;
  return new Map(
    [...text.matchAll(pattern)].map(([, kind = '', name = '']) => [
      name,
      kind === 'interface' || kind === 'type' ? `type ${name}` : name,
    ]),
  );
}

/** Puts imports of the exports that a block uses, and does not import itself, before its first line. */
function withOwnImports(markdown: string, names: ReadonlyMap<string, string>, path: string): string {
  return markdown.replace(/^```ts\n([\s\S]*?)^```$/gm, (whole, block: string) => {
    const imported = new Set(block.match(/^import [\s\S]*? from /gm)?.flatMap((one) => one.match(/\w+/g) ?? []));
    const used = new Set(block.replace(/'[^'\n]*'|\/\/.*/g, '').match(/(?<!\.)\b\w+/g));
    const own = [...names].filter(([name]) => used.has(name) && !imported.has(name)).map(([, form]) => form);
    if (own.length === 0) return whole;
    return `\`\`\`ts\nimport { ${own.join(', ')} } from ${JSON.stringify(path)}; ${block}\`\`\``;
  });
}
