/** One statement, as it was sent, and how many rows it brought or changed. */
export type Sent = readonly [text: number, values: readonly unknown[], rows: number];

/** Statements that a program with a certain schema sent to a database. */
export interface Recording {
  /** Number of the newest step that the program knew. */
  readonly schema: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly texts: readonly string[];
  /** Statements of a gateway's start, apart from the schema. */
  readonly start: readonly Sent[];
  readonly work: readonly Sent[];
}

const ids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const day = 86_400_000;

/**
 * Whether the result of a statement depends on earlier statements of the same gateway only: not on other gateways, and not on
 * numbers that the database assigned when the statements were recorded.
 */
export const isOwn = ([, values]: Sent, text: string): boolean =>
  !text.includes('"instance" <> ') &&
  !text.includes('join agent_value') &&
  values.some((value) => typeof value === 'string' && value.search(ids) >= 0);

/** The statements with other ids of tasks, owners and gateways, and other times. */
export function renamed(sent: readonly Sent[], at: number): Sent[] {
  const names = new Map<string, string>();
  const later = Date.now() - at;
  const rename = (id: string): string => {
    const name = names.get(id) ?? crypto.randomUUID();
    names.set(id, name);
    return name;
  };
  const value = (given: unknown): unknown => {
    if (typeof given === 'string') return given.replace(ids, rename);
    return typeof given === 'number' && Math.abs(given - at) < day ? given + later : given;
  };
  return sent.map(([text, values, rows]) => [text, values.map(value), rows]);
}
