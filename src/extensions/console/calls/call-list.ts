import { type Signal, signal } from '@preact/signals';
import type { CallSummary, ListCallsRequest } from '../../../gen/admin-v1/types.ts';
import { admin } from '../gateway/admin.ts';
import type { Completeness } from '../metrics/complete.tsx';
import { callFilters, type Filters, requestOf } from '../tasks/filters.ts';
import { LiveList } from '../tasks/live-list.ts';

/** A call in the list. */
export interface CallRow extends CallSummary {
  readonly key: string;
  readonly updatedAt: string;
}

const rowOf = (call: CallSummary): CallRow => ({ ...call, key: call.id, updatedAt: call.time });

/** The calls that pass some filters, and since when they are complete. */
type CallList = LiveList<CallRow> & { readonly facts: Signal<Completeness> };

/** Whether a call that has just ended has an outcome. Which calls are slow is known to the gateway alone. */
function hasOutcome({ error, durationMs, refusedBy }: CallSummary, outcome: ListCallsRequest['outcome']): boolean {
  if (!outcome || !error) return !outcome;
  return outcome === (refusedBy || durationMs === undefined ? 'CALL_OUTCOME_REFUSED' : 'CALL_OUTCOME_FAILED');
}

/** Returns the calls that pass the filters, the latest first, kept current. */
export function callList(filters: Filters<typeof callFilters>): CallList {
  const request = () => requestOf<ListCallsRequest>(callFilters, filters, Date.now());
  const missing = signal<readonly string[]>([]);
  const facts = signal<Completeness>({});
  /** Ids of the calls that the gateway found. */
  const found = new Set<string>();
  const list = new LiveList<CallRow>({
    missing,
    // The gateway applies all filters to the stream but the times and the outcome.
    matcher() {
      const { after = '', before = '~', outcome } = request();
      return (call) => call.time >= after && call.time < before && (found.has(call.key) || hasOutcome(call, outcome));
    },
    latest: async (signal) => (await admin.call('ListCalls', { pageSize: 1 }, { signal })).calls?.[0]?.time,
    async page(page, signal) {
      const {
        calls = [],
        nextPageToken,
        ...more
      } = await admin.call('ListCalls', { ...request(), ...page }, { signal });
      missing.value = more.missingReplicas ?? [];
      // That of the first page, which is of the latest calls.
      if (!page.pageToken) facts.value = more;
      for (const { id } of calls) found.add(id);
      return { rows: calls.map(rowOf), nextPageToken };
    },
    async *watch(after, options) {
      const { before: _, outcome, ...of } = request();
      if (outcome && outcome !== 'CALL_OUTCOME_SLOW') of.failed = true;
      for await (const { id, event } of admin.stream('WatchCalls', { ...of, ...(after && { after }) }, options)) {
        missing.value = event.missingReplicas ?? [];
        if (event.call) yield { id, event: rowOf(event.call) };
      }
    },
  });
  return Object.assign(list, { facts });
}
