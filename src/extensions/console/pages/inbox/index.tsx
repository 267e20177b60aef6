import '../../tasks/tasks.css';
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import type { Task } from '../../../../core/model/a2a.ts';
import { heldCallOf, openAskOf } from '../../../../core/model/ask.ts';
import { stateWord } from '../../../../core/model/lifecycle.ts';
import { type Question, questionOf } from '../../../../core/model/question.ts';
import { admin, type TaskDetails, type TaskSummary } from '../../gateway/admin.ts';
import { useOpened, useRead } from '../../gateway/hooks.ts';
import { waiting } from '../../shell/connection.ts';
import { hrefOf, route } from '../../shell/router.ts';
import { may, seesOwnOnly } from '../../shell/session.ts';
import { AnswerForm } from '../../tasks/answer-form.tsx';
import { DecisionForm } from '../../tasks/decision.tsx';
import { FilterForm, type Toggle } from '../../tasks/filter-fields.tsx';
import { filtersOf, taskFilters, waitingStates, wordsOf } from '../../tasks/filters.ts';
import { taskList } from '../../tasks/live-list.ts';
import { Id, Line, LiveMark } from '../../tasks/marks.tsx';
import { MessageView } from '../../tasks/task-content.tsx';
import { count, words } from '../../ui/format.ts';
import { Badge, Button, Empty, Failure, Notice, Page, Tabs, Text, Time } from '../../ui/index.ts';
import { AskedPage } from './asked.tsx';

/** The filters of the inbox. */
const inboxFilters = { agent: taskFilters.agent, state: taskFilters.state } as const;
const all = wordsOf(waitingStates);
const toggles = waitingStates.map((state): Toggle => ['state', stateWord(state), words(state)]);

/** Items that are shown at first: each is read from the gateway separately. */
const shownAtFirst = 20;

/** Sorts tasks by waiting time, the longest first. */
const longestFirst = (one: TaskSummary, other: TaskSummary): number =>
  (one.stateChangedAt ?? '') < (other.stateChangedAt ?? '') ? -1 : 1;

/** The views, for callers who see all tasks and may answer questions. */
const views = { mine: 'For you', all: 'All' } as const;

/** Whether the caller answers questions of all tasks, rather than those for the caller alone. */
const answersAll = (): boolean => may('AnswerTask');

/** Callers who may see all tasks answer them in place, or see what is for them; others see what is for them. */
export default function InboxPage(): JSX.Element {
  if (seesOwnOnly()) return <AskedPage />;
  if (!may('AnswerQuestion')) return <WaitingPage />;
  const view = route.value.query.get('view') ?? (answersAll() ? 'all' : 'mine');
  const tabs = Object.entries(views).map(([id, title]) => ({ id, title, href: hrefOf('inbox', [], { view: id }) }));
  const choice = <Tabs label="Views of the inbox" tabs={tabs} selected={view} />;
  return view === 'mine' ? <AskedPage>{choice}</AskedPage> : <WaitingPage>{choice}</WaitingPage>;
}

/** All tasks that wait for input, an authorization, or people who must agree to a call, answered in place. */
function WaitingPage({ children }: { readonly children?: ComponentChildren }): JSX.Element {
  const shown = useSignal(shownAtFirst);
  const { agent = '', state = '' } = filtersOf(inboxFilters, route.value.query);
  const [list, again] = useOpened(() => taskList({ agent, state: state || all }), `${agent} ${state}`);
  /** Tasks that were answered here, or for which an answer was begun: they stay, although they no longer wait. */
  const answeredTasks = useSignal<ReadonlyMap<string, TaskSummary>>(new Map());
  const keep = (task: TaskSummary, wanted: boolean): void => {
    const next = new Map(answeredTasks.peek());
    if (wanted) next.set(task.key, task);
    else next.delete(task.key);
    answeredTasks.value = next;
  };
  const open = list.rows.value;

  const keys = new Set(open.map(({ key }) => key));
  const items = [...open, ...[...answeredTasks.value.values()].filter(({ key }) => !keys.has(key))].sort(longestFirst);
  // A list that is not read to its end is less accurate than the number next to the page's name.
  const known = (agent === '' && state === '' && waiting.value) || `${count(open.length)}+`;
  const number = list.hasMore.value ? known : count(open.length);
  const caption = `${number} ${open.length === 1 ? 'task waits' : 'tasks wait'}`;
  return (
    <Page
      title="Inbox"
      beside={<LiveMark stream={list.stream} />}
      busy={list.busy.value}
      error={list.error.value}
      onRetry={again}
    >
      {children}
      <FilterForm of="inbox" table={inboxFilters} toggles={toggles} />
      <p class="muted list-line" role="status">
        {list.busy.value && open.length === 0 ? 'Reading tasks…' : open.length > 0 ? `${caption} for a client.` : ''}
      </p>
      {items.length === 0 && !list.busy.value && list.error.value === undefined && (
        <Empty title="Nothing waits">
          Tasks whose agent asks for input or for an authorization appear here, and can be answered here.
        </Empty>
      )}
      <ul class="inbox" aria-label="Tasks that wait">
        {items.slice(0, shown.value).map((task) => (
          <li key={task.key}>
            <InboxItem
              summary={task}
              waits={keys.has(task.key)}
              onDraft={(begun) => keep(task, begun)}
              onAnswered={(details) => {
                keep(task, true);
                list.take([details.summary]);
              }}
            />
          </li>
        ))}
      </ul>
      {(items.length > shown.value || list.hasMore.value) && (
        <Button
          busy={list.busy.value}
          onClick={() => {
            shown.value += shownAtFirst;
            if (items.length <= shown.value && list.hasMore.value) void list.more();
          }}
        >
          Show more
        </Button>
      )}
    </Page>
  );
}

