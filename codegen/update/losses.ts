import { pages } from '../dialect-pages.ts';
import type { Model } from '../model.ts';
import { describeTables, lossesByType } from '../records.ts';
import type { Change } from './diff.ts';
import { type Declaration, mentionsWord } from './sources.ts';

/** What a dialect cannot say, and could not be asked to say before. */
export interface Loss {
  readonly dialect: string;
  /** The chapter of its page in `docs/dialects`: `Fields over JSON-RPC`. */
  readonly section: string;
  /** What is converted: `task`, `request`, `card` and so on; `rpc` and `enum value` for names that have no equivalent. */
  readonly type: string;
  /** Path in the new version. */
  readonly path: string;
}

/** Losses that are new, from the tables of the dialects. */
export function newLosses(before: Model, after: Model): Loss[] {
  return [...pages].flatMap(([dialect, sections]) =>
    [...sections].flatMap(([section, mapping]) => {
      const known = lossesByType(describeTables(mapping, before));
      const now = lossesByType(describeTables(mapping, after));
      return Object.entries(now).flatMap(([type, paths]) =>
        paths.filter((path) => !known[type]?.includes(path)).map((path) => ({ dialect, section, type, path })),
      );
    }),
  );
}

/** New rpcs and enum values that no dialect has an equivalent for. */
export function unknownNames(declarations: readonly Declaration[], changes: readonly Change[]): Loss[] {
  const dialects = declarations.filter(({ file }) => file.startsWith('src/dialects/'));
  return changes.flatMap(({ kind, change, name, word }) => {
    const isName = change === 'added' && (kind === 'rpc' || kind === 'enum value');
    if (!isName || dialects.some(({ code }) => mentionsWord(code, word))) return [];
    const section = kind === 'rpc' ? 'Methods' : 'Names';
    return tabledDialects.map((dialect) => ({ dialect, section, type: kind, path: name }));
  });
}

/** The dialects that have tables: all but A2A 1.x itself. */
export const tabledDialects: readonly string[] = [...pages.keys()];

/** Whether any table of a dialect converts this message; without one, functions written by hand do, if any. */
export function hasTable(dialect: string, message: string): boolean {
  const mappings = [...(pages.get(dialect)?.values() ?? [])];
  return mappings.some(({ tables }) => Object.values(tables).some(({ type }) => type === message));
}
