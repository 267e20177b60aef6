import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import type { JsonObject } from '../../../../core/model/json.ts';
import { admin, type Question } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { AnswerForm } from '../../tasks/answer-form.tsx';
import { DecisionForm } from '../../tasks/decision.tsx';
import { Badge, Empty, Notice, Page, Text, Time } from '../../ui/index.ts';

/** Milliseconds between two reads of the questions. */
const interval = 5_000;

/** Waiting tasks in one answer of the gateway, and answers that are read at most. */
const page = { size: 500, most: 10 } as const;

/**
 * Reads the questions that are for the caller. The gateway searches all tasks that wait, page by page: a page without any may be
 * followed by one that has some.
 */
async function readMine(
  signal: AbortSignal,
): Promise<{ readonly questions: readonly Question[]; readonly isComplete: boolean }> {
  const questions: Question[] = [];
  let pageToken = '';
  for (let read = 0; read < page.most; read += 1) {
    const found = await admin.call('ListQuestions', { mine: true, pageSize: page.size, pageToken }, { signal });
    questions.push(...(found.questions ?? []));
    pageToken = found.nextPageToken ?? '';
    if (pageToken === '') return { questions, isComplete: true };
  }
  return { questions, isComplete: false };
}

/** The questions that are for the caller, and the calls about which the caller may decide. */
export function AskedPage({ children }: { readonly children?: ComponentChildren }): JSX.Element {
  const done = useSignal('');
  const { value, error, busy, reload } = useRead(readMine, { every: interval });
  const questions = value?.questions ?? [];
  const answered = ({ task: { agent } }: Question): void => {
    done.value = `Answered: ${agent}.`;
    reload();
  };
  return (
    <Page title="Inbox" busy={busy && value === undefined} error={error} onRetry={reload}>
      {children}
      <p class="muted list-line" role="status">
        {done.value}
      </p>
      {value?.isComplete === false && (
        <Notice severity="warning">
          More tasks wait than are searched at once: questions for you may be missing here until others are answered.
        </Notice>
      )}
      {value && questions.length === 0 && (
        <Empty title="Nothing waits for you">
          Questions whose agent names you, and calls about which you may decide, appear here. Questions without a name
          are for the caller who owns the task, and for operators.
        </Empty>
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
          Its time ends <Time at={until} />.
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
