import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { admin, type FindTasksRequest, type TaskDetails, type TaskSummary } from '../../gateway/admin.ts';
import { useAction } from '../../gateway/hooks.ts';
import { hrefOf } from '../../shell/router.ts';
import { download } from '../../tasks/file-part.tsx';
import { requestOf, type TaskFilters, taskFilters } from '../../tasks/filters.ts';
import type { LiveList } from '../../tasks/live-list.ts';
import { type Outcome, onEach } from '../../tasks/many.ts';
import { Id } from '../../tasks/marks.tsx';
import { RetryPlan, retryTasks } from '../../tasks/retry.tsx';
import { readWhole } from '../../tasks/task-session.ts';
import { count } from '../../ui/format.ts';
import { ActionButton, Button, Field, Notice, Text } from '../../ui/index.ts';

/** Number of refusals that are listed. */
const maxListed = 100;

/** An action on several tasks, and its outcomes so far. */
interface Report {
  readonly done: string;
  readonly tasks: number;
  readonly outcomes: readonly Outcome[];
}

type Act = (task: TaskSummary, signal: AbortSignal) => Promise<void>;

/** Returns buttons that act on the selected tasks, and the report of the outcomes. */
export function useMany(
  list: LiveList<TaskSummary>,
  picked: Signal<ReadonlyMap<string, TaskSummary>>,
  filters: TaskFilters,
) {
  const report = useSignal<Report | undefined>(undefined);
  const answer = useSignal('');
  const tasks = [...picked.value.values()];
  const run = async (done: string, act: Act, signal: AbortSignal): Promise<void> => {
    const outcomes: Outcome[] = [];
    const show = (): void => {
      report.value = { done, tasks: tasks.length, outcomes: [...outcomes] };
    };
    show();
    await onEach(tasks, act, signal, (outcome) => {
      outcomes.push(outcome);
      show();
    });
    // Last: without selected tasks there are no buttons, and without its button an action ends.
    if (!signal.aborted) picked.value = new Map();
  };
  const change = (done: string, send: (key: string, signal: AbortSignal) => Promise<TaskDetails>) => {
    const act: Act = async ({ key }, signal) => list.take([(await send(key, signal)).summary]);
    return (signal: AbortSignal) => run(done, act, signal);
  };
  const exporting = useAction(async (signal) => {
    const time = new Date().toISOString();
    const files: string[][] = [];
    const read: Act = async (task) => {
      const file = await readWhole(task, time, signal);
      files.push([files.length === 0 ? '[' : ',', ...file]);
    };
    await run('exported', read, signal);
    if (files.length > 0 && !signal.aborted) download([...files.flat(), ']\n'], `tasks-${time.slice(0, 10)}.json`);
  });
  const retry = async (signal: AbortSignal): Promise<void> => {
    const outcomes: Outcome[] = [];
    const show = (): void => {
      report.value = { done: 'retried', tasks: tasks.length, outcomes: [...outcomes] };
    };
    show();
    await retryTasks(tasks, false, signal, (more) => {
      for (const { key, refusal } of more) {
        const task = picked.peek().get(key);
        if (task) outcomes.push({ task, ...(refusal && { error: refusal }) });
      }
      show();
    });
    if (!signal.aborted) picked.value = new Map();
  };
  const selecting = useAction(async (signal) => {
    picked.value = await allMatching(filters, signal);
  });
  const close = (): void => {
    exporting.stop();
    report.value = undefined;
  };
  const number = `${count(tasks.length)} ${tasks.length === 1 ? 'task' : 'tasks'}`;
  const matching = (
    <Button kind="quiet" busy={selecting.busy} onClick={selecting.run}>
      Select all that match
    </Button>
  );
  const buttons =
    tasks.length === 0 ? (
      list.rows.value.length > 0 && matching
    ) : (
      <>
        <span>
          {number} selected{tasks.length === mostMatching && `, which is the most at once`}
        </span>
        {matching}
        <ActionButton operation="RetryTasks" label="Retry" title={`Retry ${number}?`} act={retry}>
          <RetryPlan tasks={tasks} />
        </ActionButton>
        <ActionButton
          operation="AnswerTask"
          label="Answer"
          title={`Answer ${number}?`}
          ready={answer.value.trim() !== ''}
          act={change('answered', (key, signal) =>
            admin.call('AnswerTask', { key, parts: [{ text: answer.peek() }] }, { signal }),
          )}
        >
          <Field
            label="Answer to all of them"
            rows={3}
            value={answer.value}
            onInput={(text) => (answer.value = text)}
          />
        </ActionButton>
        <ActionButton
          operation="StopTask"
          label="Cancel tasks"
          title={`Cancel ${number}?`}
          keep="Let them run"
          danger
          act={change('canceled', (key, signal) => admin.call('StopTask', { key }, { signal }))}
        >
          Their agents are asked to stop. A task that is canceled cannot be continued.
        </ActionButton>
        <Button onClick={exporting.run}>Export</Button>
        <Button kind="quiet" icon="close" label="Select none" onClick={() => (picked.value = new Map())} />
      </>
    );
  return { buttons, said: report.value && <Said report={report.value} onClose={close} /> };
}

/** Tasks that are selected at once at most. */
const mostMatching = 10_000;

/** Reads all tasks that pass the filters now, page by page, by their keys. */
async function allMatching(filters: TaskFilters, signal: AbortSignal): Promise<ReadonlyMap<string, TaskSummary>> {
  const found = new Map<string, TaskSummary>();
  const request = requestOf<FindTasksRequest>(taskFilters, filters, Date.now());
  let pageToken = '';
  do {
    const page = await admin.call('FindTasks', { ...request, pageSize: 500, pageToken }, { signal });
    for (const task of page.tasks ?? []) if (found.size < mostMatching) found.set(task.key, task);
    pageToken = page.nextPageToken ?? '';
  } while (pageToken !== '' && found.size < mostMatching);
  return found;
}

function Said({ report, onClose }: { readonly report: Report; readonly onClose: () => void }): JSX.Element {
  const { done, tasks, outcomes } = report;
  const refused = outcomes.filter(({ error }) => error !== undefined);
  const open = tasks - outcomes.length;
  return (
    <Notice severity={refused.length + open > 0 ? 'warning' : 'ok'} action={<Button onClick={onClose}>Close</Button>}>
      {count(outcomes.length - refused.length)} of {count(tasks)} {done}
      {refused.length > 0 && `, ${count(refused.length)} refused`}
      {open > 0 && `, ${count(open)} not yet`}.
      <ul aria-label="Refused">
        {refused.slice(0, maxListed).map(({ task: { key, id, agent }, error = '' }) => (
          <li key={key}>
            <a href={hrefOf('tasks', [key])}>
              <Text value={agent} max={60} /> <Id value={id} />
            </a>
            : <Text value={error} max={300} />
          </li>
        ))}
      </ul>
      {refused.length > maxListed && `And ${count(refused.length - maxListed)} more.`}
    </Notice>
  );
}
