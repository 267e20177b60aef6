/** Comparing what came back with what was sent, where the division of it or what is empty may differ. */

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Without what a path names; a path goes through lists, and one that ends in `[]` joins the texts of a list of parts. */
export function without(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, path));
  if (!isObject(value)) return value;
  const [head = '', ...rest] = path.split('.');
  if (head.endsWith('[]')) {
    const name = head.slice(0, -2);
    return { ...value, [name]: joined(value[name]) };
  }
  if (!(head in value)) return value;
  const { [head]: below, ...others } = value;
  return rest.length === 0 ? others : { ...others, [head]: without(below, rest.join('.')) };
}

function joined(parts: unknown): unknown {
  const list = parts as readonly Json[];
  const divided =
    list.length > 1 && list.every((part) => typeof part.text === 'string' && part.mediaType === list[0]?.mediaType);
  return divided ? [{ ...list[0], text: list.map(({ text }) => text).join('') }] : list;
}

/** Without nulls, empty texts, lists and objects, and without the gateway's own metadata. */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([key]) => !key.startsWith('a2a-gateway/'))
    .map(([key, item]) => [key, withoutEmpty(item)] as const)
    .filter(([, item]) => !isEmpty(item));
  return Object.fromEntries(entries);
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);
