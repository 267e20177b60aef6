/** Maximum nesting depth, equal to the limit on incoming JSON. */
const maxDepth = 64;

/**
 * Returns the canonical form of a JSON value (RFC 8785): no white space, members sorted by the UTF-16 code units of
 * their names, numbers and strings as ECMAScript serializes them. Equal values produce equal texts, which can therefore
 * be signed. Members whose value is undefined are omitted, as in `JSON.stringify`.
 *
 * @throws TypeError for values without a canonical form: numbers that are not finite, unpaired surrogates, nesting
 * deeper than 64, and values that are not JSON
 */
export function canonicalJson(value: unknown, depth = 1): string {
  if (typeof value === 'string') return text(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`);
    return JSON.stringify(value);
  }
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} is not JSON`);
  if (depth > maxDepth) throw new TypeError(`nested deeper than ${maxDepth}`);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`;
  const members: string[] = [];
  // The default order of `sort` is by UTF-16 code units.
  for (const name of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) members.push(`${text(name)}:${canonicalJson(member, depth + 1)}`);
  }
  return `{${members.join(',')}}`;
}

/**
 * Serializes a string. `JSON.stringify` escapes strings as RFC 8785 requires, but also accepts unpaired surrogates,
 * which the RFC rejects.
 */
function text(value: string): string {
  if (!value.isWellFormed()) throw new TypeError('an unpaired surrogate has no canonical form');
  return JSON.stringify(value);
}
