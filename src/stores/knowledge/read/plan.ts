import { type RawBuilder, sql } from 'kysely';

/** The four columns that a statement is. */
export const columnNames = ['s', 'p', 'o', 'g'] as const;

export type Column = (typeof columnNames)[number];

/** What is known of the statements that are looked for, as numbers of terms. */
export interface KnownTerms {
  readonly s?: number;
  readonly p?: number;
  readonly o?: number;
  /** 0 is the default graph. */
  readonly g?: number;
  /** What the subject is an instance of. */
  readonly type?: number;
}

/** How statements are found. */
export interface Plan {
  /** In which order they are read: that of an index that begins with what is known. */
  readonly order: readonly Column[];
  /** Whether the way leads from the instances of a type to their statements. */
  readonly fromType: boolean;
  /** Whether only named graphs are looked at, whose indexes are smaller. */
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

/** How many columns an index begins with that are known. */
const reach = (index: Index, known: KnownTerms): number => {
  const end = index.findIndex((column) => known[column] === undefined);
  return end < 0 ? index.length : end;
};

/** The index that most of what is known is the beginning of. */
export function planFor(known: KnownTerms): Plan {
  const named = known.g !== undefined && known.g > 0;
  const indexes = named ? inGraph : all;
  let order: Index = indexes[0] as Index;
  for (const index of indexes) if (reach(index, known) > reach(order, known)) order = index;
  const fromType = known.type !== undefined && known.s === undefined && known.o === undefined && !named;
  return { order: fromType ? (all[0] as Index) : order, fromType, named };
}

/** Columns that are not known: those that a position among what is found consists of. */
export const openColumns = ({ order }: Plan, known: KnownTerms): Column[] =>
  order.filter((column) => known[column] === undefined);

export const columnList = (alias: string, columns: readonly Column[]): RawBuilder<unknown> =>
  sql.raw(columns.map((column) => `${alias}.${column}`).join(', '));
