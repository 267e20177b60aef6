import { isLarge } from '../../core/limits/loop-turns.ts';
import type { StreamResponse } from '../../core/model/a2a.ts';
import type { CallContext, LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { parsedSizeOf } from '../../core/model/json.ts';
import type { Salvaging } from '../../dialects/kernel/codec.ts';
import type { HttpAnswer } from '../../net/http-exchange.ts';
import { readWithin } from '../../net/network-errors.ts';
import { parseJsonText, parseLargeText } from '../../wire/json.ts';
import { SseDecoder } from '../../wire/sse.ts';
import { maxDepth, mendJson, requireRoomFor } from './response-body.ts';

export interface StreamReading {
  /** Characters of one event. */
  readonly maxEvent: number;
  readonly context: CallContext;
  /** Mends JSON that is refused otherwise. */
  readonly salvage?: Salvaging | undefined;
  /** Name of the event that ends the stream. */
  readonly closing?: string | undefined;
  /** The events in a frame. Throws the error in a frame. */
  decode(frame: { readonly event?: string; readonly data: unknown }): readonly StreamResponse[];
  /** Whether the event that was decoded last ends the stream. */
  over?(): boolean;
  /** Further events when the stream has ended without an error. */
  end?(): readonly StreamResponse[];
}

/** A received event, stringified on demand. */
export class ReceivedEvent implements LoggedEvent {
  readonly seq: number;
  readonly at = Date.now();
  /** The sender's own generations stay in the event, where its version has them. */
  readonly generation = 0;
  readonly event: StreamResponse;
  #json: string | undefined;

  constructor(seq: number, event: StreamResponse) {
    this.seq = seq;
    this.event = event;
  }

  get json(): string {
    this.#json ??= JSON.stringify(this.event);
    return this.#json;
  }
}

/** Position after which a call's stream begins. ReceivedEvents without numbers are counted from here. */
export const startOf = ({ replay }: CallContext): number => (typeof replay === 'object' ? replay.after : 0);

/** ReceivedEvents that arrived at once, as a stream. */
export async function* streamOf(events: readonly StreamResponse[], last = 0): AsyncGenerator<LoggedEvent, undefined> {
  let seq = last;
  for (const event of events) yield new ReceivedEvent(++seq, event);
}

type EventStep = Promise<IteratorResult<LoggedEvent, undefined>>;
type ReceivedEvents = AsyncIterableIterator<LoggedEvent>;

const iterable = (next: () => EventStep, end: () => EventStep): ReceivedEvents => {
  const iterator: ReceivedEvents = { next, return: end, [Symbol.asyncIterator]: () => iterator };
  return iterator;
};

/** The same events. Ending the iteration calls `close`, even before it began or while it waits for an event. */
export const closing = (events: AsyncGenerator<LoggedEvent, undefined>, close: () => void): ReceivedEvents =>
  iterable(
    () => events.next(),
    () => {
      close();
      return events.return(undefined);
    },
  );

/** Milliseconds in which a refusal arrives that is the first event. Streams may be silent for longer. */
const refusalTime = 2_000;

/** The same events after the first has arrived, or a while has passed. Rejects when the first is an error. */
export async function awaitFirst(events: ReceivedEvents, longest = refusalTime): Promise<ReceivedEvents> {
  let first: EventStep | undefined = events.next();
  let timer: NodeJS.Timeout | undefined;
  const begun = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, longest);
  });
  // The reader may leave before the error arrives.
  first.catch(() => undefined);
  try {
    await Promise.race([first, begun]);
  } finally {
    clearTimeout(timer);
  }
  return iterable(
    () => {
      const step = first ?? events.next();
      first = undefined;
      return step;
    },
    async () => (await events.return?.()) ?? { done: true, value: undefined },
  );
}

/**
 * The events of an answer that is an event stream. Their `seq` is the SSE id where that is a number; otherwise they are
 * counted. Ending the iteration closes the connection.
 *
 * Throws, while iterated, network errors; the error in a frame; `invalidAgentResponse` for an invalid frame, and for a
 * stream that ends within a frame.
 */
export const readEventStream = (answer: HttpAnswer, reading: StreamReading): ReceivedEvents =>
  closing(generate(answer, reading), () => answer.discard());

function parseFrame(data: string, salvage: Salvaging | undefined): unknown {
  try {
    return parseJsonText(data, maxDepth);
  } catch (thrown) {
    return mendJson(salvage, data, thrown);
  }
}

async function* generate(answer: HttpAnswer, reading: StreamReading): AsyncGenerator<LoggedEvent, undefined> {
  const decoder = new SseDecoder(reading.maxEvent);
  let seq = startOf(reading.context);
  for await (const chunk of answer.chunks()) {
    for (const { event, id, data } of readWithin(reading.maxEvent, () => decoder.push(chunk))) {
      if (event !== '' && event === reading.closing) return yield* streamOf(reading.end?.() ?? [], seq);
      // As in browsers, frames without data are ignored.
      if (data === '') continue;
      seq = id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : seq + 1;
      requireRoomFor(data.length, () => parsedSizeOf(data));
      const json = isLarge(data.length)
        ? await parseLargeText(data, maxDepth).catch((thrown: unknown) => mendJson(reading.salvage, data, thrown))
        : parseFrame(data, reading.salvage);
      const events = reading.decode({ ...(event !== '' && { event }), data: json });
      for (const each of events) yield new ReceivedEvent(seq, each);
      if (reading.over?.()) return undefined;
    }
  }
  if (decoder.isWithinEvent) {
    throw new A2AError('invalidAgentResponse', 'The stream ended in the middle of an event');
  }
  return yield* streamOf(reading.end?.() ?? [], seq);
}
