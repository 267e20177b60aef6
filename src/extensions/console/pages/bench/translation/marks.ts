import type { Translated } from '../../../../../dialects/translate/index.ts';
import { pathTo } from '../../../ui/json-value.ts';

/** A loss at its place. */
export interface Mark {
  readonly dialect: string;
  readonly reason: string;
  /** Whether readers miss it. */
  readonly missed: boolean;
}

/** What dialects lose of a frame. */
export interface Marks {
  /** By the path of a member, as a JSON Pointer. */
  readonly byPath: ReadonlyMap<string, readonly Mark[]>;
  /** Losses of what is not a field of the frame, by path. */
  readonly elsewhere: readonly { readonly path: string; readonly marks: readonly Mark[] }[];
}

/** Finds the fields of a frame in A2A 1.x that dialects lose. Their paths have no places in lists. */
export function marksOf(v1: unknown, translated: readonly Pick<Translated, 'dialect' | 'losses'>[]): Marks {
  const losses = translated.flatMap(({ dialect, losses }) =>
    losses.map(({ path, reason, missed }) => ({ path, mark: { dialect, reason, missed } })),
  );
  const marks = new Map(
    Array.from(
      Map.groupBy(losses, ({ path }) => path),
      ([path, list]) => [path, list.map(({ mark }) => mark)],
    ),
  );
  const byPath = new Map<string, readonly Mark[]>();
  const met = new Set<string>();

  function visit(value: unknown, pointer: string, path: string): void {
    if (typeof value !== 'object' || value === null) return;
    // An item of a list has the path of its list, where the marks are.
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) visit(item, pathTo(pointer, at), path);
      return;
    }
    for (const [name, item] of Object.entries(value)) {
      const [below, to] = [path === '' ? name : `${path}.${name}`, pathTo(pointer, name)];
      const found = marks.get(below);
      if (found) {
        met.add(below);
        byPath.set(to, found);
      }
      visit(item, to, below);
    }
  }

  visit(v1, '', '');
  const elsewhere = [...marks].filter(([path]) => !met.has(path)).map(([path, list]) => ({ path, marks: list }));
  return { byPath, elsewhere };
}
