import { A2AError } from '../../core/model/errors.ts';
import type { CodecContext } from './codec.ts';

/**
 * A shape of a dialect as a table of fields. From it `npm run generate` writes what decodes, what encodes, the list of
 * what is lost, and the field by field part of `docs/dialects`. A field of v1 that has no row is a loss.
 */

/** How one value converts. A direction that is left out takes the value as it is. */
export interface Value<V1 = never, Wire = never> {
  decode?(wire: Wire, cx: CodecContext): unknown;
  encode?(v1: V1, cx: CodecContext, at: string): unknown;
  /** For the documentation. */
  readonly note?: string;
}

/** A field that follows from more than one member. What is undefined is left out. */
export interface Whole<V1 = never, Wire = never> {
  /** @param v1 what has been decoded so far */
  decode?(wire: Wire, cx: CodecContext, v1: V1, codecs: never): unknown;
  /** @param wire what has been encoded so far */
  encode?(v1: V1, cx: CodecContext, wire: Wire, at: string, codecs: never): unknown;
  readonly note?: string;
}

/** One field. The key of a row is the name of the field in v1; where v1 has none, its name on the wire. */
export interface Row {
  /** Name on the wire, where it is not the key. */
  readonly as?: string;
  /** How the value converts, or each item of a list. Absent: as it is. */
  readonly of?: Value | Table;
  readonly list?: true;
  /** In place of `of`, for what follows from the whole object. */
  readonly whole?: Whole;
  /** `whole` writes nothing where v1 does not have the field. */
  readonly ifThere?: true;
  /** Written in any case, never read. */
  readonly constant?: unknown;
  /** Written in any case: an empty text, list or object where there is none. Read in the same way. */
  readonly orEmpty?: true;
  /** Written in any case. Reading fails without it. */
  readonly required?: true;
  /** The members of this object stand on the wire beside those of the object around it. */
  readonly flat?: true;
  /** What stands for an absent value, or an empty list, on reading. */
  made?(): unknown;
  /** Not carried, and not reported: readers cannot miss it, or find it elsewhere in the same document. */
  readonly unreported?: true;
  /** A loss all the same; `made` stands for it on reading. */
  readonly lost?: true;
  /** Further fields of v1 that the row carries. */
  readonly covers?: readonly string[];
  /** Losses below the field that only some values have. */
  readonly losses?: readonly string[];
  /** The same for what is not reported. */
  readonly unreportedLosses?: readonly string[];
  /** For the documentation. */
  readonly note?: string;
}

/** What a row may say beside its functions. */
type RowOptions = Omit<Row, 'whole' | 'of' | 'note'> & { readonly of?: Table };

/** A pair of plain functions, for what rows cannot say. */
export interface Pair<V1 = never, Wire = never> {
  decode(wire: Wire, cx: CodecContext, codecs: never): V1;
  encode(v1: V1, cx: CodecContext, at: string, codecs: never): Wire;
}

/** A shape. `V1` and `Wire` are what it converts between. */
export interface Table<V1 = unknown, Wire = unknown> {
  /** Name of the message in the proto of v1. */
  readonly type: string;
  readonly rows: Readonly<Record<string, Row>>;
  /** In place of the rows, which then only say what the functions carry. */
  readonly pair?: Pair;
  /** Converted by other code: the rows only say what is carried. */
  readonly described?: true;
  /** Only for types. */
  readonly converts?: readonly [V1, Wire];
}

/** The tables of a dialect. */
export interface Mapping {
  readonly tables: Readonly<Record<string, Table>>;
  /** Nothing is written that is empty, as printers of ProtoJSON do it. */
  readonly sparse?: true;
  /** The code of another mapping converts these tables too: only their losses are written. */
  readonly sharesCode?: true;
}

type Rows<V1, Wire> = { readonly [K in (keyof V1 | keyof Wire) & string]?: Row };

/**
 * A shape by rows, in the order in which they are written. Fields of v1 without a row are losses.
 *
 * ```ts no-check
 * const artifact = record<v1.Artifact, wire.Artifact>('Artifact', { artifactId: same, name: same, parts: list(part) });
 * ```
 */
export const record = <V1, Wire>(type: string, rows: Rows<V1, Wire>): Table<V1, Wire> => ({
  type,
  rows: rows as never,
});

/** A shape by functions; the rows say which fields these carry, and what of them may be lost. */
export const pair = <V1, Wire>(
  type: string,
  rows: { readonly [K in keyof NonNullable<V1> & string]?: Row },
  functions: Pair<V1, Wire>,
): Table<V1, Wire> => ({
  type,
  rows: rows as never,
  pair: functions as never,
});

/** A shape that other code converts; the rows say which fields it carries, and what of them may be lost. */
export const described = <V1>(
  type: string,
  rows: { readonly [K in keyof V1 & string]?: Row },
): Table & { readonly described: true } => ({ type, rows: rows as never, described: true });

