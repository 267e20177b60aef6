/** As deep as JSON that comes in may nest. */
const deepest = 64;

/**
 * The canonical form of a JSON value (RFC 8785): no white space, members in the order of their names' UTF-16 code units,
 * numbers and strings as ECMAScript writes them. The same value always gives the same text, so that it can be signed.
 * A member whose value is undefined is left out, as `JSON.stringify` does.
 *
 * @throws TypeError for what has no canonical form: numbers that are not finite, unpaired surrogates, and whatever is
 *   nested deeper than 64 or is no JSON at all
 */
export function canonicalJson(value: unknown): string {
  return write(value, 1);
}

function write(value: unknown, depth: number): string {
  if (typeof value === 'string') return text(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} is no JSON number`);
    return JSON.stringify(value);
  }
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} is no JSON`);
  if (depth > deepest) throw new TypeError(`nested deeper than ${deepest}`);
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(',')}]`;
  const members: string[] = [];
  // The default order of `sort` is that of UTF-16 code units.
  for (const name of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) members.push(`${text(name)}:${write(member, depth + 1)}`);
  }
  return `{${members.join(',')}}`;
}

/** `JSON.stringify` escapes just what the RFC wants escaped, and unpaired surrogates, which the RFC refuses. */
function text(value: string): string {
  if (!value.isWellFormed()) throw new TypeError('an unpaired surrogate has no canonical form');
  return JSON.stringify(value);
}
