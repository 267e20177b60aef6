import type { StreamResponse } from '../../core/model/a2a.ts';
import { unloggedEvent } from '../../core/model/agent-events.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { OperationName } from '../../gen/services.ts';
import { encodeSse } from '../../wire/sse.ts';
import type { CodecContext, Frame } from '../kernel/codec.ts';
import type { Dialect } from '../kernel/dialect.ts';
import { createRequestWriter } from '../kernel/http-request-writer.ts';
import type { NamedRequest } from '../kernel/methods.ts';
import type { Method, WireProtocol } from '../kernel/wire.ts';
import { type FrameBinding, isStanding, type Meaning, methodsOf, requestCodec } from './frame.ts';

/** V1 to frame. */

/** A frame as text, and the method that it is of. */
export interface Written {
  readonly text: string;
  readonly method?: string;
}

/**
 * What a meaning is in a dialect.
 *
 * @param binding one that the dialect has
 * @throws A2AError where the dialect cannot say it
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
  // The caller learns the rest by a second call.
  if (plan?.next) cx.losses.add('method');
  const value = method.result.encode(result, cx);
  return { text: pretty(type === 'response' ? { jsonrpc: '2.0', id, result: value } : value), method: method.name };
}

type StreamMeaning = Extract<Meaning, { events: object }>;

function writeStream(meaning: StreamMeaning, dialect: WireProtocol, binding: FrameBinding, cx: CodecContext): Written {
  const { events, error, id = 1 } = meaning;
  const method = streamMethodOf(dialect, binding, meaning.operation);
  const { stream: shape, name } = method;
  if (!shape) throw cannot(dialect, 'stream');
  if (binding === 'grpc') {
    const encode = shape.event?.encode;
    if (!encode) throw cannot(dialect, 'stream');
    return { text: pretty(events.map((event) => encode({ event, generation: 0 }, cx))), method: name };
  }
  const encoder = shape.encoder(cx);
  let at = Date.now();
  const frames: Frame[] = [];
  for (const [index, event] of events.entries()) {
    at = timeOf(event) ?? at;
    frames.push(...encoder.encode(unloggedEvent(event, index + 1, at)));
  }
  frames.push(...(encoder.end?.() ?? []));
  const enveloped = binding === 'jsonrpc' && dialect.jsonrpc?.stream.enveloped === true;
  const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  const texts = frames.map(({ data, ...frame }) =>
    encodeSse({ ...frame, data: enveloped && data !== '' ? `${start}${data}}` : data }),
  );
  if (error) texts.push(...(dialect.jsonrpc?.stream.error(error, id) ?? []).map(encodeSse));
  return { text: texts.join('').replace(/\n+$/, ''), method: name };
}

/** The method whose stream has the events of an operation: where starting and following are two methods, the latter. */
function streamMethodOf(dialect: WireProtocol, binding: FrameBinding, operation: OperationName): Method {
  const methods = methodsOf(dialect, binding).filter(({ stream }) => stream);
  const method = methods.find((one) => one.operation === operation) ?? methods[0];
  if (!method) throw cannot(dialect, 'streams');
  return method;
}

/** When an event happened, where it says so. */
function timeOf({ task, statusUpdate }: StreamResponse): number | undefined {
  const time = Date.parse((task ?? statusUpdate)?.status?.timestamp ?? '');
  return Number.isNaN(time) ? undefined : time;
}
