import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Loss, Translated } from '../../../../../dialects/translate/index.ts';
import { Button, Code, Empty, Failure, Field, Notice, Select, Text } from '../../../ui/index.ts';
import type { Example } from './examples.ts';
import { Legend, Marked, Verdict } from './marked.tsx';
import { close, lists, marks, nothing, problem, show, stated, text, translation } from './state.ts';

/** A frame in every generation: what the Translation page and the playground of the documentation have in common. */

/** The choice of an example, and a button that clears the frame. */
export const Actions = ({ examples }: { readonly examples: readonly Example[] }): JSX.Element => (
  <>
    <Select
      label="Example"
      hideLabel
      value=""
      none="Example…"
      options={examples.map(({ id, title }) => ({ value: id, label: title }))}
      onChange={(id) => {
        const example = examples.find((one) => one.id === id);
        if (example) show(example.text, nothing);
      }}
    />
    <Button onClick={() => show('', nothing)}>Clear</Button>
  </>
);

export interface TranslationProps {
  /** Address of the page that says what becomes of each field in a dialect. Absent: no such pages are at hand. */
  readonly fieldsAt?: (dialect: string) => string;
}

/** The frame, and what becomes of it in every dialect. */
export function Translation({ fieldsAt }: TranslationProps): JSX.Element {
  const selected = useSignal('');
  useEffect(() => {
    if (text.peek() !== '') show(text.peek());
    return close;
  }, []);
  const result = translation.value;
  return (
    <>
      <div class="tr-input">
        <Source />
        <section aria-label="Losses at their place">
          <div class="section-title">
            <h2>In A2A 1.x</h2>
            <span class="muted">
              {selected.value === '' ? 'losses of every dialect' : `losses of ${selected.value}`}
            </span>
          </div>
          {result && marks.value ? (
            <>
              <Marked frame={result.v1} marks={marks.value} selected={selected.value} />
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
                fieldsAt={fieldsAt?.(translated.dialect)}
                selected={selected.value === translated.dialect}
                onSelect={() => {
                  selected.value = selected.value === translated.dialect ? '' : translated.dialect;
                }}
              />
            ))}
          </div>
        </section>
      )}
    </>
  );
}

const bindingNames: Readonly<Record<string, string>> = { jsonrpc: 'JSON-RPC', rest: 'HTTP+JSON', grpc: 'gRPC' };

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
        none={detected}
        options={options.map((value) => ({ value, label: bindingNames[value] ?? value }))}
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
      <Field
        label="Frame"
        hideLabel
        mono
        rows={15}
        value={text.value}
        placeholder='{ "jsonrpc": "2.0", "method": "message/send", … }'
        onInput={(next) => show(next)}
      />
      <div class="tr-reading">
        {reading('from', 'Dialect', dialects, source?.dialect)}
        {reading('type', 'Type', types, source?.type)}
        {reading('method', 'Method', methods, source?.method)}
        {reading('binding', 'Binding', Object.keys(bindingNames), source?.binding)}
      </div>
      <Failure error={problem.value || undefined} />
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

interface TargetProps {
  readonly translated: Translated;
  readonly selected: boolean;
  /** Address of the page that says what becomes of each field in the dialect. */
  readonly fieldsAt: string | undefined;
  readonly onSelect: () => void;
}

/** The frame in one dialect, and what is missing in it. */
function Target({ translated, selected, fieldsAt, onSelect }: TargetProps): JSX.Element {
  const { dialect, method, text, losses, error } = translated;
  const missed = losses.filter((loss) => loss.missed);
  const unmissed = losses.filter((loss) => !loss.missed);
  return (
    <section class="tr-target" aria-label={dialect}>
      <header>
        <h3>{dialect}</h3>
        {method !== undefined && <code class="muted">{method}</code>}
        {text !== undefined && <Verdict missed={missed.length} unmissed={unmissed.length} />}
      </header>
      {error !== undefined && (
        <Notice severity="warning">
          {dialect} cannot say it: <Text value={error} />
        </Notice>
      )}
      {text !== undefined && (
        <>
          <Code label={`frame in ${dialect}`} value={text} max={6_000} />
          <LossList title="Lost" losses={missed} open />
          <LossList title="Not said, and not missed" losses={unmissed} />
          <div class="row tr-uses">
            {losses.length > 0 && (
              <Button kind="quiet" pressed={selected} onClick={onSelect}>
                {selected ? 'Mark all dialects' : 'Mark only these losses'}
              </Button>
            )}
            <Button kind="quiet" onClick={() => show(text, { ...nothing, from: dialect })}>
              Use as the frame
            </Button>
          </div>
          {fieldsAt !== undefined && losses.length > 0 && (
            <a href={fieldsAt}>What becomes of each field in {dialect}</a>
          )}
        </>
      )}
    </section>
  );
}

interface LossListProps {
  readonly title: string;
  readonly losses: readonly Loss[];
  readonly open?: boolean;
}

function LossList({ title, losses, open = false }: LossListProps): JSX.Element | null {
  if (losses.length === 0) return null;
  return (
    <details open={open}>
      <summary>
        {title} ({losses.length})
      </summary>
      <ul class="tr-losses">
        {losses.map(({ path, reason, sample }) => (
          <li key={path}>
            <code>{path}</code>: {reason}
            {sample !== undefined && <Text value={sample} mono class="tr-sample" />}
          </li>
        ))}
      </ul>
    </details>
  );
}
