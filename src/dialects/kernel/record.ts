import { A2AError } from '../../core/model/errors.ts';
import type { CodecContext } from './codec.ts';

/**
 * A shape of a dialect as a table of fields. From it `npm run generate` writes the code that decodes and encodes, the
 * list of losses, and the field by field part of `docs/dialects`. A field of v1 that has no row is a loss.
 */

/** Conversion of one value. A direction that is left out uses the value unchanged. */
export interface Value<V1 = never, Wire = never> {
  decode?(wire: Wire, cx: CodecContext): unknown;
  encode?(v1: V1, cx: CodecContext, at: string): unknown;
  /** Text for the documentation. */
  readonly note?: string;
}

/** A field that follows from more than one member. Undefined results are left out. */
export interface Whole<V1 = never, Wire = never> {
  /** @param v1 the members decoded so far */
  decode?(wire: Wire, cx: CodecContext, v1: V1, codecs: never): unknown;
  /** @param wire the members encoded so far */
  encode?(v1: V1, cx: CodecContext, wire: Wire, at: string, codecs: never): unknown;
  readonly note?: string;
}

/** One field. The key of a row is the name of the field in v1; if v1 has none, its name on the wire. */
export interface Row {
  /** Name on the wire, if it is not the key. */
  readonly as?: string;
  /** Conversion of the value, or of each item of a list. Absent: unchanged. */
  readonly of?: Value | Table;
  readonly list?: true;
  /** Conversion of the whole object, in place of `of`. */
  readonly whole?: Whole;
  /** Set if `whole` writes nothing when v1 does not have the field. */
  readonly ifThere?: true;
  /** The value that is always written and never read. */
  readonly constant?: unknown;
  /** Set if the field is always written: an empty text, list or object if there is no value. Reading does the same. */
  readonly orEmpty?: true;
  /** Set if the field is always written. Reading fails without it. */
  readonly required?: true;
  /** Set if the members of this object are members of the enclosing object on the wire. */
  readonly flat?: true;
  /** Returns the value for an absent value, or an empty list, on reading. */
  made?(): unknown;
  /**
   * Set if the field is not carried, and the loss not reported: readers cannot miss it, or find it elsewhere in the same
   * document.
   */
  readonly unreported?: true;
  /** Set if the field is a loss although `made` supplies a value on reading. */
  readonly lost?: true;
  /** Further fields of v1 that the row carries. */
  readonly covers?: readonly string[];
  /** Losses below the field that only some values have. */
  readonly losses?: readonly string[];
  /** Losses below the field that only some values have, and that are not reported. */
  readonly unreportedLosses?: readonly string[];
  /** Text for the documentation. */
  readonly note?: string;
}

/** Options of a row besides its functions. */
type RowOptions = Omit<Row, 'whole' | 'of' | 'note'> & { readonly of?: Table };

/** A pair of plain functions, for conversions that rows cannot express. */
export interface Pair<V1 = never, Wire = never> {
  decode(wire: Wire, cx: CodecContext, codecs: never): V1;
  encode(v1: V1, cx: CodecContext, at: string, codecs: never): Wire;
}

/** A shape. `V1` and `Wire` are the types that it converts between. */
export interface Table<V1 = unknown, Wire = unknown> {
  /** Name of the message in the proto of v1. */
  readonly type: string;
  readonly rows: Readonly<Record<string, Row>>;
  /** Functions in place of the rows, which then only list the fields that the functions carry. */
  readonly pair?: Pair;
  /** Set if other code converts the shape: the rows only list the fields that are carried. */
  readonly described?: true;
  /** The types that the table converts. Exists only for type inference. */
  readonly converts?: readonly [V1, Wire];
}

/** The tables of a dialect. */
export interface Mapping {
  readonly tables: Readonly<Record<string, Table>>;
  /** Set if empty values are not written, as in printers of ProtoJSON. */
  readonly sparse?: true;
  /** Set if the code of another mapping converts these tables, too: only their losses are written. */
  readonly sharesCode?: true;
}

type Rows<V1, Wire> = { readonly [K in (keyof V1 | keyof Wire) & string]?: Row };

