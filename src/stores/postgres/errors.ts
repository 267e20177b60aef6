/** SQLSTATEs of a database that is unavailable or overloaded, or that refused the login. Other SQLSTATEs reject a statement. */
const unavailableStates =
  /^(?:08|53|57P|58)|^(?:57014|40001|40P01|25006|25P03|25P04|55P03|28000|28P01|3D000|XX001|XX002)$/;

/** Reasons for callers, by the beginning of the SQLSTATE. */
const reasons: readonly (readonly [code: string, reason: string])[] = [
  ['53100', 'its disk is full'],
  ['53200', 'it is out of memory'],
  ['53300', 'it has no connections left'],
  ['53', 'it is out of resources'],
  ['57P03', 'it is not ready yet'],
  ['57P', 'it is stopping'],
  ['58', 'its disk reports I/O errors'],
  ['XX', 'its files are corrupt'],
  ['25006', 'it is read-only'],
  ['28', 'it refused the credentials'],
  ['3D000', 'the database does not exist'],
  ['57014', 'the statement timed out'],
  ['25P', 'the statement timed out'],
  ['40', 'a lock could not be acquired in time'],
  ['55P03', 'a lock could not be acquired in time'],
];

/** Whether the server sent this error; all others are errors of the connection. */
export const isServerError = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'severity' in error;

/** The SQLSTATE; undefined if the server did not send the error. */
export const codeOf = (error: unknown): string | undefined =>
  isServerError(error) ? String((error as { code?: unknown }).code) : undefined;

/** The message of the pool's error if no connection was free in time. */
export const queueFull = 'timeout exceeded when trying to connect';

const isQueueFull = (error: unknown): boolean => error instanceof Error && error.message === queueFull;

/**
 * Whether a prepared statement does not fit the tables any more, or does not exist, as after a migration or behind a
 * pooler. Such a statement has not been executed.
 */
export function isStale(error: unknown): boolean {
  const code = codeOf(error);
  // The SQLSTATE says "feature not supported"; the routine tells this case from others.
  const replan = code === '0A000' && (error as { routine?: unknown }).routine === 'RevalidateCachedQuery';
  return replan || code === '26000' || code === '42P05';
}

/** Whether the error is a conflict with another transaction, so that a retry may succeed. */
export const isContended = (error: unknown): boolean => /^(?:40001|40P01|55P03)$/.test(codeOf(error) ?? '');

/** Whether the server closes the connection with this error. */
export const isEnding = (error: unknown): boolean => /^(?:08|57P|25P0[34])/.test(codeOf(error) ?? '');

/** Whether the error means that the database is unavailable, and not that it rejects the statement. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) return false;
  const code = codeOf(error);
  return code === undefined || unavailableStates.test(code);
}

/** The reason in a few words for callers. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code !== undefined) return reasons.find(([start]) => code.startsWith(start))?.[1] ?? 'it reported an error';
  if (isQueueFull(error)) return 'all connections to it are in use';
  const message = error instanceof Error ? error.message : '';
  if (message === 'the server is read-only') return 'it is read-only';
  return message === 'Query read timeout' ? 'it does not answer' : 'it cannot be reached';
}
