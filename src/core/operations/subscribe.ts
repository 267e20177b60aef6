import { singleEvent, unloggedEvent } from '../model/agent-events.ts';
import type { CallContext, LoggedEvent, Replay, StreamReply } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { TaskStore } from '../ports/task-store.ts';
import type { LiveTask, LiveTasks } from '../tasks/live-tasks.ts';
import { taskAt } from '../tasks/replay.ts';
import { Subscription } from '../tasks/subscription.ts';
import { countTask, taskFor } from '../tasks/task-journal.ts';
import type { Handler, HandlerInput, ServiceDeps } from './handler.ts';
import { requireCapability, requireNotOver } from './rules.ts';

/**
 * SubscribeToTask (A2A 1.0.1 section 3.1.6): the current Task, then its events until it is over. A replay begins with the
 * events after a position instead, or ends after the Task, and works also on a task that is over.
 */
export const subscribe: Handler<'SubscribeToTask'> = (input) =>
  withStreamSlot(input, () => {
    const { request, context, agent, owner, tasks } = input;
    // The latest turn can be replayed from the log, whether the agent streams or not.
    if (context.semantics.replay !== 'latest-turn') requireCapability(agent, 'streaming');
    // A replay reads the log event by event, also of a task that is too large to be read as a whole.
    if (typeof context.replay === 'object')
      return tasks.useRecord(owner, request.id, (live) => subscribeTo(input, live));
    return tasks.use(owner, request.id, (live) => subscribeTo(input, live), context);
  });

async function subscribeTo({ context, deps, dialects }: HandlerInput<'SubscribeToTask'>, live: LiveTask) {
  const { replay, semantics } = context;
  dialects.used(live, context.dialect);
  await live.journal.settledOrCaughtUp();
  if (replay === 'snapshot' || (live.log.isTerminal && semantics.endedToo && replay === undefined)) {
    return { events: singleEvent(await leadingTask(live, context)), facts: live.journal.facts };
  }
  if (replay !== undefined) {
    const after = await replayPosition(deps.store, live, replay);
    const needsPriorTask = semantics.needsBefore && after > 0;
    if (needsPriorTask) await countTask(live.journal, context);
    const prior = needsPriorTask ? await taskAt(deps.store, live.key, after) : undefined;
    deps.streams?.checkTask(live.journal.listeners.readerCount);
    const events = new Subscription(live.journal, after, { end: 'terminal', context });
    return { events, facts: live.journal.facts, after, ...(prior && { priorTask: prior.task }) };
  }
  requireNotOver(live, 'unsupportedOperation');
  const first = await leadingTask(live, context);
  deps.streams?.checkTask(live.journal.listeners.readerCount);
  return {
    events: new Subscription(live.journal, first.seq, { end: 'terminal', context, first }),
    facts: live.journal.facts,
  };
}

async function replayPosition(store: TaskStore, live: LiveTask, replay: Exclude<Replay, 'snapshot'>): Promise<number> {
  if (replay !== 'latest-turn') return Math.min(replay.after, live.log.committed);
  return (await store.latestTurn(live.key)) - 1;
}

async function leadingTask(live: LiveTask, context: CallContext): Promise<LoggedEvent> {
  const { task, seq, facts } = await taskFor(live.journal, context);
  return unloggedEvent({ task }, seq, facts.updatedAt, facts.generation);
}

/** Begins a stream that takes one of its caller's slots until it ends. Throws `tooManyRequests` if no slot is free. */
export async function withStreamSlot(
  { context, deps }: Pick<HandlerInput, 'context' | 'deps'>,
  begin: () => Promise<StreamReply>,
): Promise<StreamReply> {
  const slot = deps.streams?.take(context);
  if (!slot) return begin();
  try {
    const reply = await begin();
    // A reply without a subscription is a single event, which is over at once.
    if (reply.events instanceof Subscription) reply.events.attach(slot);
    else slot.release();
    return reply;
  } catch (thrown) {
    slot.release();
    throw thrown;
  }
}

/** A task of any owner, and the position in its log after which the stream begins. */
export interface FollowedTask {
  readonly key: string;
  readonly after: number;
}

/** Streams the log of a task for an operator, its client's messages included, until the task has ended. */
export const followTask = (
  { key, after }: FollowedTask,
  context: CallContext,
  deps: ServiceDeps,
  tasks: LiveTasks,
): Promise<StreamReply> =>
  withStreamSlot({ context, deps }, async () => {
    const reply = await tasks.useByKey(key, async (live): Promise<StreamReply> => {
      await live.journal.catchUp();
      await live.journal.settledOrCaughtUp();
      deps.streams?.checkTask(live.journal.listeners.readerCount);
      const from = Math.min(after, live.log.committed);
      return {
        events: new Subscription(live.journal, from, { end: 'terminal', context, withMessages: true }),
        after: from,
      };
    });
    if (!reply) throw A2AError.taskNotFound(key);
    return reply;
  });
