import type { Execution } from './agents/executions.ts';
import type { Violation } from './check-logs.ts';
import type { Ledger, Said } from './ledger.ts';
import { type Logs, markersOf, type StoredLog, stopped, taskAt } from './logs.ts';

/** Agents that may be given a message again. */
const mayRestart: ReadonlySet<string> = new Set(['restarted', 'turnsagain', 'askedagain']);

/** Executions of the gateways' own agents. */
export interface Executed {
  /** In their order. */
  readonly executions: readonly Execution[];
  /** Whether others may have taken a gateway's process for dead, since something was done to it. */
  wasStruck(pid: number): boolean;
}

/** Compares the executions of the gateways' own agents with the requests of callers and the logs. */
export function checkExecutions(executed: Executed, { said }: Ledger, logs: Logs): Violation[] {
  const asked = new Map(said.map((one) => [one.marker, one]));
  const places = new Map(logs.tasks.flatMap((task) => markersOf(task).map(([marker]) => [marker, task] as const)));
  const byMarker = Map.groupBy(executed.executions, ({ marker }) => marker);
  const found: Violation[] = [];
  const nonces = new Set([...byMarker.values()].flat().map(({ taskId, nonce }) => `${taskId} ${nonce}`));
  for (const task of logs.tasks.filter(({ agent }) => agent === 'once' || agent === 'restarted')) {
    const results = taskAt(task.log, task.seq)?.artifacts ?? [];
    const strange = results.some(({ artifactId }) => !nonces.has(`${task.id} ${artifactId}`));
    if (strange) found.push({ what: 'it has a result that none of its executions made', task });
  }
  for (const [marker, executions] of byMarker) {
    const task = places.get(marker);
    const what = again(executions, executed, task, asked.get(marker));
    if (what !== undefined) found.push({ what: `${marker} ${what}`, task });
    if (task) found.push(...misplaced(executions, task, executed).map((what) => ({ what: `${marker} ${what}`, task })));
    // A direct answer makes no task.
    else if (!asked.get(marker)?.text.startsWith('reply') && !mayBeLost(executions, asked.get(marker), executed)) {
      const [{ agent, taskId } = { agent: '', taskId: '' }] = executions;
      found.push({ what: `${marker} was executed (${agent}, task ${taskId}), and is in no log` });
    }
  }
  return found;
}

/**
 * Whether a message was refused because the database was away, its caller went before it was stored, or its gateway died, and no
 * caller knows its task. An agent that may be started again gets such a message while it is stored, so that it may have been
 * executed all the same.
 */
function wasGivenUp(message: Said | undefined, execution: Execution, executed: Executed): boolean {
  if (!mayRestart.has(execution.agent) || !message) return false;
  const { keyed, continues, taskId, answers, refusal = '', gaveUp = false } = message;
  const isAcknowledged = taskId !== undefined || answers.length > 0 || !gaveUp;
  return (
    !(keyed || continues || isAcknowledged) &&
    (executed.wasStruck(execution.pid) || /^(unavailable|deadlineExceeded): /.test(refusal))
  );
}

/** Whether an execution may be lost, because the message was not stored and no gateway can know about it. */
function mayBeLost(
  [execution, ...others]: readonly Execution[],
  message: Said | undefined,
  executed: Executed,
): boolean {
  return execution !== undefined && others.length === 0 && wasGivenUp(message, execution, executed);
}

/**
 * A message is executed again only where a gateway died or seemed to, and only by agents that allow it; and by the same gateway
 * where it gave the message up, and the database had stored it without an answer. The execution that counts is the one with
 * which the task has ended: a gateway that was paused may begin another after it, in vain.
 */
function again(
  executions: readonly Execution[],
  executed: Executed,
  task: StoredLog | undefined,
  message: Said | undefined,
): string | undefined {
  const given = executions.filter(({ how, agent }) => how === 'execute' && !mayRestart.has(agent));
  if (given.length > 1) return `was executed ${given.length} times: ${pidsOf(executions)}`;
  // Agents name the execution in the result, which comes right before the end, or in the end itself.
  const end = JSON.stringify(task?.log.slice(-2) ?? []);
  const counts = executions.findLast(({ nonce }) => end.includes(nonce)) ?? executions.at(-1);
  const unstruck = executions.filter((execution) => {
    if (execution === counts || executed.wasStruck(execution.pid)) return false;
    return execution.pid !== counts?.pid || !wasGivenUp(message, execution, executed);
  });
  return unstruck.length > 0
    ? `was taken from gateways to which nothing had happened: ${pidsOf(unstruck)} of ${pidsOf(executions)}`
    : undefined;
}

const pidsOf = (executions: readonly Execution[]): string =>
  executions.map(({ how, pid }) => `${how} in process ${pid}`).join(', ');

function misplaced(executions: readonly Execution[], task: StoredLog, executed: Executed): string[] {
  const found: string[] = [];
  const other = executions.find(({ taskId }) => taskId !== task.id);
  if (other) found.push(`was executed for the task ${other.taskId}`);
  const last = executions.at(-1);
  const isLast = last && task.log.findLast(({ event }) => event.message)?.event.message?.parts[1]?.text;
  if (last && stopped(task) && (isLast ?? last.marker) === last.marker && !executed.wasStruck(last.pid)) {
    found.push(`failed with its gateway, to which nothing had happened: ${pidsOf([last])}`);
  }
  return found;
}
