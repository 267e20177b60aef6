import type { StreamResponse } from '../../../core/model/a2a.ts';
import { A2AError, type ErrorKind, type GrpcStatusName } from '../../../core/model/errors.ts';
import { isObject } from '../../../core/model/json.ts';
import { entriesOf } from '../../../core/model/text.ts';
import { decodeWhole, errorInFrame } from '../../../dialects/kernel/calls.ts';
import type { CodecContext } from '../../../dialects/kernel/codec.ts';
import { kindOfStatus } from '../../../dialects/kernel/errors.ts';
import { errorFromConnect, readStatus, unpackError } from '../../../dialects/kernel/rpc-status.ts';
import { EnvelopeReader, flags } from '../../../wire/envelope.ts';
import { concatBytes, InboundBuffer } from '../../../wire/inbound-buffer.ts';
import { parseJsonText } from '../../../wire/json.ts';
import { readRpcResponse } from '../../../wire/jsonrpc.ts';
import { SseDecoder } from '../../../wire/sse.ts';
import type { Callable } from './callables.ts';

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

/** How an answer is framed, by its media type. */
type Framing = 'sse' | 'connect' | 'grpc-web' | 'whole';

export function framingOf(contentType: string): Framing {
  const mediaType = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (mediaType === 'text/event-stream') return 'sse';
  if (mediaType.startsWith('application/connect+')) return 'connect';
  return mediaType.startsWith('application/grpc-web') ? 'grpc-web' : 'whole';
}

/** Bytes of one message or event. */
const maxMessage = 64 << 20;

/** A reader of the chunks of a stream. */
export function createFrameReader(callable: Callable, framing: Exclude<Framing, 'whole'>, cx: CodecContext) {
  const { protocol, binding, method } = callable;
  const { stream, result } = method;
  const decoder = stream?.decoder(cx);
  let error: A2AError | undefined;
  let losses: readonly string[] = [];

  /** An error that the peer sent ends the stream; one in reading a frame does not. */
  const fail = (sent: A2AError): never => {
    error = sent;
    throw sent;
  };

  /** What a frame says: an event of a stream, or the one message of a unary call over gRPC-Web. */
  const read = (frame: { event?: string; data: unknown }): readonly StreamResponse[] =>
    decoder?.decode(frame) ?? [(result ? result.decode(frame.data, cx).value : frame.data) as StreamResponse];

  function frame(
    raw: string,
    more: Pick<AnswerFrame, 'event' | 'id'>,
    events: () => readonly StreamResponse[],
  ): AnswerFrame {
    try {
      return { raw, ...more, events: events() };
    } catch (thrown) {
      return { raw, ...more, events: [], problem: problemOf(thrown) };
    }
  }

  /** What an event of an event stream says. */
  function eventOf(event: string, data: unknown): readonly StreamResponse[] {
    const named = event === '' ? {} : { event };
    const { rest, jsonrpc } = protocol;
    if (binding === 'rest' && rest) {
      const failed = errorInFrame(rest, { event, data }, cx);
      return failed ? fail(failed) : read({ ...named, data });
    }
    if (jsonrpc?.stream.enveloped) {
      const response = readRpcResponse(data);
      if (response.error !== undefined) return fail(jsonrpc.error.decode(response.error, cx));
      return read({ ...named, data: response.result });
    }
    try {
      return read({ ...named, data });
    } catch (thrown) {
      // Frames without envelopes have errors under an event's name, which the decoder throws.
      if (event !== 'error') throw thrown;
      return fail(A2AError.from(thrown));
    }
  }

  const fromSse = (): ((chunk: Uint8Array) => AnswerFrame[]) => {
    const events = new SseDecoder(maxMessage);
    return (chunk) =>
      events
        .push(chunk)
        .map(({ event, id, data }) =>
          frame(data, { ...(event !== '' && { event }), ...(id !== undefined && { id }) }, () =>
            data === '' || (event !== '' && event === protocol.jsonrpc?.stream.closing)
              ? []
              : eventOf(event, parseJsonText(data)),
          ),
        );
  };

  /** Reads the message that ends a stream of Connect. */
  function endOfConnect(raw: string): A2AError | undefined {
    const end = parseJsonText(raw === '' ? '{}' : raw);
    if (!isObject(end)) return undefined;
    const named = isObject(end.metadata) ? end.metadata['a2a-gateway-loss'] : undefined;
    losses = entriesOf(Array.isArray(named) ? named : undefined);
    return errorFromConnect(end.error);
  }

  /** Reads the message that ends a body of gRPC-Web. */
  function endOfWeb(raw: string): A2AError | undefined {
    const trailers = parseTrailers(raw);
    losses = entriesOf(trailers['a2a-gateway-loss']);
    return errorOfTrailers(trailers, (status) => protocol.grpc?.kindOf?.(status, method.operation));
  }

  const ends = {
    connect: { flag: flags.connectEnd, event: 'end of the stream', read: endOfConnect },
    'grpc-web': { flag: flags.webTrailers, event: 'trailers', read: endOfWeb },
  };

  const fromEnvelopes = (end: (typeof ends)[keyof typeof ends]): ((chunk: Uint8Array) => AnswerFrame[]) => {
    const envelopes = new EnvelopeReader(() => new InboundBuffer(concatBytes), { limit: maxMessage });
    const text = new TextDecoder();
    return (chunk) =>
      envelopes.read(chunk).map(({ flags: bits, data }) => {
        const raw = text.decode(data).replaceAll('\r\n', '\n').trimEnd();
        if ((bits & end.flag) === 0) {
          return frame(raw, {}, () => {
            const json = parseJsonText(raw);
            return stream?.event ? [stream.event.decode(json as object, cx)] : read({ data: json });
          });
        }
        return frame(raw, { event: end.event }, () => {
          const failed = end.read(raw);
          return failed ? fail(failed) : [];
        });
      });
  };

  return {
    push: framing === 'sse' ? fromSse() : fromEnvelopes(ends[framing]),
    /** Events that were held back until the end of the stream. */
    end: () => decoder?.end?.() ?? [],
    /** The error that ended the stream. */
    get error() {
      return error;
    },
    /** What was dropped on the way, where it is said at the end of the stream. */
    get losses() {
      return losses;
    },
  };
}

