import type { LoggedEvent, Replay, StreamReply } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { stateWord } from '../model/lifecycle.ts';
import type { MemoryReservation } from '../model/memory.ts';
import type { TaskStore } from '../ports/task-store.ts';
import type { LiveTask } from '../tasks/live-task.ts';
import { taskAt } from '../tasks/replay.ts';
import { Subscription } from '../tasks/subscription.ts';
import type { Handler, HandlerInput } from './handler.ts';
import { requireCapability } from './rules.ts';
import { withStreamSlot } from './stream-place.ts';

/**
 * SubscribeToTask (A2A 1.0.1 section 3.1.6): the current Task, then what happens to it, until it is over. A replay
 * begins with the events after a position instead, or ends after the Task, and works on a task that has ended too.
 */
export const subscribe: Handler<'SubscribeToTask'> = (handling) => withStreamSlot(handling, () => begin(handling));

function begin({ request, context, agent, owner, deps, tasks, dialects }: HandlerInput<'SubscribeToTask'>) {
  // Where a task is sent first and followed then, every agent can be followed: the log is the gateway's own.
  if (context.semantics.replay !== 'latest-turn') requireCapability(agent, 'streaming');
  const { reservation } = context;
  const follow = async (live: LiveTask): Promise<StreamReply> => {
    dialects.used(live, context.dialect);
    await live.settledOrCaughtUp();
    const isOver = live.log.isTerminal;
    if (context.replay === 'snapshot' || (isOver && context.semantics.endedToo && context.replay === undefined)) {
      const leading = await leadingTask(live, reservation);
      return { events: single(leading), facts: live.facts };
    }
    if (context.replay !== undefined) {
      const after = await position(deps.store, live, context.replay);
      const needsBefore = context.semantics.needsBefore && after > 0;
      if (needsBefore) await reservation?.reserve(live.log.bytes);
      const before = needsBefore ? await taskAt(deps.store, live.key, after) : undefined;
      deps.streams?.checkTask(live.readerCount);
      const events = new Subscription(live, after, { end: 'terminal', reservation });
      return { events, facts: live.facts, after, ...(before && { priorTask: before }) };
    }
    if (isOver) {
      throw new A2AError('unsupportedOperation', `The task is over: ${stateWord(live.log.state)}`, {
        metadata: { taskId: request.id },
      });
    }
    const first = await leadingTask(live, reservation);
    deps.streams?.checkTask(live.readerCount);
    return { events: new Subscription(live, first.seq, { end: 'terminal', reservation, first }), facts: live.facts };
  };
  return tasks.use(owner, request.id, follow, reservation);
}

async function* single(event: LoggedEvent): AsyncGenerator<LoggedEvent> {
  yield event;
}

async function position(store: TaskStore, live: LiveTask, replay: Exclude<Replay, 'snapshot'>): Promise<number> {
  if (replay !== 'latest-turn') return Math.min(replay.after, live.log.committed);
  return (await store.latestTurn(live.key)) - 1;
}

async function leadingTask(live: LiveTask, reservation: MemoryReservation | undefined): Promise<LoggedEvent> {
  await live.snapshot();
  await reservation?.reserve(live.log.bytes);
  const event = { task: await live.snapshot() };
  return { seq: live.log.committed, at: live.log.updatedAt, event, json: JSON.stringify(event) };
}
