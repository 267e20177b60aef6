import type { Logger } from '../ports/logger.ts';

/** Milliseconds in which one line stands for all of its kind. */
const pause = 10_000;

/** What was not written since the last line of its kind. */
interface SuppressedLines {
  count: number;
  latest: object;
}

const heldBy = new WeakMap<Logger, Map<string, SuppressedLines>>();

/**
 * Logs an error that every call may meet while something is away, so that an hour without it does not fill a disk: the
 * first one at once, and then one every ten seconds, the latest, which says how many `more` there were. All of them are
 * lines at level debug.
 *
 * @param kind what stands for what: few values, since each is kept for ten seconds
 */
export function logRateLimited(logger: Logger, kind: string, fields: object, message: string): void {
  const kinds = heldBy.get(logger) ?? new Map<string, SuppressedLines>();
  heldBy.set(logger, kinds);
  const held = kinds.get(kind);
  if (held) {
    held.count += 1;
    held.latest = fields;
    logger.debug(fields, message);
    return;
  }
  logger.error(fields, message);
  hold(logger, kinds, kind, message);
}

function hold(logger: Logger, kinds: Map<string, SuppressedLines>, kind: string, message: string): void {
  const held: SuppressedLines = { count: 0, latest: {} };
  kinds.set(kind, held);
  const timer = setTimeout(() => {
    kinds.delete(kind);
    if (held.count === 0) return;
    const more = held.count - 1;
    logger.error(more > 0 ? { ...held.latest, more } : held.latest, message);
    hold(logger, kinds, kind, message);
  }, pause);
  timer.unref();
}
