import { A2AError } from '../core/model/errors.ts';
import type { HttpRule } from '../gen/operations.ts';

/**
 * Path templates of `google.api.http`. Servers match them, clients format them.
 *
 *     Template = "/" Segments [ ":" Verb ]
 *     Segment  = LITERAL | "{" FieldPath [ "=" ( "*" | LITERAL )... ] "}"
 *
 * `*` matches one segment that is not empty; `**` is not supported, because no rule uses it. The verb is split off
 * before percent-decoding, so an encoded colon is part of a value.
 */
interface Template {
  /** Literals and `*`. */
  readonly segments: readonly string[];
  /**
   * Fields by path in proto names, such as `task_id`, with the range of segments that each spans; `to` is exclusive.
   */
  readonly variables: readonly { readonly field: string; readonly from: number; readonly to: number }[];
  /** Verb including its colon; '' if there is none. */
  readonly verb: string;
}

/** Parsed templates by their text. The texts come from generated code, so there are few. */
const templates = new Map<string, Template>();

/**
 * Parses a template.
 *
 * @throws TypeError for an invalid template
 */
function templateOf(path: string): Template {
  const template = templates.get(path) ?? parseTemplate(path);
  templates.set(path, template);
  return template;
}

function parseTemplate(path: string): Template {
  const fail = (why: string): never => {
    throw new TypeError(`The path template ${path} ${why}`);
  };
  const segments: string[] = [];
  const variables: Template['variables'][number][] = [];
  if (!path.startsWith('/')) fail('does not begin with a slash');
  // Slashes and colons within braces are not separators.
  const colon = path.indexOf(':', Math.max(path.lastIndexOf('/'), path.lastIndexOf('}')));
  const verb = colon < 0 ? '' : path.slice(colon);
  const body = path.slice(1, path.length - verb.length);
  const pieces = body.match(/(?:\{[^{}]*\}|[^/{}])+/g) ?? [];
  if (pieces.join('/') !== body) fail('has empty segments or unbalanced braces');
  for (const piece of pieces) {
    const [, field, pattern = '*'] = /^\{([a-zA-Z_][\w.]*)(?:=([^{}]+))?\}$/.exec(piece) ?? [];
    const inner = field === undefined ? [piece] : pattern.split('/');
    if (/[{}]|\*\*/.test(inner.join('/')) || (field === undefined && piece === '*')) fail(`has the segment ${piece}`);
    const from = segments.length;
    segments.push(...inner);
    if (field !== undefined) variables.push({ field, from, to: segments.length });
  }
  return { segments, variables, verb };
}

/** Decoded values of a path's variables, by field path in proto names. */
export type PathVariables = Readonly<Record<string, string>>;

/** The route of a path with its variables or, if the path has routes for other HTTP methods only, those methods. */
export type RouteMatch<T> =
  | { readonly value: T; readonly variables: PathVariables; readonly allow?: undefined }
  | { readonly allow: readonly string[] };

/**
 * Compiles rules to a router. If two rules are equal, the first is served.
 *
 * @throws TypeError for an invalid template
 */
export function createRouter<T>(rules: Iterable<readonly [HttpRule, T]>) {
  const routes = Array.from(rules, ([{ verb, path }, value]) => ({ verb, value, template: templateOf(path) }));
  type Routes = typeof routes;
  let byLength: Map<number, Routes> | undefined;
  /** Sorts the routes at the first request, since some bindings are never called. */
  const sorted = (): Map<number, Routes> => {
    const lists = Map.groupBy(routes, ({ template }) => template.segments.length);
    for (const list of lists.values()) list.sort((a, b) => rankOf(a.template) - rankOf(b.template));
    return lists;
  };
  return {
    /**
     * Finds the route of a path. Literal segments take precedence over variables.
     *
     * @param path percent-encoded, without query, beginning with a slash
     * @returns undefined if no rule matches the path
     * @throws A2AError `invalidParams`, naming the field, for a malformed percent-encoding
     */
    match(verb: string, path: string): RouteMatch<T> | undefined {
      const segments = path.slice(1).split('/');
      const allow = new Set<string>();
      byLength ??= sorted();
      for (const route of byLength.get(segments.length) ?? []) {
        if (!matches(route.template, segments)) continue;
        if (route.verb === verb) return { value: route.value, variables: variablesOf(route.template, segments) };
        allow.add(route.verb);
      }
      return allow.size > 0 ? { allow: [...allow] } : undefined;
    },
  };
}

