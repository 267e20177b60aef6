import { A2AError, type ErrorKind, type GrpcStatusName } from '../../../core/model/errors.ts';
import { isObject } from '../../../core/model/json.ts';
import { entriesOf } from '../../../core/model/text.ts';
import { decodeWhole, errorIn, errorInFrame } from '../../../dialects/kernel/calls.ts';
import type { CodecContext } from '../../../dialects/kernel/codec.ts';
import { kindOfStatus } from '../../../dialects/kernel/errors.ts';
import { errorFromConnect, readStatus, unpackError } from '../../../dialects/kernel/rpc-status.ts';
import { EnvelopeReader, flags } from '../../../wire/envelope.ts';
import { concatBytes, InboundBuffer } from '../../../wire/inbound-buffer.ts';
import { parseJsonText } from '../../../wire/json.ts';
import { readRpcResponse } from '../../../wire/jsonrpc.ts';
import { SseDecoder } from '../../../wire/sse.ts';
import type { Callable } from './callables.ts';

/** Decodes answers over HTTP to v1, by the tables of the dialect. */

/** One frame of a stream, or the whole of another answer: its text, and its meaning. */
export interface AnswerFrame {
  readonly raw: string;
  /** Name of the event; absent if it has none. */
  readonly event?: string;
  /** Position of the event in the task's log, if the binding sends it. */
  readonly id?: string;
  /**
   * Meaning in v1: events of a stream, or one value. Empty for a frame that ends the stream, or only completes another.
   */
  readonly values: readonly unknown[];
  /** Reason why the frame could not be read. */
  readonly problem?: string;
}

/** Framing of an answer, by its media type. */
type Framing = 'sse' | 'connect' | 'grpc-web' | 'whole';

export function framingOf(contentType: string): Framing {
  const mediaType = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (mediaType === 'text/event-stream') return 'sse';
  if (mediaType.startsWith('application/connect+')) return 'connect';
  return mediaType.startsWith('application/grpc-web') ? 'grpc-web' : 'whole';
}

/** Bytes of one message or event. */
const maxMessage = 64 << 20;

/** Returns a reader of the chunks of a stream. */
export function createFrameReader(callable: Callable, framing: Exclude<Framing, 'whole'>, cx: CodecContext) {
  const { protocol, binding, method } = callable;
  const { jsonrpc, rest, grpc } = protocol;
  const decoder = method.stream?.decoder(cx);
  /** End of the stream: the peer's error, and losses, if its end contains them. */
  const ending: { error?: A2AError; losses: readonly string[] } = { losses: [] };

  /** Decodes a frame: an event of a stream, or the one message of a unary call over gRPC-Web. */
  const decode = (frame: { event?: string; data: unknown }): readonly unknown[] =>
    decoder?.decode(frame) ?? [method.result ? method.result.decode(frame.data, cx).value : frame.data];

  /** `read` returns the error if the frame is one: that ends the stream, and a frame that cannot be read does not. */
  function frame(raw: string, more: Pick<AnswerFrame, 'event' | 'id'>, read: () => readonly unknown[] | A2AError) {
    const framed: AnswerFrame = { raw, ...more, values: [] };
    try {
      const values = read();
      if (!(values instanceof A2AError)) return { ...framed, values };
      ending.error = values;
      return { ...framed, problem: problemOf(values) };
    } catch (thrown) {
      return { ...framed, problem: problemOf(thrown) };
    }
  }

  /** Decodes an event of an event stream. */
  function eventOf(event: string, data: unknown): readonly unknown[] | A2AError {
    const named = { ...(event !== '' && { event }), data };
    if (binding === 'rest' && rest) return errorInFrame(rest, { event, data }, cx) ?? decode(named);
    if (jsonrpc?.stream.enveloped) {
      const { error, result } = readRpcResponse(data);
      return error === undefined ? decode({ ...named, data: result }) : jsonrpc.error.decode(error, cx);
    }
    try {
      return decode(named);
    } catch (thrown) {
      // Frames without envelopes have errors under an event's name, which the decoder throws.
      if (event === 'error') return A2AError.from(thrown);
      throw thrown;
    }
  }

  const events = new SseDecoder(maxMessage);
  const fromSse = (chunk: Uint8Array): AnswerFrame[] =>
    events
      .push(chunk)
      .map(({ event, id, data }) =>
        frame(data, { ...(event !== '' && { event }), ...(id !== undefined && { id }) }, () =>
          data === '' || (event !== '' && event === jsonrpc?.stream.closing) ? [] : eventOf(event, parseJsonText(data)),
        ),
      );

  /** Reads the message that ends a stream of Connect. */
  function endOfConnect(raw: string): A2AError | undefined {
    const end = parseJsonText(raw === '' ? '{}' : raw);
    if (!isObject(end)) return undefined;
    const named = isObject(end.metadata) ? end.metadata['a2a-gateway-loss'] : undefined;
    ending.losses = entriesOf(Array.isArray(named) ? named : undefined);
    return errorFromConnect(end.error);
  }

  /** Reads the message that ends a body of gRPC-Web. */
  function endOfWeb(raw: string): A2AError | undefined {
    const trailers = parseTrailers(raw);
    ending.losses = entriesOf(trailers['a2a-gateway-loss']);
    return errorOfTrailers(trailers, (status) => grpc?.kindOf?.(status, method.operation));
  }

  const end =
    framing === 'connect'
      ? { flag: flags.connectEnd, event: 'end of the stream', read: endOfConnect }
      : { flag: flags.webTrailers, event: 'trailers', read: endOfWeb };
  const envelopes = new EnvelopeReader(() => new InboundBuffer(concatBytes), { limit: maxMessage });
  const text = new TextDecoder();
  const fromEnvelopes = (chunk: Uint8Array): AnswerFrame[] =>
    envelopes.read(chunk).map(({ flags: bits, data }) => {
      const raw = text.decode(data).replaceAll('\r\n', '\n').trimEnd();
      if ((bits & end.flag) !== 0) return frame(raw, { event: end.event }, () => end.read(raw) ?? []);
      return frame(raw, {}, () => {
        const json = parseJsonText(raw);
        const { event } = method.stream ?? {};
        return event ? [event.decode(json as object, cx)] : decode({ data: json });
      });
    });

  return {
    push: framing === 'sse' ? fromSse : fromEnvelopes,
    /** Returns events that were held back until the end of the stream. */
    end: () => decoder?.end?.() ?? [],
    ending,
  };
}

