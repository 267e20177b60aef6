import '../../tasks/tasks.css';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { stateWord } from '../../../../core/model/lifecycle.ts';
import { admin, type ListQuestionsRequest, type Question } from '../../gateway/admin.ts';
import { useRead } from '../../gateway/hooks.ts';
import { hrefOf, route } from '../../shell/router.ts';
import { may, seesOwnOnly } from '../../shell/session.ts';
import { AnswerForm } from '../../tasks/answer-form.tsx';
import { DecisionForm } from '../../tasks/decision.tsx';
import { FilterForm, type Toggle } from '../../tasks/filter-fields.tsx';
import { filtersOf, requestOf, taskFilters, waitingStates } from '../../tasks/filters.ts';
import { Id, Line } from '../../tasks/marks.tsx';
import { count, words } from '../../ui/format.ts';
import { Badge, Button, Empty, Notice, Page, Tabs, Text, Time } from '../../ui/index.ts';

/** The filters of the inbox. */
const filters = { agent: taskFilters.agent, state: taskFilters.state } as const;
const toggles = waitingStates.map((state): Toggle => ['state', stateWord(state), words(state)]);

/** Milliseconds between two reads of the questions. */
const interval = 5_000;

/** Questions that are shown at first, and tasks in which the gateway looks at once, at most. */
const sizes = { first: 20, most: 500 } as const;

/** Answers of the gateway that are read for one list: a page without any question may be followed by one that has some. */
const mostPages = 10;

/** Names a question among those of all tasks. A call keeps its name while people decide one after another. */
const nameOf = ({ task, asks, generation }: Question): string => `${task.key} ${asks ? '' : generation}`;

/** Reads at least some questions, if there are so many. `isCut`: the search ended before that. */
async function read(request: ListQuestionsRequest, least: number, signal: AbortSignal) {
  const questions: Question[] = [];
  let pageToken = '';
  for (let pages = 0; pages < mostPages; pages += 1) {
    const found = await admin.call('ListQuestions', { ...request, pageToken }, { signal });
    questions.push(...(found.questions ?? []));
    pageToken = found.nextPageToken ?? '';
    if (pageToken === '' || questions.length >= least) break;
  }
  const hasMore = pageToken !== '';
  return { questions, hasMore, isCut: hasMore && questions.length < least };
}

const views = { mine: 'For you', all: 'All' } as const;

