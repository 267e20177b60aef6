import { useSignal, useSignalEffect } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { admin } from '../gateway/admin.ts';
import { useRead } from '../gateway/hooks.ts';
import { Field, Select } from '../ui/index.ts';

interface FilterProps {
  readonly label: string;
  /** '' does not filter. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Milliseconds after the last key until a text filters. */
const patience = 350;

const spans = [
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
] as const;

/** A choice among the agents of the gateway. */
export function AgentFilter({ value, onChange }: Omit<FilterProps, 'label'>): JSX.Element {
  const agents = useRead(async (signal) => (await admin.call('ListAgents', {}, { signal })).agents ?? []);
  const names = new Set([...(agents.value ?? []).map(({ name }) => name), ...(value ? [value] : [])]);
  return <Select label="Agent" value={value} onChange={onChange} none="All agents" options={[...names]} />;
}

/** A choice among spans of time before now. */
export function TimeFilter({ value, ...props }: FilterProps): JSX.Element {
  const isOwn = value !== '' && !spans.some((span) => span.value === value);
  const options = isOwn ? [...spans, { value, label: `Since ${value}` }] : spans;
  return <Select {...props} value={value} none="Any time" options={options} />;
}

/** A text that filters a moment after it was typed. */
export function TextFilter({ label, value, onChange }: FilterProps): JSX.Element {
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
