import type { Message, Task } from '../model/a2a.ts';
import type { Agent } from '../model/agent.ts';
import type { TaskOwner } from '../model/ids.ts';
import { parentOf } from '../model/lineage.ts';
import { type WaitingMessage, waitingAtRest } from '../model/turns.ts';
import type { TaskStore } from '../ports/task-store.ts';
import type { TaskTraces } from '../telemetry/trace-context.ts';
import { waitingTurn } from './continued-turn.ts';
import { readHold } from './held-call.ts';
import type { LiveTask } from './live-tasks.ts';
import type { RunServices, TurnOrigin } from './run-context.ts';
import { Turn } from './turn.ts';
import type { LoggedMessage } from './turn-messages.ts';
import type { WaitingTurn } from './turn-queue.ts';
import { readTurnRequest } from './turn-request.ts';

/** Dependencies of turns that are restored from messages in the log. */
export interface RestoringDeps extends RunServices {
  readonly store: RunServices['store'] & Pick<TaskStore, 'events' | 'turnRequest'>;
  readonly traces?: TaskTraces;
}

/**
 * The turns of messages that wait, as the log has them: nothing is known of the calls that they came with, but for what the store
 * keeps of the latest one.
 */
export async function restoreTurns(
  deps: RestoringDeps,
  agent: Agent,
  live: LiveTask,
  task: Task,
  messages: readonly LoggedMessage[],
): Promise<WaitingTurn[]> {
  const { key, ids, record } = live;
  const hooks = deps.hooks?.active;
  const parent = parentOf(task.metadata);
  const turns: WaitingTurn[] = [];
  const last = agent.resume && messages.at(-1);
  const kept = last && readTurnRequest(await deps.store.turnRequest(key), last.seq);
  for (const logged of messages) {
    const parts = { agent, ids, key, owner: record, services: deps, hooks, traces: deps.traces, parent };
    const request = logged === last ? kept : undefined;
    const turn = new Turn(parts, originOfTask(record, task, request?.extensions));
    ({ held: turn.held, released: turn.released } = await readHold(deps.store, record, logged.message));
    if (hooks?.begins) await turn.run.begin(undefined);
    turns.push(waitingTurn(turn, live, { ...request?.parts, message: logged.message }, logged.seq));
  }
  return turns;
}

/** Reads the messages that a task which waits for its client has waiting. */
export async function readWaiting({ store }: RestoringDeps, live: LiveTask, task: Task): Promise<LoggedMessage[]> {
  const found: LoggedMessage[] = [];
  for (const { seq, id } of waitingAtRest(task)) {
    const [logged] = await store.events(live.key, seq - 1, 1);
    const message: Message | undefined = logged?.event.message;
    if (message) found.push({ seq, id, message });
  }
  return found;
}

/** Resolves when it is known which messages wait: before an event of the gateway's own that ends a task without a run. */
export async function knowWaiting(live: LiveTask): Promise<void> {
  if (live.log.hasOneMessage || live.runs.length > 0) return;
  const { task } = await live.journal.current();
  live.openQueue().remember(waitingAtRest(task));
}

/** Filters messages: the ones that do not wait here already. */
export const notWaiting = <M extends WaitingMessage>(live: LiveTask, messages: readonly M[]): readonly M[] =>
  messages.filter(({ seq }) => !live.queue?.waiting.some((waiting) => waiting.seq === seq));

/** A task's origin, as far as it is known without its caller. */
export const originOfTask = (
  record: TaskOwner & { readonly id: string },
  { metadata }: Pick<Task, 'metadata'> = {},
  extensions: readonly string[] = [],
): TurnOrigin => ({
  principal: { id: record.principal, anonymous: false, byId: true },
  tenant: record.tenant,
  requestId: `recovered-${record.id}`,
  extensions,
  hops: parentOf(metadata)?.hops ?? 0,
  activate: () => undefined,
  drop: () => undefined,
});
