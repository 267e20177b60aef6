import { globSync, readFileSync } from 'node:fs';
import { parseAst } from 'vitest/node';

/** One import, re-export, dynamic import or type import of a source file. */
export interface ImportSite {
  readonly specifier: string;
  /** From 1. */
  readonly line: number;
  /** Where the specifier stands in the text, quotes included, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Loaded when the code gets there, by `import()`. */
  readonly lazy: boolean;
}

/** A source file, by its path from the project's root with forward slashes, and what it imports. */
export interface SourceFile {
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly ImportSite[];
}

const importing = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

/**
 * Lists what TypeScript text imports: static, dynamic and type imports, and re-exports. A dynamic import of anything
 * but a literal names no module and is left out.
 */
export function importsOf(text: string, lang: 'ts' | 'tsx' = 'ts'): ImportSite[] {
  const sites: ImportSite[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('type' in node && importing.has(String(node.type)) && 'source' in node) {
      const source = node.source as { value?: unknown; start: number; end: number } | null;
      if (typeof source?.value === 'string') {
        const { value: specifier, start, end } = source;
        const line = text.slice(0, start).split('\n').length;
        sites.push({ specifier: String(specifier), line, start, end, lazy: node.type === 'ImportExpression' });
      }
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(text, { lang }).body);
  return sites;
}

/** Reads every TypeScript file below `folder` of `root`, sorted by path. */
export function readSources(root: URL, folder = 'src'): SourceFile[] {
  return globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => {
      const text = readFileSync(new URL(path, root), 'utf8');
      return { path, lines: text.split('\n').length - 1, imports: importsOf(text, path.endsWith('x') ? 'tsx' : 'ts') };
    });
}
