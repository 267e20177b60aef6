import type { StreamReply } from '../model/call.ts';
import { Subscription } from '../tasks/subscription.ts';
import type { HandlerInput } from './handler.ts';

/**
 * Begins a stream that has a place among those of its caller, as long as it lasts.
 *
 * @throws A2AError `tooManyRequests` when there is no place, before anything happened; whatever `begin` throws
 */
export async function withStreamSlot(
  { context, deps }: Pick<HandlerInput, 'context' | 'deps'>,
  begin: () => Promise<StreamReply>,
): Promise<StreamReply> {
  const place = deps.streams?.take(context);
  if (!place) return begin();
  try {
    const reply = await begin();
    // What is no subscription is a single event, and over when it is sent.
    if (reply.events instanceof Subscription) reply.events.attach(place);
    else place.release();
    return reply;
  } catch (thrown) {
    place.release();
    throw thrown;
  }
}
