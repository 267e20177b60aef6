import type { SyntaxNode, Visit } from './syntax.ts';

/** A class, and the methods that work on its instance alone: those that say `this`. */
interface ClassMethods {
  readonly name: string;
  readonly methods: readonly string[];
}

/** A place that takes something from an object without calling it. */
interface Taken {
  /** `src/core/tasks/turn.ts:12: turn.open` */
  readonly place: string;
  /** Undefined: all of the object's own members, which its methods are not. */
  readonly member: string | undefined;
  /** Class of the object. Undefined: it does not stand in the file. */
  readonly of: string | undefined;
}

/** Facts about methods in the syntax tree of a file. */
export interface MethodFacts {
  readonly classes: readonly ClassMethods[];
  /** Names of members that are no methods: of objects, of interfaces, and of classes. */
  readonly members: ReadonlySet<string>;
  readonly taken: readonly Taken[];
}

/** Members of other packages' objects that have the name of a method here. */
const foreign: ReadonlySet<string> = new Set(['aborted', 'range']);

/**
 * The places that hand on a method of a class by itself: called there, it has no `this`. The class is that of a `new` or of a
 * declared type in the same file; without one, a name counts that only methods have. A method that is handed on is a property
 * with an arrow function.
 */
export function unboundMethods(files: readonly { readonly methods: MethodFacts }[]): string[] {
  const all = files.map(({ methods }) => methods);
  const classes = Map.groupBy(
    all.flatMap((facts) => facts.classes),
    ({ name }) => name,
  );
  const members = new Set([...foreign, ...all.flatMap((facts) => [...facts.members])]);
  const ofAnyClass = new Set(all.flatMap((facts) => facts.classes.flatMap(({ methods }) => methods)));
  const isUnbound = ({ member, of }: Taken): boolean => {
    if (of === undefined) return member !== undefined && ofAnyClass.has(member) && !members.has(member);
    const [only, ...others] = classes.get(of) ?? [];
    if (!only || others.length > 0) return false;
    return member === undefined ? only.methods.length > 0 : only.methods.includes(member);
  };
  return all.flatMap(({ taken }) => taken.filter(isUnbound).map(({ place }) => place));
}

/** Collects what a file says about methods. `visit` calls its second argument for each node, with the nodes around it. */
export function methodFacts(path: string, text: string, body: readonly SyntaxNode[], visit: Visit): MethodFacts {
  const classes: ClassMethods[] = [];
  const members = new Set<string>();
  const classOf = new Map<string, string | undefined>();
  const taken: (Omit<Taken, 'of'> & { readonly object: SyntaxNode | undefined; readonly own: string | undefined })[] =
    [];
  const take = (node: SyntaxNode, object: SyntaxNode | undefined, member: string | undefined, own?: string): void => {
    const line = text.slice(0, node.start).split('\n').length;
    taken.push({ place: `${path}:${line}: ${text.slice(node.start, node.end)}`, member, object, own });
  };
  visit(body, (node, around) => {
    const { type } = node;
    if (type === 'ClassDeclaration' || type === 'ClassExpression') classes.push(classMethods(node, visit));
    else if (type === 'Property' || type === 'TSPropertySignature' || isFunctionMember(node))
      add(members, nameOf(node.key));
    noteClass(classOf, node);
    if (type === 'MemberExpression' && isTaken(node, around)) {
      const of = isThis(node.object) ? nameOf(around.findLast(isClass)?.id) : undefined;
      take(node, node.object as SyntaxNode, nameOf(node.property), of);
    } else if (type === 'SpreadElement' && around.at(-1)?.type === 'ObjectExpression') {
      take(node, node.argument as SyntaxNode, undefined);
    } else if (type === 'VariableDeclarator' && (node.id as SyntaxNode).type === 'ObjectPattern') {
      for (const each of (node.id as SyntaxNode).properties as SyntaxNode[])
        if (each.type === 'Property') take(each, (node.init ?? undefined) as SyntaxNode | undefined, nameOf(each.key));
    }
  });
  const known = taken.map(({ object, own, ...rest }) => ({ ...rest, of: own ?? (object && classIn(object, classOf)) }));
  // Of an object of no known class, all members are its own.
  return { classes, members, taken: known.filter(({ member, of }) => member !== undefined || of !== undefined) };
}

