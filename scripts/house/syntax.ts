import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { type MethodFacts, methodFacts } from './methods.ts';

/** A node of a syntax tree (ESTree, with TypeScript's nodes), by the members that are read here. */
export interface SyntaxNode {
  readonly type: string;
  /** Position in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** A source file, and what its syntax tree says of it. */
export interface ParsedFile {
  /** From the project's root, with forward slashes. */
  readonly path: string;
  /** Its identifiers, and its string literals without spaces: keys, and imports. */
  readonly names: ReadonlySet<string>;
  readonly functions: readonly Sized[];
  readonly classes: readonly Sized[];
  readonly methods: MethodFacts;
}

/** A function, in lines from its first to its last one, or a class, in members. */
export interface Sized {
  /** `src/core/tasks/turn.ts: open` */
  readonly place: string;
  readonly size: number;
}

/** The sources that people write, without the console's pages: `src` without `src/gen` and `src/extensions/console`. */
export function parseSources(root: string): ParsedFile[] {
  return globSync('src/**/*.{ts,tsx}', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !/^src\/(?:gen|extensions\/console)\//.test(path))
    .sort()
    .map((path) => parseFile(path, readFileSync(join(root, path), 'utf8')));
}

/** @throws SyntaxError */
export function parseFile(path: string, text: string): ParsedFile {
  const { body } = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as { body: SyntaxNode[] };
  const names = new Set<string>();
  const functions: Sized[] = [];
  const classes: Sized[] = [];
  visit(body, (node, around) => {
    const { type, name, value } = node;
    if (type.endsWith('Identifier') && typeof name === 'string') names.add(name);
    else if (type === 'Literal' && typeof value === 'string' && !value.includes(' ')) names.add(value);
    else if (isFunction(node)) {
      const named = [...around, node].findLast((one) => nameOf(one) !== undefined);
      const lines = text.slice(node.start, node.end).split('\n').length;
      functions.push({ place: `${path}: ${(named && nameOf(named)) ?? 'a function'}`, size: lines });
    } else if (type === 'ClassDeclaration' || type === 'ClassExpression') {
      const members = (node.body as { readonly body: readonly unknown[] }).body.length;
      classes.push({ place: `${path}: ${nameOf(node) ?? 'a class'}`, size: members });
    }
  });
  return { path, names, functions, classes, methods: methodFacts(path, text, body, visit) };
}

const isFunction = ({ type, body }: SyntaxNode): boolean =>
  (type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression') && !!body;

/** Calls `enter` for each node, parents first, with the nodes around it, the nearest last. */
export type Visit = (
  nodes: readonly SyntaxNode[],
  enter: (node: SyntaxNode, around: readonly SyntaxNode[]) => void,
) => void;

const visit: Visit = (nodes, enter) => {
  const around: SyntaxNode[] = [];
  const go = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) go(item);
      return;
    }
    const node = value as SyntaxNode;
    const isNode = typeof node.type === 'string';
    if (isNode) enter(node, around);
    if (isNode) around.push(node);
    for (const member of Object.values(node)) if (typeof member === 'object') go(member);
    if (isNode) around.pop();
  };
  go(nodes);
};

/** The name of a declaration or of a member: `open` of `open() {}`. */
function nameOf(node: SyntaxNode): string | undefined {
  const { name } = ((node.id ?? node.key) as { readonly name?: string } | null | undefined) ?? {};
  return name;
}
