import type { StreamResponse } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { createRouter } from '../../wire/http-rule.ts';
import type { CodecContext } from '../kernel/codec.ts';
import type { Dialect } from '../kernel/dialect.ts';
import { assembleRequest } from '../kernel/http-request.ts';
import type { RestBinding, RestRoute } from '../kernel/wire.ts';
import { type FrameType, isStanding, type Meaning, type Reading, requestCodec } from './frame.ts';
import type { HttpText, Parsed } from './text.ts';

/** Conversion from frames to v1. */

/** @throws A2AError if it is not such a frame */
export function readFrame(parsed: Parsed, reading: Reading, cx: CodecContext): Meaning {
  const { dialect, type, method } = reading;
  if (type === 'stream') return readStream(parsed, reading, cx);
  if (parsed.http && type === 'request') return { type, request: readHttp(parsed.http, reading, cx) };
  if (!parsed.json) throw notA(type);
  const { value } = parsed.json;
  if (isStanding(type)) {
    const codec = (dialect as Partial<Dialect>).types?.[type];
    if (!codec) throw notA(type);
    return { type, value: codec.decode(value, cx) };
  }
  if (type === 'error') return { type, error: readError(value, reading, cx) };
  if (type === 'request') return { type, request: requestCodec(dialect).decode(value, cx) as never };
  if (type === 'response') return readResponse(value, reading, cx);
  if (!method) throw new A2AError('invalidRequest', `${type} needs the name of its method`);
  const { operation } = method;
  if (type === 'params') return { type, request: { ...method.request.decode(value, cx), operation } };
  if (!method.result) throw new A2AError('invalidRequest', `${method.name} answers with a stream`);
  return { type, operation, result: method.result.decode(value, cx) };
}

const notA = (type: FrameType): A2AError => new A2AError('invalidRequest', `this frame does not have the type ${type}`);

function readResponse(value: unknown, reading: Reading, cx: CodecContext): Meaning {
  if (!isObject(value)) throw notA('response');
  const id = 'id' in value ? { id: value.id } : {};
  if ('error' in value) return { type: 'response', error: readError(value.error, reading, cx), ...id };
  const { method } = reading;
  if (!('result' in value) || !method?.result) throw notA('response');
  const result = method.result.decode(value.result, cx);
  return { type: 'response', operation: method.operation, result, ...id };
}

function readError(value: unknown, { binding, dialect }: Reading, cx: CodecContext): A2AError {
  const codec = binding === 'rest' ? dialect.rest?.error : dialect.jsonrpc?.error;
  if (!codec) throw notA('error');
  return codec.decode(binding === 'rest' ? withStatus(value) : value, cx);
}

/** Returns an error over HTTP+JSON with its status. If only the body is known, its `error.code` is the status. */
function withStatus(value: unknown): { status: number; body: unknown } {
  if (isObject(value) && typeof value.status === 'number' && 'body' in value) return value as never;
  const { code } = isObject(value) && isObject(value.error) ? value.error : {};
  if (typeof code !== 'number') throw notA('error');
  return { status: code, body: value };
}

/** Returns the route of a request, wherever the agent's own path ends. */
export function routeOf({ routes }: RestBinding, { verb, url }: HttpText) {
  const router = createRouter<RestRoute>(routes.map((route) => [route.rule, route]));
  const [path = '', query = ''] = url.split('?');
  for (let at = 0; at >= 0; at = path.indexOf('/', at + 1)) {
    const match = router.match(verb, path.slice(at));
    if (match && match.allow === undefined) return { ...match, query, path: path.slice(at) };
  }
  return undefined;
}

function readHttp(http: HttpText, { dialect: { rest } }: Reading, cx: CodecContext) {
  const match = rest && routeOf(rest, http);
  if (!match) throw new A2AError('routeNotFound', `there is no route ${http.verb} ${http.url}`);
  const { value: route, variables, query } = match;
  const parts = { body: http.body, bodyField: route.rule.body, query, variables };
  const assembled = assembleRequest(rest.api.fields, route.requestType, parts);
  return { ...route.method.request.decode(assembled, cx), operation: route.method.operation, id: 1 };
}

function readStream(parsed: Parsed, { dialect, binding, method }: Reading, cx: CodecContext): Meaning {
  const shape = method?.stream;
  if (!shape) throw notA('stream');
  const { operation } = method;
  if (binding === 'grpc') {
    const { event } = shape;
    if (!event || !Array.isArray(parsed.json?.value)) throw notA('stream');
    return { type: 'stream', operation, events: parsed.json.value.map((one) => event.decode(one, cx)) };
  }
  const enveloped = binding === 'jsonrpc' && dialect.jsonrpc?.stream.enveloped === true;
  const decoder = shape.decoder(cx);
  const events: StreamResponse[] = [];
  let id: unknown;
  if (!parsed.events) throw notA('stream');
  for (const { event, data } of parsed.events) {
    if (enveloped) {
      if (!isObject(data) || !('result' in data || 'error' in data)) throw notA('stream');
      id ??= data.id;
    }
    const payload = enveloped ? (data as { result?: unknown }).result : data;
    try {
      if (enveloped && isObject(data) && 'error' in data) throw dialect.jsonrpc?.error.decode(data.error, cx);
      events.push(...decoder.decode({ ...(event && { event }), data: payload }));
    } catch (thrown) {
      // An error that ends the stream is the agent's; any other is not part of the stream.
      const error = thrown as A2AError;
      if (error.kind === 'invalidParams' || error.kind === 'invalidAgentResponse') throw error;
      return { type: 'stream', operation, events, error, ...(id !== undefined && { id }) };
    }
  }
  events.push(...(decoder.end?.() ?? []));
  return { type: 'stream', operation, events, ...(id !== undefined && { id }) };
}