const isClass = ({ type }: SyntaxNode): boolean => type === 'ClassDeclaration' || type === 'ClassExpression';

const isThis = (node: unknown): boolean => (node as SyntaxNode).type === 'ThisExpression';

/** The name of an identifier; a private one begins with `#`. */
function nameOf(node: unknown): string | undefined {
  const { type, name } = (node ?? {}) as { readonly type?: string; readonly name?: string };
  return type === 'PrivateIdentifier' ? `#${name}` : name;
}

function add(names: Set<string>, name: string | undefined): void {
  if (name !== undefined) names.add(name);
}

/** Whether a member of a class is no method that works on its instance: a property, an accessor or a static member. */
const isFunctionMember = ({ type, kind, static: isStatic }: SyntaxNode): boolean =>
  type === 'PropertyDefinition' || (type === 'MethodDefinition' && (kind !== 'method' || isStatic === true));

function classMethods(node: SyntaxNode, visit: Visit): ClassMethods {
  const { body } = node.body as { readonly body: readonly SyntaxNode[] };
  const methods = body
    .filter(
      (one) => one.type === 'MethodDefinition' && one.kind === 'method' && one.static !== true && saysThis(one, visit),
    )
    .flatMap((one) => nameOf(one.key) ?? []);
  return { name: nameOf(node.id) ?? '', methods };
}

function saysThis(node: SyntaxNode, visit: Visit): boolean {
  let found = false;
  visit([node], ({ type }) => {
    if (type === 'ThisExpression' || type === 'Super') found = true;
  });
  return found;
}

/** Whether a member is read as a value: it is neither called, nor assigned, nor the beginning of a longer expression. */
function isTaken(node: SyntaxNode, around: readonly SyntaxNode[]): boolean {
  const parent = around.at(-1);
  if (node.computed === true || !parent) return false;
  const outer = [parent.callee, parent.object, parent.left, parent.tag, parent.argument].includes(node);
  const isWithin = ['UnaryExpression', 'UpdateExpression', 'BinaryExpression', 'TSNonNullExpression'].includes(
    parent.type,
  );
  return !outer && !isWithin && parent.type !== 'ChainExpression';
}

/** Notes the class of a variable, a parameter or a property: by its declared type, or by `new`. */
function noteClass(classOf: Map<string, string | undefined>, node: SyntaxNode): void {
  const { type } = node;
  const target = type === 'VariableDeclarator' ? node.id : type === 'PropertyDefinition' ? node.key : node;
  const name = nameOf(target);
  const annotation = (type === 'PropertyDefinition' ? node : (target as SyntaxNode)).typeAnnotation as
    | SyntaxNode
    | undefined;
  const declared = annotation?.typeAnnotation as SyntaxNode | undefined;
  const value = (type === 'VariableDeclarator' ? node.init : node.value) as SyntaxNode | undefined;
  const isNew = value?.type === 'NewExpression';
  if (name === undefined || (!declared && !isNew && type !== 'VariableDeclarator')) return;
  const found = declared ? nameOf(declared.typeName) : isNew ? nameOf(value.callee) : undefined;
  // A name that stands for several things in a file is none of them.
  classOf.set(name, classOf.has(name) && classOf.get(name) !== found ? undefined : found);
}

/** The class of an object: of a variable, of a property of `this`, or of what `new` creates. */
function classIn(object: SyntaxNode, classOf: ReadonlyMap<string, string | undefined>): string | undefined {
  if (object.type === 'NewExpression') return nameOf(object.callee);
  if (object.type === 'Identifier') return classOf.get(nameOf(object) ?? '');
  return object.type === 'MemberExpression' && isThis(object.object)
    ? classOf.get(nameOf(object.property) ?? '')
    : undefined;
}
