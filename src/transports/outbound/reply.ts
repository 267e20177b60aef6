import type { StreamResponse } from '../../core/model/a2a.ts';
import type { CallContext, LoggedEvent, Reply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { shownUrl } from '../../core/model/shown-url.ts';
import { decodeFrame, decodeResult, decodeWhole } from '../../dialects/kernel/calls.ts';
import type { CodecContext, StreamDecoder, StreamShape } from '../../dialects/kernel/codec.ts';
import type { Method } from '../../dialects/kernel/wire.ts';
import { begunAnswer } from './begun-answer.ts';
import { bodyFromText, decodeResponse, type ReceivedResponse, type ResponseBody, readBody } from './response-body.ts';
import {
  answersIn,
  awaitFirst,
  type ParsedFrame,
  readEventStream,
  type SkippedFrame,
  streamOf,
} from './response-stream.ts';

/** How a binding reads the answer to one request. */
export interface ReplyReading {
  readonly method: Method;
  readonly cx: CodecContext;
  readonly context: CallContext;
  /** Bytes of an answer, or of one event. */
  readonly maxAnswer: number;
  /** Name of the event that ends a stream. */
  readonly closing?: string | undefined;
  /** Whether a refusal may arrive as the first event of a stream. That event is then awaited. */
  readonly mayRefuseInStream?: boolean;
  /** Called with each part of a stream that is not an answer. */
  readonly onSkipped?: ((frame: SkippedFrame) => void) | undefined;
  /** Whether a frame of a stream, or of an answer instead of a stream, belongs to this request and is an answer. */
  isAnswer(frame: ParsedFrame): boolean;
  /** The events in a frame of a stream. */
  decodeFrame(decoder: StreamDecoder, frame: ParsedFrame): readonly StreamResponse[];
  /** The value in the body of a unary answer, not yet decoded. Throws the error in the body. */
  readValue(body: ResponseBody): unknown;
}

/** Reads an answer over HTTP as the reply of its method, by its content, because content types may be wrong. */
export async function readReply(received: ReceivedResponse, reading: ReplyReading): Promise<Reply> {
  const { method } = reading;
  const { stream, result } = method;
  if (received.answer.status < 400) {
    if (stream) return readStream(received, stream, reading);
    if (received.answer.mediaType === 'text/event-stream') return readOnlyEvent(received, reading);
  }
  const value = reading.readValue(await readBody(received, reading.maxAnswer, reading.cx.salvage));
  if (result) return decodeResponse(() => decodeResult(result, value, reading.cx));
  if (stream) return { events: streamOf(decodeResponse(() => decodeWhole(stream, reading.cx, value))) };
  throw new A2AError(
    'invalidAgentResponse',
    `${shownUrl(received.url)} answered ${method.name} with an unknown result`,
  );
}

async function readStream(received: ReceivedResponse, shape: StreamShape, reading: ReplyReading): Promise<Reply> {
  if (received.answer.mediaType === 'text/event-stream') {
    const events = eventsOf(received, shape, reading);
    return { events: reading.mayRefuseInStream ? await awaitFirst(events) : events };
  }
  const { form, answer } = await begunAnswer(received.answer);
  const begun = { ...received, answer };
  if (form !== 'other') {
    const events = eventsOf(begun, shape, reading);
    // The first value may be an error instead of a stream.
    return { events: await awaitFirst(events, form === 'values' ? Number.POSITIVE_INFINITY : undefined) };
  }
  const value = reading.readValue(await readBody(begun, reading.maxAnswer, reading.cx.salvage));
  return { events: streamOf(decodeResponse(() => decodeWhole(shape, reading.cx, value))) };
}

function eventsOf(
  received: ReceivedResponse,
  shape: StreamShape,
  reading: ReplyReading,
): AsyncIterableIterator<LoggedEvent> {
  const { context, maxAnswer: maxEvent, closing, cx, onSkipped, method } = reading;
  const decoder = shape.decoder(cx);
  return readEventStream(received.answer, {
    context,
    maxEvent,
    salvage: cx.salvage,
    closing,
    onSkipped,
    followsTask: method.operation === 'SubscribeToTask',
    isAnswer: (frame) => reading.isAnswer(frame),
    decode: (frame) => reading.decodeFrame(decoder, frame),
    // Agents that do not stream, whatever their cards say, answer with the final result.
    decodeWhole(json, text) {
      const value = reading.readValue(bodyFromText(received, text, json));
      return decodeResponse(() => decodeFrame(decoder, { data: value }, cx));
    },
    over: () => cx.salvage?.over === true,
    end: () => [...(cx.salvage?.end() ?? []), ...(decoder.end?.() ?? [])],
  });
}

/** The first answer in the body of a server that sends even a single value as an event. */
async function readOnlyEvent(received: ReceivedResponse, reading: ReplyReading): Promise<Reply> {
  const { method, cx, maxAnswer: maxEvent, onSkipped } = reading;
  const { salvage } = cx;
  const { result } = method;
  const isAnswer = (frame: ParsedFrame): boolean => reading.isAnswer(frame);
  for await (const { data, text } of answersIn(received.answer, { maxEvent, salvage, isAnswer, onSkipped })) {
    const value = reading.readValue(bodyFromText(received, text, data));
    if (result) return decodeResponse(() => decodeResult(result, value, cx));
  }
  const message = `${shownUrl(received.url)} answered ${method.name} with a stream that has no result`;
  throw new A2AError('invalidAgentResponse', message);
}
