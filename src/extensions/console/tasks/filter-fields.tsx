import { useSignal } from '@preact/signals';
import { type ComponentChildren, Fragment, type JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { admin } from '../gateway/admin.ts';
import { useRead } from '../gateway/hooks.ts';
import { route, setQuery } from '../shell/router.ts';
import { clock } from '../ui/format.ts';
import { Button, Field, Select } from '../ui/index.ts';
import { type Filter, type FilterTable, filtersOf, isFiltered, noneOf } from './filters.ts';

/** A value of a filter that is set and removed by one click. */
export type Toggle = readonly [name: string, value: string, title: string];

interface FilterFormProps {
  /** Plural of the filtered objects, such as `tasks`. */
  readonly of: string;
  readonly table: FilterTable;
  readonly toggles?: readonly Toggle[];
  /** Content before the fields. */
  readonly children?: ComponentChildren;
}

type Patch = Readonly<Record<string, string | undefined>>;

/** A new start of the time range removes an end before it. */
const set = (patch: Patch): void =>
  setQuery({ ...('after' in patch && { before: undefined }), ...patch }, { replace: true });

const spans = [
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
] as const;

const minute = 60_000;

/** Names a range of time that an address has, in the browser's zone. */
function rangeOf(after: string, before: string | undefined): string {
  if (Number.isNaN(Date.parse(after))) return `Last ${after}`;
  const [from, until] = [after, before].map((at) => at && clock(Date.parse(at), 'exact'));
  return until ? `${from} to ${until}` : `Since ${from}`;
}

/** Returns the range from a minute before to a minute after a time of the day, such as `14:05`: the latest one. */
function around(text: string): Patch {
  const [, hours, minutes, seconds = 0] = /^(\d\d?):(\d\d)(?::(\d\d))?$/.exec(text) ?? [];
  if (hours === undefined) return text === '' ? { after: undefined, before: undefined } : {};
  const at = new Date();
  at.setHours(Number(hours), Number(minutes), Number(seconds), 0);
  if (at.getTime() > Date.now()) at.setDate(at.getDate() - 1);
  const iso = (by: number): string => new Date(at.getTime() + by * minute).toISOString();
  return { after: iso(-1), before: iso(2) };
}

/** The filters of a list. They are stored in the address. */
export function FilterForm({ of, table, toggles = [], children }: FilterFormProps): JSX.Element {
  const filters: Readonly<Record<string, string | undefined>> = filtersOf(table, route.value.query);
  const field = ([name, { label = '', kind }]: readonly [string, Filter]): JSX.Element => {
    const { [name]: value = '', before } = filters;
    const onChange = (text: string): void => set({ [name]: text });
    if (kind === 'agent') return <AgentFilter key={name} value={value} onChange={onChange} />;
    if (kind !== 'time') return <TextFilter key={name} label={label} value={value} onChange={onChange} />;
    const isOwn = value !== '' && !spans.some((span) => span.value === value);
    const options = isOwn ? [...spans, { value, label: rangeOf(value, before) }] : spans;
    const middle = before === undefined ? Number.NaN : Date.parse(value) + minute;
    const time = Number.isNaN(middle) ? '' : clock(middle, 'minutes');
    return (
      <Fragment key={name}>
        <Select label={label} value={value} onChange={onChange} none="Any time" options={options} />
        <TextFilter label="Around, such as 14:05" value={time} onChange={(text) => set(around(text))} />
      </Fragment>
    );
  };
  const fields = Object.entries<Filter>(table).filter(([, { label }]) => label !== undefined);
  const rare = fields.filter(([, filter]) => filter.rare);
  const toggle = ([name, value, title]: Toggle): JSX.Element => {
    const values = filters[name]?.split(',') ?? [];
    const isSet = values.includes(value);
    const others = table[name]?.kind === 'states' ? values.filter((one) => one !== value) : [];
    const next = [...others, ...(isSet ? [] : [value])].join(',');
    return (
      <Button key={value} kind="quiet" pressed={isSet} onClick={() => set({ [name]: next })}>
        {title}
      </Button>
    );
  };
  return (
    <search class="task-filters" aria-label={`Filters of the ${of}`}>
      <div class="filter-fields">
        {children}
        {fields.filter(([, filter]) => !filter.rare).map(field)}
      </div>
      {rare.length > 0 && (
        <details open={rare.some(([name]) => filters[name])}>
          <summary>More filters</summary>
          <div class="filter-fields">{rare.map(field)}</div>
        </details>
      )}
      <div class="filter-states" role="group" aria-label="Usual filters">
        {toggles.map(toggle)}
        {isFiltered(filters) && (
          <Button kind="quiet" icon="close" onClick={() => set(noneOf(table))}>
            Remove filters
          </Button>
        )}
      </div>
    </search>
  );
}

/** Milliseconds after the last key until a text filters. */
const typingDelay = 350;

interface FieldProps {
  readonly label: string;
  /** Value; '' does not filter. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A choice among the agents of the gateway. */
function AgentFilter({ value, onChange }: Omit<FieldProps, 'label'>): JSX.Element {
  const agents = useRead(async (signal) => (await admin.call('ListAgents', {}, { signal })).agents ?? []);
  const names = new Set([...(agents.value ?? []).map(({ name }) => name), ...(value ? [value] : [])]);
  return <Select label="Agent" value={value} onChange={onChange} none="All agents" options={[...names]} />;
}

/** A text that filters a moment after it was typed, or by Enter. */
function TextFilter({ label, value, onChange }: FieldProps): JSX.Element {
  const typed = useSignal(value);
  const text = typed.value.trim();
  // The address may also change in other ways.
  useEffect(() => {
    typed.value = value;
  }, [value, typed]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), typingDelay);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <Field
      label={label}
      type="search"
      value={typed.value}
      onInput={(input) => (typed.value = input)}
      mono
      onKeyDown={({ key }) => {
        if (key === 'Enter') onChange(text);
      }}
    />
  );
}
