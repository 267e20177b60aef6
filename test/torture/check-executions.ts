import { type Execution, readExecutions } from './agents/executions.ts';
import type { Violation } from './check-logs.ts';
import type { Cluster } from './cluster.ts';
import type { Ledger, Said } from './ledger.ts';
import { type Logs, markersOf, type StoredLog, stopped, taskAt } from './logs.ts';

/** What the gateways' own agents did, held against what callers asked for and what the logs hold. */
export function checkExecutions(cluster: Cluster, { said }: Ledger, logs: Logs): Violation[] {
  const asked = new Map(said.map((one) => [one.marker, one]));
  const places = new Map(logs.tasks.flatMap((task) => markersOf(task).map(([marker]) => [marker, task] as const)));
  const byMarker = Map.groupBy(readExecutions(cluster.executions), ({ marker }) => marker);
  const found: Violation[] = [];
  const nonces = new Set([...byMarker.values()].flat().map(({ taskId, nonce }) => `${taskId} ${nonce}`));
  for (const task of logs.tasks.filter(({ agent }) => agent === 'once' || agent === 'restarted')) {
    const results = taskAt(task.log, task.seq)?.artifacts ?? [];
    const strange = results.some(({ artifactId }) => !nonces.has(`${task.id} ${artifactId}`));
    if (strange) found.push({ what: 'it has a result that none of its executions made', task });
  }
  for (const [marker, executions] of byMarker) {
    const task = places.get(marker);
    const what = again(executions, cluster, task);
    if (what !== undefined) found.push({ what: `${marker} ${what}`, task });
    if (task) found.push(...misplaced(executions, task, cluster).map((what) => ({ what: `${marker} ${what}`, task })));
    // A direct answer makes no task.
    else if (!asked.get(marker)?.text.startsWith('reply') && !mayBeLost(executions, asked.get(marker), cluster)) {
      const [{ agent, taskId } = { agent: '', taskId: '' }] = executions;
      found.push({ what: `${marker} was executed (${agent}, task ${taskId}), and is in no log` });
    }
  }
  return found;
}

/**
 * An agent that may be started again gets a message that opens a task while it is stored. Where its gateway dies meanwhile, or
 * says that the database is away, the message is in no log: its caller has no answer, and no gateway knows to execute it again.
 */
function mayBeLost(executions: readonly Execution[], message: Said | undefined, cluster: Cluster): boolean {
  const [execution, ...others] = executions;
  if (!execution || others.length > 0 || execution.agent !== 'restarted' || !message) return false;
  const { keyed, continues, taskId, answers, refusal = '', gaveUp = false } = message;
  const isAcknowledged = taskId !== undefined || answers.length > 0 || !gaveUp;
  return (
    !(keyed || continues || isAcknowledged) && (cluster.wasStruck(execution.pid) || refusal.startsWith('unavailable: '))
  );
}

/**
 * A message is executed again only where a gateway died or seemed to, and only by agents that allow it. The execution
 * that counts is the one whose result the log has: a gateway that was paused may begin another after it, in vain.
 */
function again(executions: readonly Execution[], cluster: Cluster, task: StoredLog | undefined): string | undefined {
  const repeated = executions.slice(1).filter(({ how, agent }) => how === 'execute' && agent !== 'restarted');
  if (repeated.length > 0) return `was executed ${repeated.length + 1} times: ${pidsOf(executions)}`;
  const results = (task && taskAt(task.log, task.seq)?.artifacts) ?? [];
  const counts =
    executions.find(({ nonce }) => results.some(({ artifactId }) => artifactId === nonce)) ?? executions.at(-1);
  const unstruck = executions.filter((execution) => execution !== counts && !cluster.wasStruck(execution.pid));
  return unstruck.length > 0
    ? `was taken from gateways to which nothing had happened: ${pidsOf(unstruck)} of ${pidsOf(executions)}`
    : undefined;
}

const pidsOf = (executions: readonly Execution[]): string =>
  executions.map(({ how, pid }) => `${how} in process ${pid}`).join(', ');

function misplaced(executions: readonly Execution[], task: StoredLog, cluster: Cluster): string[] {
  const found: string[] = [];
  const other = executions.find(({ taskId }) => taskId !== task.id);
  if (other) found.push(`was executed for the task ${other.taskId}`);
  const last = executions.at(-1);
  const isLast = last && task.log.findLast(({ event }) => event.message)?.event.message?.parts[1]?.text;
  if (last && stopped(task) && (isLast ?? last.marker) === last.marker && !cluster.wasStruck(last.pid)) {
    found.push(`failed with its gateway, to which nothing had happened: ${pidsOf([last])}`);
  }
  return found;
}
