import { isStream } from '../../core/model/call.ts';
import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import { newId } from '../../core/model/ids.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { Method } from '../../dialects/kernel/wire.ts';
import type { OperationName } from '../../gen/services.ts';
import type { ClientTls } from '../../net/client-tls.ts';
import type { HttpClient } from '../../net/http-client.ts';
import { callContext } from '../caller.ts';
import type { HeaderSource } from '../credentials.ts';
import type { ProbeEndpoint } from './places.ts';
import { requestFields, type WireFormat } from './tables.ts';

/** Harmless questions to agents, through the very clients that call them. */

export interface ProbeRequestOptions {
  readonly http: HttpClient;
  readonly headersFor: (url: URL) => HeaderSource;
  readonly tlsFor: (url: URL) => ClientTls | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds of one question. */
  readonly timeout: number;
  /** When `performance.now()` must not have passed. */
  readonly end: number;
}

/** What came back: an error, or none when it was a value. */
export interface ProbeResponse {
  readonly error?: A2AError;
  /** What was said, in a few words, without what is another one each time. */
  readonly words: string;
}

/**
 * Asks a place to carry out an operation that only reads, about an id that cannot exist.
 *
 * @param dialect another than the place's own, such as one of the variations below
 * @throws A2AError `canceled` when the signal aborts; nothing else
 */
export async function sendProbe(
  { binding, url, tenant, dialect: own }: ProbeEndpoint,
  operation: OperationName,
  { http, headersFor, tlsFor, signal, timeout, end }: ProbeRequestOptions,
  dialect: Dialect = own,
): Promise<ProbeResponse> {
  const left = Math.min(timeout, Math.ceil(end - performance.now()));
  if (signal.aborted) throw new A2AError('canceled', undefined, { cause: signal.reason });
  if (left <= 0) return failed(new A2AError('deadlineExceeded', 'not tried: the time for all of it is up'));
  const id = newId();
  try {
    const headers = headersFor(url);
    const tls = tlsFor(url);
    const secrets = tls === undefined ? { headers } : { headers, tls };
    const transport = await binding.open({ url: url.href, dialect, http, ...secrets, timeout: left, strict: false });
    try {
      const request = { ...nothingThere(operation, id), ...(tenant !== '' && { tenant }) };
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

/** A server's words, without the id that it was asked for, and no longer than a line or two. */
function failed(error: A2AError, id = ''): ProbeResponse {
  const line = error.message.replace(/\s+/g, ' ').trim();
  const said = id === '' ? line : line.replaceAll(id, '…');
  return { error, words: said.length <= 300 ? said : `${said.slice(0, 299)}…` };
}

/** A request about an id that cannot exist, for whatever operation reads. */
function nothingThere(operation: OperationName, id: string): { readonly id: string } {
  const fields = requestFields(operation);
  const about = ['id', 'taskId'].filter((name) => fields.includes(name)).map((name) => [name, id]);
  return Object.fromEntries([...about, ...(fields.includes('pageSize') ? [['pageSize', 1]] : [])]);
}

/** Answers are taken as they are: whether there is one is all that is asked. */
const anything: NonNullable<Method['result']> = {
  decode: (wire) => ({ value: wire as never }),
  encode: ({ value }) => value,
};

/** The dialect, with an operation called by this method, whatever its answer. */
export function withMethod(dialect: Dialect, method: Method): Dialect {
  const { jsonrpc } = dialect;
  if (jsonrpc === undefined) return dialect;
  const calls = new Map([[method.operation, { method: { ...method, result: anything } }]]);
  return { ...dialect, jsonrpc: { ...jsonrpc, calls } };
}

/** A method without parameters that no operation stands for, in the place of an operation. */
export const localMethod = (name: string, operation: OperationName): Method => ({
  name,
  operation,
  request: { decode: () => ({ request: {} as never }), encode: () => ({}) },
});

/**
 * The dialect as it would be if all its methods were at places where there are none. What answers them as it answers
 * the right ones proves nothing.
 */
export const controlOf = (dialect: Dialect, face: WireFormat): Dialect => misplacing[face](dialect);

/** Deep enough that nothing of it can be taken for a tenant. */
const nowhere = '/no/such/path';

const misplacing: Readonly<Record<WireFormat, (dialect: Dialect) => Dialect>> = {
  jsonrpc: (dialect) => {
    const { jsonrpc } = dialect;
    if (jsonrpc === undefined) return dialect;
    const calls = [...jsonrpc.calls].map(([operation, { method }]) => {
      return [operation, { method: { ...method, name: `no-such-method/${method.name}` } }] as const;
    });
    return { ...dialect, jsonrpc: { ...jsonrpc, calls: new Map(calls) } };
  },
  rest: (dialect) => {
    const { rest } = dialect;
    if (rest === undefined) return dialect;
    const routes = rest.routes.map((route) => ({
      ...route,
      rule: { ...route.rule, path: `${nowhere}${route.rule.path}` },
    }));
    return { ...dialect, rest: { ...rest, routes } };
  },
  grpc: (dialect) => {
    const { grpc } = dialect;
    if (grpc === undefined) return dialect;
    const service = 'no.such.Service';
    const operations = grpc.api.operations.map((one) => ({ ...one, service, grpcPath: `/${service}/${one.rpc}` }));
    return { ...dialect, grpc: { ...grpc, service, api: { ...grpc.api, operations } } };
  },
};

/** Kinds of errors with which nobody answered, or somebody who is no agent. */
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

/** Kinds that say who may ask, not what there is. */
export const deniedKinds: ReadonlySet<ErrorKind> = new Set(['unauthenticated', 'permissionDenied']);

/** Kinds that say that there is no such thing here. */
export const absentKinds: ReadonlySet<ErrorKind> = new Set([
  'methodNotFound',
  'routeNotFound',
  'verbNotAllowed',
  'agentNotFound',
  'versionNotSupported',
]);

/** Whether the agent itself answered, as one that knows the method. */
export function isFromAgent({ error }: ProbeResponse): boolean {
  return (
    error === undefined || !(noAgentKinds.has(error.kind) || deniedKinds.has(error.kind) || absentKinds.has(error.kind))
  );
}

/**
 * Whether an answer says what the answer of a place where there is nothing says. Over HTTP+JSON a bare 404 means "no such
 * task" in some dialects, so that the words count as well.
 */
export function matchesControl(answer: ProbeResponse, control: ProbeResponse, face: WireFormat): boolean {
  if (answer.error?.kind !== control.error?.kind) return false;
  return face !== 'rest' || answer.words === control.words.replaceAll(nowhere, '');
}
