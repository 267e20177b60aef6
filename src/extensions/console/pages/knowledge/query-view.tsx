import { signal as createSignal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { KnowledgeQueryResponseResult } from '../../../../gen/knowledge-v1/types.ts';
import { messageOf } from '../../gateway/error.ts';
import { useAction } from '../../gateway/hooks.ts';
import { Button, Empty, Failure, Field, Json, Select } from '../../ui/index.ts';
import { ChangeList } from './changes-view.tsx';
import { query, type Space, type Subscription } from './gateway.ts';
import { jsonObject } from './proposal.ts';

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

type Outcome = { readonly result: KnowledgeQueryResponseResult } | { readonly follow: Subscription };

/** A document whose first operation is a subscription. */
const isSubscription = (text: string): boolean => /^(\s|#[^\n]*\n)*subscription\b/.test(text);

/** GraphQL with variables and the answer. */
export function QueryView({ space }: { readonly space: Space }): JSX.Element {
  const outcome = useSignal<Outcome | undefined>(undefined);
  const area = useRef<HTMLTextAreaElement>(null);
  const { text, variables: written } = draft.value;
  const variables = jsonObject(written);
  const action = useAction(async (signal) => {
    outcome.value = undefined;
    const result = await query(space, { query: text, ...(variables && { variables }) }, signal);
    if (!signal.aborted) outcome.value = { result };
  });
  const run = (): void => {
    if (variables === undefined) return;
    action.stop();
    if (isSubscription(text)) outcome.value = { follow: { text, variables } };
    else action.run();
  };
  const stop = (): void => {
    action.stop();
    outcome.value = undefined;
  };
  const current = outcome.value;
  const isRunning = action.busy || (current !== undefined && 'follow' in current);
  return (
    <div class="query">
      <div class="stack">
        <div class="filters">
          <Select
            label="Example"
            value=""
            none="Choose…"
            options={examples.map(({ label }) => label)}
            onChange={(chosen) => {
              const example = examples.find(({ label }) => label === chosen);
              if (example) draft.value = { text: example.text, variables: example.variables };
            }}
          />
        </div>
        <div class="editor">
          <Field
            label="Query"
            area={area}
            rows={16}
            mono
            value={text}
            hint="Ctrl + Enter runs the query."
            onInput={(next) => (draft.value = { ...draft.peek(), text: next })}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              run();
            }}
          />
        </div>
        <Field
          label="Variables (JSON)"
          value={written}
          rows={3}
          mono
          onInput={(next) => (draft.value = { ...draft.peek(), variables: next })}
          error={variables === undefined ? 'Enter a JSON object, or leave it empty.' : undefined}
        />
        <div class="row">
          <Button kind="primary" onClick={run} disabled={variables === undefined}>
            {isSubscription(text) ? 'Follow' : 'Run'}
          </Button>
          {isRunning && <Button onClick={stop}>Stop</Button>}
        </div>
      </div>
      <section aria-label="Answer" class="stack" aria-busy={action.busy}>
        {action.busy ? (
          <p class="muted">Waiting for the answer…</p>
        ) : action.error === undefined ? (
          <Answer outcome={current} space={space} />
        ) : (
          <Refusal error={action.error} goTo={(line, column) => goTo(area.current, line, column)} />
        )}
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

interface RefusalProps {
  readonly error: unknown;
  readonly goTo: (line: number, column: number) => void;
}

function Refusal({ error, goTo }: RefusalProps): JSX.Element {
  const [, line, column] = placeIn.exec(messageOf(error)) ?? [];
  return (
    <>
      <Failure error={error} />
      {line && column && (
        <div class="row">
          <Button onClick={() => goTo(Number(line), Number(column))}>Go to line {line}</Button>
        </div>
      )}
    </>
  );
}

function Answer({ outcome, space }: { readonly outcome: Outcome | undefined; readonly space: Space }): JSX.Element {
  if (!outcome) return <Empty title="No answer yet">Run the query to see its answer here.</Empty>;
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