/** Describes the reason why something could not be read. */
function problemOf(thrown: unknown): string {
  const { message, cause } = A2AError.from(thrown);
  return cause instanceof Error ? cause.message : message;
}

/** Decodes a whole body. `status` is that of HTTP. */
export function readBody(
  callable: Callable,
  status: number,
  raw: string,
  cx: CodecContext,
): AnswerFrame & { readonly error?: A2AError } {
  const { protocol, binding, method } = callable;
  /** Agents that do not stream answer with the final result. */
  const decode = (wire: unknown): readonly unknown[] => {
    if (method.result) return [method.result.decode(wire, cx).value];
    return method.stream ? decodeWhole(method.stream, cx, wire) : [wire];
  };
  const read = (): readonly unknown[] | A2AError => {
    const json = raw.trim() === '' ? undefined : parseJsonText(raw);
    if (binding === 'jsonrpc' && isObject(json) && (status < 400 || 'error' in json)) {
      const { error, result } = readRpcResponse(json);
      if (error === undefined) return decode(result);
      return protocol.jsonrpc?.error.decode(error, cx) ?? new A2AError('internal');
    }
    const failed = binding === 'connect' && status !== 200 ? errorFromConnect(json) : undefined;
    if (failed || status >= 400) return failed ?? errorOfStatus(callable, status, json, cx);
    if (binding === 'jsonrpc') throw new TypeError('The answer is not a JSON-RPC response.');
    return decode(json ?? {});
  };
  try {
    const values = read();
    return values instanceof A2AError ? { raw, values: [], error: values } : { raw, values: values };
  } catch (thrown) {
    if (status >= 400) return { raw, values: [], error: new A2AError(kindOfStatus(status)) };
    return { raw, values: [], problem: problemOf(thrown) };
  }
}

/** Returns the error of an HTTP response that the dialect, or else the gateway itself, wrote. */
function errorOfStatus({ protocol }: Callable, status: number, body: unknown, cx: CodecContext): A2AError {
  const codec = protocol.rest?.error;
  if (codec && isObject(body)) return codec.decode({ status, body }, cx);
  const message = errorIn(body)?.message;
  return new A2AError(kindOfStatus(status), typeof message === 'string' ? message : undefined);
}

/** Trailers of gRPC-Web: the last message of a body, or the headers of an answer without messages. By names in lower case. */
type Trailers = Readonly<Record<string, string>>;

/** Parses the trailers in a message. */
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
 * Returns the error in trailers; undefined if the call succeeded, or there is no status.
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
