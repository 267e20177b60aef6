import { dropsOf } from '../../src/dialects/a2a-1.x/dropped.ts';
import { hasIn, narrowedTables } from '../../src/dialects/a2a-1.x/narrowed.ts';
import { pages } from '../dialect-pages.ts';
import { type Model, tablesOf } from '../model.ts';
import { describeTables, lossesByType } from '../records.ts';
import { markedModel } from '../since.ts';
import { versions } from '../versions.ts';
import type { Change } from './diff.ts';
import { type Declaration, mentionsWord } from './sources.ts';

/** A new element that a dialect cannot express. */
export interface Loss {
  readonly dialect: string;
  /** Section of its page in `docs/dialects`, such as `Fields over JSON-RPC`. */
  readonly section: string;
  /**
   * Type of conversion, such as `task`, `request` or `card`; `rpc` and `enum value` for names without an equivalent.
   */
  readonly type: string;
  /** Path in the new version. */
  readonly path: string;
}

/**
 * Returns the new losses, from the tables of dialects and the protos of older versions.
 *
 * @param before the former versions of A2A 1.x, newest first
 */
export function newLosses(before: readonly [Model, ...Model[]], after: readonly [Model, ...Model[]]): Loss[] {
  return [...newTabledLosses(markedModel(before), markedModel(after)), ...newVersionLosses(before, after)];
}

/** Top-level types, by their names in losses. */
const alone = { message: 'Message', task: 'Task', event: 'StreamResponse', card: 'AgentCard' };

function newVersionLosses(before: readonly [Model, ...Model[]], after: readonly [Model, ...Model[]]): Loss[] {
  const was = markedModel(before);
  const is = markedModel(after);
  return versions.flatMap((version, at) => {
    const place = { version: version.version, newer: versions.slice(0, at).map((newer) => newer.version) };
    const known = versionLosses(was, place);
    return Object.entries(versionLosses(is, place)).flatMap(([type, paths]) =>
      paths
        .filter((path) => !known[type]?.includes(path))
        .map((path) => ({ dialect: version.name, section: 'Fields that it lacks', type, path })),
    );
  });
}

/** Returns the paths of the canonical form that a version lacks, by type. */
function versionLosses(
  canonical: Model,
  place: Parameters<typeof narrowedTables>[1],
): Record<string, readonly string[]> {
  const { fields } = tablesOf(canonical);
  const dropOf = dropsOf({ fields }, { fields: narrowedTables(fields, place) }, place.version);
  const pathsOf = (fullName: string): readonly string[] => dropOf(fullName)?.paths ?? [];
  const named = Object.entries(alone).map(([type, name]) => [type, pathsOf(`${canonical.package}.${name}`)]);
  const requests = canonical.operations.flatMap((row) => (hasIn(place, row) ? pathsOf(row.request) : []));
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
 * Returns new rpcs and enum values without an equivalent in any dialect.
 *
 * @param version version of A2A 1.x that introduces them
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

/** Dialects with tables: all except A2A 1.x. */
export const tabledDialects: readonly string[] = [...pages.keys()];

/** All dialects except the newest version of A2A 1.x. */
export const olderDialects: readonly string[] = [...versions.slice(1).map(({ name }) => name), ...tabledDialects];

/** Whether a table of a dialect converts a message. If none does, hand-written functions may convert it. */
export function hasTable(dialect: string, message: string): boolean {
  const mappings = [...(pages.get(dialect)?.values() ?? [])];
  return mappings.some(({ tables }) => Object.values(tables).some(({ type }) => type === message));
}
