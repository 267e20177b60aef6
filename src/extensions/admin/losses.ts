import { timestamp } from '../../core/model/agent-events.ts';
import type { LossCounts } from '../../core/telemetry/loss-counts.ts';
import type { AdminHandlers } from './service.ts';

/** The operations about what conversions dropped. */
export function lossHandlers({ losses }: { readonly losses: LossCounts }): AdminHandlers<'ListLosses'> {
  return {
    async ListLosses() {
      const counts = losses.list().map(({ lastAt, ...count }) => ({ ...count, lastAt: timestamp(lastAt) }));
      return { value: { losses: counts } };
    },
  };
}
