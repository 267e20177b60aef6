import type { CallSummary, ListCallsRequest } from '../../../gen/admin-v1/types.ts';
import { admin } from '../gateway/admin.ts';
import { timeOf } from '../tasks/filters.ts';
import { LiveList } from '../tasks/live-list.ts';

/** The filters that hold one text, by their names in the address, with the fields of requests. */
const fieldOf = {
  ...{ agent: 'agent', principal: 'principal', operation: 'operation', dialect: 'dialect', binding: 'binding' },
  ...{ error: 'error', task: 'taskId', request: 'requestId', text: 'text' },
} as const;

const names = [...(Object.keys(fieldOf) as (keyof typeof fieldOf)[]), 'failed', 'after', 'before'] as const;

/** Which calls are listed: '' does not filter. Times are those of RFC 3339, or a span before now, such as `1h`. */
export type CallFilters = Readonly<Record<(typeof names)[number], string>>;

/** The filters that an address names. */
export const callFiltersOf = (query: URLSearchParams): CallFilters =>
  Object.fromEntries(names.map((name) => [name, query.get(name)?.trim() ?? ''])) as CallFilters;

/** What removes all filters from the address. */
export const noCallFilters = Object.fromEntries(names.map((name) => [name, undefined]));

function requestOf(filters: CallFilters): ListCallsRequest {
  const texts = Object.entries(fieldOf).map(([name, field]) => [field, filters[name as keyof typeof fieldOf]]);
  return { ...Object.fromEntries(texts.filter(([, text]) => text)), ...(filters.failed && { failed: true }) };
}

/** The times that the filters name. */
function timesOf(filters: CallFilters): { readonly after?: string; readonly before?: string } {
  const times = (['after', 'before'] as const).map((name) => [name, timeOf(filters[name], Date.now())] as const);
  return Object.fromEntries(
    times.flatMap(([name, at]) => (at === undefined ? [] : [[name, new Date(at).toISOString()]])),
  );
}

/** A call in the list. */
export interface CallRow extends CallSummary {
  readonly key: string;
  readonly updatedAt: string;
}

const rowOf = (call: CallSummary): CallRow => ({ ...call, key: call.id, updatedAt: call.time });

/** The calls that pass the filters, the latest first, kept current. */
export class CallList extends LiveList<CallRow> {
  readonly #filters: CallFilters;

  constructor(filters: CallFilters) {
    super();
    this.#filters = filters;
  }

  /** The gateway judges all but the times. */
  protected override matches({ time }: CallRow): boolean {
    const { after = '', before = '~' } = timesOf(this.#filters);
    return time >= after && time < before;
  }

  protected override async latest(signal: AbortSignal) {
    return (await admin.call('ListCalls', { pageSize: 1 }, { signal })).calls?.[0]?.time;
  }

  protected override async page(page: object, signal: AbortSignal) {
    const request = { ...requestOf(this.#filters), ...timesOf(this.#filters), ...page };
    const answer = await admin.call('ListCalls', request, { signal });
    this.missing.value = answer.missingReplicas ?? [];
    return { rows: (answer.calls ?? []).map(rowOf), nextPageToken: answer.nextPageToken ?? '' };
  }

  protected override async *watch(
    after: string | undefined,
    options: { readonly signal: AbortSignal; readonly onOpen: () => void },
  ) {
    const request = { ...requestOf(this.#filters), ...(after && { after }) };
    for await (const { id, event } of admin.stream('WatchCalls', request, options)) {
      this.missing.value = event.missingReplicas ?? [];
      if (event.call) yield { id, event: rowOf(event.call) };
    }
  }
}
