import type { StreamResponse } from '../../core/model/a2a.ts';
import type { CallContext, LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { HttpAnswer } from '../../net/http-exchange.ts';
import { parseJsonText } from '../../wire/json.ts';
import { SseDecoder, type SseEvent } from '../../wire/sse.ts';
import { decodeResponse, maxDepth } from './response-body.ts';

/** One frame with its data parsed. */
export interface ParsedFrame {
  readonly event?: string;
  readonly data: unknown;
}

export interface EventStreamOptions {
  /** Characters of one event. */
  readonly maxEvent: number;
  /** The call's own: events without numbers are counted from where it takes up the stream. */
  readonly context: CallContext;
  /** Name of the event that ends the stream, whatever follows it. */
  readonly closing?: string;
  /** The events that a frame holds. Throws the error that it tells of. */
  decode(frame: ParsedFrame): readonly StreamResponse[];
  /** What the stream comes to besides when it has ended as it should. */
  end?(): readonly StreamResponse[];
}

/** An event as it came; stringified only if somebody wants it so. */
export class ReceivedEvent implements LoggedEvent {
  readonly seq: number;
  readonly at = Date.now();
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

/**
 * The events of an answer that is an event stream. Their `seq` is the SSE id where that is a number, else they are
 * counted. Ending the iteration closes the connection, also when it was never begun.
 *
 * Throws, while iterated, what the network throws; the error that a frame tells of; `invalidAgentResponse` for a frame
 * that cannot be read, and for a stream that ends within a frame.
 */
export function readEventStream(answer: HttpAnswer, options: EventStreamOptions): AsyncIterableIterator<LoggedEvent> {
  const events = generate(answer, options);
  return iterable(
    () => events.next(),
    () => {
      answer.discard();
      return events.return(undefined);
    },
  );
}

/** Events that came all at once, as a stream. */
export async function* streamOf(events: readonly StreamResponse[]): AsyncGenerator<LoggedEvent, undefined> {
  let seq = 0;
  for (const event of events) yield new ReceivedEvent(++seq, event);
}

type Step = Promise<IteratorResult<LoggedEvent, undefined>>;

const iterable = (next: () => Step, end: () => Step): AsyncIterableIterator<LoggedEvent> => {
  const iterator: AsyncIterableIterator<LoggedEvent> = { next, return: end, [Symbol.asyncIterator]: () => iterator };
  return iterator;
};

/** Milliseconds in which a refusal comes where it comes as the first event. Streams may be silent for longer. */
const refusalTime = 2_000;

/**
 * The same events, when the first of them has come: an error that it tells of rejects. A stream that says nothing has
 * begun after a while, and whoever reads it is told of what comes first.
 */
export async function awaitFirst(
  events: AsyncIterableIterator<LoggedEvent>,
  patience = refusalTime,
): Promise<AsyncIterableIterator<LoggedEvent>> {
  let first: Step | undefined = events.next();
  let timer: NodeJS.Timeout | undefined;
  const begun = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patience);
  });
  // The reader may go before the error comes.
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

async function* generate(answer: HttpAnswer, options: EventStreamOptions): AsyncGenerator<LoggedEvent, undefined> {
  const decoder = new SseDecoder(options.maxEvent);
  const { replay } = options.context;
  let seq = typeof replay === 'object' ? replay.after : 0;
  let tail = '';
  for await (const chunk of answer.chunks()) {
    tail = (tail + Buffer.from(chunk.subarray(-4)).toString('latin1')).slice(-4);
    for (const frame of decoder.push(chunk)) {
      if (frame.event !== '' && frame.event === options.closing) {
        yield* heldBack(options, seq);
        return;
      }
      // As in browsers, an event without data is none.
      if (frame.data === '') continue;
      seq = frame.id !== undefined && /^\d{1,15}$/.test(frame.id) ? Number(frame.id) : seq + 1;
      for (const event of decodeFrame(frame, options)) yield new ReceivedEvent(seq, event);
    }
  }
  if (tail !== '' && !/(?:\n\r?\n|\r\r)$/.test(tail)) {
    throw new A2AError('invalidAgentResponse', 'The stream ended in the middle of an event');
  }
  yield* heldBack(options, seq);
}

function* heldBack({ end }: EventStreamOptions, last: number): Generator<LoggedEvent, undefined> {
  let seq = last;
  for (const event of end?.() ?? []) yield new ReceivedEvent(++seq, event);
}

function decodeFrame({ event, data }: SseEvent, { decode }: EventStreamOptions): readonly StreamResponse[] {
  const json = decodeResponse(() => parseJsonText(data, maxDepth));
  return decode({ ...(event !== '' && { event }), data: json });
}
