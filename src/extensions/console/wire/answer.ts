import type { StreamResponse } from '../../../core/model/a2a.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { isObject } from '../../../core/model/json.ts';
import { entriesOf } from '../../../core/model/text.ts';
import { decodeWhole, errorInFrame } from '../../../dialects/kernel/calls.ts';
import type { CodecContext, StreamDecoder } from '../../../dialects/kernel/codec.ts';
import { kindOfStatus } from '../../../dialects/kernel/errors.ts';
import { errorFromConnect } from '../../../dialects/kernel/rpc-status.ts';
import { EnvelopeReader, flags } from '../../../wire/envelope.ts';
import { concatBytes, InboundBuffer } from '../../../wire/inbound-buffer.ts';
import { parseJsonText } from '../../../wire/json.ts';
import { SseDecoder } from '../../../wire/sse.ts';
import type { Callable } from './callables.ts';
import { errorOfTrailers, parseTrailers } from './trailers.ts';

/** Answers over HTTP in v1, by the tables of the dialect. */

/** One frame of a stream: as it was sent, and what it says. */
export interface AnswerFrame {
  readonly raw: string;
  /** Name of the event; absent where it has none. */
  readonly event?: string;
  /** Position of the event in the task's log, where the binding says it. */
  readonly id?: string;
  /** In v1. None for a frame that ends the stream, or only completes another. */
  readonly events: readonly StreamResponse[];
  /** Why the frame could not be read. */
  readonly problem?: string;
}

/** What a whole body says. */
export interface AnswerValue {
  /** In v1. */
  readonly value?: unknown;
  readonly error?: A2AError;
  /** Why the body could not be read. */
  readonly problem?: string;
}

/** Reads the chunks of a stream. */
export interface FrameReader {
  push(chunk: Uint8Array): readonly AnswerFrame[];
  /** Events that were held back until the end of the stream. */
  end(): readonly StreamResponse[];
  /** The error that ended the stream. */
  readonly error: A2AError | undefined;
  /** What was dropped on the way, where it is said at the end of the stream. */
  readonly losses: readonly string[];
}

/** How an answer is framed, by its media type. */
export type Framing = 'sse' | 'connect' | 'grpc-web' | 'whole';

export function framingOf(contentType: string): Framing {
  const mediaType = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (mediaType === 'text/event-stream') return 'sse';
  if (mediaType.startsWith('application/connect+')) return 'connect';
  return mediaType.startsWith('application/grpc-web') ? 'grpc-web' : 'whole';
}

/** Bytes of one message or event. */
const maxMessage = 64 << 20;

/** Reads what is said in one frame. Frames of a stream may depend on each other. */
type ReadPayload = (frame: { event?: string; data: unknown }) => readonly StreamResponse[];

function payloadReader({ method }: Callable, cx: CodecContext): { read: ReadPayload; decoder?: StreamDecoder } {
  const { stream, result } = method;
  if (stream) {
    const decoder = stream.decoder(cx);
    return { read: (frame) => decoder.decode(frame), decoder };
  }
  // The one message of a unary call over gRPC-Web.
  return { read: ({ data }) => [(result ? result.decode(data, cx).value : data) as StreamResponse] };
}

/** A reader of frames. */
export function createFrameReader(callable: Callable, framing: 'sse' | 'connect' | 'grpc-web', cx: CodecContext) {
  const { read, decoder } = payloadReader(callable, cx);
  let error: A2AError | undefined;
  let losses: readonly string[] = [];

  function frame(
    raw: string,
    more: Pick<AnswerFrame, 'event' | 'id'>,
    data: () => readonly StreamResponse[],
  ): AnswerFrame {
    try {
      return { raw, ...more, events: data() };
    } catch (thrown) {
      const failed = A2AError.from(thrown);
      // An error that a frame holds ends the stream; one in reading a frame does not.
      if (thrown instanceof FrameError) error = thrown.error;
      return { raw, ...more, events: [], problem: failed.cause === undefined ? failed.message : causeOf(failed) };
    }
  }

  const fromSse = (): ((chunk: Uint8Array) => AnswerFrame[]) => {
    const events = new SseDecoder(maxMessage);
    return (chunk) =>
      events.push(chunk).map(({ event, id, data }) =>
        frame(data, { ...(event !== '' && { event }), ...(id !== undefined && { id }) }, () => {
          const { protocol, binding } = callable;
          if (data === '' || (event !== '' && event === protocol.jsonrpc?.stream.closing)) return [];
          return readEvent(callable, binding, event, parseJsonText(data), read, cx);
        }),
      );
  };

  const fromEnvelopes = (): ((chunk: Uint8Array) => AnswerFrame[]) => {
    const envelopes = new EnvelopeReader(() => new InboundBuffer(concatBytes), { limit: maxMessage });
    const text = new TextDecoder();
    return (chunk) =>
      envelopes.read(chunk).map(({ flags: bits, data }) => {
        const raw = text.decode(data).replaceAll('\r\n', '\n').trimEnd();
        if (framing === 'connect' && (bits & flags.connectEnd) !== 0) {
          return frame(raw, { event: 'end of the stream' }, () => {
            const end = parseJsonText(raw === '' ? '{}' : raw);
            const { metadata } = isObject(end) ? end : {};
            const named = isObject(metadata) ? metadata['a2a-gateway-loss'] : undefined;
            losses = entriesOf(Array.isArray(named) ? named : undefined);
            const failed = isObject(end) ? errorFromConnect(end.error) : undefined;
            if (failed) throw new FrameError(failed);
            return [];
          });
        }
        if (framing === 'grpc-web' && (bits & flags.webTrailers) !== 0) {
          return frame(raw, { event: 'trailers' }, () => {
            const trailers = parseTrailers(raw);
            losses = entriesOf(trailers['a2a-gateway-loss']);
            const failed = errorOfTrailers(trailers, kindOf(callable));
            if (failed) throw new FrameError(failed);
            return [];
          });
        }
        return frame(raw, {}, () => readMessage(callable, parseJsonText(raw), read, cx));
      });
  };

  const push = framing === 'sse' ? fromSse() : fromEnvelopes();
  return {
    push,
    end: () => decoder?.end?.() ?? [],
    get error() {
      return error;
    },
    get losses() {
      return losses;
    },
  } satisfies FrameReader;
}

