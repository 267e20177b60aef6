import type { CallContext, StreamReply } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { LiveTasks } from '../tasks/live-tasks.ts';
import { Subscription } from '../tasks/subscription.ts';
import type { ServiceDeps } from './handler.ts';
import { withStreamSlot } from './subscribe.ts';

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
    const { reservation } = context;
    const live = await tasks.findByKey(key);
    if (!live) throw A2AError.taskNotFound(key);
    return live.retainWhile(async () => {
      await live.catchUp();
      await live.settledOrCaughtUp();
      deps.streams?.checkTask(live.listeners.readerCount);
      const from = Math.min(after, live.log.committed);
      return {
        events: new Subscription(live, from, { end: 'terminal', reservation, withMessages: true }),
        after: from,
      };
    });
  });
