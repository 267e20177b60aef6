import { useSignal, useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { TaskState } from '../../../../core/model/a2a.ts';
import { admin } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { setQuery } from '../../shell/router.ts';
import { addressOf, isFiltered, noFilters, type TaskFilters, taskStates, textFilters } from '../../tasks/filters.ts';
import { words } from '../../ui/format.ts';
import { Button, Field, Select } from '../../ui/index.ts';

/** Milliseconds after the last key until a text filters. */
const patience = 350;

const titles = { principal: 'Caller', context: 'Context', id: 'Task id', tenant: 'Tenant' } as const;

const spans = [
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
] as const;

/** A context alone would show its conversation. */
const set = (patch: Partial<TaskFilters>): void =>
  setQuery({ ...addressOf(patch), ...('context' in patch && { view: patch.context && 'list' }) }, { replace: true });

/** The filters of the list. They live in the address. */
export function Filters({ filters }: { readonly filters: TaskFilters }): JSX.Element {
  const agents = useRead(async (signal) => (await admin.call('ListAgents', {}, { signal })).agents ?? []);
  const names = new Set([...(agents.value ?? []).map(({ name }) => name), ...(filters.agent ? [filters.agent] : [])]);
  const isOwn = filters.after !== '' && !spans.some(({ value }) => value === filters.after);
  const toggle = (state: TaskState): void => {
    const states = filters.states.includes(state)
      ? filters.states.filter((each) => each !== state)
      : [...filters.states, state];
    set({ states });
  };
  return (
    <search class="task-filters" aria-label="Filters of the tasks">
      <div class="filter-fields">
        <Select
          label="Agent"
          value={filters.agent}
          onChange={(agent) => set({ agent })}
          none="All agents"
          options={[...names]}
        />
        <Select
          label="Changed"
          value={filters.after}
          onChange={(after) => set({ after })}
          none="Any time"
          options={isOwn ? [...spans, { value: filters.after, label: `Since ${filters.after}` }] : spans}
        />
        {textFilters.map((name) =>
          name === 'agent' ? null : (
            <TextFilter
              key={name}
              label={titles[name]}
              value={filters[name]}
              onChange={(text) => set({ [name]: text })}
            />
          ),
        )}
      </div>
      <div class="filter-states" role="group" aria-label="States">
        {taskStates.map((state) => (
          <Button key={state} kind="quiet" pressed={filters.states.includes(state)} onClick={() => toggle(state)}>
            {words(state)}
          </Button>
        ))}
        {isFiltered(filters) && (
          <Button kind="quiet" icon="close" onClick={() => set(noFilters)}>
            Remove filters
          </Button>
        )}
      </div>
    </search>
  );
}

/** A text that filters a moment after it was typed. */
function TextFilter({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): JSX.Element {
  const typed = useSignal(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(onChange);
  latest.current = onChange;
  // The address may change otherwise, too.
  useEffect(() => {
    typed.value = value;
  }, [value, typed]);
  useSignalEffect(() => () => clearTimeout(timer.current));
  const input = (text: string): void => {
    typed.value = text;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current(text.trim()), patience);
  };
  return (
    <Field
      label={label}
      type="search"
      value={typed.value}
      onInput={input}
      mono
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        clearTimeout(timer.current);
        latest.current(typed.value.trim());
      }}
    />
  );
}