/** Returns the rank of a template: literals are tried before wildcards, and a custom verb before the last segment. */
function rankOf({ segments, verb }: Template): number {
  const ranks = segments.map((segment) => (segment === '*' ? '1' : '0'));
  ranks.splice(-1, 0, verb === '' ? '1' : '0');
  return Number(ranks.join(''));
}

function matches({ segments: pattern, verb }: Template, segments: readonly string[]): boolean {
  const last = pattern.length - 1;
  for (let at = 0; at <= last; at++) {
    let segment = segments[at] as string;
    if (at === last && verb !== '') {
      if (!segment.endsWith(verb)) return false;
      segment = segment.slice(0, -verb.length);
    }
    if (pattern[at] === '*' ? segment === '' : pattern[at] !== segment) return false;
  }
  return true;
}

function variablesOf({ variables, verb }: Template, segments: readonly string[]): PathVariables {
  const values: Record<string, string> = {};
  for (const { field, from, to } of variables) {
    const spanned = segments.slice(from, to);
    if (verb !== '' && to === segments.length) spanned.push(spanned.pop()?.slice(0, -verb.length) as string);
    values[field] = spanned.map(spanned.length === 1 ? decodeIn(field) : decodeExceptSlash(field)).join('/');
  }
  return values;
}

const decodeIn =
  (field: string) =>
  (text: string): string => {
    if (!text.includes('%')) return text;
    try {
      return decodeURIComponent(text);
    } catch {
      throw A2AError.invalidField(field, 'has a malformed percent-encoding in the path');
    }
  };

/**
 * Decodes a value of several segments. An encoded slash stays encoded, because a decoded slash would separate segments.
 */
const decodeExceptSlash =
  (field: string) =>
  (text: string): string =>
    text.split(/%2f/i).map(decodeIn(field)).join('%2F');

/**
 * Compiles a rule for a client, which formats paths.
 *
 * @throws TypeError for an invalid template
 */
export function compilePath(rule: HttpRule) {
  const { segments, variables, verb } = parseTemplate(rule.path);
  return {
    /** Paths, in proto names, of the fields that the path contains. */
    fields: variables.map(({ field }) => field),
    /**
     * @param read returns a field's value by its path in proto names
     * @returns the path, percent-encoded; undefined if a value is missing, empty, or does not match the template
     */
    format(read: (field: string) => string | undefined): string | undefined {
      const out = [...segments];
      for (const { field, from, to } of variables) {
        const parts = encodeParts(read(field) ?? '', segments.slice(from, to));
        if (!parts) return undefined;
        out.splice(from, parts.length, ...parts);
      }
      return `/${out.join('/')}${verb}`;
    },
  };
}

/** Returns the encoded segments of a value; undefined if the value does not match the pattern. */
function encodeParts(value: string, pattern: readonly string[]): string[] | undefined {
  if (!value.isWellFormed()) return undefined;
  if (pattern.length === 1 && pattern[0] === '*') return value === '' ? undefined : [encode(value)];
  const parts = value.split('/');
  if (parts.length !== pattern.length) return undefined;
  const fits = pattern.every((segment, at) => (segment === '*' ? parts[at] !== '' : parts[at] === segment));
  return fits ? parts.map((part) => part.split(/%2f/i).map(encode).join('%2F')) : undefined;
}

/** Encodes a segment. `.` and `..` are escaped, because software that normalizes URLs treats them as relative steps. */
const encode = (text: string): string =>
  /^\.{1,2}$/.test(text) ? text.replaceAll('.', '%2E') : encodeURIComponent(text);