/** Why something could not be read. */
function problemOf(thrown: unknown): string {
  const { message, cause } = A2AError.from(thrown);
  return cause instanceof Error ? cause.message : message;
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
    if (binding === 'jsonrpc' && isObject(json) && (status < 400 || 'error' in json)) {
      const { error, result } = readRpcResponse(json);
      return error === undefined
        ? decode(result)
        : { error: protocol.jsonrpc?.error.decode(error, cx) ?? new A2AError('internal') };
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
    return { problem: problemOf(thrown) };
  }
}

/** The error of an answer over HTTP that the dialect, or else the gateway itself, wrote. */
function errorOfStatus({ protocol }: Callable, status: number, body: unknown, cx: CodecContext): A2AError {
  const codec = protocol.rest?.error;
  if (codec && isObject(body)) return codec.decode({ status, body }, cx);
  const message = isObject(body) && isObject(body.error) ? body.error.message : undefined;
  return new A2AError(kindOfStatus(status), typeof message === 'string' ? message : undefined);
}

/** Trailers of gRPC-Web: the last message of a body, or the headers of an answer without messages. By names in lower case. */
type Trailers = Readonly<Record<string, string>>;

/** The trailers in a message. */
export function parseTrailers(text: string): Trailers {
  const lines = text.split(/\r?\n/).filter((line) => line.includes(':'));
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

/**
 * The error in trailers; undefined where the call succeeded, or there is no status.
 *
 * @param kindOf the dialect's own kinds for codes
 */
export function errorOfTrailers(
  trailers: Trailers,
  kindOf?: (status: GrpcStatusName) => ErrorKind | undefined,
): A2AError | undefined {
  const status = readStatus(trailers);
  return status && status.code !== 0 ? unpackError(status, kindOf) : undefined;
}
