import type { StreamResponse } from '../model/a2a.ts';
import type { LoggedEvent, StreamReply } from '../model/call.ts';
import { Subscription } from '../tasks/subscription.ts';
import type { HandlerInput } from './handler.ts';

/**
 * Begins a stream that occupies one of its caller's stream slots until it ends.
 *
 * @throws A2AError `tooManyRequests`, before `begin`, when the caller has no free slot
 */
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

/** An event that is sent but not part of the log: a leading Task, or a direct Message. */
export const unloggedEvent = (event: StreamResponse, seq: number, at: number): LoggedEvent => ({
  seq,
  at,
  event,
  json: JSON.stringify(event),
});

/** A stream of one event. */
export async function* singleEvent(event: LoggedEvent): AsyncGenerator<LoggedEvent> {
  yield event;
}
