import { isResting, isTerminal, stateOf } from '../../src/core/model/lifecycle.ts';
import { unansweredIn } from '../../src/core/model/turns.ts';
import type { Agents } from './check-agents.ts';
import type { Violation } from './check-logs.ts';
import { type Logs, markersOf, type StoredLog, taskAt } from './logs.ts';

/** Texts of gateways about a message that its agent may not have got. */
const doubts = /may have acted on the message|messages? is unknown|did not accept the message/;

/**
 * Agents behind the gateways are sent each message of a task at once. Where such a task is completed, its agent was given each
 * message that came while it worked, or the task names it as unanswered, or says that its arrival is unknown; and none is named that
 * the agent was given.
 */
export function checkForwarded({ records, names }: Pick<Agents, 'records' | 'names'>, logs: Logs): Violation[] {
  const given = new Set(records.given.map(({ marker }) => marker));
  return logs.tasks
    .filter(({ agent, state }) => names.includes(agent) && isTerminal(state as Parameters<typeof isTerminal>[0]))
    .flatMap((task) => {
      const unanswered = unansweredIn(taskAt(task.log, task.seq) ?? {});
      const named = unanswered.filter((id) => given.has(id)).map((id) => `${id} was given, and is named as unanswered`);
      const forgotten = task.state === 'TASK_STATE_COMPLETED' ? forgottenIn(task, given, unanswered) : [];
      return [...named, ...forgotten].map((what) => ({ what, task }));
    });
}

function forgottenIn(task: StoredLog, given: ReadonlySet<string>, unanswered: readonly string[]): string[] {
  const isDoubted = (since: number): boolean =>
    task.log.some(({ seq, event }) => {
      const parts = event.statusUpdate?.status.message?.parts ?? [];
      return seq > since && parts.some(({ text = '' }) => doubts.test(text));
    });
  const cameAtWork = (position: number): boolean => {
    const states = task.log.filter(({ seq }) => seq < position).map(({ event }) => stateOf(event));
    const state = states.findLast((one) => one !== undefined);
    return state !== undefined && !isResting(state);
  };
  return markersOf(task)
    .filter(([marker, seq]) => cameAtWork(seq) && !given.has(marker) && !unanswered.includes(marker) && !isDoubted(seq))
    .map(([marker]) => `${marker} was not given to its agent, and nothing says so`);
}
