import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { JsonObject } from '../../../../core/model/json.ts';
import { admin, type Question } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { AnswerForm } from '../../tasks/answer-form.tsx';
import { DecisionForm } from '../../tasks/decision.tsx';
import { Badge, Empty, Page, Text, Time } from '../../ui/index.ts';

/** Milliseconds between two reads of the questions. */
const interval = 5_000;

/** The questions that are for the caller, and the calls about which the caller may decide: for those who may see no other tasks. */
export function AskedPage(): JSX.Element {
  const done = useSignal('');
  const { value, error, busy, reload } = useRead(
    (signal) => admin.call('ListQuestions', { pageSize: 200 }, { signal }),
    { every: interval },
  );
  const questions = value?.questions ?? [];
  const answered = ({ task: { agent } }: Question): void => {
    done.value = `Answered: ${agent}.`;
    reload();
  };
  return (
    <Page title="Inbox" busy={busy && value === undefined} error={error} onRetry={reload}>
      <p class="muted list-line" role="status">
        {done.value}
      </p>
      {value && questions.length === 0 && (
        <Empty title="Nothing waits">Questions for you, and calls about which you may decide, appear here.</Empty>
      )}
      <ul class="inbox" aria-label="Questions that wait">
        {questions.map((question) => (
          <li key={`${question.task.key} ${question.asks ? '' : question.generation}`}>
            <AskedItem question={question} onAnswered={() => answered(question)} />
          </li>
        ))}
      </ul>
    </Page>
  );
}

function AskedItem(props: { readonly question: Question; readonly onAnswered: () => void }): JSX.Element {
  const { question, onAnswered } = props;
  const { task, text = '', message, asks, until, schema, generation } = question;
  const { key, agent, principal, state, stateChangedAt } = task;
  return (
    <article class="inbox-item" aria-label={`Task of ${agent}`}>
      <header class="inbox-head">
        <Badge state={state} />
        <strong>
          <Text value={agent} />
        </strong>
        <span class="muted">
          {asks ? 'called by' : 'asks'} <Text value={principal ?? 'its client'} /> <Time at={stateChangedAt} />
        </span>
      </header>
      {message && (
        <div class="message message-client">
          <Text value={message} multiline />
        </div>
      )}
      <Text value={text} multiline />
      {until && (
        <p class="muted">
          Waits until <Time at={until} />.
        </p>
      )}
      {asks ? (
        <DecisionForm taskKey={key} generation={generation} onDecided={onAnswered} />
      ) : (
        <AnswerForm taskKey={key} question={{ schema: schema as JsonObject | undefined }} onAnswered={onAnswered} />
      )}
    </article>
  );
}