/**
 * Defines a shape by rows, in the order in which they are written. Fields of v1 without a row are losses.
 *
 * ```ts
 * import type { AgentProvider } from 'a2a-gateway';
 *
 * interface WireProvider {
 *   readonly name: string;
 *   readonly url?: string;
 * }
 * export const provider = record<AgentProvider, WireProvider>('AgentProvider', { organization: { as: 'name' }, url: orEmpty });
 * ```
 */
export const record = <V1, Wire>(type: string, rows: Rows<V1, Wire>): Table<V1, Wire> => ({
  type,
  rows: rows as never,
});

/** Defines a shape by functions; the rows list the fields that they carry, and possible losses. */
export const pair = <V1, Wire>(
  type: string,
  rows: { readonly [K in keyof NonNullable<V1> & string]?: Row },
  functions: Pair<V1, Wire>,
): Table<V1, Wire> => ({
  type,
  rows: rows as never,
  pair: functions as never,
});

/** Defines a shape that other code converts; the rows list the fields that it carries, and possible losses. */
export const described = <V1>(
  type: string,
  rows: { readonly [K in keyof V1 & string]?: Row },
): Table & { readonly described: true } => ({ type, rows: rows as never, described: true });

export const same: Row = {};
/** Row of a field that is unchanged, and empty if there is no value. */
export const orEmpty: Row = { orEmpty: true };
/** Row of a field that is unchanged. Reading fails without it. */
export const required: Row = { required: true };
/** Returns the row of a loss that is not reported. */
export const unreported = (note: string): Row => ({ unreported: true, note });
/** Returns the row of a loss for which a value must be supplied on reading. */
export const lost = (made: () => unknown): Row => ({ lost: true, made });
export const constant = (value: unknown): Row => ({ constant: value });
export const nested = <V1, Wire>(of: Table<V1, Wire>, more: Row = {}): Row => ({ of: of as Table, ...more });
export const flat = <V1, Wire>(of: Table<V1, Wire>, more: Row = {}): Row => ({ of: of as Table, flat: true, ...more });
export const list = <V1, Wire>(of: Table<V1, Wire>, more: Row = {}): Row => ({ of: of as Table, list: true, ...more });
/** Returns a row that converts the value of its field, or each item of it. */
export const value = <V1, Wire>(
  { decode, encode, note, ...row }: Value<V1, Wire> & RowOptions,
  more: Row = {},
): Row => ({
  of: present({ decode, encode, note }),
  ...row,
  ...more,
});
/** Returns a row that converts the whole object. */
export const whole = <V1, Wire>(
  { decode, encode, note, ...row }: Whole<V1, Wire> & RowOptions,
  more: Row = {},
): Row => ({
  whole: present({ decode, encode, note }),
  ...row,
  ...more,
});

const present = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined));

/** Inverts a table of names: if several have an equal name, the first is used. */
export function firstByName<V1 extends string>(names: Readonly<Record<V1, string>>): ReadonlyMap<string, V1> {
  const pairs = Object.entries(names) as [V1, string][];
  return new Map(pairs.reverse().map(([v1, name]) => [name, v1]));
}

/**
 * Returns a name in lower case, without separators and the prefixes of v1's enums: `TASK_STATE_INPUT_REQUIRED` is
 * `inputrequired`.
 */
export const spellingOf = (name: unknown): string =>
  `${name}`
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/^(?:taskstate|role)/, '')
    .replace(/^cancelled$/, 'canceled');

/**
 * Returns the row of a choice among names; of names with equal meaning the first is read. Any other name is read as
 * `other`, if given.
 */
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

/**
 * Returns a table of tables, with some rows or whole tables changed; tables that refer to them refer to the changed
 * ones.
 */
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

/** Codec of a shape. */
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

/** Functions that the generated code receives besides the tables. */
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

/** Returns the codecs of some tables, which `npm run generate` wrote. */
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

/** Returns the error of a required field. */
export const missing = (field: string): A2AError => A2AError.invalidField(field, 'is required');

/** Returns an error whose fields are named from the enclosing object, with the value at `path`. */
function below(path: string, thrown: unknown): unknown {
  if (path === '' || !(thrown instanceof A2AError) || thrown.violations.length === 0) return thrown;
  const violations = thrown.violations.map(({ field, description }) => ({ field: join(path, field), description }));
  return A2AError.invalidParams(undefined, violations, thrown.metadata);
}

function join(path: string, field: string): string {
  if (field === '') return path;
  return field.startsWith('[') ? path + field : `${path}.${field}`;
}
