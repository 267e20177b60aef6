import type { Violation } from './check-logs.ts';
import type { Ledger } from './ledger.ts';
import type { Logs } from './logs.ts';

/** Milliseconds by which a gateway's clock may differ from the database's, after which logs are dated. */
const tolerance = 250;

/**
 * At no time does a gateway have more streams of one caller than it allows, and none is counted that has ended. A stream was surely
 * open from when its first event had come until its last one was written.
 *
 * @param limit undefined: there is none
 */
export function checkLimits({ streamed, leaked }: Ledger, logs: Logs, limit: number | undefined): Violation[] {
  const found: Violation[] = leaked.map((what) => ({ what }));
  if (limit === undefined) return found;
  const byGateway = Map.groupBy(streamed, ({ gateway }) => gateway);
  for (const [gateway, streams] of byGateway) {
    const open = streams.flatMap(({ from, seq, taskId }) => {
      const until = logs.byId.get(taskId)?.log[seq - 1]?.at;
      return from !== undefined && until !== undefined && from < until - tolerance
        ? [{ from, until: until - tolerance }]
        : [];
    });
    const most = open.reduce(
      (max, { from }) => Math.max(max, open.filter((other) => other.from <= from && from < other.until).length),
      0,
    );
    if (most > limit) found.push({ what: `gateway ${gateway} had ${most} streams of a caller that may have ${limit}` });
  }
  return found;
}
