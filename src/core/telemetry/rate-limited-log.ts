import type { Logger } from '../ports/logger.ts';

/** Milliseconds between two error lines of one kind. */
const interval = 10_000;

/** Lines that were suppressed since the last line of their kind. */
interface SuppressedLines {
  count: number;
  latest: object;
}

const heldBy = new WeakMap<Logger, Map<string, SuppressedLines>>();

/**
 * Logs an error that every call may meet during an outage: the first line at once, then every ten seconds the latest
 * line, with the number of suppressed lines as `more`. Suppressed lines are logged at level debug. `kind` has few
 * values.
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
  const hold = (): void => {
    const lines: SuppressedLines = { count: 0, latest: {} };
    kinds.set(kind, lines);
    setTimeout(() => {
      kinds.delete(kind);
      if (lines.count === 0) return;
      const more = lines.count - 1;
      logger.error(more > 0 ? { ...lines.latest, more } : lines.latest, message);
      hold();
    }, interval).unref();
  };
  hold();
}
