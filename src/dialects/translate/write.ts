import type { StreamResponse } from '../../core/model/a2a.ts';
import { unloggedEvent } from '../../core/model/agent-events.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { OperationName } from '../../gen/services.ts';
import { encodeSse } from '../../wire/sse.ts';
import type { CodecContext, Frame, StreamEncoder } from '../kernel/codec.ts';
import type { Dialect } from '../kernel/dialect.ts';
import { createRequestWriter } from '../kernel/http-request.ts';
import type { NamedRequest } from '../kernel/methods.ts';
import type { Method, WireProtocol } from '../kernel/wire.ts';
import { type FrameBinding, isStanding, type Meaning, methodsOf, requestCodec } from './frame.ts';

/** Conversion from v1 to frames. */

/** A frame as text, and the method that it belongs to. */
export interface Written {
  readonly text: string;
  readonly method?: string;
}

/**
 * Writes a meaning in a dialect.
 *
 * @param binding one that the dialect has
 * @throws A2AError if the dialect cannot express it
 */
export function writeFrame(meaning: Meaning, dialect: WireProtocol, binding: FrameBinding, cx: CodecContext): Written {
  const { type } = meaning;
  if (isStanding(type)) {
    const codec = (dialect as Partial<Dialect>).types?.[type];
    if (!codec) throw cannot(dialect, type);
    return { text: pretty(codec.encode((meaning as { value: unknown }).value, cx)) };
  }
  if ('request' in meaning) return writeRequest(meaning, dialect, binding, cx);
  if ('result' in meaning) return writeResult(meaning, dialect, binding, cx);
  if ('events' in meaning) return writeStream(meaning, dialect, binding, cx);
  const { error, id = null } = meaning as { error: A2AError; id?: unknown };
  const codec = binding === 'rest' ? dialect.rest?.error : dialect.jsonrpc?.error;
  if (!codec) throw cannot(dialect, type);
  const encoded = codec.encode(error, cx);
  return { text: pretty(type === 'response' ? { jsonrpc: '2.0', id, error: encoded } : encoded) };
}

const pretty = (value: unknown): string => JSON.stringify(value ?? null, undefined, 2);

const cannot = ({ name }: WireProtocol, what: string): A2AError =>
  new A2AError('unsupportedOperation', `${name} has no ${what}`);

type RequestMeaning = Extract<Meaning, { request: NamedRequest }>;

function writeRequest(
  { type, request }: RequestMeaning,
  dialect: WireProtocol,
  binding: FrameBinding,
  cx: CodecContext,
): Written {
  const { operation, id: _, ...decoded } = request;
  if (binding === 'jsonrpc') {
    const whole = requestCodec(dialect).encode(request, cx) as { method: string; params: unknown };
    return { text: pretty(type === 'params' ? whole.params : whole), method: whole.method };
  }
  const method = methodFor(dialect, binding, operation);
  const wire = method.request.encode(decoded, cx);
  if (type === 'params' || !dialect.rest) return { text: pretty(wire), method: method.name };
  const { verb, path, query, body } = createRequestWriter(dialect.rest).write(operation, wire);
  const line = `${verb} ${path}${query && `?${query}`}`;
  return { text: body === undefined ? line : `${line}\n\n${pretty(JSON.parse(body))}`, method: method.name };
}

function methodFor(dialect: WireProtocol, binding: FrameBinding, operation: OperationName): Method {
  const method = methodsOf(dialect, binding).find((one) => one.operation === operation);
  if (!method) throw cannot(dialect, operation);
  return method;
}

type ResultMeaning = Extract<Meaning, { result: object }>;

function writeResult(
  { type, operation, result, id = 1 }: ResultMeaning,
  dialect: WireProtocol,
  binding: FrameBinding,
  cx: CodecContext,
): Written {
  const plan = binding === 'jsonrpc' ? dialect.jsonrpc?.calls.get(operation) : undefined;
  const method = plan?.method ?? methodFor(dialect, binding, operation);
  if (!method.result) throw cannot(dialect, `answer to ${operation}`);
  // The caller gets the rest by a second call.
  if (plan?.next) cx.losses.add('method');
  const value = method.result.encode(result, cx);
  return { text: pretty(type === 'response' ? { jsonrpc: '2.0', id, result: value } : value), method: method.name };
}

type StreamMeaning = Extract<Meaning, { events: object }>;

function writeStream(meaning: StreamMeaning, dialect: WireProtocol, binding: FrameBinding, cx: CodecContext): Written {
  const { events, error, id = 1 } = meaning;
  if (binding === 'grpc') return writeMessages(meaning, dialect, cx);
  const enveloped = binding === 'jsonrpc' && dialect.jsonrpc?.stream.enveloped === true;
  const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  for (const { name, stream: shape } of streamMethodsOf(dialect, binding, meaning.operation)) {
    const encoder = shape.encoder(cx);
    const frames = [...framesOf(events, encoder), ...(encoder.end?.() ?? [])];
    // A subscription of some dialects has the task alone, and none of its events.
    if (events.length > 0 && frames.every(({ data }) => data === '')) continue;
    const texts = frames.map(({ data, ...frame }) =>
      encodeSse({ ...frame, data: enveloped && data !== '' ? `${start}${data}}` : data }),
    );
    if (error) texts.push(...(dialect.jsonrpc?.stream.error(error, id) ?? []).map(encodeSse));
    return { text: texts.join('').trimEnd(), method: name };
  }
  throw cannot(dialect, 'stream of such events');
}

function framesOf(events: readonly StreamResponse[], encoder: StreamEncoder): Frame[] {
  let at = Date.now();
  return events.flatMap((event, index) => {
    at = timeOf(event) ?? at;
    return [...encoder.encode(unloggedEvent(event, index + 1, at))];
  });
}

/** The messages of a stream over gRPC, in ProtoJSON. */
function writeMessages({ events, operation }: StreamMeaning, dialect: WireProtocol, cx: CodecContext): Written {
  const [method] = streamMethodsOf(dialect, 'grpc', operation);
  const encode = method?.stream.event?.encode;
  if (!encode) throw cannot(dialect, 'stream');
  return { text: pretty(events.map((event) => encode({ event, generation: 0 }, cx))), method: method.name };
}

type StreamMethod = Method & Required<Pick<Method, 'stream'>>;

/** The methods that stream, those of the operation first. */
function streamMethodsOf(dialect: WireProtocol, binding: FrameBinding, operation: OperationName): StreamMethod[] {
  const methods = methodsOf(dialect, binding).filter((method): method is StreamMethod => method.stream !== undefined);
  const isOf = (method: Method): number => Number(method.operation === operation);
  return methods.sort((one, other) => isOf(other) - isOf(one));
}

/** Returns the time of an event, if it contains one. */
function timeOf({ task, statusUpdate }: StreamResponse): number | undefined {
  const time = Date.parse((task ?? statusUpdate)?.status?.timestamp ?? '');
  return Number.isNaN(time) ? undefined : time;
}
