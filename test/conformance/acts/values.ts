/** JSON as tests of ACTS see it: values of YAML, and what came over the wire. */
export type Value = unknown;

export const isMap = (value: Value): value is Record<string, Value> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A test that uses what the runner does not know. It is an error, and never passes. */
export class NotUnderstood extends Error {}

/** The members of a map of YAML, of which every one must be known. */
export function membersOf(value: Value, known: readonly string[], what: string): Record<string, Value> {
  if (!isMap(value)) throw new NotUnderstood(`${what} is no map`);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new NotUnderstood(`${what} has a member that the runner does not know: ${unknown}`);
  return value;
}

/**
 * The values at a path such as `task.artifacts[*].parts[0]`: one, none, or with `[*]` as many as there are.
 *
 * @throws NotUnderstood for a path in another form
 */
export function valuesAt(value: Value, path: string): Value[] {
  if (!/^[\w-]+(\[(\d+|\*)\])*(\.[\w-]+(\[(\d+|\*)\])*)*$/.test(path)) throw new NotUnderstood(`the path ${path}`);
  let found: Value[] = [value];
  for (const [, name, index] of path.matchAll(/([\w-]+)|\[(\d+|\*)\]/g)) {
    found = found.flatMap((each) => (index === undefined ? memberOf(each, name as string) : elementsOf(each, index)));
  }
  return found;
}

const memberOf = (value: Value, name: string): Value[] =>
  isMap(value) && Object.hasOwn(value, name) ? [value[name]] : [];

function elementsOf(value: Value, index: string): Value[] {
  if (!Array.isArray(value)) return [];
  if (index === '*') return value;
  return Number(index) < value.length ? [value[Number(index)]] : [];
}

/** Variables by name; those that a step captured have the names `STEP.NAME`, and its whole answer `STEP.response`. */
export type Variables = Map<string, Value>;

const reference = /\{\{\s*([^{}]+?)\s*\}\}/g;

/**
 * A value with its variables in place. A text that is one reference becomes the variable's value of any type.
 *
 * @throws Error for a variable that nothing has set
 */
export function resolved(value: Value, variables: Variables): Value {
  if (typeof value === 'string') {
    const [, only] = /^\{\{\s*([^{}]+?)\s*\}\}$/.exec(value) ?? [];
    if (only !== undefined) return variable(only, variables);
    return value.replace(reference, (_, name: string) => String(variable(name, variables)));
  }
  if (Array.isArray(value)) return value.map((each) => resolved(each, variables));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolved(each, variables)]));
}

function variable(name: string, variables: Variables): Value {
  if (name === '$uuid') return crypto.randomUUID();
  if (name.startsWith('env.') && process.env[name.slice(4)] !== undefined) return process.env[name.slice(4)];
  if (!variables.has(name)) throw new Error(`the variable ${name} is not set`);
  const value = variables.get(name);
  return typeof value === 'string' && value.includes('{{') ? resolved(value, variables) : value;
}

/**
 * Whether an answer meets a condition: `path == value`, `path != value` or `path in [value, …]`.
 *
 * @throws NotUnderstood for a condition in another form
 */
export function meets(condition: string, value: Value): boolean {
  const [, path = '', operator, right = ''] = /^(\S+)\s+(==|!=|in)\s+(.+)$/.exec(condition.trim()) ?? [];
  const words = /^\[(.*)\]$/.exec(right.trim())?.[1]?.split(',') ?? (operator === 'in' ? undefined : [right]);
  if (operator === undefined || words === undefined) throw new NotUnderstood(`the condition ${condition}`);
  const is = words
    .map((word) => word.trim().replace(/^(["'])(.*)\1$/, '$2'))
    .includes(String(valuesAt(value, path)[0]));
  return operator === '!=' ? !is : is;
}
