import { sql } from 'kysely';
import type { Sql } from '../joins.ts';

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

const indexes = { all: ['spog', 'posg', 'ospg'], named: ['gspo', 'gpos', 'gosp'] } as const;

/** Chooses the index with the longest prefix of known columns. */
export function planFor(known: KnownTerms): Plan {
  const named = known.g !== undefined && known.g > 0;
  const fromType = known.type !== undefined && known.s === undefined && known.o === undefined && !named;
  let order: Column[] = [];
  let longest = -1;
  for (const index of indexes[named ? 'named' : 'all']) {
    const columns = [...index] as Column[];
    const unknown = columns.findIndex((column) => known[column] === undefined);
    const reach = unknown < 0 ? columns.length : unknown;
    if (reach > longest) [order, longest] = [columns, reach];
    if (fromType) break;
  }
  return { order, fromType, named };
}

/** The unknown columns: a position in the results consists of them. */
export const openColumns = ({ plan, known }: { readonly plan: Plan; readonly known: KnownTerms }): Column[] =>
  plan.order.filter((column) => known[column] === undefined);

/** The columns of a statement `st`. */
export const columnList = (columns: readonly Column[]): Sql =>
  sql.raw(columns.map((column) => `st.${column}`).join(', '));
