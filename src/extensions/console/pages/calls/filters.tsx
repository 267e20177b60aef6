import type { JSX } from 'preact';
import { type CallFilters, noCallFilters } from '../../calls/call-list.ts';
import { setQuery } from '../../shell/router.ts';
import { AgentFilter, TextFilter, TimeFilter } from '../../tasks/filter-fields.tsx';
import { clock } from '../../ui/format.ts';
import { Button } from '../../ui/index.ts';

const set = (patch: Readonly<Record<string, string | undefined>>): void => setQuery(patch, { replace: true });

const minute = 60_000;

/** From a minute before to a minute after a time of the day, such as `14:05`: the latest one. */
function around(text: string): { readonly after?: string | undefined; readonly before?: string | undefined } {
  const [, hours, minutes, seconds = 0] = /^(\d\d?):(\d\d)(?::(\d\d))?$/.exec(text) ?? [];
  if (hours === undefined) return text === '' ? { after: undefined, before: undefined } : {};
  const at = new Date();
  at.setHours(Number(hours), Number(minutes), Number(seconds), 0);
  if (at.getTime() > Date.now()) at.setDate(at.getDate() - 1);
  const iso = (by: number): string => new Date(at.getTime() + by * minute).toISOString();
  return { after: iso(-1), before: iso(2) };
}

/** Filters that are texts, and that few look for. */
const rare = [
  ...([['principal', 'Caller'] as const, ['operation', 'Operation'] as const] as const),
  ...([['dialect', 'Dialect'] as const, ['binding', 'Binding'] as const] as const),
  ...([['error', 'Kind of error'] as const, ['task', 'Task id or key'] as const] as const),
  ['request', 'Request or trace id'] as const,
];

/** The filters of the calls. They live in the address. */
export function CallFilterFields(props: { readonly filters: CallFilters; readonly isFiltered: boolean }): JSX.Element {
  const { filters, isFiltered } = props;
  const { after, before } = filters;
  const toggle = (name: 'failed' | 'after', value: string, title: string) => (
    <Button
      kind="quiet"
      pressed={filters[name] === value}
      onClick={() => set({ [name]: filters[name] === value ? '' : value, ...(name === 'after' && { before: '' }) })}
    >
      {title}
    </Button>
  );
  return (
    <search class="task-filters" aria-label="Filters of the calls">
      <div class="filter-fields">
        <TextFilter label="Search" value={filters.text} onChange={(text) => set({ text })} />
        <AgentFilter value={filters.agent} onChange={(agent) => set({ agent })} />
        <TimeFilter label="Arrived" value={after} onChange={(time) => set({ after: time, before: '' })} />
        <TextFilter
          label="Around, such as 14:05"
          value={after && before && clock(Date.parse(after) + minute, 'minutes')}
          onChange={(text) => set(around(text))}
        />
      </div>
      <details open={rare.some(([name]) => filters[name] !== '')}>
        <summary>More filters</summary>
        <div class="filter-fields">
          {rare.map(([name, label]) => (
            <TextFilter key={name} label={label} value={filters[name]} onChange={(text) => set({ [name]: text })} />
          ))}
        </div>
      </details>
      <div class="filter-states" role="group" aria-label="Usual filters">
        {toggle('failed', 'true', 'Failed')}
        {toggle('after', '15m', 'Last 15 minutes')}
        {toggle('after', '1h', 'Last hour')}
        {isFiltered && (
          <Button kind="quiet" icon="close" onClick={() => set(noCallFilters)}>
            Remove filters
          </Button>
        )}
      </div>
    </search>
  );
}
