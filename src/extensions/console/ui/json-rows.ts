/** One row of a JSON value that is shown as a tree. */
export interface JsonRow {
  /** Names of members and indexes, from the root. */
  readonly path: string;
  readonly depth: number;
  /** Undefined for the root. */
  readonly name: string | undefined;
  readonly value: unknown;
  /** Members of an object or an array; undefined for any other value. */
  readonly size: number | undefined;
  readonly open: boolean;
  /** For the row in the place of members that are not shown: how many. */
  readonly left?: number;
}

/** Members of one object or array that are shown at once. */
export const membersAtOnce = 500;

/** The path of a member, as a JSON Pointer (RFC 6901). */
export const pathTo = (path: string, member: string | number): string =>
  `${path}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/**
 * The rows that are in sight where these paths are open.
 *
 * @param limits how many members are shown of objects and arrays that were asked for more, by path
 */
export function jsonRows(
  value: unknown,
  open: ReadonlySet<string>,
  limits: ReadonlyMap<string, number> = new Map(),
): JsonRow[] {
  const rows: JsonRow[] = [];
  const visit = (value: unknown, path: string, name: string | undefined, depth: number): void => {
    const isBranch = typeof value === 'object' && value !== null;
    const keys = isBranch ? (Array.isArray(value) ? undefined : Object.keys(value)) : undefined;
    const size = isBranch ? (keys?.length ?? (value as unknown[]).length) : undefined;
    const isOpen = isBranch && open.has(path);
    rows.push({ path, depth, name, value, size, open: isOpen });
    if (!isOpen || size === undefined) return;
    const shown = Math.min(size, limits.get(path) ?? membersAtOnce);
    for (let at = 0; at < shown; at++) {
      const key = keys ? (keys[at] as string) : String(at);
      visit((value as Record<string, unknown>)[key], pathTo(path, key), key, depth + 1);
    }
    if (shown < size) {
      const none = { name: undefined, value: undefined, size: undefined, open: false };
      rows.push({ ...none, path, depth: depth + 1, left: size - shown });
    }
  };
  visit(value, '', undefined, 0);
  return rows;
}

/** Paths to open at first: everything down to a depth, as long as there are not more rows than `max`. */
export function openTo(value: unknown, depth: number, max = 200): Set<string> {
  const open = new Set<string>(['']);
  for (let level = 1; level < depth; level++) {
    const rows = jsonRows(value, open);
    const branches = rows.filter(
      (row) => row.depth === level && row.size !== undefined && row.size > 0 && row.size <= max,
    );
    const more = branches.reduce((sum, { size = 0 }) => sum + size, 0);
    if (more === 0 || rows.length + more > max) break;
    for (const { path } of branches) open.add(path);
  }
  return open;
}