/** Tasks that wait for input, an authorization, or people who must agree to a call: those for the caller, or all. */
export default function InboxPage(): JSX.Element {
  const { query } = route.value;
  const canAnswer = may('AnswerQuestion');
  const usual = canAnswer && !may('AnswerTask') ? 'mine' : 'all';
  const view = seesOwnOnly() ? 'mine' : (query.get('view') ?? usual);
  const mine = view === 'mine';
  const least = useSignal<number>(sizes.first);
  const done = useSignal<Question | undefined>(undefined);
  /** Questions with an answer that has been begun: they stay. */
  const begun = useSignal<readonly Question[]>([]);
  const request: ListQuestionsRequest = mine ? { mine } : requestOf(filters, filtersOf(filters, query), Date.now());
  const pageSize = mine ? sizes.most : Math.min(sizes.most, least.value);
  const found = useRead((signal) => read({ ...request, pageSize }, least.value, signal), {
    every: interval,
    key: JSON.stringify(request),
  });
  const { value, busy, reload } = found;
  const { questions = [], hasMore = false, isCut = false } = value ?? {};
  const number = `${count(questions.length)}${hasMore ? '+' : ''}`;
  const open = new Set(questions.map(nameOf));
  const kept = begun.value.filter((question) => !open.has(nameOf(question)));
  const begin = (question: Question, isBegun: boolean): void => {
    const others = begun.value.filter((each) => nameOf(each) !== nameOf(question));
    begun.value = isBegun ? [...others, question] : others;
  };
  const answered = (question: Question): void => {
    done.value = question;
    reload();
  };
  return (
    <Page title="Inbox" of={found}>
      {!seesOwnOnly() && canAnswer && (
        <Tabs
          label="Views of the inbox"
          selected={view}
          tabs={Object.entries(views).map(([id, title]) => ({ id, title, href: hrefOf('inbox', [], { view: id }) }))}
        />
      )}
      {!mine && <FilterForm of="inbox" table={filters} toggles={toggles} />}
      <p class="muted list-line" role="status">
        {questions.length > 0 && `${number} ${questions.length === 1 ? 'task waits' : 'tasks wait'}. `}
        {done.value && (
          <>
            Answered: <a href={hrefOf('tasks', [done.value.task.key])}>the task of {done.value.task.agent}</a>
          </>
        )}
      </p>
      {isCut && (
        <Notice severity="warning">
          More tasks wait than are searched at once: questions may be missing here until others are answered.
        </Notice>
      )}
      {value && questions.length + kept.length === 0 && (
        <Empty title={mine ? 'Nothing waits for you' : 'Nothing waits'}>
          {mine
            ? 'Questions that an agent asks you by name, and calls that you may approve or deny, appear here. Other questions are for the owner of the task, and for operators.'
            : 'Tasks whose agent asks for input or for an authorization appear here, and can be answered here.'}
        </Empty>
      )}
      <ul class="inbox" aria-label="Tasks that wait">
        {[...questions, ...kept].map((question) => (
          <li key={nameOf(question)}>
            {!hasMore && !open.has(nameOf(question)) && <Notice>This task waits no longer for this answer.</Notice>}
            <InboxItem
              question={question}
              mine={mine}
              onAnswered={() => answered(question)}
              onBegun={(isBegun) => begin(question, isBegun)}
            />
          </li>
        ))}
      </ul>
      {hasMore && !isCut && (
        <Button
          busy={busy}
          onClick={() => {
            least.value += sizes.first;
            reload();
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
  question: { fail: 'the task fails', answer: 'it gets its default answer' },
  call: { fail: 'the call is denied', answer: 'the agent gets the call' },
} as const;

/** One task that waits: its question, and a form for the answer. */
function InboxItem(props: {
  readonly question: Question;
  /** Whether the question is for the caller. */
  readonly mine: boolean;
  readonly onAnswered: () => void;
  readonly onBegun: (isBegun: boolean) => void;
}): JSX.Element {
  const { question, mine, onAnswered, onBegun } = props;
  const { task, text = '', message, asks, until, otherwise, for: delegate, generation } = question;
  const { key, id, agent, principal, contextId, state, stateChangedAt, preview } = task;
  const speaks = [task.dialect, task.binding].filter(Boolean).join(' over ');
  const then =
    otherwise !== undefined && outcomes[asks ? 'call' : 'question'][otherwise === 'fail' ? 'fail' : 'answer'];
  return (
    <article class="inbox-item" aria-label={`Task of ${agent}`}>
      <header class="inbox-head">
        <Badge state={state} />
        <strong>
          <Text value={agent} />
        </strong>
        <span class="muted">
          {asks ? 'called by' : 'asked'} <Text value={principal || 'its client'} /> <Time at={stateChangedAt} />
          {speaks && ' in '}
          <Text value={speaks} />
        </span>
        {!seesOwnOnly() && (
          <span class="inbox-links">
            <a href={hrefOf('tasks', [key])}>
              Task <Id value={id} />
            </a>
            {contextId && <a href={hrefOf('tasks', [], { context: contextId })}>Context</a>}
          </span>
        )}
      </header>
      {preview && !message && (
        <p class="muted">
          Request: <Line value={preview} />
        </p>
      )}
      {message && (
        <div class="message message-client">
          <Text value={message} multiline />
        </div>
      )}
      {text === '' ? <p class="muted">The agent waits, and gave no text.</p> : <Text value={text} multiline />}
      {(until || delegate) && (
        <p class="muted">
          {until && 'Its time ends '}
          {until && <Time at={until} />}
          {then && `, then ${then}`}
          {until && '. '}
          {delegate && <Text value={`For ${delegate}.`} />}
        </p>
      )}
      {asks ? (
        <DecisionForm taskKey={key} generation={generation} onDecided={onAnswered} onBegun={onBegun} />
      ) : mine || may('AnswerTask') ? (
        <AnswerForm taskKey={key} question={question} onAnswered={onAnswered} onBegun={onBegun} />
      ) : (
        <p class="muted">The caller who is signed in answers the questions under For you.</p>
      )}
    </article>
  );
}
