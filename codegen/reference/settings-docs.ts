import { readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';

/** A node of the syntax tree, as far as it is read here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** The files with the types of all settings. */
const settingsFiles = ['settings', 'agent-settings', 'setting-types'].map(
  (name) => new URL(`../../src/config/${name}.ts`, import.meta.url),
);

/**
 * The comments of the keys in the settings of `src/config`, by their paths: `listen.port`, `agents.*<upstream>.silence`,
 * `auth.apiKeys[].name`. `*` stands for names that the user chooses, and `<…>` for the variant of a mapping.
 */
export function settingsDocs(files: readonly URL[] = settingsFiles): Map<string, string> {
  const declared = new Map<string, Node>();
  // One text of all files, so that a position in it is one in a file.
  const source = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  for (const statement of (parseAst(source, { lang: 'ts' }) as unknown as { body: Node[] }).body) {
    const declaration = (statement.declaration ?? statement) as Node;
    if (declaration.id) declared.set((declaration.id as { name: string }).name, declaration);
  }
  const docs = new Map<string, string>();

  /** Adds the keys of a type, which stands at the path. */
  const visit = (type: Node, path: string): void => {
    switch (type.type) {
      case 'TSInterfaceDeclaration': {
        const own = (type.body as Node).body as Node[];
        const at = variantPath(own, path);
        for (const { expression } of type.extends as { expression: Node }[]) {
          visit(named(expression.name as string), at);
        }
        members(own, at);
        break;
      }
      case 'TSTypeLiteral': {
        const own = type.members as Node[];
        members(own, variantPath(own, path));
        break;
      }
      case 'TSUnionType':
      case 'TSIntersectionType':
        for (const one of type.types as Node[]) visit(one, path);
        break;
      case 'TSTypeAliasDeclaration':
      case 'TSParenthesizedType':
      case 'TSTypeOperator':
        visit(type.typeAnnotation as Node, path);
        break;
      case 'TSArrayType':
        visit(type.elementType as Node, `${path}[]`);
        break;
      case 'TSMappedType':
        visit(type.typeAnnotation as Node, `${path}.*`);
        break;
      case 'TSTypeReference':
        reference(type, path);
        break;
    }
  };

  const reference = (type: Node, path: string): void => {
    const { name } = type.typeName as { name: string };
    const args = ((type.typeArguments as Node | null)?.params ?? []) as Node[];
    if (name === 'Readonly') visit(args[0] as Node, path);
    else if (name === 'Record') visit(args[1] as Node, `${path}.*`);
    else if (declared.has(name)) visit(named(name), path);
  };

  const named = (name: string): Node => {
    const found = declared.get(name);
    if (!found) throw new Error(`the settings declare no ${name}`);
    return found;
  };

  const members = (properties: readonly Node[], at: string): void => {
    for (const property of properties) {
      const name = (property.key as { name?: string; value?: string }).name ?? '';
      const below = at === '' ? name : `${at}.${name}`;
      const comment = commentBefore(source, property.start);
      if (comment !== undefined && !docs.has(below)) docs.set(below, comment);
      visit((property.typeAnnotation as { typeAnnotation: Node }).typeAnnotation, below);
    }
  };

  visit(named('FileSettings'), '');
  return docs;
}

/** The path of a mapping, with the variant that its keys tell. */
function variantPath(properties: readonly Node[], path: string): string {
  const variant = properties.map(variantOf).find((value) => value !== undefined);
  return variant === undefined ? path : `${path}<${variant}>`;
}

/** The value of a property that tells variants apart, such as `kind: 'module'`. */
function variantOf(property: Node): string | undefined {
  const { name } = property.key as { name?: string };
  if (name !== 'kind' && name !== 'type') return undefined;
  const type = (property.typeAnnotation as { typeAnnotation: Node }).typeAnnotation;
  return type.type === 'TSLiteralType' ? (type.literal as { value: string }).value : undefined;
}

/** The text of the comment that ends right before a position. */
function commentBefore(source: string, position: number): string | undefined {
  const before = source.slice(0, position).trimEnd();
  if (!before.endsWith('*/')) return undefined;
  const text = before.slice(before.lastIndexOf('/**') + 3, -2);
  return text
    .replace(/^\s*\* ?/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}
