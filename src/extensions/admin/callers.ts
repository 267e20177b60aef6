import { timestamp } from '../../core/model/agent-events.ts';
import type { CallerRecord, Callers } from '../../core/telemetry/callers.ts';
import type { CallerStatus } from '../../gen/admin-v1/types.ts';
import type { AdminHandlers } from './service.ts';

/** A caller that the configuration names. */
export interface ConfiguredCaller {
  /** Id of its principal. */
  readonly principal: string;
  /** Undefined: all that need not be granted explicitly. */
  readonly scopes?: readonly string[] | undefined;
}

export interface CallerHandlersDeps {
  readonly callers: Callers;
  readonly configured: () => readonly ConfiguredCaller[];
}

/** The operations about callers. */
export function callerHandlers({ callers, configured }: CallerHandlersDeps): AdminHandlers<'ListCallers'> {
  return {
    async ListCallers() {
      const named = new Map(configured().map((caller) => [caller.principal, caller]));
      const seen = callers.list().map((record) => statusOf(record, named.get(record.principal)));
      const unseen = new Set(named.keys());
      for (const { principal } of seen) unseen.delete(principal);
      const never = [...unseen].map((principal) => ({
        ...{ principal, configured: true },
        scopes: [...(named.get(principal)?.scopes ?? [])],
      }));
      return { value: { callers: [...seen, ...never], since: timestamp(callers.since) } };
    },
  };
}

function statusOf(record: CallerRecord, configured: ConfiguredCaller | undefined): CallerStatus {
  const { principal, calls, failed, lastAt, lastOperation, lastAgent, lastDialect, lastBinding, scopes } = record;
  return {
    ...{ principal, calls, failedCalls: failed, lastUsedAt: timestamp(lastAt) },
    ...{ lastOperation, lastAgent, lastDialect, lastBinding },
    configured: configured !== undefined,
    // Those of the configuration: a token may have had fewer.
    scopes: [...((configured ? configured.scopes : scopes) ?? [])],
  };
}
