import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { admin, type FindTasksRequest, type TaskDetails, type TaskSummary } from '../../gateway/admin.ts';
import { useAction } from '../../gateway/hooks.ts';
import { hrefOf } from '../../shell/router.ts';
import { download } from '../../tasks/file-part.tsx';
import { requestOf, type TaskFilters, taskFilters } from '../../tasks/filters.ts';
import type { LiveList } from '../../tasks/live-list.ts';
import { onEach } from '../../tasks/many.ts';
import { Id } from '../../tasks/marks.tsx';
import { useReport } from '../../tasks/report.tsx';
import { RetryPlan, retryTasks } from '../../tasks/retry.tsx';
import { readWhole } from '../../tasks/task-session.ts';
import { count } from '../../ui/format.ts';
import { ActionButton, Button, Field, Text } from '../../ui/index.ts';

type Act = (task: TaskSummary, signal: AbortSignal) => Promise<void>;

/** Returns buttons that act on the selected tasks, and the report of the outcomes. */
export function useMany(
  list: LiveList<TaskSummary>,
  picked: Signal<ReadonlyMap<string, TaskSummary>>,
  filters: TaskFilters,
) {
  const { run, said } = useReport(TaskName, () => exporting.stop());
  const answer = useSignal('');
  const tasks = [...picked.value.values()];
  /** Selects none at the end: without selected tasks there are no buttons, and without its button an action ends. */
  const finish = (signal: AbortSignal): void => {
    if (!signal.aborted) picked.value = new Map();
  };
  const each = async (done: string, act: Act, signal: AbortSignal): Promise<void> => {
    await run(done, tasks, (onOutcome) => onEach(tasks, act, signal, onOutcome));
    finish(signal);
  };
  const change = (done: string, send: (key: string, signal: AbortSignal) => Promise<TaskDetails>) => {
    const act: Act = async ({ key }, signal) => list.take([(await send(key, signal)).summary]);
    return (signal: AbortSignal) => each(done, act, signal);
  };
  const exporting = useAction(async (signal) => {
    const time = new Date().toISOString();
    const files: string[][] = [];
    const read: Act = async (task) => {
      const file = await readWhole(task, time, signal);
      files.push([files.length === 0 ? '[' : ',', ...file]);
    };
    await each('exported', read, signal);
    if (files.length > 0 && !signal.aborted) download([...files.flat(), ']\n'], `tasks-${time.slice(0, 10)}.json`);
  });
  const retry = async (signal: AbortSignal): Promise<void> => {
    const byKey = picked.peek();
    await run('retried', tasks, async (onOutcome) => {
      await retryTasks(tasks, false, signal, (outcomes) => {
        for (const { key, refusal } of outcomes) {
          const item = byKey.get(key);
          if (item) onOutcome({ item, ...(refusal && { error: refusal }) });
        }
      });
    });
    finish(signal);
  };
  const selecting = useAction(async (signal) => {
    picked.value = await allMatching(filters, signal);
  });
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
  return { buttons, said };
}

const TaskName = ({ key, agent, id }: TaskSummary): JSX.Element => (
  <a href={hrefOf('tasks', [key])}>
    <Text value={agent} max={60} /> <Id value={id} />
  </a>
);

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
