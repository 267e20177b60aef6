import { A2AError } from '../core/model/errors.ts';
import { UnreadableRow } from '../core/model/stored-form.ts';
import { shortened } from '../core/model/text.ts';
import type { DamagedRows, LeftOutRow } from '../core/ports/damaged-rows.ts';
import type { Logger } from '../core/ports/logger.ts';

/** Largest numbers of rows that are remembered and logged, and of rows that are listed. */
const most = { known: 1_000, listed: 100 } as const;
/** Characters of a key and of a reason that are shown. */
const shown = { key: 300, reason: 200 } as const;

/** Remembers the rows of one store that cannot be read. */
export class DamagedRowList implements DamagedRows {
  readonly #logger: Logger | undefined;
  readonly #rows = new Map<string, LeftOutRow>();

  constructor(logger: Logger | undefined) {
    this.#logger = logger;
  }

  read<T>(table: string, key: readonly unknown[], read: () => T): T | undefined {
    try {
      return read();
    } catch (thrown) {
      this.note(table, key, thrown);
      return undefined;
    }
  }

  note(table: string, key: readonly unknown[], thrown: unknown): void {
    const text = keyText(key);
    const id = `${table}\n${text}`;
    if (this.#rows.has(id) || this.#rows.size >= most.known) return;
    const row = { table, key: text, reason: reasonOf(thrown), at: Date.now() };
    this.#rows.set(id, row);
    this.#logger?.error(
      { table, key: text, reason: row.reason },
      'a row of the store cannot be read and is left out; repair or delete it',
    );
  }

  list(): readonly LeftOutRow[] {
    return [...this.#rows.values()].slice(-most.listed).reverse();
  }

  get count(): number {
    return this.#rows.size;
  }
}

const keyText = (key: readonly unknown[]): string => shortened(key.map(String).join(','), shown.key);

/** The reason why a row cannot be read, without any of its content, which callers wrote. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof SyntaxError) return 'it has text that is not JSON';
  if (thrown instanceof A2AError && thrown.cause instanceof UnreadableRow) return reasonOf(thrown.cause);
  if (thrown instanceof A2AError || thrown instanceof UnreadableRow) return shortened(thrown.message, shown.reason);
  return 'its columns do not have the expected form';
}

/** A text of a row. Throws UnreadableRow for anything else, which SQLite allows in every column. */
export function textIn(row: object, column: string): string {
  const value = (row as Readonly<Record<string, unknown>>)[column];
  if (typeof value === 'string') return value;
  throw new UnreadableRow(`its column ${column} is no text`);
}

/** A whole number of a row. Throws UnreadableRow for anything else. */
export function integerIn(row: object, column: string): number {
  const value = (row as Readonly<Record<string, unknown>>)[column];
  // PostgreSQL's driver has some of them as text.
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (Number.isSafeInteger(number)) return number as number;
  throw new UnreadableRow(`its column ${column} is no whole number`);
}

/** Latest time that a date can have: milliseconds since the epoch. */
const latestTime = 8.64e15;

/** A time of a row: milliseconds since the epoch. Throws UnreadableRow for anything else. */
export function timeIn(row: object, column: string): number {
  const time = integerIn(row, column);
  if (Math.abs(time) <= latestTime) return time;
  throw new UnreadableRow(`its column ${column} is no time`);
}
