import { signal as createSignal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isObject } from '../../../../core/model/json.ts';
import type { KnowledgeQueryResponseResult } from '../../../../gen/knowledge-v1/types.ts';
import { messageOf } from '../../gateway/error.ts';
import { Button, Empty, Field, Json, Select } from '../../ui/index.ts';
import { ChangeList } from './changes-view.tsx';
import { Editor } from './editor.tsx';
import { query, type Space, type Subscription } from './gateway.ts';
import { Failure } from './parts.tsx';

const examples = [
  {
    label: 'Statements',
    text: `query ($least: Float) {
  statements(minCertainty: $least, first: 20) {
    nodes {
      subject { id type }
      predicate { id }
      object { id value }
      certainty
      provenance
    }
    totalCount
  }
}`,
    variables: '{ "least": 0.5 }',
  },
  {
    label: 'Entities and what they lead to',
    text: `{
  entities(first: 10) {
    nodes {
      id
      types
      out(first: 5) { nodes { predicate { id } object { id value } } }
    }
    pageInfo { endCursor hasNextPage }
  }
}`,
    variables: '',
  },
  {
    label: 'Follow changes',
    text: `subscription {
  statementChanged { op statement { subject { id } } }
}`,
    variables: '',
  },
] as const;

/** What was written, as long as the tab is open. */
const draft = createSignal<{ text: string; variables: string }>({
  text: examples[0].text,
  variables: examples[0].variables,
});

type Outcome =
  | { readonly result: KnowledgeQueryResponseResult }
  | { readonly error: unknown }
  | { readonly busy: true }
  | { readonly follow: Subscription };

/** Variables in a text; undefined where it is no JSON object. */
function variablesIn(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** A document whose first operation is a subscription. */
const isSubscription = (text: string): boolean => /^(\s|#[^\n]*\n)*subscription\b/.test(text);

/** GraphQL with variables and the answer. */
export function QueryView({ space }: { readonly space: Space }): JSX.Element {
  const outcome = useSignal<Outcome | undefined>(undefined);
  const running = useRef(new AbortController());
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => () => running.current.abort(), []);
  const { text, variables: written } = draft.value;
  const variables = variablesIn(written);

  const run = async (): Promise<void> => {
    running.current.abort();
    if (variables === undefined) return;
    const controller = new AbortController();
    running.current = controller;
    if (isSubscription(text)) {
      outcome.value = { follow: { text, variables } };
      return;
    }
    outcome.value = { busy: true };
    try {
      const result = await query(space, { query: text, variables }, controller.signal);
      if (!controller.signal.aborted) outcome.value = { result };
    } catch (error) {
      if (!controller.signal.aborted) outcome.value = { error };
    }
  };
  const stop = (): void => {
    running.current.abort();
    outcome.value = undefined;
  };
  const current = outcome.value;
  const isRunning = current !== undefined && ('busy' in current || 'follow' in current);
  return (
    <div class="query">
      <div class="stack">
        <div class="filters">
          <Select
            label="Example"
            value=""
            options={[{ value: '', label: 'Choose…' }, ...examples.map(({ label }) => ({ value: label, label }))]}
            onChange={(chosen) => {
              const example = examples.find(({ label }) => label === chosen);
              if (example) draft.value = { text: example.text, variables: example.variables };
            }}
          />
        </div>
        <Editor
          value={text}
          onInput={(next) => (draft.value = { ...draft.peek(), text: next })}
          onRun={() => void run()}
          area={area}
        />
        <Field
          label="Variables (JSON)"
          value={written}
          rows={3}
          mono
          onInput={(next) => (draft.value = { ...draft.peek(), variables: next })}
          error={variables === undefined ? 'Enter a JSON object, or leave it empty.' : undefined}
        />
        <div class="row">
          <Button kind="primary" onClick={() => void run()} disabled={variables === undefined}>
            {isSubscription(text) ? 'Follow' : 'Run'}
          </Button>
          {isRunning && <Button onClick={stop}>Stop</Button>}
        </div>
      </div>
      <section aria-label="Answer" class="stack" aria-busy={current !== undefined && 'busy' in current}>
        <Answer outcome={current} space={space} goTo={(line, column) => goTo(area.current, line, column)} />
      </section>
    </div>
  );
}

/** Puts the cursor at a line and a column, both from 1. */
function goTo(area: HTMLTextAreaElement | null, line: number, column: number): void {
  if (!area) return;
  const before = area.value.split('\n').slice(0, line - 1);
  const at = before.reduce((sum, { length }) => sum + length + 1, column - 1);
  area.focus();
  area.setSelectionRange(at, at);
}

/** The place of the first error, which the gateway's message names. */
const placeIn = /\(line (\d+), column (\d+)\)/;

interface AnswerProps {
  readonly outcome: Outcome | undefined;
  readonly space: Space;
  readonly goTo: (line: number, column: number) => void;
}

function Answer({ outcome, space, goTo }: AnswerProps): JSX.Element {
  if (!outcome) return <Empty title="No answer yet">Run the query to see its answer here.</Empty>;
  if ('busy' in outcome) return <p class="muted">Waiting for the answer…</p>;
  if ('error' in outcome) {
    const [, line, column] = placeIn.exec(messageOf(outcome.error)) ?? [];
    return (
      <>
        <Failure error={outcome.error} />
        {line && column && (
          <div class="row">
            <Button onClick={() => goTo(Number(line), Number(column))}>Go to line {line}</Button>
          </div>
        )}
      </>
    );
  }
  if ('follow' in outcome) return <ChangeList space={space} subscription={outcome.follow} />;
  const { data, queryMetadata = {} } = outcome.result;
  const { count, milliseconds, position, truncated } = queryMetadata;
  const facts = [
    typeof count === 'number' && `${count} ${count === 1 ? 'statement' : 'statements'}`,
    typeof milliseconds === 'number' && `${milliseconds} ms`,
    typeof position === 'number' && `up to change ${position}`,
    truncated === true && 'some pages have more',
  ].filter((fact) => fact !== false);
  return (
    <>
      <p class="muted" role="status">
        {facts.join(' · ')}
      </p>
      <Json label="Answer" value={data} depth={6} maxHeight="70vh" />
    </>
  );
}
