import { answerCounts } from '../../core/limits/counts.ts';
import { isLarge } from '../../core/limits/loop-turns.ts';
import type { StreamResponse } from '../../core/model/a2a.ts';
import type { CallContext, LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject, parsedSizeOf } from '../../core/model/json.ts';
import { isResting, isTerminal, stateOf } from '../../core/model/lifecycle.ts';
import type { Salvaging } from '../../dialects/kernel/codec.ts';
import { nameLostDigits } from '../../dialects/kernel/number-losses.ts';
import type { HttpAnswer } from '../../net/http-exchange.ts';
import { isNetworkFailure, readWithin } from '../../net/network-errors.ts';
import { excessiveAnswer } from '../../wire/counts.ts';
import { parseLargeText } from '../../wire/json.ts';
import { excessInLarge } from '../../wire/json-body.ts';
import { JsonValues } from '../../wire/json-values.ts';
import { type AnswerFrame, FrameReader } from './frame-reader.ts';
import { maxDepth, parsedText, quoted, requireRoomFor } from './response-body.ts';

/** A frame of a stream with its data parsed. */
export interface ParsedFrame {
  readonly event?: string;
  readonly data: unknown;
}

/** A part of a stream that is not an answer, such as a heartbeat. */
export interface SkippedFrame {
  /** The name of the event; '' if it has none. */
  readonly event: string;
  /** The start of its data, in one line. */
  readonly data: string;
}

export interface StreamReading {
  /** Characters of one event. */
  readonly maxEvent: number;
  readonly context: CallContext;
  /** Mends JSON that would be refused otherwise. */
  readonly salvage?: Salvaging | undefined;
  /** Name of the event that ends the stream. */
  readonly closing?: string | undefined;
  /** Whether the stream follows the task until it is over, and not only until it rests. */
  readonly followsTask: boolean;
  /** Whether a frame is an answer to the call: an event, or an error. */
  isAnswer(frame: ParsedFrame): boolean;
  /** The events in a frame. Throws the error in a frame. */
  decode(frame: ParsedFrame): readonly StreamResponse[];
  /** The events in a body that is one value and not a stream. Throws the error in it. */
  decodeWhole(value: unknown, text: string): readonly StreamResponse[];
  /** Whether the event that was decoded last ends the stream. */
  over?(): boolean;
  /** Further events when the stream has ended without an error. */
  end?(): readonly StreamResponse[];
  /** Called with each frame that is not an answer. */
  onSkipped?: ((frame: SkippedFrame) => void) | undefined;
}

