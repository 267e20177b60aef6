import { api as canonical } from '../../core/model/a2a.ts';
import type { Api, FieldTables, Guard, MessageTable } from '../../gen/api.ts';
import { versions as rows } from '../../gen/versions.ts';
import { issuesOf } from '../../wire/validate.ts';

/**
 * The versions of A2A 1.x, newest first, with what each knows.
 *
 * @param api the generated code of the newest
 */
export const versionsOf = (api: Api) => rows.map((row) => ({ ...row, api: narrowed(api, row.newer) }));

/** The versions of A2A 1.x that this package has code for. */
export const versions = versionsOf(canonical);

/** Something that a version of A2A 1.x may lack. */
interface Marked {
  readonly since?: string;
}

/**
 * What an older version knows of the newest one: all but what is marked with a version after it. Its protobuf messages are
 * read and written by the codecs of the newest version, whose further fields `parseAs` drops as it drops all unknown ones.
 *
 * @param newer the versions after it
 */
export function narrowed(api: Api, newer: readonly string[]): Api {
  if (newer.length === 0) return api;
  const has = ({ since }: Marked): boolean => since === undefined || !newer.includes(since);
  const fields = narrowedTables(api.fields, has);
  const known = <T>(all: Readonly<Record<string, T>>): [string, T][] =>
    Object.entries(all).filter(([type]) => type in fields.messages);
  return {
    ...api,
    operations: api.operations.filter(has).map((row) => ({ ...row, http: row.http.filter(has) })),
    fields,
    guards: Object.fromEntries(
      known(api.guards).map(([type, guard]) => [type, withOwnNames(guard, type, api.fields, fields)]),
    ),
  };
}

function narrowedTables(
  { messages, enums, valuesSince = {} }: FieldTables,
  has: (row: Marked) => boolean,
): FieldTables {
  const hasValue = (type: string, name: string): boolean => {
    const since = valuesSince[type]?.[name];
    return since === undefined || has({ since });
  };
  const values = Object.entries(enums).map(([type, all]) => {
    const known = Object.entries(all).filter(([name]) => hasValue(type, name));
    return [type, Object.fromEntries(known)] as const;
  });
  const tables = Object.entries(messages).filter(([, table]) => has(table));
  return {
    messages: Object.fromEntries(tables.map(([type, table]) => [type, narrowedTable(table, has)])),
    enums: Object.fromEntries(values.filter(([, known]) => Object.keys(known).length > 0)),
  };
}

function narrowedTable(table: MessageTable, has: (row: Marked) => boolean): MessageTable {
  const fields = table.fields.filter(has);
  const isKnown = (name: string): boolean => fields.some(({ jsonName }) => jsonName === name);
  const oneofs = table.oneofs.filter(has).map((oneof) => ({ ...oneof, members: oneof.members.filter(isKnown) }));
  return { fields, oneofs };
}

/**
 * A guard of the newest version for an older one, whose enums have fewer names. The guard itself where a message cannot hold
 * such an enum.
 */
function withOwnNames(guard: Guard, type: string, newest: FieldTables, own: FieldTables): Guard {
  const size = ({ enums }: FieldTables, name: string): number => Object.keys(enums[name] ?? {}).length;
  const differs = (name: string, seen = new Set<string>()): boolean => {
    if (seen.has(name)) return false;
    seen.add(name);
    if (size(own, name) !== size(newest, name)) return true;
    return (own.messages[name]?.fields ?? []).some((field) => differs(field.type, seen));
  };
  return differs(type) ? (value) => guard(value) && issuesOf({ fields: own }, type, value).length === 0 : guard;
}
