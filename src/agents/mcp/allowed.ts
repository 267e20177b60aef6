/** Whether a tool may be called, by the names that it goes by. */
export type Allowed = (...names: readonly string[]) => boolean;

/** `*` stands for any characters; everything else for itself. Linear in the name's length times the stars'. */
function matches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

/**
 * What a server's lists say: one of the names must be allowed, where there is such a list, and none denied.
 *
 * @param allow names or patterns with `*`; undefined allows all
 */
export function allowedBy(allow: readonly string[] | undefined, deny: readonly string[]): Allowed {
  const listed = (patterns: readonly string[], names: readonly string[]): boolean =>
    patterns.some((pattern) => names.some((name) => matches(pattern, name)));
  return (...names) => (allow === undefined || listed(allow, names)) && !listed(deny, names);
}
