import type { Translated } from '../../../../../dialects/translate/index.ts';
import { pathTo } from '../../../ui/json-value.ts';

/** A loss at its place. */
export interface Mark {
  readonly dialect: string;
  readonly reason: string;
  /** Whether readers miss it. */
  readonly missed: boolean;
}

/** Losses of a frame in all dialects. */
export interface Marks {
  /** Marks by the path of a member, as a JSON Pointer. */
  readonly byPath: ReadonlyMap<string, readonly Mark[]>;
  /** Losses outside of the frame's fields, by path. */
  readonly elsewhere: ReadonlyMap<string, readonly Mark[]>;
}

/** Finds the fields of a frame in A2A 1.x that dialects lose. Their paths have no places in lists. */
export function marksOf(v1: unknown, translated: readonly Pick<Translated, 'dialect' | 'losses'>[]): Marks {
  const marks = new Map<string, Mark[]>();
  for (const { dialect, losses } of translated) {
    for (const { path, reason, missed } of losses) {
      marks.set(path, [...(marks.get(path) ?? []), { dialect, reason, missed }]);
    }
  }
  const byPath = new Map<string, readonly Mark[]>();
  const elsewhere = new Map(marks);

  function visit(value: unknown, pointer: string, path: string): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, item] of Object.entries(value)) {
      // An item of a list has the path of its list, where the marks are.
      const below = Array.isArray(value) ? path : path === '' ? name : `${path}.${name}`;
      const to = pathTo(pointer, name);
      const found = Array.isArray(value) ? undefined : marks.get(below);
      if (found) byPath.set(to, found);
      if (found) elsewhere.delete(below);
      visit(item, to, below);
    }
  }

  visit(v1, '', '');
  return { byPath, elsewhere };
}
