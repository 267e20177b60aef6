import { isStream } from '../../core/model/call.ts';
import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import { newId } from '../../core/model/ids.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { Method } from '../../dialects/kernel/wire.ts';
import type { OperationName } from '../../gen/services.ts';
import type { ClientTls } from '../../net/client-tls.ts';
import type { HttpClient } from '../../net/http-client.ts';
import type { OnWire } from '../../net/wire-log.ts';
import { callContext } from '../caller.ts';
import type { HeaderSource } from '../credentials.ts';
import type { ProbeEndpoint } from './places.ts';
import { requestFields, type WireFormat } from './tables.ts';

/** Probe requests, which only read. They are sent by the clients that also make calls to agents. */

export interface ProbeRequestOptions {
  readonly http: HttpClient;
  readonly headersFor: (url: URL) => HeaderSource;
  readonly tlsFor: (url: URL) => ClientTls | undefined;
  readonly onWire?: OnWire | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds for one request. */
  readonly timeout: number;
  /** Time at which the probe ends, on the clock of `performance.now()`. */
  readonly end: number;
}

/** The response to a probe request: an error, or none if the agent returned a value. */
export interface ProbeResponse {
  readonly error?: A2AError;
  /** Summary of the response, without the random id of the request. */
  readonly words: string;
}

/**
 * Calls a read-only operation with an id that cannot exist.
 *
 * @param dialect a variation of the endpoint's dialect, made by the functions below
 * @throws A2AError `canceled` if the signal aborts; no other error
 */
export async function sendProbe(
  { binding, url, tenant, dialect: own }: ProbeEndpoint,
  operation: OperationName,
  { http, headersFor, tlsFor, onWire, signal, timeout, end }: ProbeRequestOptions,
  dialect: Dialect = own,
): Promise<ProbeResponse> {
  const left = Math.min(timeout, Math.ceil(end - performance.now()));
  if (signal.aborted) throw new A2AError('canceled', undefined, { cause: signal.reason });
  if (left <= 0) return failed(new A2AError('deadlineExceeded', 'not tried: the time limit of the probe was reached'));
  const id = newId();
  try {
    const tls = tlsFor(url);
    const own = { headers: headersFor(url), ...(tls && { tls }), ...(onWire && { onWire }) };
    const transport = await binding.open({ url: url.href, dialect, http, ...own, timeout: left, strict: false });
    try {
      const request = { ...requestFor(operation, id), ...(tenant !== '' && { tenant }) };
      const reply = await transport.invoke({ operation, request, context: callContext('', tenant, { signal }) });
      if (isStream(reply)) await reply.events[Symbol.asyncIterator]().return?.();
      return { words: 'a result' };
    } finally {
      await transport.close();
    }
  } catch (thrown) {
    const error = A2AError.from(thrown);
    if (error.kind === 'canceled') throw error;
    return failed(error, id);
  }
}

/** Creates the response for an error. Its message is shortened to 300 characters and does not contain the random id. */
function failed(error: A2AError, id = ''): ProbeResponse {
  const line = error.message.replace(/\s+/g, ' ').trim();
  const words = id === '' ? line : line.replaceAll(id, '…');
  return { error, words: words.length <= 300 ? words : `${words.slice(0, 299)}…` };
}

/** Creates a request for a read-only operation about an id. */
function requestFor(operation: OperationName, id: string): { readonly id: string } {
  const values = { id, taskId: id, pageSize: 1 };
  const fields = requestFields(operation);
  return Object.fromEntries(Object.entries(values).filter(([name]) => fields.includes(name))) as typeof values;
}

/** Accepts every result: only its existence matters. */
const anyResult: NonNullable<Method['result']> = {
  decode: (wire) => ({ value: wire as never }),
  encode: ({ value }) => value,
};

/** Copies a dialect so that the method's operation calls this method and accepts any result. */
export function withMethod(dialect: Dialect, method: Method): Dialect {
  const { jsonrpc } = dialect;
  if (jsonrpc === undefined) return dialect;
  const calls = new Map([[method.operation, { method: { ...method, result: anyResult } }]]);
  return { ...dialect, jsonrpc: { ...jsonrpc, calls } };
}

/** Creates a method without parameters that belongs to no operation, to be called in place of an operation. */
export const localMethod = (name: string, operation: OperationName): Method => ({
  name,
  operation,
  request: { decode: () => ({ request: {} as never }), encode: () => ({}) },
});

/** A path that is too deep to be taken for a tenant. */
const missingPath = '/no/such/path';
const missingService = 'no.such.Service';

/**
 * Copies a dialect with names of methods that do not exist. If a server responds to them as it does to the real
 * methods, its responses prove nothing.
 */
export function controlOf({ jsonrpc, rest, grpc, ...dialect }: Dialect): Dialect {
  const calls = [...(jsonrpc?.calls ?? [])].map(([operation, { method }]) => {
    return [operation, { method: { ...method, name: `no-such-method/${method.name}` } }] as const;
  });
  const routes = rest?.routes.map((route) => {
    return { ...route, rule: { ...route.rule, path: `${missingPath}${route.rule.path}` } };
  });
  const operations = grpc?.api.operations.map((one) => {
    return { ...one, service: missingService, grpcPath: `/${missingService}/${one.rpc}` };
  });
  return {
    ...dialect,
    ...(jsonrpc && { jsonrpc: { ...jsonrpc, calls: new Map(calls) } }),
    ...(rest && routes && { rest: { ...rest, routes } }),
    ...(grpc && operations && { grpc: { ...grpc, service: missingService, api: { ...grpc.api, operations } } }),
  };
}

/** Errors of servers that did not answer, or are not agents. */
const noAgentKinds: ReadonlySet<ErrorKind> = new Set([
  'upstreamUnreachable',
  'upstreamTimeout',
  'deadlineExceeded',
  'invalidAgentResponse',
  'unavailable',
  'tooManyRequests',
  'requestTimeout',
  'payloadTooLarge',
]);

/** Errors about the caller's permissions, which do not show what exists. */
export const deniedKinds: ReadonlySet<ErrorKind> = new Set(['unauthenticated', 'permissionDenied']);

/** Errors that report that a method, path, agent or version does not exist. */
export const absentKinds: ReadonlySet<ErrorKind> = new Set([
  'methodNotFound',
  'routeNotFound',
  'verbNotAllowed',
  'agentNotFound',
  'versionNotSupported',
]);

/** Whether the agent itself answered, and knows the method. */
export const isFromAgent = ({ error }: ProbeResponse): boolean =>
  error === undefined || ![noAgentKinds, deniedKinds, absentKinds].some((kinds) => kinds.has(error.kind));

/**
 * Whether a response equals the response to a missing method. Over HTTP+JSON the messages are compared too, because a
 * bare 404 means "no such task" in some dialects.
 */
export function matchesControl(answer: ProbeResponse, control: ProbeResponse, format: WireFormat): boolean {
  if (answer.error?.kind !== control.error?.kind) return false;
  return format !== 'rest' || answer.words === control.words.replaceAll(missingPath, '');
}