export const same: Row = {};
/** As it is, empty where there is none. */
export const orEmpty: Row = { orEmpty: true };
/** As it is; reading fails without it. */
export const required: Row = { required: true };
/** A loss that is not reported. */
export const unreported = (note: string): Row => ({ unreported: true, note });
/** A loss, for which something has to stand on reading. */
export const lost = (made: () => unknown): Row => ({ lost: true, made });
export const constant = (value: unknown): Row => ({ constant: value });
export const nested = <V1, Wire>(of: Table<V1, Wire>, more: Row = {}): Row => ({ of: of as Table, ...more });
export const flat = <V1, Wire>(of: Table<V1, Wire>, more: Row = {}): Row => ({ of: of as Table, flat: true, ...more });
export const list = <V1, Wire>(of: Table<V1, Wire>, more: Row = {}): Row => ({ of: of as Table, list: true, ...more });
/** A row that converts the value of its field, or each item of it. */
export const value = <V1, Wire>(
  { decode, encode, note, ...row }: Value<V1, Wire> & RowOptions,
  more: Row = {},
): Row => ({
  of: given({ decode, encode, note }),
  ...row,
  ...more,
});
/** A row that converts the whole object. */
export const whole = <V1, Wire>(
  { decode, encode, note, ...row }: Whole<V1, Wire> & RowOptions,
  more: Row = {},
): Row => ({
  whole: given({ decode, encode, note }),
  ...row,
  ...more,
});

const given = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined));

/** What names mean: of several with the same name the first. */
export function firstByName<V1 extends string>(names: Readonly<Record<V1, string>>): ReadonlyMap<string, V1> {
  const pairs = Object.entries(names) as [V1, string][];
  return new Map(pairs.reverse().map(([v1, name]) => [name, v1]));
}

/** A name in lower case, without separators and the prefixes of v1's enums: `TASK_STATE_INPUT_REQUIRED` is `inputrequired`. */
export const spellingOf = (name: unknown): string =>
  `${name}`
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/^(?:taskstate|role)/, '')
    .replace(/^cancelled$/, 'canceled');

/** A choice among names, of which the first one that means the same is read. What is not among them is `other`, where there is one. */
export function oneOf<V1 extends string>(names: Readonly<Record<V1, string>>, other?: V1): Row {
  const byName = firstByName(names);
  const bySpelling = new Map([...byName].map(([name, v1]) => [spellingOf(name), v1]));
  return value({
    decode: (wire: string) => byName.get(wire) ?? bySpelling.get(spellingOf(wire)) ?? other,
    encode: (v1: V1) => names[v1],
    note: Object.entries(names)
      .map(([v1, wire]) => `\`${v1}\` is \`${wire}\``)
      .join(', '),
  });
}

/** A table of tables, with some rows or whole tables changed; tables that refer to them refer to the changed ones. */
export function variation<T extends Readonly<Record<string, Table>>>(
  tables: T,
  changes: { readonly [K in keyof T]?: Table | Readonly<Record<string, Row>> },
): T {
  const changed = new Map<unknown, Table>();
  const vary = (name: string, table: Table): Table => {
    const known = changed.get(table);
    if (known) return known;
    const change = changes[name];
    if (change && 'type' in change) {
      changed.set(table, change as Table);
      return change as Table;
    }
    const rows = Object.entries({ ...table.rows, ...(change as Readonly<Record<string, Row>>) }).map(([key, row]) => {
      const below = Object.entries(tables).find(([, one]) => one === row.of);
      return [key, below ? { ...row, of: vary(...below) } : row];
    });
    const varied = { ...table, rows: Object.fromEntries(rows) };
    changed.set(table, varied);
    return varied;
  };
  return Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, vary(name, table)])) as T;
}

/** What converts a shape. */
export interface RecordCodec<V1, Wire> {
  /** @throws A2AError `invalidParams`, with paths below the object */
  decode(wire: Wire, cx: CodecContext): V1;
  /** @param at path of the object for losses, with its dot; '' at the root */
  encode(v1: V1, cx: CodecContext, at: string): Wire;
}

export type Codecs<T> = {
  readonly [K in keyof T as T[K] extends { readonly described: true } ? never : K]: T[K] extends Table<
    infer V1,
    infer Wire
  >
    ? RecordCodec<V1, Wire>
    : never;
};

/** What the generated code is given besides the tables. */
export interface Kit {
  below(path: string, thrown: unknown): unknown;
  missing(field: string): A2AError;
  /** @param path the list's name, for errors */
  decodeList<W, V>(decode: (item: W, cx: CodecContext) => V, items: readonly W[], cx: CodecContext, path: string): V[];
  encodeList<V, W>(
    encode: (item: V, cx: CodecContext, at: string) => W,
    items: readonly V[],
    cx: CodecContext,
    at: string,
  ): W[];
}

/** The codecs of some tables, which `npm run generate` wrote. */
export const bind = <T extends object>(tables: T, compiled: (tables: T, kit: Kit) => unknown): Codecs<T> =>
  compiled(tables, { below, missing, decodeList, encodeList }) as Codecs<T>;

const decodeList: Kit['decodeList'] = (decode, items, cx, path) => {
  const decoded = [];
  let i = 0;
  try {
    for (; i < items.length; i += 1) decoded.push(decode(items[i] as (typeof items)[number], cx));
  } catch (thrown) {
    throw below(`${path}[${i}]`, thrown);
  }
  return decoded;
};

const encodeList: Kit['encodeList'] = (encode, items, cx, at) => {
  const encoded = [];
  for (const item of items) encoded.push(encode(item, cx, at));
  return encoded;
};

/** The error of a field that has to be there. */
export const missing = (field: string): A2AError => A2AError.invalidField(field, 'is required');

/** An error whose fields are named from the object above, where `path` is. */
function below(path: string, thrown: unknown): unknown {
  if (path === '' || !(thrown instanceof A2AError) || thrown.violations.length === 0) return thrown;
  const violations = thrown.violations.map(({ field, description }) => ({ field: join(path, field), description }));
  return A2AError.invalidParams(undefined, violations, thrown.metadata);
}

function join(path: string, field: string): string {
  if (field === '') return path;
  return field.startsWith('[') ? path + field : `${path}.${field}`;
}
