/** A vendored file with the declarations of a newer one. */
export interface Merged {
  readonly text: string;
  /** Number of equal declarations with different comments. The comments of the vendored file are kept. */
  readonly comments: number;
}

/** A statement of a proto, or a block with its statements. */
interface Statement {
  /** Text of the statement without comments and white space. */
  readonly key: string;
  readonly comments: string;
  /** The statement, or the head of the block, with preceding comments and white space. */
  readonly text: string;
  readonly inner?: readonly Statement[];
  /** End of the block. */
  readonly close?: string;
}

/**
 * Updates a vendored proto to the declarations of a newer one. Declarations in both keep the comments, formatting and
 * position of the vendored file; new ones are copied from the newer file. A review then shows only real changes, and a
 * change of comments alone changes nothing.
 *
 * @param base file from which the newer one was derived; additions of the vendored file to it are kept. Default:
 * `vendored`
 */
export function mergeProto(vendored: string, proposed: string, base: string = vendored): Merged {
  const was = parse(vendored);
  const is = parse(proposed);
  const common = parse(base);
  let comments = 0;
  type Statements = readonly Statement[] | undefined;
  const merge = (from: Statements = [], to: Statements = [], before: Statements = []): string => {
    const known = byKey(from);
    const wanted = byKey(to);
    const old = byKey(before);
    const keys = inOrderOf(
      [...known.keys()].filter((key) => wanted.has(key) || !old.has(key)),
      [...wanted.keys()].filter((key) => known.has(key) || !old.has(key)),
    );
    return keys
      .map((key) => {
        const kept = known.get(key);
        const next = wanted.get(key);
        if (kept && next && kept.comments !== next.comments) comments += 1;
        const { text, close = '', inner } = (kept ?? next) as Statement;
        const body = next ? merge(inner, next.inner, old.get(key)?.inner) : merge(inner, inner, inner);
        return `${text}${body}${close}`;
      })
      .join('');
  };
  return { text: `${merge(was.statements, is.statements, common.statements)}${was.rest}`, comments };
}

/** Returns statements by key. Repeated statements get distinct keys. */
function byKey(statements: readonly Statement[]): Map<string, Statement> {
  const found = new Map<string, Statement>();
  for (const statement of statements) {
    let key = statement.key;
    while (found.has(key)) key += ' again';
    found.set(key, statement);
  }
  return found;
}

const token = /(\s+)|(\/\/[^\n]*|\/\*[\s\S]*?\*\/)|("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[\w.+-]+|[^\s])/g;

/** Returns the statements of a proto and the text after the last one. */
function parse(source: string): { statements: Statement[]; rest: string } {
  const statements: Statement[] = [];
  const open: { head: Omit<Statement, 'inner' | 'close'>; inner: Statement[] }[] = [];
  let words: string[] = [];
  let comments: string[] = [];
  let start = 0;
  for (const match of source.matchAll(token)) {
    if (match.index < start) continue;
    const [all, , comment, word] = match;
    if (comment !== undefined) comments.push(comment.replace(/\s+/g, ' '));
    if (word === undefined) continue;
    words.push(word);
    if (word !== ';' && word !== '{' && word !== '}') continue;
    // A semicolon after a block belongs to it, as does a comment on the same line.
    const behind = word === '}' ? /^(?:\s*;)?(?:[ \t]*\/\/[^\n]*)?/ : /^[ \t]*\/\/[^\n]*/;
    const end = match.index + all.length;
    const after = end + (behind.exec(source.slice(end))?.[0].length ?? 0);
    const text = source.slice(start, after);
    // In options, the colon before a brace is optional.
    const statement = { key: words.join(' ').replace(/ : \{$/, ' {'), comments: comments.join('\n'), text };
    const siblings = open.at(-1)?.inner ?? statements;
    if (word === '{') open.push({ head: statement, inner: [] });
    else if (word === ';') siblings.push(statement);
    else {
      const block = open.pop();
      if (!block) throw new Error('the proto closes a block that it does not open');
      (open.at(-1)?.inner ?? statements).push({ ...block.head, inner: block.inner, close: text });
    }
    start = after;
    words = [];
    comments = [];
  }
  return { statements, rest: source.slice(start) };
}

/** Returns the kept keys in order, with each new key after the key that it follows in `wanted`. */
function inOrderOf(kept: readonly string[], wanted: readonly string[]): string[] {
  const keys = [...kept];
  let at = 0;
  for (const key of wanted) {
    const known = keys.indexOf(key);
    if (known >= 0) at = known + 1;
    else keys.splice(at++, 0, key);
  }
  return keys;
}

type Json = Record<string, unknown>;

/** Members of a JSON Schema that do not affect validation. */
const remarks = new Set(['description', '$schema', '$id', '$comment']);

/**
 * Updates a vendored bundle to the definitions of a newer one, like `mergeProto`. If the newer bundle uses `$defs`, it
 * is converted to the vendored form, with `definitions` by title.
 *
 * @param pkg package of the proto that both describe
 */
export function mergeBundle(vendored: string, proposed: unknown, pkg: string): Merged {
  let comments = 0;
  const merge = (was: unknown, is: unknown, isAlias = false): unknown => {
    if (!isObject(was) || !isObject(is)) return is;
    const merged: Json = {};
    const kept = Object.keys(was).filter((key) => key in is || remarks.has(key));
    for (const key of inOrderOf(kept, Object.keys(is))) {
      const isRemark = remarks.has(key) && typeof (was[key] ?? is[key]) === 'string';
      if (!isRemark)
        merged[key] = key in was ? merge(was[key], is[key], isAlias || key === 'patternProperties') : is[key];
      else if (was[key] !== undefined) merged[key] = was[key];
      // An alias repeats the description of its field.
      if (isRemark && !isAlias && key === 'description' && was[key] !== is[key]) comments += 1;
    }
    return merged;
  };
  const was = JSON.parse(vendored) as Json;
  const is = isObject(proposed) && 'definitions' in was ? withDefinitions(proposed, pkg) : proposed;
  const text = JSON.stringify(merge(was, is), undefined, 2);
  return { text: `${text}\n`, comments };
}

const prefix = '#/$defs/';

/** Converts a bundle with `$defs` to the form with `definitions`, in which types refer to each other by file name. */
function withDefinitions(bundle: Json, pkg: string): Json {
  const { $defs, ...rest } = bundle;
  if (!isObject($defs)) return bundle;
  const fileOf = (name: string): string => {
    if (name.endsWith('.jsonschema.json')) return name;
    return `${['Struct', 'Value', 'Timestamp'].includes(name) ? 'google.protobuf' : pkg}.${name}.jsonschema.json`;
  };
  const refer = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(refer);
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([key, member]) => {
      const isRef = key === '$ref' && typeof member === 'string' && member.startsWith(prefix);
      return [key, isRef ? fileOf(member.slice(prefix.length)) : refer(member)];
    });
    return Object.fromEntries(members);
  };
  const titled = Object.entries($defs).map(([name, schema]) => {
    const title = isObject(schema) && typeof schema.title === 'string' ? schema.title : name;
    return [title, refer(schema)];
  });
  return { ...rest, definitions: Object.fromEntries(titled) };
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
