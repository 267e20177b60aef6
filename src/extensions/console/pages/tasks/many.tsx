import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { admin, type TaskDetails, type TaskSummary } from '../../gateway/admin.ts';
import { useAction } from '../../gateway/hooks.ts';
import { hrefOf } from '../../shell/router.ts';
import { download } from '../../tasks/file-part.tsx';
import type { LiveList } from '../../tasks/live-list.ts';
import { type Outcome, onEach } from '../../tasks/many.ts';
import { Id } from '../../tasks/marks.tsx';
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
export function useMany(list: LiveList<TaskSummary>, picked: Signal<ReadonlyMap<string, TaskSummary>>) {
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
  const close = (): void => {
    exporting.stop();
    report.value = undefined;
  };
  const number = `${count(tasks.length)} ${tasks.length === 1 ? 'task' : 'tasks'}`;
  const buttons = tasks.length > 0 && (
    <>
      <span>{number} selected</span>
      <ActionButton
        operation="AnswerTask"
        label="Answer"
        title={`Answer ${number}?`}
        ready={answer.value.trim() !== ''}
        act={change('answered', (key, signal) =>
          admin.call('AnswerTask', { key, parts: [{ text: answer.peek() }] }, { signal }),
        )}
      >
        <Field label="Answer to all of them" rows={3} value={answer.value} onInput={(text) => (answer.value = text)} />
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
