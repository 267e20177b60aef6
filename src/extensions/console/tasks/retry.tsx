import type { JSX } from 'preact';
import { admin, type RetryOutcome, type TaskSummary } from '../gateway/admin.ts';
import { useRead } from '../gateway/hooks.ts';
import { count } from '../ui/format.ts';
import { Failure, Notice, Text } from '../ui/index.ts';

/** Tasks of one request. */
const batch = 100;

/** Retries tasks, batch by batch, or says what that would do. Calls `onOutcomes` after each batch. */
export async function retryTasks(
  tasks: readonly Pick<TaskSummary, 'key'>[],
  dryRun: boolean,
  signal: AbortSignal,
  onOutcomes: (outcomes: readonly RetryOutcome[]) => void = () => {},
): Promise<RetryOutcome[]> {
  const all: RetryOutcome[] = [];
  for (let at = 0; at < tasks.length && !signal.aborted; at += batch) {
    const keys = tasks.slice(at, at + batch).map(({ key }) => key);
    const { outcomes = [] } = await admin.call('RetryTasks', { keys, dryRun }, { signal });
    all.push(...outcomes);
    onOutcomes(outcomes);
  }
  return all;
}

/** Number of reasons that are listed. */
const maxReasons = 20;

const tasksOf = (number: number): string => `${count(number)} ${number === 1 ? 'task' : 'tasks'}`;

/** Groups outcomes by a text, the largest group first. */
function grouped(outcomes: readonly RetryOutcome[], textOf: (outcome: RetryOutcome) => string) {
  const groups = Object.groupBy(outcomes, textOf);
  return Object.entries(groups)
    .map(([text, all = []]) => [text, all] as const)
    .sort(([, one], [, other]) => other.length - one.length);
}

/** The effects of a retry of tasks: how many new tasks of which agents, whether that is safe, and what is refused. */
export function RetryPlan({ tasks }: { readonly tasks: readonly Pick<TaskSummary, 'key'>[] }): JSX.Element {
  const { value, error } = useRead((signal) => retryTasks(tasks, true, signal), {
    key: tasks.map(({ key }) => key).join(' '),
  });
  if (!value) {
    return error === undefined ? <p class="muted">Reading what would happen…</p> : <Failure error={error} />;
  }
  const refused = value.filter(({ refusal }) => refusal);
  const before = value.filter(({ refusal, repeated }) => !refusal && repeated);
  const sent = value.filter(({ refusal, repeated }) => !refusal && !repeated);
  const further = sent.filter(({ furtherMessages = 0 }) => furtherMessages > 0).length;
  return (
    <div class="stack">
      <p>
        {sent.length === 0
          ? 'Nothing is sent.'
          : `The first message of ${tasksOf(sent.length)} is sent again, each as a new task of its caller, with the rights that the caller has now.`}
      </p>
      <ul aria-label="Agents">
        {grouped(sent, ({ agent = '' }) => agent).map(([agent, all]) => (
          <li key={agent}>
            <Text value={agent} mono />: {tasksOf(all.length)}.{' '}
            {all[0]?.restart
              ? 'The agent declares restart: true: its work may be repeated.'
              : 'The agent does not declare restart: true: what it did before it failed may happen twice.'}
          </li>
        ))}
      </ul>
      {further > 0 && (
        <p>
          Of {tasksOf(further)}, the caller had sent further messages, such as answers. These are not sent again: the
          agent may ask again.
        </p>
      )}
      {before.length > 0 && <p>Retried before, and not sent once more: {tasksOf(before.length)}.</p>}
      {refused.length > 0 && (
        <Notice severity="warning">
          {tasksOf(refused.length)} cannot be retried:
          <ul aria-label="Cannot be retried">
            {grouped(refused, ({ refusal = '' }) => refusal)
              .slice(0, maxReasons)
              .map(([reason, all]) => (
                <li key={reason}>
                  {count(all.length)} × <Text value={reason} max={300} />
                </li>
              ))}
          </ul>
        </Notice>
      )}
    </div>
  );
}
