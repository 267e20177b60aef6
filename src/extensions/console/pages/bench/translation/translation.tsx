import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Loss, Translated } from '../../../../../dialects/translate/index.ts';
import { count } from '../../../ui/format.ts';
import { Badge, Button, Code, Empty, Failure, Field, Notice, Select, Text } from '../../../ui/index.ts';
import { Marked } from './marked.tsx';
import { close, lists, marks, nothing, problem, show, stated, text, translation } from './state.ts';

/** A frame in every generation: the common part of the Translation page and the documentation's playground. */

interface TranslationProps {
  /** Returns the address of a dialect's page with the conversion of each field. Absent: there are no such pages. */
  readonly fieldsAt?: ((dialect: string) => string) | undefined;
}

/** The frame, and its translation to every dialect. */
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
            <span class="muted">losses of {selected.value || 'every dialect'}</span>
          </div>
          {result && marks.value ? (
            <>
              <Marked frame={result.v1} marks={marks.value} selected={selected.value} />
              <p class="row muted">
                <span class="tr-mark tr-mark-missed">dialect</span> loses the field
                <span class="tr-mark">dialect</span> does not have it, and its readers do not miss it
              </p>
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
              <Target key={translated.dialect} translated={translated} fieldsAt={fieldsAt} selected={selected} />
            ))}
          </div>
        </section>
      )}
    </>
  );
}

const bindingNames: Readonly<Record<string, string>> = { jsonrpc: 'JSON-RPC', rest: 'HTTP+JSON', grpc: 'gRPC' };

/** The frame, and its detected type. */
function Source(): JSX.Element {
  const about = stated.value;
  const source = translation.value?.source;
  const { dialects, types, methods } = lists.value;
  const nameOf = (value: string): string => bindingNames[value] ?? value;
  const readings = [
    ['from', 'Dialect', dialects, source?.dialect],
    ['type', 'Type', types, source?.type],
    ['method', 'Method', methods, source?.method],
    ['binding', 'Binding', Object.keys(bindingNames), source?.binding],
  ] as const;
  const frameType = source?.method === undefined ? source?.type : `${source.type} of ${source.method}`;
  return (
    <section aria-label="Frame" class="tr-source">
      <div class="section-title">
        <h2>Frame</h2>
        <span class="muted" role="status">
          {source
            ? `read as ${frameType} in ${source.dialect} over ${nameOf(source.binding)}`
            : 'JSON, an event stream, or a request over HTTP'}
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
        {readings.map(([name, label, all, found]) => (
          <Select
            key={name}
            label={label}
            value={about[name]}
            none={found === undefined ? 'detect' : `detect: ${nameOf(found)}`}
            options={[...new Set([...all, about[name]])]
              .filter(Boolean)
              .map((value) => ({ value, label: nameOf(value) }))}
            onChange={(value) => show(text.peek(), { ...about, [name]: value })}
          />
        ))}
      </div>
      <Failure error={problem.value || undefined} />
    </section>
  );
}

interface TargetProps extends TranslationProps {
  readonly translated: Translated;
  /** The dialect whose losses alone are marked; '' for all. */
  readonly selected: Signal<string>;
}

/** The frame in one dialect, and its losses. */
function Target({ translated, selected, fieldsAt }: TargetProps): JSX.Element {
  const { dialect, method, text, losses, error } = translated;
  const { missed = [], others = [] } = Object.groupBy(losses, (loss) => (loss.missed ? 'missed' : 'others'));
  const isSelected = selected.value === dialect;
  const verdict = others.length > 0 ? 'Nothing missed' : 'Nothing lost';
  const lost = `${count(missed.length)} ${missed.length === 1 ? 'field' : 'fields'} lost`;
  return (
    <section class="tr-target" aria-label={dialect}>
      <header>
        <h3>{dialect}</h3>
        {method !== undefined && <code class="muted">{method}</code>}
        {text !== undefined &&
          (missed.length > 0 ? <Badge state={lost} severity="warning" /> : <Badge state={verdict} severity="ok" />)}
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
          <LossList title="Not said, and not missed" losses={others} />
          <div class="row tr-uses">
            {losses.length > 0 && (
              <Button kind="quiet" pressed={isSelected} onClick={() => (selected.value = isSelected ? '' : dialect)}>
                {isSelected ? 'Mark all dialects' : 'Mark only these losses'}
              </Button>
            )}
            <Button kind="quiet" onClick={() => show(text, { ...nothing, from: dialect })}>
              Use as the frame
            </Button>
          </div>
          {fieldsAt !== undefined && losses.length > 0 && (
            <a href={fieldsAt(dialect)}>The conversion of each field in {dialect}</a>
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

const LossList = ({ title, losses, open = false }: LossListProps): JSX.Element => (
  <details open={open} hidden={losses.length === 0}>
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
