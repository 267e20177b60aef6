/** SQLSTATEs that say that the database is away, overloaded or not let in to, rather than that it refuses a statement. */
const unavailableStates =
  /^(?:08|53|57P|58)|^(?:57014|40001|40P01|25006|25P03|25P04|55P03|28000|28P01|3D000|XX001|XX002)$/;

/** What to tell of them, by the beginning of their code. */
const reasons: readonly (readonly [code: string, reason: string])[] = [
  ['53100', 'its disk is full'],
  ['53200', 'it is out of memory'],
  ['53300', 'it has no connection left'],
  ['53', 'it has no room left'],
  ['57P03', 'it is not ready yet'],
  ['57P', 'it is stopping'],
  ['58', 'its disk does not work'],
  ['XX', 'its files are damaged'],
  ['25006', 'it takes no writes'],
  ['28', 'it does not let the gateway in'],
  ['3D000', 'it has no such database'],
  ['57014', 'it took too long'],
  ['25P', 'it took too long'],
  ['40', 'others were in the way for too long'],
  ['55P03', 'others were in the way for too long'],
];

/** What the server has told; all else is the line's fault. */
export const isServerError = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'severity' in error;

/** SQLSTATE; undefined when the server has told nothing. */
export function codeOf(error: unknown): string | undefined {
  return isServerError(error) ? String((error as { code?: unknown }).code) : undefined;
}

/** Whether all connections were in use for as long as one is waited for. */
export const isQueueFull = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect';

/**
 * Whether what the connection has prepared does not fit the tables any more, or is not there, as after a migration or
 * behind a pooler. Such a statement has not begun.
 */
export function isStale(error: unknown): boolean {
  const code = codeOf(error);
  // A feature that is not supported, as far as the code goes; the routine says which.
  const replan = code === '0A000' && (error as { routine?: unknown }).routine === 'RevalidateCachedQuery';
  return replan || code === '26000' || code === '42P05';
}

/** Whether only others were in the way, so that the same transaction may succeed when it is begun anew. */
export function isContended(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01' || code === '55P03';
}

/** Whether the server ends the connection with this. */
export const isEnding = (error: unknown): boolean => /^(?:08|57P|25P0[34])/.test(codeOf(error) ?? '');

/** Whether the database is away, in whatever way, rather than that it refuses. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) return false;
  const code = codeOf(error);
  return code === undefined || unavailableStates.test(code);
}

/** What is wrong with a database that is away, in words for callers. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code !== undefined) return reasons.find(([start]) => code.startsWith(start))?.[1] ?? 'it does not work';
  if (isQueueFull(error)) return 'all connections to it are in use';
  const message = error instanceof Error ? error.message : '';
  if (message === 'the server takes no writes') return 'it takes no writes';
  return message === 'Query read timeout' ? 'it does not answer' : 'it cannot be reached';
}