/** An error that the peer sent in a frame. */
class FrameError extends A2AError {
  readonly error: A2AError;

  constructor(error: A2AError) {
    super(error.kind, error.message);
    this.error = error;
  }
}

function causeOf({ message, cause }: A2AError): string {
  return cause instanceof Error ? cause.message : message;
}

const kindOf = ({ protocol, method }: Callable) => {
  const { grpc } = protocol;
  return (
    grpc?.kindOf &&
    ((status: Parameters<NonNullable<typeof grpc.kindOf>>[0]) => grpc.kindOf?.(status, method.operation))
  );
};

/** What an event of an event stream says. */
function readEvent(
  { protocol }: Callable,
  binding: Callable['binding'],
  event: string,
  data: unknown,
  read: ReadPayload,
  cx: CodecContext,
): readonly StreamResponse[] {
  const named = event === '' ? {} : { event };
  if (binding === 'rest' && protocol.rest) {
    const failed = errorInFrame(protocol.rest, { event, data }, cx);
    if (failed) throw new FrameError(failed);
    return read({ ...named, data });
  }
  const { jsonrpc } = protocol;
  if (!jsonrpc?.stream.enveloped) return readBare(read, { ...named, data });
  if (!isObject(data)) throw new A2AError('invalidAgentResponse', 'The frame is not a JSON-RPC response');
  if (data.error !== undefined && data.error !== null) throw new FrameError(jsonrpc.error.decode(data.error, cx));
  return read({ ...named, data: data.result });
}

/** Frames without envelopes have errors under an event's name, which the decoder throws. */
function readBare(read: ReadPayload, frame: { event?: string; data: unknown }): readonly StreamResponse[] {
  try {
    return read(frame);
  } catch (thrown) {
    throw frame.event === 'error' ? new FrameError(A2AError.from(thrown)) : thrown;
  }
}

function readMessage({ method }: Callable, data: unknown, read: ReadPayload, cx: CodecContext) {
  const event = method.stream?.event;
  return event ? [event.decode(data, cx)] : read({ data });
}

/** What a whole body says. `status` is that of HTTP. */
export function readBody(callable: Callable, status: number, text: string, cx: CodecContext): AnswerValue {
  const { protocol, binding, method } = callable;
  const decode = (wire: unknown): AnswerValue => {
    if (method.result) return { value: method.result.decode(wire, cx).value };
    // Agents that do not stream answer with the final result.
    if (method.stream) return { value: decodeWhole(method.stream, cx, wire) };
    return { value: wire };
  };
  try {
    const json = text.trim() === '' ? undefined : parseJsonText(text);
    if (binding === 'jsonrpc' && isObject(json)) {
      if (json.error !== undefined && json.error !== null) {
        return { error: protocol.jsonrpc?.error.decode(json.error, cx) ?? new A2AError('internal') };
      }
      if ('result' in json) return decode(json.result);
    }
    if (binding === 'connect' && status !== 200) {
      const error = errorFromConnect(json);
      if (error) return { error };
    }
    if (status >= 400) return { error: errorOfStatus(callable, status, json, cx) };
    if (binding === 'jsonrpc') return { problem: 'The answer is not a JSON-RPC response.' };
    return decode(json ?? {});
  } catch (thrown) {
    if (status >= 400) return { error: new A2AError(kindOfStatus(status)) };
    const { message, cause } = A2AError.from(thrown);
    return { problem: cause instanceof Error ? cause.message : message };
  }
}

/** The error of an answer over HTTP that the dialect, or else the gateway itself, wrote. */
function errorOfStatus({ protocol }: Callable, status: number, body: unknown, cx: CodecContext): A2AError {
  const codec = protocol.rest?.error;
  if (codec && isObject(body)) return codec.decode({ status, body }, cx);
  const message = isObject(body) && isObject(body.error) ? body.error.message : undefined;
  return new A2AError(kindOfStatus(status), typeof message === 'string' ? message : undefined);
}