/** Outcomes of a question without an answer, and of a call without a decision. */
const outcomes = {
  question: { fail: 'the task fails', answer: 'gets its default answer' },
  call: { fail: 'the call is denied', answer: 'the agent gets the call' },
} as const;

/** Messages before the question that are shown on demand. */
const maxEarlier = 20;

/** One task that waits: the agent's question, and a form for the answer. */
function InboxItem(props: {
  readonly summary: TaskSummary;
  /** Whether the task still waits for an answer. */
  readonly waits: boolean;
  /** Called when an answer is begun, and when it is removed. */
  readonly onDraft: (begun: boolean) => void;
  readonly onAnswered: (details: TaskDetails) => void;
}): JSX.Element {
  const { summary, waits, onDraft, onAnswered } = props;
  const { key, id, agent, principal, contextId, state, stateChangedAt, lastPosition = 0, preview } = summary;
  const speaks = [summary.dialect, summary.binding].filter(Boolean).join(', ');
  const answered = useSignal<number | undefined>(undefined);
  // Read again when the agent asks again.
  const { value, error, reload } = useRead((signal) => admin.call('InspectTask', { key }, { signal }), {
    key: `${key} ${stateChangedAt}`,
  });
  const task = value?.task as unknown as Task | undefined;
  const question = task?.status.message;
  const asked: Partial<Question> | undefined = task && (questionOf(task) ?? {});
  const { until, otherwise, for: delegate } = asked ?? {};
  const ask = task && openAskOf(task);
  const held = ask && task.history?.findLast((message) => message.role === 'ROLE_USER' && heldCallOf(message));
  const earlier = (task?.history ?? []).slice(-maxEarlier);
  const closed = waits ? undefined : 'The task waits no more: another client has answered, or it went on without.';
  const form = { taskKey: key, closed, onDraft };
  const taken = (details: TaskDetails): void => {
    answered.value = details.summary.lastPosition ?? lastPosition;
    onAnswered(details);
  };
  const isAnswered = answered.value !== undefined && answered.value >= lastPosition;
  return (
    <article class="inbox-item" aria-label={`Task of ${agent}`}>
      <header class="inbox-head">
        <Badge state={state} />
        <strong>
          <Text value={agent} />
        </strong>
        <span class="muted">
          {ask ? 'called by' : 'asks'} {principal ? <Text value={principal} /> : 'its client'}{' '}
          <Time at={stateChangedAt} />
          {speaks && ' in '}
          <Text value={speaks} />
        </span>
        <span class="inbox-links">
          <a href={hrefOf('tasks', [key])}>
            Task <Id value={id} />
          </a>
          {contextId && <a href={hrefOf('tasks', [], { context: contextId })}>Context</a>}
        </span>
      </header>
      {preview && (
        <p class="muted">
          Asked: <Line value={preview} />
        </p>
      )}
      <Failure error={error} onRetry={reload} />
      {value && !task && (
        <Notice>The task is too large to be shown here. Its events are on the page of the task.</Notice>
      )}
      {earlier.length > 0 && (
        <details class="earlier">
          <summary>Messages before</summary>
          {earlier.map((message, at) => (
            <MessageView key={`${at} ${message.messageId}`} message={message} />
          ))}
        </details>
      )}
      {held && <MessageView message={held} />}
      {question && <MessageView message={question} />}
      {task && (until || delegate || !question) && (
        <p class="muted">
          {until && (
            <>
              Its time ends <Time at={until} />
              {otherwise
                ? `, then ${outcomes[ask ? 'call' : 'question'][otherwise === 'fail' ? 'fail' : 'answer']}. `
                : '. '}
            </>
          )}
          {delegate && (
            <>
              For <Text value={delegate} />.
            </>
          )}
          {!question &&
            `The agent waits for ${state === 'TASK_STATE_AUTH_REQUIRED' ? 'an authorization' : 'input'} and gave no message.`}
        </p>
      )}
      {isAnswered ? (
        <p class="inbox-done" role="status">
          Answered. <a href={hrefOf('tasks', [key])}>Follow the task</a>
        </p>
      ) : ask ? (
        <DecisionForm {...form} onDecided={taken} />
      ) : answersAll() ? (
        <AnswerForm {...form} question={asked} onAnswered={taken} />
      ) : (
        <p class="muted">The caller who is signed in answers the questions under For you.</p>
      )}
    </article>
  );
}
