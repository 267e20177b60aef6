import { globSync, readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';
import { parseSync } from 'rolldown/utils';

/** One import, re-export, dynamic import or type import of a source file, or the module whose types it adds to. */
export interface ImportSite {
  readonly specifier: string;
  /** From 1. */
  readonly line: number;
  /** Position of the specifier in the text, including its quotes, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Whether it is a dynamic import, which is loaded when the code reaches it. */
  readonly lazy: boolean;
}

/** A source file, with its path from the project's root in forward slashes, and its imports. */
export interface SourceFile {
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly ImportSite[];
}

/** The quotes and what is between them. */
interface Literal {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Lists the imports of TypeScript text: static, dynamic and type imports, re-exports, and modules whose types it
 * extends. A dynamic import of anything but a literal names no module and is left out.
 */
export function importsOf(text: string, lang: 'ts' | 'tsx' = 'ts'): ImportSite[] {
  // The parser reports static imports without its syntax tree, whose traversal takes most of the time.
  const { module, errors } = parseSync(`text.${lang}`, text, { lang });
  const [error] = errors;
  if (error !== undefined) throw new SyntaxError(error.message);
  const exports = module.staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest));
  const named = [...module.staticImports.map(({ moduleRequest }) => moduleRequest), ...exports];
  const places = new Map<number, ImportSite>();
  const add = ({ value: specifier, start, end }: Literal, lazy: boolean): void => {
    const line = text.slice(0, start).split('\n').length;
    places.set(start, { specifier, line, start, end, lazy });
  };
  for (const request of named) if (request) add(request, false);
  if (/import\(|declare module '/.test(text))
    for (const { literal, lazy } of importCalls(text, lang)) add(literal, lazy);
  return [...places.values()].sort((one, other) => one.start - other.start);
}

/** `import()` of a module by its name, as a call or as a type, and `declare module` with a name. */
function importCalls(text: string, lang: 'ts' | 'tsx'): { readonly literal: Literal; readonly lazy: boolean }[] {
  const calls: { readonly literal: Literal; readonly lazy: boolean }[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('type' in node && (node.type === 'ImportExpression' || node.type === 'TSImportType') && 'source' in node) {
      const source = node.source as Literal | null;
      if (typeof source?.value === 'string') calls.push({ literal: source, lazy: node.type === 'ImportExpression' });
    }
    if ('type' in node && node.type === 'TSModuleDeclaration' && 'id' in node) {
      const id = node.id as Literal & { readonly type: string };
      if (id.type === 'Literal') calls.push({ literal: id, lazy: false });
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(text, { lang }).body);
  return calls;
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
