import { posix } from 'node:path';
import { parseAst } from 'vitest/node';

/** The members of a syntax tree node that are read here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Source of an imported or re-exported name. */
interface Source {
  readonly specifier: string;
  /** `*` is the whole module. */
  readonly name: string;
}

/** One statement of a declaration file. */
interface Statement {
  readonly node: Node;
  /** Text of the statement, with the comments before it. */
  readonly text: string;
  /** Names that the statement declares. */
  readonly declares: readonly string[];
  /** Names to which the statement refers, in its own file or global. */
  readonly refersTo: ReadonlySet<string>;
  /** Targets of the statement's `import('…')` types. */
  readonly importTypes: readonly Source[];
  /** Interfaces of another file to which the statement adds members. */
  readonly addsTo: readonly Source[];
}

interface DeclarationFile {
  readonly statements: readonly Statement[];
  /** By name in the file. */
  readonly imported: ReadonlyMap<string, Source>;
  /** By exported name: a name in the file, or a re-export. */
  readonly exported: ReadonlyMap<string, string | Source>;
  /** Specifiers of `export *`. */
  readonly stars: readonly string[];
}

/**
 * Removes declarations that no entry reaches, so that the package contains only types that its users can reach, and
 * needs no package for the types of its internal parts.
 *
 * @param texts of all declaration files, by path with forward slashes; they import each other by `./….js`
 * @param entries paths whose exports are all kept
 * @returns the remaining files
 */
export function pruneDeclarations(
  texts: ReadonlyMap<string, string>,
  entries: readonly string[],
): ReadonlyMap<string, string> {
  const files = new Map([...texts].map(([path, text]) => [path, read(text)]));
  const additions = additionsIn(files);
  const kept = new Map<string, Set<string | Statement>>();
  /** Marks a declaration as reached. Returns whether it is the first time. */
  const keep = (path: string, what: string | Statement): boolean => {
    const known = kept.get(path) ?? new Set();
    kept.set(path, known);
    return known.size !== known.add(what).size;
  };

  const keepSource = (from: string, { specifier, name }: Source): void => {
    const path = pathOf(from, specifier);
    if (path !== undefined && files.has(path)) keepExport(path, name);
  };
  const keepExport = (path: string, name: string): void => {
    const file = files.get(path);
    if (!file || !keep(path, `export ${name}`)) return;
    if (name === '*') for (const each of file.exported.keys()) keepExport(path, each);
    const target = file.exported.get(name);
    if (typeof target === 'string') keepName(path, target);
    else if (target) keepSource(path, target);
    else for (const specifier of file.stars) keepSource(path, { specifier, name });
  };
  const keepName = (path: string, name: string): void => {
    const file = files.get(path);
    if (!file || !keep(path, `name ${name}`)) return;
    const source = file.imported.get(name);
    if (source) keepSource(path, source);
    for (const statement of file.statements) {
      if (statement.declares.includes(name)) keepStatement(path, statement);
    }
    for (const added of additions.get(`${path} ${name}`) ?? []) keepStatement(added.path, added.statement);
  };
  const keepStatement = (path: string, statement: Statement): void => {
    if (!keep(path, statement)) return;
    for (const each of statement.refersTo) keepName(path, each);
    for (const each of statement.importTypes) keepSource(path, each);
  };
  for (const entry of entries) keepExport(entry, '*');

  const left = [...files].map(([path, file]) => [path, written(file, kept.get(path) ?? new Set())] as const);
  return new Map(left.filter(([, text]) => text !== ''));
}

/** The statements that add members to interfaces of other files, by the path and the name of the interface. */
function additionsIn(files: ReadonlyMap<string, DeclarationFile>) {
  const all = [...files].flatMap(([path, { statements }]) =>
    statements.flatMap((statement) =>
      statement.addsTo.map(({ specifier, name }) => ({ to: `${pathOf(path, specifier)} ${name}`, path, statement })),
    ),
  );
  return Map.groupBy(all, ({ to }) => to);
}

/** Returns the declaration file that a relative specifier names. Undefined for a package. */
const pathOf = (from: string, specifier: string): string | undefined =>
  specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.d.ts') : undefined;

