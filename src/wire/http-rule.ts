import { A2AError } from '../core/model/errors.ts';
import type { HttpRule } from '../gen/operations.ts';

/**
 * Path templates of google.api.http: matched by servers, formatted by clients.
 *
 *     Template = "/" Segments [ ":" Verb ]
 *     Segment  = "*" | "**" | LITERAL | "{" FieldPath [ "=" Segments ] "}"
 *
 * `*` is one segment that is not empty; `**`, which must come last, any number of them. A verb is split off before
 * anything is percent-decoded, so an encoded colon is part of a value.
 */

interface Variable {
  /** The field's path in proto names, such as `task_id`. */
  readonly field: string;
  /** Segments that it spans, `to` excluded; undefined: to the end. */
  readonly from: number;
  readonly to: number | undefined;
}

interface Template {
  /** Literals, `*` and `**`. */
  readonly segments: readonly string[];
  readonly variables: readonly Variable[];
  /** '' when there is none. */
  readonly verb: string;
}

/** Throws TypeError for what is no template. */
function parseTemplate(path: string): Template {
  const fail = (why: string): never => {
    throw new TypeError(`The path template ${path} ${why}`);
  };
  if (!path.startsWith('/')) fail('does not begin with a slash');
  const segments: string[] = [];
  const variables: Variable[] = [];
  let verb = '';
  // Slashes and colons within braces do not count.
  const pieces = path.slice(1).match(/(?:\{[^{}]*\}|[^/{}])+/g) ?? [];
  if (`/${pieces.join('/')}` !== path) fail('has empty segments or unbalanced braces');
  pieces.forEach((piece, index) => {
    let segment = piece;
    const close = piece.lastIndexOf('}');
    const colon = piece.indexOf(':', close + 1);
    if (index === pieces.length - 1 && colon >= 0) {
      verb = piece.slice(colon + 1);
      segment = piece.slice(0, colon);
    }
    const braces = /^\{([a-zA-Z_][\w.]*)(?:=([^{}]+))?\}$/.exec(segment);
    if (!braces) {
      if (segment.includes('{') || segment === '') fail(`has the segment ${piece}`);
      segments.push(segment);
      return;
    }
    const inner = (braces[2] ?? '*').split('/');
    const from = segments.length;
    segments.push(...inner);
    variables.push({ field: braces[1] ?? '', from, to: inner.at(-1) === '**' ? undefined : segments.length });
  });
  if (segments.slice(0, -1).includes('**')) fail('has ** before its end');
  return { segments, variables, verb };
}

/** Values of a path's variables, decoded, by field path in proto names. */
export type PathVariables = Readonly<Record<string, string>>;

interface Leaf<T> {
  readonly template: Template;
  readonly value: T;
}

/** A node of the tree of segments. Leaves are by custom verb, then by HTTP verb. */
interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  any?: Node<T>;
  readonly leaves: Map<string, Map<string, Leaf<T>>>;
  /** Leaves of templates that end in `**` here. */
  readonly open: Map<string, Map<string, Leaf<T>>>;
}

const newNode = <T>(): Node<T> => ({ literals: new Map(), leaves: new Map(), open: new Map() });

/** What a path is: a route with its variables; or known, but for other HTTP verbs. */
export type RouteMatch<T> =
  | { readonly value: T; readonly variables: PathVariables; readonly allow?: undefined }
  | { readonly allow: readonly string[] };

export interface HttpRouter<T> {
  /**
   * Finds the route of a path, literal segments before variables.
   *
   * @param path still percent-encoded, without query, beginning with a slash
   * @returns undefined when no rule has such a path
   * @throws A2AError of kind `invalidParams`, naming the field, for a malformed percent-encoding
   */
  match(verb: string, path: string): RouteMatch<T> | undefined;
}

/**
 * Compiles rules to a router. Where two rules are the same, the first one given is served. Throws TypeError for a path
 * that is no template.
 */
export function createRouter<T>(rules: Iterable<readonly [HttpRule, T]>): HttpRouter<T> {
  const root = newNode<T>();
  for (const [{ verb, path }, value] of rules) insert(root, verb, { template: parseTemplate(path), value });
  return {
    match(verb, path) {
      const segments = path.slice(1).split('/');
      const found = newSearch<T>(verb, segments);
      search(root, 0, found);
      const { leaf, allow } = found;
      if (leaf) return { value: leaf.value, variables: variablesOf(leaf.template, segments) };
      return allow.length > 0 ? { allow } : undefined;
    },
  };
}

function insert<T>(root: Node<T>, verb: string, leaf: Leaf<T>): void {
  const { segments, verb: custom } = leaf.template;
  let node = root;
  let leaves: Node<T>['leaves'] | undefined;
  for (const segment of segments) {
    if (segment === '**') leaves = node.open;
    else if (segment === '*') node = node.any ??= newNode<T>();
    else {
      const next = node.literals.get(segment) ?? newNode<T>();
      node.literals.set(segment, next);
      node = next;
    }
  }
  leaves ??= node.leaves;
  const byVerb = leaves.get(custom) ?? new Map<string, Leaf<T>>();
  leaves.set(custom, byVerb);
  if (!byVerb.has(verb)) byVerb.set(verb, leaf);
}

