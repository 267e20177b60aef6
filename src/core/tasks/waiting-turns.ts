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
 * The turns of messages that wait, restored from the log. Their calls are not known, except for the parts of the latest one that
 * the store keeps.
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

/** Reads the waiting messages of a task that waits for its client. */
export async function readWaiting({ store }: RestoringDeps, live: LiveTask, task: Task): Promise<LoggedMessage[]> {
  const found: LoggedMessage[] = [];
  for (const { seq, id } of waitingAtRest(task)) {
    const [logged] = await store.events(live.key, seq - 1, 1);
    const message: Message | undefined = logged?.event.message;
    if (message) found.push({ seq, id, message });
  }
  return found;
}

/**
 * Resolves when the waiting messages are known. Called before the gateway appends an event of its own that ends a task without a
 * run.
 */
export async function knowWaiting(live: LiveTask): Promise<void> {
  if (live.log.hasOneMessage || live.runs.length > 0) return;
  const { task } = await live.journal.current();
  live.openQueue().remember(waitingAtRest(task));
}

/** Filters messages: those that are not waiting here yet. */
export const notWaiting = <M extends WaitingMessage>(live: LiveTask, messages: readonly M[]): readonly M[] =>
  messages.filter(({ seq }) => !live.queue?.waiting.some((waiting) => waiting.seq === seq));

/** The origin of a task's call, as far as it is known without its caller. */
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