function read(text: string): DeclarationFile {
  const imported = new Map<string, Source>();
  const exported = new Map<string, string | Source>();
  const stars: string[] = [];
  const statements: Statement[] = [];
  let start = 0;
  for (const node of parseAst(text, { lang: 'dts' } as never).body as unknown as Node[]) {
    const specifier = (node.source as { value?: string } | null | undefined)?.value;
    const specifiers = (node.specifiers ?? []) as Node[];
    const declaration = (node.declaration ?? undefined) as Node | undefined;
    if (node.type === 'ImportDeclaration') {
      for (const each of specifiers)
        imported.set(nameOf(each.local), { specifier: specifier ?? '', name: importedName(each) });
    } else if (node.type === 'ExportAllDeclaration') {
      if (node.exported) exported.set(nameOf(node.exported), { specifier: specifier ?? '', name: '*' });
      else stars.push(specifier ?? '');
    } else if (node.type === 'ExportNamedDeclaration' && !declaration) {
      for (const { local, exported: name } of specifiers) {
        const from = nameOf(local);
        exported.set(nameOf(name), specifier === undefined ? from : { specifier, name: from });
      }
    }
    const declares = declaredNames(declaration ?? node);
    if (node.type === 'ExportNamedDeclaration') for (const name of declares) exported.set(name, name);
    if (node.type === 'ExportDefaultDeclaration') throw new Error('Default exports are not supported');
    const refersTo = new Set<string>();
    const importTypes: Source[] = [];
    if (declares.length > 0) collect(declaration ?? node, refersTo, importTypes);
    const addsTo = augmented(node);
    statements.push({ node, text: text.slice(start, node.end), declares, refersTo, importTypes, addsTo });
    start = node.end;
  }
  return { statements, imported, exported, stars };
}

const nameOf = (node: unknown): string => {
  const { name, value } = node as { name?: string; value?: string };
  return name ?? value ?? '';
};

const importedName = ({ type, imported }: Node): string =>
  type === 'ImportSpecifier' ? nameOf(imported) : type === 'ImportDefaultSpecifier' ? 'default' : '*';

/** The interfaces in `declare module '…'`. */
function augmented({ type, id, body }: Node): Source[] {
  const { type: kind, value: specifier = '' } = (id ?? {}) as { type?: string; value?: string };
  if (type !== 'TSModuleDeclaration' || kind !== 'Literal') return [];
  return (body as { body: Node[] }).body.map((each) => ({ specifier, name: nameOf(each.id) }));
}

/** The names of a declaration; none for imports and exports of names. */
function declaredNames(node: Node): string[] {
  if (node.type === 'VariableDeclaration') return (node.declarations as Node[]).map(({ id }) => nameOf(id));
  return node.id ? [nameOf(node.id)] : [];
}

/** Collects the names to which a declaration refers. Names of members, parameters and type parameters do not count. */
function collect(value: unknown, names: Set<string>, importTypes: Source[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value) collect(each, names, importTypes);
    return;
  }
  const node = value as Node;
  const visit = (...children: unknown[]): void => {
    for (const child of children) collect(child, names, importTypes);
  };
  if (node.type === 'Identifier') {
    names.add(nameOf(node));
    visit(node.typeAnnotation);
  } else if (node.type === 'TSQualifiedName') visit(node.left);
  else if (node.type === 'TSImportType') {
    const { value: specifier } = node.source as { value: string };
    importTypes.push({ specifier, name: node.qualifier ? firstName(node.qualifier as Node) : '*' });
    visit(node.typeArguments);
  } else {
    for (const [key, child] of Object.entries(node)) {
      if (key === 'key' && node.computed !== true) continue;
      if (key === 'params' && node.type !== 'TSTypeParameterInstantiation') {
        for (const each of child as Node[]) visit(...(isPattern(each) ? annotationsOf(each) : [each]));
      } else if (!(key === 'name' && node.type === 'TSTypeParameter') && key !== 'label') visit(child);
    }
  }
}

const isPattern = ({ type }: Node): boolean =>
  ['Identifier', 'RestElement', 'ObjectPattern', 'ArrayPattern'].includes(type);

const annotationsOf = ({ typeAnnotation, argument }: Node): unknown[] => [
  typeAnnotation,
  (argument as Node | undefined)?.typeAnnotation,
];

function firstName(node: Node): string {
  return node.type === 'TSQualifiedName' ? firstName(node.left as Node) : nameOf(node);
}

/** Returns the text of the declarations that are kept of a file; '' if there are none. */
function written({ statements }: DeclarationFile, kept: ReadonlySet<string | Statement>): string {
  if (kept.size === 0) return '';
  const parts = statements.map((statement) => {
    const { node, text, declares } = statement;
    if (declares.length > 0) return kept.has(statement) ? text : '';
    const specifiers = (node.specifiers ?? []) as Node[];
    if (node.type === 'ExportAllDeclaration' || specifiers.length === 0) return text;
    const isImport = node.type === 'ImportDeclaration';
    const used = specifiers.filter((each) =>
      kept.has(isImport ? `name ${nameOf(each.local)}` : `export ${nameOf(each.exported)}`),
    );
    return used.length === specifiers.length ? text : used.length === 0 ? '' : withSpecifiers(text, node, used);
  });
  return `${parts.join('').trim()}\n`;
}

/** An import or export with some of its specifiers. */
function withSpecifiers(text: string, node: Node, used: readonly Node[]): string {
  const offset = node.end - text.length;
  const shown = used.map(({ start, end }) => text.slice(start - offset, end - offset)).join(', ');
  return text.slice(0, node.start - offset) + text.slice(node.start - offset).replace(/\{[^}]*\}/, `{ ${shown} }`);
}