/** A received event, stringified on demand. */
export class ReceivedEvent implements LoggedEvent {
  readonly seq: number;
  readonly at = Date.now();
  /** Always 0. The sender's own generations stay in the event, if its version has them. */
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

/** Position after which a call's stream begins. Received events without numbers are counted from it. */
export const startOf = ({ replay }: CallContext): number => (typeof replay === 'object' ? replay.after : 0);

/** Received events that arrived at once, as a stream. */
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

/** Wraps events so that ending the iteration calls `close`, even before it began or while it waits for an event. */
export const closing = (events: AsyncGenerator<LoggedEvent, undefined>, close: () => void): ReceivedEvents =>
  iterable(
    () => events.next(),
    () => {
      close();
      return events.return(undefined);
    },
  );

/** Milliseconds in which a refusal as the first event must arrive. Streams may be silent for longer. */
const refusalTime = 2_000;

/**
 * Returns the events after the first has arrived, or a while has passed. Rejects if the first is an error.
 *
 * @param longest milliseconds; Infinity: no limit
 */
export async function awaitFirst(events: ReceivedEvents, longest: number = refusalTime): Promise<ReceivedEvents> {
  let first: EventStep | undefined = events.next();
  // The reader may leave before the error arrives.
  first.catch(() => undefined);
  await (longest === Number.POSITIVE_INFINITY ? first : within(longest, first));
  return iterable(
    () => {
      const step = first ?? events.next();
      first = undefined;
      return step;
    },
    async () => (await events.return?.()) ?? { done: true, value: undefined },
  );
}

async function within(ms: number, step: EventStep): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([step, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The events of an answer that arrives in parts: an event stream, or JSON values. Their `seq` is the SSE id if that is a number;
 * otherwise they are counted. Parts that are not answers, such as heartbeats, are skipped. Ending the iteration closes the
 * connection.
 *
 * Throws, while iterated, network errors; the error in a frame; `invalidAgentResponse` for an invalid frame, for a stream that
 * ends within a frame, and for one without any answers.
 */
export const readEventStream = (answer: HttpAnswer, reading: StreamReading): ReceivedEvents =>
  closing(generate(answer, reading), () => answer.discard());

async function* generate(answer: HttpAnswer, reading: StreamReading): AsyncGenerator<LoggedEvent, undefined> {
  const reader = new FrameReader(reading.maxEvent, answer.mediaType);
  const decoder = new FrameDecoder(reading);
  const chunks = answer.chunks()[Symbol.asyncIterator]();
  let broken: A2AError | undefined;
  try {
    for (;;) {
      let chunk: Uint8Array | undefined;
      try {
        ({ value: chunk } = await chunks.next());
      } catch (thrown) {
        broken = A2AError.from(thrown);
      }
      if (chunk === undefined) break;
      const bytes = chunk;
      for (const frame of readWithin(reading.maxEvent, () => reader.push(bytes))) {
        if (frame.event !== '' && frame.event === reading.closing) return yield* decoder.end();
        yield* isLarge(frame.data.length) ? await decoder.readLarge(frame) : decoder.read(frame);
        if (reading.over?.()) return undefined;
      }
    }
    for (const frame of reader.end()) yield* decoder.readLast(frame, broken);
    // A stream whose task has ended is complete, however its connection ends.
    if (broken && !(decoder.isOver && isNetworkFailure(broken))) throw broken;
    return yield* decoder.end();
  } catch (thrown) {
    reading.context.notes.onStreamFailed?.(A2AError.from(thrown));
    throw thrown;
  } finally {
    await chunks.return?.();
  }
}

/** The answers in a body that arrives in parts, with the text of each part. Ending the iteration closes the connection. */
export async function* answersIn(
  answer: HttpAnswer,
  { maxEvent, salvage, isAnswer, onSkipped }: Pick<StreamReading, 'maxEvent' | 'salvage' | 'isAnswer' | 'onSkipped'>,
): AsyncGenerator<{ readonly data: unknown; readonly text: string }, void> {
  const reader = new FrameReader(maxEvent, answer.mediaType);
  function* answersOf(frames: readonly AnswerFrame[]): Generator<{ readonly data: unknown; readonly text: string }> {
    for (const { event, data: text } of frames) {
      if (text === '') continue;
      requireRoomFor(text.length, () => parsedSizeOf(text));
      const value = parsed(text, salvage);
      const found = valuesIn(value).filter((data) => isAnswer({ ...(event !== '' && { event }), data }));
      nameIn(value, found, salvage);
      for (const data of found) yield { data, text };
      if (found.length === 0) onSkipped?.({ event, data: quoted(text) });
    }
  }
  try {
    for await (const chunk of answer.chunks()) yield* answersOf(readWithin(maxEvent, () => reader.push(chunk)));
    yield* answersOf(reader.end());
  } finally {
    answer.discard();
  }
}

/** Deepest nesting of data around an answer: a list of frames, and the text of a frame as a string. */
const maxWrapping = 3;

/** Converts the frames of one stream to events. */
class FrameDecoder {
  readonly #reading: StreamReading;
  #seq: number;
  #answers = 0;
  /** The latest frame that was not an answer, and the number of such frames. */
  #skipped: SkippedFrame | undefined;
  #skips = 0;
  /** Whether the last event is the end of the reported task. */
  isOver = false;

  constructor(reading: StreamReading) {
    this.#reading = reading;
    this.#seq = startOf(reading.context);
  }

  read(frame: AnswerFrame): LoggedEvent[] {
    const { data } = frame;
    // As in browsers, frames without data are ignored.
    if (data === '') return [];
    requireRoomFor(data.length, () => parsedSizeOf(data));
    const value = parsed(data, this.#reading.salvage);
    return value === undefined ? this.#skip(frame) : this.#take(frame, value);
  }

  /** Reads a large frame as `read` does, in several turns of the event loop. */
  async readLarge(frame: AnswerFrame): Promise<LoggedEvent[]> {
    const { data } = frame;
    requireRoomFor(data.length, () => parsedSizeOf(data));
    const excess = await excessInLarge(Buffer.from(data), answerCounts);
    if (excess) throw excessiveAnswer(excess);
    const value = await parseLargeText(data, maxDepth).catch(() => parsed(data, this.#reading.salvage));
    return value === undefined ? this.#skip(frame) : this.#take(frame, value);
  }

  /** A frame that the end of the body may have cut off. @param broken error with which the body broke off */
  readLast(frame: AnswerFrame, broken: A2AError | undefined): LoggedEvent[] {
    const { data } = frame;
    if (!/^\s*[[{]/.test(data)) return this.read(frame);
    const value = parsed(data, this.#reading.salvage);
    if (value !== undefined) return this.#take(frame, value);
    if (this.isOver) return [];
    throw broken ?? new A2AError('invalidAgentResponse', 'The stream ended in the middle of an event');
  }

  /** The events when the stream has ended. */
  end(): AsyncGenerator<LoggedEvent, undefined> {
    if (this.#answers === 0 && this.#skipped) {
      const { event, data } = this.#skipped;
      const shown = [event, data].filter((text) => text !== '').join(': ');
      throw new A2AError(
        'invalidAgentResponse',
        `The stream ended without an answer; it had ${this.#skips} ${this.#skips === 1 ? 'event' : 'events'} of another kind, the last of them "${shown}"`,
      );
    }
    return streamOf(this.#reading.end?.() ?? [], this.#seq);
  }

  #take(frame: AnswerFrame, value: unknown): LoggedEvent[] {
    const { event, id, data, isWhole } = frame;
    if (isWhole) {
      nameLostDigits(value, this.#reading.salvage);
      const events = this.#logged(this.#reading.decodeWhole(value, data));
      this.isOver = true;
      return events;
    }
    const found = valuesIn(value).map((each): ParsedFrame => ({ ...(event !== '' && { event }), data: each }));
    const answers = found.filter((each) => this.#reading.isAnswer(each));
    if (answers.length === 0) return this.#skip(frame, found[0]?.data);
    nameIn(
      value,
      answers.map((answer) => answer.data),
      this.#reading.salvage,
    );
    return answers.flatMap((answer) => {
      this.#seq = id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : this.#seq + 1;
      return this.#logged(this.#reading.decode(answer));
    });
  }

  #logged(events: readonly StreamResponse[]): LoggedEvent[] {
    this.#answers += 1;
    for (const event of events) this.isOver = this.#ends(event);
    return events.map((event) => new ReceivedEvent(this.#seq, event));
  }

  #ends(event: StreamResponse): boolean {
    const state = stateOf(event);
    if (state === undefined) return event.message !== undefined;
    return this.#reading.followsTask ? isTerminal(state) : isResting(state);
  }

  #skip({ event, data }: AnswerFrame, value?: unknown): LoggedEvent[] {
    if (event === 'error') {
      const reason = messageIn(value) ?? quoted(data);
      throw new A2AError('agentError', `The agent reports an error in its stream: ${reason}`);
    }
    this.#skips += 1;
    this.#skipped = { event, data: quoted(data) };
    this.#reading.onSkipped?.(this.#skipped);
    return [];
  }
}

/** Names the numbers in a frame with answers that a double cannot hold. @param answers may be texts of JSON in the frame */
function nameIn(frame: unknown, answers: readonly unknown[], salvage: Salvaging | undefined): void {
  if (answers.length > 0) for (const document of new Set([frame, ...answers])) nameLostDigits(document, salvage);
}

/** The text of an error in a form that its dialect does not have. */
function messageIn(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { message, error, detail } = value;
  return [message, error, detail].find((text) => typeof text === 'string');
}

/** Parses JSON; undefined for any other text. Some servers write the name of the field twice. */
function parsed(data: string, salvage?: Salvaging): unknown {
  const text = data.startsWith('data:') ? data.slice('data:'.length) : data;
  return parsedText(text) ?? documentsIn(text) ?? (salvage && parsedText(text, salvage));
}

/** The JSON documents in the data of events without a blank line between them. */
function documentsIn(text: string): unknown[] | undefined {
  if (!/[\]}]\s*[[{]/.test(text)) return undefined;
  const values = new JsonValues(text.length);
  const documents = values.push(text).map((each) => parsedText(each));
  const isWhole = documents.length > 1 && !values.isList && !values.isWithinValue;
  return isWhole && !documents.includes(undefined) ? documents : undefined;
}

/** The values in a frame: the items of a list, or the JSON in a text. */
function valuesIn(value: unknown, depth = maxWrapping): unknown[] {
  if (depth === 0) return [value];
  if (Array.isArray(value)) return value.flatMap((each) => valuesIn(each, depth - 1));
  if (typeof value !== 'string') return [value];
  const inner = parsed(value);
  return inner === undefined ? [value] : valuesIn(inner, depth - 1);
}
