/** Whether a value has members. */
export const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;
/** Returns the number of members of an object or an array. */
export const sizeOf = (value: object): number => (Array.isArray(value) ? value.length : Object.keys(value).length);

/** Returns the number of levels to open at first: down to a depth, as long as there are not more rows than `most`. */
export function levelsOf(value: unknown, depth: number, most: number): number {
  let level = [value];
  let rows = 1;
  for (let levels = 1; levels < depth; levels++) {
    level = level
      .filter(isBranch)
      .filter((one) => sizeOf(one) <= most)
      .flatMap(Object.values);
    rows += level.length;
    if (rows > most || level.length === 0) return levels;
  }
  return depth;
}

/** Returns the path of a member, as a JSON Pointer (RFC 6901). */
export const pathTo = (path: string, member: string | number): string =>
  `${path}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`;
