import { type RawBuilder, sql } from 'kysely';

/** The columns that identify a statement. */
export const columnNames = ['s', 'p', 'o', 'g'] as const;

export type Column = (typeof columnNames)[number];

/** The known columns of a search, as numbers of terms. */
export interface KnownTerms {
  readonly s?: number;
  readonly p?: number;
  readonly o?: number;
  /** 0 is the default graph. */
  readonly g?: number;
  /** The type of the subject. */
  readonly type?: number;
}

/** How statements are searched. */
export interface Plan {
  /** The order of reading: that of an index that begins with the known columns. */
  readonly order: readonly Column[];
  /** Whether the search goes from the instances of a type to their statements. */
  readonly fromType: boolean;
  /** Whether only named graphs are searched, whose indexes are smaller. */
  readonly named: boolean;
}

type Index = readonly [Column, Column, Column, Column];

const all: readonly Index[] = [
  ['s', 'p', 'o', 'g'],
  ['p', 'o', 's', 'g'],
  ['o', 's', 'p', 'g'],
];
const inGraph: readonly Index[] = [
  ['g', 's', 'p', 'o'],
  ['g', 'p', 'o', 's'],
  ['g', 'o', 's', 'p'],
];

/** How many of the first columns of an index are known. */
const reach = (index: Index, known: KnownTerms): number => {
  const end = index.findIndex((column) => known[column] === undefined);
  return end < 0 ? index.length : end;
};

/** Chooses the index with the longest prefix of known columns. */
export function planFor(known: KnownTerms): Plan {
  const named = known.g !== undefined && known.g > 0;
  const indexes = named ? inGraph : all;
  let order: Index = indexes[0] as Index;
  for (const index of indexes) if (reach(index, known) > reach(order, known)) order = index;
  const fromType = known.type !== undefined && known.s === undefined && known.o === undefined && !named;
  return { order: fromType ? (all[0] as Index) : order, fromType, named };
}

/** The unknown columns: a position in the results consists of them. */
export const openColumns = ({ order }: Plan, known: KnownTerms): Column[] =>
  order.filter((column) => known[column] === undefined);

export const columnList = (alias: string, columns: readonly Column[]): RawBuilder<unknown> =>
  sql.raw(columns.map((column) => `${alias}.${column}`).join(', '));