interface Search<T> {
  readonly verb: string;
  readonly segments: readonly string[];
  /** What the last segment would be if its last colon began a custom verb, and that verb; '' when there is none. */
  readonly bare: string;
  readonly custom: string;
  leaf: Leaf<T> | undefined;
  allow: string[];
}

function newSearch<T>(verb: string, segments: readonly string[]): Search<T> {
  const last = segments[segments.length - 1] as string;
  const colon = last.lastIndexOf(':');
  const [bare, custom] = colon < 0 ? [last, ''] : [last.slice(0, colon), last.slice(colon + 1)];
  return { verb, segments, bare, custom, leaf: undefined, allow: [] };
}

/** Depth first; true when a leaf with the HTTP verb was found. */
function search<T>(node: Node<T>, at: number, found: Search<T>): boolean {
  const { segments, bare, custom } = found;
  const segment = segments[at];
  if (segment === undefined) return take(node.leaves.get(''), found);
  const last = at === segments.length - 1;
  if (last && custom !== '' && step(node, bare, (next) => take(next.leaves.get(custom), found))) return true;
  if (step(node, segment, (next) => search(next, at + 1, found))) return true;
  return (custom !== '' && take(node.open.get(custom), found)) || take(node.open.get(''), found);
}

function step<T>(node: Node<T>, segment: string, go: (next: Node<T>) => boolean): boolean {
  const literal = node.literals.get(segment);
  if (literal && go(literal)) return true;
  return segment !== '' && node.any !== undefined && go(node.any);
}

function take<T>(byVerb: ReadonlyMap<string, Leaf<T>> | undefined, found: Search<T>): boolean {
  if (!byVerb) return false;
  const leaf = byVerb.get(found.verb);
  if (leaf) {
    found.leaf = leaf;
    return true;
  }
  found.allow = [...new Set([...found.allow, ...byVerb.keys()])];
  return false;
}

function variablesOf({ variables, verb }: Template, segments: readonly string[]): PathVariables {
  if (variables.length === 0) return {};
  const values: Record<string, string> = {};
  const last = segments.length - 1;
  for (const { field, from, to } of variables) {
    const spanned = segments.slice(from, to);
    if (verb !== '' && (to ?? segments.length) === segments.length) {
      spanned[spanned.length - 1] = (segments[last] as string).slice(0, -verb.length - 1);
    }
    values[field] =
      spanned.length === 1
        ? decode(spanned[0] as string, field)
        : spanned.map((part) => decodeButSlash(part, field)).join('/');
  }
  return values;
}

function decode(text: string, field: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw A2AError.invalidParams(undefined, [{ field, description: 'has a malformed percent-encoding in the path' }]);
  }
}

/** In a value of several segments an encoded slash stays encoded, or it would look like one that separates them. */
const decodeButSlash = (text: string, field: string): string =>
  text
    .split(/(%2f)/i)
    .map((part, index) => (index % 2 === 1 ? '%2F' : decode(part, field)))
    .join('');

/** Makes paths of one rule. */
export interface PathFormat {
  /** Paths of the fields, in proto names, that the path carries. */
  readonly fields: readonly string[];
  /**
   * @param read gives a field's value by its path in proto names
   * @returns the path, percent-encoded; undefined when a value is missing, empty, or not of the template's form
   */
  format(read: (field: string) => string | undefined): string | undefined;
}

/** Compiles a rule for a client. Throws TypeError for a path that is no template, or has a `*` that no field fills. */
export function compilePath(rule: HttpRule): PathFormat {
  const { segments, variables, verb } = parseTemplate(rule.path);
  const suffix = verb === '' ? '' : `:${verb}`;
  const filled = (index: number) => variables.some(({ from, to }) => from <= index && index < (to ?? segments.length));
  if (segments.some((segment, index) => segment.startsWith('*') && !filled(index))) {
    throw new TypeError(`The path template ${rule.path} has a wildcard that no field fills`);
  }
  return {
    fields: variables.map(({ field }) => field),
    format(read) {
      const out: string[] = [];
      let at = 0;
      for (const { field, from, to } of variables) {
        const value = read(field);
        const parts = value === undefined ? undefined : encodeParts(value, segments.slice(from, to));
        if (!parts) return undefined;
        out.push(...segments.slice(at, from), ...parts);
        at = to ?? segments.length;
      }
      return `/${[...out, ...segments.slice(at)].join('/')}${suffix}`;
    },
  };
}

/** The encoded segments of a value, or undefined when it does not have the pattern's form. */
function encodeParts(value: string, pattern: readonly string[]): string[] | undefined {
  if (!value.isWellFormed()) return undefined;
  if (pattern.length === 1 && pattern[0] === '*') return value === '' ? undefined : [encode(value)];
  const parts = value.split('/');
  const open = pattern.at(-1) === '**';
  if (open ? parts.length < pattern.length - 1 : parts.length !== pattern.length) return undefined;
  const fits = pattern.every((segment, index) => {
    if (segment === '**') return true;
    return segment === '*' ? parts[index] !== '' : parts[index] === segment;
  });
  return fits ? parts.map((part) => part.split(/%2f/i).map(encode).join('%2F')) : undefined;
}

/** Dots alone would be taken for steps of a relative path by whatever normalises URLs. */
const encode = (text: string): string =>
  /^\.{1,2}$/.test(text) ? text.replaceAll('.', '%2E') : encodeURIComponent(text);
