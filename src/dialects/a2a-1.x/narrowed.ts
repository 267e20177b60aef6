import type { Api, Field, FieldTables, Guard, MessageTable, Oneof, Version } from '../../gen/api.ts';
import type { Operation } from '../../gen/operations.ts';
import { issuesOf } from '../../wire/validate.ts';

/** A version among the others. */
type Place = Pick<Version, 'version' | 'newer'>;

/** Marks of an element that some versions of A2A 1.x lack, or have in another form. */
interface Marked {
  readonly since?: string;
  readonly until?: string;
  readonly changed?: Readonly<Record<string, object>>;
}

/** Whether a version has an element. */
export const hasIn = ({ version, newer }: Place, { since, until }: Marked): boolean =>
  (since === undefined || !newer.includes(since)) &&
  (until === undefined || until === version || newer.includes(until));

/**
 * Returns the part of the canonical form that a version has: all except elements marked with a later version, or with
 * an end before it; elements that it has in another form are in that form. For a version without differences, the
 * canonical form itself is returned.
 */
export function narrowed(api: Api, place: Place): Api {
  const fields = narrowedTables(api.fields, place);
  const operations = narrowedOperations(api.operations, place);
  if (fields === api.fields && operations === api.operations) return api;
  const known = Object.entries(api.guards).filter(([type]) => type in fields.messages);
  const judge = guardsOf(api.fields, fields, place);
  return {
    ...api,
    operations,
    fields,
    guards: Object.fromEntries(known.map(([type, guard]) => [type, judge(guard, type)])),
  };
}

/** Returns the messages and enums of a version. */
export function narrowedTables(tables: FieldTables, place: Place): FieldTables {
  const { messages, enums, valuesSince = {}, valuesUntil = {}, valueNames = {} } = tables;
  const isPlain = (row: Marked): boolean => hasIn(place, row) && row.changed?.[place.version] === undefined;
  const rowsOf = ({ fields, oneofs }: MessageTable): readonly Marked[] => [...fields, ...oneofs];
  const markOf = (type: string, name: string): Marked => {
    const since = valuesSince[type]?.[name];
    const until = valuesUntil[type]?.[name];
    return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
  };
  const nameIn = (type: string, name: string): string => valueNames[type]?.[name]?.[place.version] ?? name;
  const isWhole =
    Object.values(messages).every((table) => isPlain(table) && rowsOf(table).every(isPlain)) &&
    Object.entries(enums).every(([type, all]) =>
      Object.keys(all).every((name) => hasIn(place, markOf(type, name)) && nameIn(type, name) === name),
    );
  if (isWhole) return tables;
  const values = Object.entries(enums).map(([type, all]) => {
    const known = Object.entries(all).filter(([name]) => hasIn(place, markOf(type, name)));
    return [type, Object.fromEntries(known.map(([name, number]) => [nameIn(type, name), number]))] as const;
  });
  const own = Object.entries(messages).filter(([, table]) => hasIn(place, table));
  return {
    messages: Object.fromEntries(own.map(([type, table]) => [type, narrowedTable(table, place)])),
    enums: Object.fromEntries(values.filter(([, known]) => Object.keys(known).length > 0)),
  };
}

function narrowedTable(table: MessageTable, place: Place): MessageTable {
  const known = table.fields.filter((field) => hasIn(place, field));
  const ownNames = new Map(known.map((field) => [field.jsonName, formIn(place, field).jsonName]));
  const oneofs = table.oneofs
    .filter((oneof) => hasIn(place, oneof))
    .map((oneof): Oneof => {
      const own = formIn(place, oneof);
      if (own !== oneof) return unmarked(own);
      return unmarked({ ...oneof, members: oneof.members.flatMap((name) => ownNames.get(name) ?? []) });
    });
  return { fields: known.map((field): Field => unmarked(formIn(place, field))), oneofs };
}

/** Returns a row as a version has it. */
const formIn = <T extends { readonly changed?: Readonly<Record<string, T>> }>({ version }: Place, row: T): T =>
  row.changed?.[version] ?? row;

/** Returns a row without marks, for one version. */
function unmarked<T extends Marked>(row: T): T {
  const { since: _since, until: _until, changed: _changed, ...rest } = row;
  return rest as T;
}

function narrowedOperations(operations: readonly Operation[], place: Place): readonly Operation[] {
  const isPlain = (row: Marked): boolean => hasIn(place, row) && row.changed?.[place.version] === undefined;
  if (operations.every((row) => isPlain(row) && row.http.every(isPlain))) return operations;
  return operations
    .filter((row) => hasIn(place, row))
    .map((row): Operation => {
      const http = row.http.filter((rule) => hasIn(place, rule)).map(unmarked);
      return unmarked({ ...row, ...row.changed?.[place.version], http });
    });
}

/**
 * Returns the guards of the canonical form for a version. The guard itself if a message differs only by absent members;
 * if enums have fewer names, these are checked in addition; if rows have another form, the version's tables are used.
 */
function guardsOf(canonical: FieldTables, own: FieldTables, { version }: Place): (guard: Guard, type: string) => Guard {
  const namesOf = ({ enums }: FieldTables, type: string): string => Object.keys(enums[type] ?? {}).join();
  const isChanged = (row: Field | Oneof): boolean => row.changed?.[version] !== undefined;
  const isNarrower = (type: string): boolean => namesOf(own, type) !== namesOf(canonical, type);
  const hasOtherRows = (type: string): boolean => {
    // Names of values that the canonical form does not have.
    const names = canonical.enums[type];
    if (names && Object.keys(own.enums[type] ?? {}).some((name) => !Object.hasOwn(names, name))) return true;
    const { fields, oneofs } = canonical.messages[type] ?? { fields: [], oneofs: [] };
    return [...fields, ...oneofs].some(isChanged);
  };
  return (guard, type) => {
    const isOwn: Guard = (value) => issuesOf({ fields: own }, type, value).length === 0;
    if (reaches(own, type, hasOtherRows)) return isOwn;
    return reaches(own, type, isNarrower) ? (value) => guard(value) && isOwn(value) : guard;
  };
}

/** Whether a type, or one that its values contain, satisfies a condition. */
function reaches(
  tables: FieldTables,
  type: string,
  isSuch: (type: string) => boolean,
  seen = new Set<string>(),
): boolean {
  if (seen.has(type)) return false;
  seen.add(type);
  if (isSuch(type)) return true;
  return (tables.messages[type]?.fields ?? []).some((field) => reaches(tables, field.type, isSuch, seen));
}
