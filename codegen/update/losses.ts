import { dropsOf } from '../../src/dialects/a2a-1.x/dropped.ts';
import { pages } from '../dialect-pages.ts';
import { type Model, tablesOf } from '../model.ts';
import { describeTables, lossesByType } from '../records.ts';
import { versions } from '../versions.ts';
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

/**
 * Losses that are new, from the tables of the dialects and the protos of older versions.
 *
 * @param before the versions of A2A 1.x as they were, newest first
 */
export function newLosses(before: readonly [Model, ...Model[]], after: readonly [Model, ...Model[]]): Loss[] {
  return [...newTabledLosses(before[0], after[0]), ...newVersionLosses(before, after)];
}

/** Types that stand alone, by the names that losses have for them. */
const alone = { message: 'Message', task: 'Task', event: 'StreamResponse', card: 'AgentCard' };

function newVersionLosses([was, ...olderBefore]: readonly Model[], [is, ...olderAfter]: readonly Model[]): Loss[] {
  return versions.slice(1).flatMap(({ name: dialect }, at) => {
    const known = versionLosses(was, olderBefore[at]);
    return Object.entries(versionLosses(is, olderAfter[at])).flatMap(([type, paths]) =>
      paths
        .filter((path) => !known[type]?.includes(path))
        .map((path) => ({ dialect, section: 'Fields that it lacks', type, path })),
    );
  });
}

/** Paths of the newest version that an older one lacks, by type. */
function versionLosses(newest: Model | undefined, older: Model | undefined): Record<string, readonly string[]> {
  if (!newest || !older) return {};
  const dropOf = dropsOf(tablesOf(newest), tablesOf(older));
  const pathsOf = (fullName: string): readonly string[] => dropOf(fullName)?.paths ?? [];
  const named = Object.entries(alone).map(([type, name]) => [type, pathsOf(`${newest.package}.${name}`)]);
  const rpcs = new Set(older.operations.map(({ rpc }) => rpc));
  const requests = newest.operations.flatMap(({ rpc, request }) => (rpcs.has(rpc) ? pathsOf(request) : []));
  return { ...Object.fromEntries(named), request: [...new Set(requests)] };
}

function newTabledLosses(before: Model, after: Model): Loss[] {
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

/**
 * New rpcs and enum values that no dialect has an equivalent for.
 *
 * @param version the version of A2A 1.x that has them, as the later ones do
 */
export function unknownNames(
  version: string,
  declarations: readonly Declaration[],
  changes: readonly Change[],
): Loss[] {
  const lacking = olderDialects.slice(versions.findIndex(({ name }) => name === version));
  const dialects = declarations.filter(({ file }) => file.startsWith('src/dialects/'));
  return changes.flatMap(({ kind, change, name, word }) => {
    const isName = change === 'added' && (kind === 'rpc' || kind === 'enum value');
    if (!isName || dialects.some(({ code }) => mentionsWord(code, word))) return [];
    const section = kind === 'rpc' ? 'Methods' : 'Names';
    return lacking.map((dialect) => ({ dialect, section, type: kind, path: name }));
  });
}

/** The dialects that have tables: all but A2A 1.x itself. */
export const tabledDialects: readonly string[] = [...pages.keys()];

/** All dialects but the newest version of A2A 1.x. */
export const olderDialects: readonly string[] = [...versions.slice(1).map(({ name }) => name), ...tabledDialects];

/** Whether any table of a dialect converts this message; without one, functions written by hand do, if any. */
export function hasTable(dialect: string, message: string): boolean {
  const mappings = [...(pages.get(dialect)?.values() ?? [])];
  return mappings.some(({ tables }) => Object.values(tables).some(({ type }) => type === message));
}
