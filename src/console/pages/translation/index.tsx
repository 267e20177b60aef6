import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { hrefOf } from '../../shell/route.ts';
import { route } from '../../shell/router.ts';
import { bytes } from '../../ui/format.ts';
import { Button, Empty, Field, Notice, Page, Select, Text } from '../../ui/index.ts';
import { examples } from './examples.ts';
import { Legend, Marked } from './marked.tsx';
import {
  busy,
  close,
  type FromTask,
  fromTask,
  lists,
  marked,
  nothing,
  problem,
  read,
  show,
  stated,
  text,
  translation,
} from './state.ts';
import { Target } from './target.tsx';
import './translation.css';

/** A frame, an event or a task in every generation side by side, and what each of them loses. */
export default function TranslationPage(): JSX.Element {
  const error = useSignal<unknown>(undefined);
  const selected = useSignal('');
  const { query } = route.value;
  const key = query.get('task') ?? '';
  const position = Number(query.get('position')) || undefined;
  const load = (): (() => void) => {
    const controller = new AbortController();
    error.value = undefined;
    if (key === '') fromTask.value = undefined;
    else {
      read(key, position, controller.signal).catch((thrown: unknown) => {
        if (!controller.signal.aborted) error.value = thrown;
      });
    }
    return () => controller.abort();
  };
  useEffect(load, [key, position]);
  useEffect(() => {
    if (text.peek() !== '') show(text.peek());
    return close;
  }, []);
  const result = translation.value;
  return (
    <Page
      title="Translation"
      busy={busy.value}
      error={error.value}
      onRetry={load}
      actions={
        <>
          <Select
            label="Example"
            hideLabel
            value=""
            options={[
              { value: '', label: 'Example…' },
              ...examples.map(({ id, title }) => ({ value: id, label: title })),
            ]}
            onChange={(id) => {
              const example = examples.find((one) => one.id === id);
              if (example) show(example.text, nothing);
            }}
          />
          <Button onClick={() => show('', nothing)}>Clear</Button>
        </>
      }
    >
      {fromTask.value && <TaskBar from={fromTask.value} />}
      <div class="tr-input">
        <Source />
        <section aria-label="Losses at their place">
          <div class="section-title">
            <h2>In A2A 1.x</h2>
            <span class="muted">
              {selected.value === '' ? 'losses of every dialect' : `losses of ${selected.value}`}
            </span>
          </div>
          {marked.value ? (
            <>
              <Marked frame={marked.value} selected={selected.value} />
              <Legend />
            </>
          ) : (
            <Empty title="No frame yet">Fields that a generation cannot say are marked here.</Empty>
          )}
        </section>
      </div>
      {result && (
        <section aria-label="Every generation" class="stack">
          <h2>In every generation</h2>
          <div class="tr-targets">
            {result.translated.map((translated) => (
              <Target
                key={translated.dialect}
                translated={translated}
                selected={selected.value === translated.dialect}
                onSelect={() => {
                  selected.value = selected.value === translated.dialect ? '' : translated.dialect;
                }}
              />
            ))}
          </div>
        </section>
      )}
    </Page>
  );
}

/** Which part of a task is shown, with the way to the events before and after. */
function TaskBar({ from }: { readonly from: FromTask }): JSX.Element {
  const { key, position, last } = from;
  const at = (next: number | undefined): string =>
    hrefOf('translation', [], { task: key, ...(next !== undefined && { position: String(next) }) });
  const before = (position ?? 1) - 1;
  const after = (position ?? 0) + 1;
  return (
    <nav class="tr-task" aria-label="Task">
      <span class="tr-id">
        Task{' '}
        <a href={hrefOf('tasks', [key])}>
          <Text value={key} mono />
        </a>
      </span>
      <span class="row">
        <a href={at(undefined)} aria-current={position === undefined ? 'page' : undefined}>
          The whole task
        </a>
        {before >= 1 && <a href={at(before)}>Event {before}</a>}
        {position !== undefined && (
          <span>
            Event {position} of {last}
          </span>
        )}
        {after <= last && <a href={at(after)}>Event {after}</a>}
      </span>
    </nav>
  );
}

const bindingNames: Readonly<Record<string, string>> = { jsonrpc: 'JSON-RPC', rest: 'HTTP+JSON', grpc: 'gRPC' };

/** Characters of a frame that is edited: browsers are slow with more in one control. */
const maxEdited = 300_000;

/** The frame, and as what it is read. */
function Source(): JSX.Element {
  const about = stated.value;
  const source = translation.value?.source;
  const { dialects, types, methods } = lists.value;
  const reading = (name: 'from' | 'type' | 'method' | 'binding', label: string, all: readonly string[], found = '') => {
    const detected = found === '' ? 'detect' : `detect: ${bindingNames[found] ?? found}`;
    const options = [...new Set([...all, about[name]])].filter((value) => value !== '');
    return (
      <Select
        label={label}
        value={about[name]}
        options={[
          { value: '', label: detected },
          ...options.map((value) => ({ value, label: bindingNames[value] ?? value })),
        ]}
        onChange={(value) => show(text.peek(), { ...about, [name]: value })}
      />
    );
  };
  return (
    <section aria-label="Frame" class="tr-source">
      <div class="section-title">
        <h2>Frame</h2>
        <span class="muted" role="status">
          {source ? said(source) : 'JSON, an event stream, or a request over HTTP'}
        </span>
      </div>
      {text.value.length > maxEdited ? (
        <p class="muted">The frame has {bytes(text.value.length)}: too much to edit here.</p>
      ) : (
        <Field
          label="Frame"
          hideLabel
          mono
          rows={15}
          value={text.value}
          placeholder='{ "jsonrpc": "2.0", "method": "message/send", … }'
          onInput={(next) => show(next)}
        />
      )}
      <div class="tr-reading">
        {reading('from', 'Dialect', dialects, source?.dialect)}
        {reading('type', 'Type', types, source?.type)}
        {reading('method', 'Method', methods, source?.method)}
        {reading('binding', 'Binding', Object.keys(bindingNames), source?.binding)}
      </div>
      {problem.value !== '' && (
        <Notice severity="error">
          <Text value={problem.value} />
        </Notice>
      )}
    </section>
  );
}

const said = ({
  type,
  method,
  dialect,
  binding,
}: {
  type: string;
  method?: string;
  dialect: string;
  binding: string;
}): string =>
  `read as ${type}${method === undefined ? '' : ` of ${method}`} in ${dialect} over ${bindingNames[binding]}`;
