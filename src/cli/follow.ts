import { setTimeout as sleep } from 'node:timers/promises';
import { A2AError, type Client, type StreamResponse, type Task } from '../client/index.ts';
import { isResting, isTerminal } from '../core/model/lifecycle.ts';

export interface FollowOptions {
  /** Whether to stop when the task waits for its caller. */
  readonly untilSettled: boolean;
  /** Position of the last known event. Default: none, so that the current Task comes first. */
  readonly after?: number;
  /** Called with every event. */
  onEvent(event: StreamResponse): void;
}

/** Maximum number of attempts to resume a broken stream without an event in between. */
const mostAttempts = 5;

/** Kinds of errors after which a stream is resumed. */
const transient: ReadonlySet<string> = new Set(['upstreamUnreachable', 'upstreamTimeout', 'unavailable']);

/**
 * Follows a task to its end, or until it waits for its caller: with a subscription, which is resumed if it breaks, or
 * by polling if the agent does not stream.
 *
 * @returns the task at that time
 */
export async function follow(client: Client, id: string, options: FollowOptions): Promise<Task> {
  const done = options.untilSettled ? isResting : isTerminal;
  if (client.card.capabilities.streaming !== true) return poll(client, id, done, options);
  let { after } = options;
  let attempts = 0;
  for (;;) {
    try {
      let over = false;
      const resume = after === undefined ? {} : { after };
      for await (const { seq, event } of client.events('SubscribeToTask', { id }, resume)) {
        after = seq;
        attempts = 0;
        options.onEvent(event);
        const state = (event.task ?? event.statusUpdate)?.status.state;
        over = state !== undefined && done(state);
        if (over) break;
      }
      const task = await client.call('GetTask', { id });
      if (over || done(task.status.state)) return task;
      if (++attempts > mostAttempts) return await poll(client, id, done, options);
    } catch (thrown) {
      const { kind } = A2AError.from(thrown);
      // A task that has ended cannot be subscribed to (A2A 1.0.1 section 3.1.6).
      if (kind === 'unsupportedOperation') return poll(client, id, done, options);
      if (!transient.has(kind) || ++attempts > mostAttempts) throw thrown;
    }
    await sleep(200 * attempts);
  }
}

async function poll(
  client: Client,
  id: string,
  done: (state: Task['status']['state']) => boolean,
  options: FollowOptions,
) {
  let last = '';
  for (let wait = 250; ; wait = Math.min(wait * 1.5, 5000)) {
    const task = await client.call('GetTask', { id });
    const seen = JSON.stringify([task.status, task.artifacts]);
    if (seen !== last) options.onEvent({ task });
    last = seen;
    if (done(task.status.state)) return task;
    await sleep(wait);
  }
}
