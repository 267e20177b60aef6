import { isInterrupted, isTerminal } from '../../src/core/model/lifecycle.ts';
import { markerIn, unansweredIn } from '../../src/core/model/turns.ts';
import { type TurnRun, turnAgents } from './agents/turns.ts';
import type { Executed } from './check-executions.ts';
import type { Violation } from './check-logs.ts';
import type { Ledger } from './ledger.ts';
import { type Logs, markersOf, type StoredLog, stopped, taskAt } from './logs.ts';

/** Runs of the agents that get messages while they work, and their executions. */
export interface TurnRecords extends Executed {
  readonly runs: readonly TurnRun[];
}

/** One kind of fault of a task; undefined: it has none. */
type Check = (task: StoredLog, records: TurnRecords, ledger: Ledger) => string | undefined;

/**
 * A task has one run at a time. Its messages are in its log in order; each is worked on, or named as unanswered where the task ended
 * before. Nothing that a turn said is lost, and no message from before a question answers it.
 */
const checks: readonly Check[] = [outOfOrder, forgotten, atOnce, lost, answeredBefore];

export function checkTurns(records: TurnRecords, ledger: Ledger, logs: Logs): Violation[] {
  const tasks = logs.tasks.filter(({ agent }) => turnAgents.includes(agent));
  return tasks.flatMap((task) =>
    checks.flatMap((check) => {
      const what = check(task, records, ledger);
      return what === undefined ? [] : [{ what, task }];
    }),
  );
}

/** A client has sent the second message when the first one was acknowledged. */
function outOfOrder(task: StoredLog, _: TurnRecords, { said }: Ledger): string | undefined {
  const positions = new Map(markersOf(task));
  const own = said.filter(({ marker, taskId }) => taskId === task.id && positions.has(marker));
  for (const one of own)
    for (const other of own)
      if ((one.ended ?? Number.POSITIVE_INFINITY) < other.began && one.gaveUp !== true)
        if ((positions.get(one.marker) ?? 0) > (positions.get(other.marker) ?? 0))
          return `${other.marker}, sent after ${one.marker} was acknowledged, is before it`;
  return undefined;
}

/** A message is executed, or named as unanswered. The one that a dead process had in hand may be neither. */
function forgotten(task: StoredLog, { executions, wasStruck }: TurnRecords): string | undefined {
  if (!isTerminal(task.state as Parameters<typeof isTerminal>[0])) return undefined;
  const unanswered = unansweredIn(taskAt(task.log, task.seq) ?? {});
  let inHand = stopped(task) ? 1 : 0;
  for (const [marker] of markersOf(task)) {
    const own = executions.filter((execution) => execution.marker === marker && execution.taskId === task.id);
    const isNamed = unanswered.includes(marker);
    if (isNamed && own.some(({ pid }) => !wasStruck(pid))) return `${marker} was executed, and is named as unanswered`;
    if (isNamed || own.length > 0) continue;
    inHand -= 1;
    if (inHand < 0) return `${marker} was neither executed nor named as unanswered`;
  }
  const isCompleted = task.state === 'TASK_STATE_COMPLETED';
  return isCompleted && unanswered.length > 0 ? `it is completed, and ${unanswered.join(', ')} unanswered` : undefined;
}

/** Two runs at a time; a gateway that seemed to be dead may not have known that it was. */
function atOnce(task: StoredLog, { runs, wasStruck }: TurnRecords): string | undefined {
  const own = runs.filter(({ taskId, pid }) => taskId === task.id && !wasStruck(pid));
  for (const [at, run] of own.entries()) {
    const next = own[at + 1];
    if (next && next.from < (run.until ?? Number.POSITIVE_INFINITY))
      return `a run began in process ${next.pid} while another one in process ${run.pid} worked on it`;
  }
  return undefined;
}

function lost(task: StoredLog, { runs, wasStruck }: TurnRecords): string | undefined {
  const results = new Set((taskAt(task.log, task.seq)?.artifacts ?? []).map(({ artifactId }) => artifactId));
  const said = runs.filter(({ taskId, pid }) => taskId === task.id && !wasStruck(pid)).flatMap((run) => run.said);
  const missing = said.find((nonce) => !results.has(nonce));
  return missing === undefined ? undefined : `the result ${missing} of a run is not in it`;
}

/** After a question, the agent gets no message from before it until it has got one from after it. */
function answeredBefore({ log }: StoredLog): string | undefined {
  let question: number | undefined;
  for (const { seq, event } of log) {
    if (event.message) question = undefined;
    const { status, metadata } = event.statusUpdate ?? {};
    if (status && isInterrupted(status.state)) question = seq;
    const inHand = markerIn(metadata)?.seq;
    if (question !== undefined && inHand !== undefined && inHand < question && seq > question)
      return `the message ${inHand} answered the question ${question}`;
  }
  return undefined;
}
