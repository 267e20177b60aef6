import type { Translated } from '../../../../dialects/translate/index.ts';

/** A frame in A2A 1.x as lines of JSON, each with what dialects lose of it. */

/** A loss at its place. */
export interface Mark {
  readonly dialect: string;
  readonly reason: string;
  /** Whether readers miss it. */
  readonly missed: boolean;
}

export interface MarkedLine {
  readonly depth: number;
  /** Absent for items of lists, and for lines that close an object or a list. */
  readonly name?: string;
  /** A text, or punctuation and other values as they stand. */
  readonly value: string;
  readonly kind: 'string' | 'literal' | 'punctuation';
  /** The field's path in A2A 1.x, without places in lists. */
  readonly path: string;
  readonly marks: readonly Mark[];
}

export interface MarkedFrame {
  readonly lines: readonly MarkedLine[];
  /** Lines that are left out. */
  readonly hidden: number;
  /** Losses of what is not a field of the frame, by path. */
  readonly elsewhere: readonly { readonly path: string; readonly marks: readonly Mark[] }[];
}

/** Lines of a frame at most. Further ones are only counted. */
export const maxLines = 20_000;

/** The marks of all dialects by path. */
function marksByPath(translated: readonly Translated[]): Map<string, Mark[]> {
  const marks = new Map<string, Mark[]>();
  for (const { dialect, losses } of translated) {
    for (const { path, reason, missed } of losses) {
      const others = marks.get(path);
      const mark = { dialect, reason, missed };
      if (others) others.push(mark);
      else marks.set(path, [mark]);
    }
  }
  return marks;
}

/**
 * Writes a value as lines of JSON, and marks the fields that dialects lose.
 *
 * @param v1 in A2A 1.x
 */
export function markedFrame(v1: unknown, translated: readonly Translated[]): MarkedFrame {
  const marks = marksByPath(translated);
  const met = new Set<string>();
  const lines: MarkedLine[] = [];
  let hidden = 0;

  function add(line: Omit<MarkedLine, 'marks'>, marked: boolean): void {
    if (lines.length >= maxLines) {
      hidden++;
      return;
    }
    const found = marked ? (marks.get(line.path) ?? []) : [];
    lines.push({ ...line, marks: found });
  }

  function write(value: unknown, depth: number, path: string, name: string | undefined, comma: string): void {
    if (marks.has(path)) met.add(path);
    const place = { depth, path, ...(name !== undefined && { name }) };
    if (typeof value !== 'object' || value === null) {
      const kind = typeof value === 'string' ? 'string' : 'literal';
      add({ ...place, value: `${JSON.stringify(value) ?? 'null'}${comma}`, kind }, true);
      return;
    }
    const [open, close] = Array.isArray(value) ? '[]' : '{}';
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    if (entries.length === 0) {
      add({ ...place, value: `${open}${close}${comma}`, kind: 'punctuation' }, true);
      return;
    }
    add({ ...place, value: open as string, kind: 'punctuation' }, true);
    entries.forEach(([key, item], at) => {
      const isLast = at === entries.length - 1;
      const isList = Array.isArray(value);
      const below = isList ? path : path === '' ? key : `${path}.${key}`;
      write(item, depth + 1, below, isList ? undefined : key, isLast ? '' : ',');
    });
    add({ depth, path, value: `${close}${comma}`, kind: 'punctuation' }, false);
  }

  if (v1 !== undefined) write(v1, 0, '', undefined, '');
  // An item of a list has the path of its list, whose first line alone has the marks.
  const marked = new Set<string>();
  const once = lines.map((line) => {
    if (line.marks.length === 0 || line.name !== undefined) {
      if (line.marks.length > 0) marked.add(line.path);
      return line;
    }
    return marked.has(line.path) ? { ...line, marks: [] } : line;
  });
  const elsewhere = [...marks].filter(([path]) => !met.has(path)).map(([path, list]) => ({ path, marks: list }));
  return { lines: once, hidden, elsewhere };
}
