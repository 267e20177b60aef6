import { A2AError } from '../core/model/errors.ts';
import type { Database } from './database.ts';

/** Seconds after which callers may try again while the database is unavailable. */
export const retryAfter = 5;

/** The store's error after an error of its database. */
export function failureOf(database: Database, cause: unknown): A2AError {
  if (cause instanceof A2AError) return cause;
  if (!database.isUnavailable(cause)) return A2AError.from(cause);
  return new A2AError('unavailable', `The store is unavailable: ${database.reasonOf(cause)}`, { retryAfter, cause });
}

/** Remedies for some errors, by their codes. */
const remedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: '; is PostgreSQL running there?',
  '3D000': '; create it first, for example with createdb',
  '42P07':
    '; its tables are those of another program: use another database, or a schema with options=-c search_path=NAME',
};

/** The error for a database that cannot be opened. */
export function cannotOpen(shown: string, cause: unknown): A2AError {
  const { message = String(cause), code = '' } = (cause ?? {}) as { message?: string; code?: string };
  return new A2AError('unavailable', `The store ${shown} cannot be opened: ${message}${remedies[code] ?? ''}`, {
    cause,
  });
}

export const notOpen = (): A2AError => new A2AError('unavailable', 'The store is not open.', { retryAfter });
