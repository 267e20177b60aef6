import { signal } from '@preact/signals';
import type { CallSummary, ListCallsRequest } from '../../../gen/admin-v1/types.ts';
import { admin } from '../gateway/admin.ts';
import { callFilters, type Filters, requestOf } from '../tasks/filters.ts';
import { LiveList } from '../tasks/live-list.ts';

/** A call in the list. */
export interface CallRow extends CallSummary {
  readonly key: string;
  readonly updatedAt: string;
}

const rowOf = (call: CallSummary): CallRow => ({ ...call, key: call.id, updatedAt: call.time });

/** Returns the calls that pass the filters, the latest first, kept current. */
export function callList(filters: Filters<typeof callFilters>): LiveList<CallRow> {
  const request = () => requestOf<ListCallsRequest>(callFilters, filters, Date.now());
  const missing = signal<readonly string[]>([]);
  return new LiveList<CallRow>({
    missing,
    // The gateway applies all filters but the times.
    matcher() {
      const { after = '', before = '~' } = request();
      return ({ time }) => time >= after && time < before;
    },
    latest: async (signal) => (await admin.call('ListCalls', { pageSize: 1 }, { signal })).calls?.[0]?.time,
    async page(page, signal) {
      const {
        calls = [],
        nextPageToken,
        ...more
      } = await admin.call('ListCalls', { ...request(), ...page }, { signal });
      missing.value = more.missingReplicas ?? [];
      return { rows: calls.map(rowOf), nextPageToken };
    },
    async *watch(after, options) {
      const { before: _, ...of } = request();
      for await (const { id, event } of admin.stream('WatchCalls', { ...of, ...(after && { after }) }, options)) {
        missing.value = event.missingReplicas ?? [];
        if (event.call) yield { id, event: rowOf(event.call) };
      }
    },
  });
}
