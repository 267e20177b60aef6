/**
 * The clients under test, which the suite starts: a line of its input is a call, and a line of the output what has come of
 * it. Its arguments are the file with the suite's descriptors and the protocol.
 */
import { fromBinary, fromJson, type JsonValue, toBinary } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { callContext } from '../../../src/client/caller.ts';
import { isStream } from '../../../src/core/model/call.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { bindingsOf } from '../../../src/dialects/kernel/bindings.ts';
import { connectCodeOf } from '../../../src/dialects/kernel/rpc-status.ts';
import type { Method, WireProtocol } from '../../../src/dialects/kernel/wire.ts';
import type { Operation } from '../../../src/gen/operations.ts';
import type { ClientTls } from '../../../src/net/client-tls.ts';
import { createHttpClient } from '../../../src/net/http-client.ts';
import { createConnectClient } from '../../../src/transports/connect/client.ts';
import { createGrpcClient } from '../../../src/transports/grpc/client.ts';
import type { ClientTransport } from '../../../src/transports/outbound/http-transport.ts';
import { decode } from '../../../src/wire/protobuf.ts';
import { delimited, writeDelimited } from '../delimited.ts';
import { packed, readApi, suitePackage, unpacked } from './descriptors.ts';
import { Received } from './received.ts';

/** The suite's ClientCompatRequest. */
interface Wanted {
  readonly testName: string;
  readonly host: string;
  readonly port: number;
  readonly serverTlsCert: Uint8Array;
  readonly clientTlsCreds?: { readonly cert: Uint8Array; readonly key: Uint8Array };
  readonly messageReceiveLimit: number;
  readonly method: string;
  readonly requestHeaders: readonly { readonly name: string; readonly value: readonly string[] }[];
  readonly requestMessages: readonly Any[];
  readonly timeoutMs?: number;
  readonly cancel?: { readonly cancelTiming: { readonly case?: string; readonly value?: unknown } };
}

const [, , file = '', protocol = 'grpc'] = process.argv;
const described = readApi(file);
const { api } = described;
const isConnect = protocol === 'connect';

const { grpc } = bindingsOf(api, { mediaType: 'application/json', atOnce: true });
const dialect: WireProtocol = {
  name: 'conformance',
  versions: [],
  extensionHeaders: [],
  grpc: {
    ...grpc,
    methods: new Map(api.operations.map((each) => [each.rpc, withAny(each, grpc.methods.get(each.rpc) as Method)])),
  },
};

/** The method whose JSON has a google.protobuf.Any in a form of its own. */
function withAny({ request, response }: Operation, method: Method): Method {
  if (!isConnect) return method;
  const read = (wire: unknown): unknown => packed(described, response, wire);
  const { result, stream } = method;
  return {
    ...method,
    request: {
      ...method.request,
      encode: (value, cx) => unpacked(described, request, method.request.encode(value, cx) as object),
    },
    ...(result && { result: { ...result, decode: (wire, cx) => result.decode(read(wire), cx) } }),
    ...(stream?.event && {
      stream: {
        ...stream,
        event: { ...stream.event, decode: (wire, cx) => stream.event?.decode(read(wire), cx) as never },
      },
    }),
  };
}

const pem = (bytes: Uint8Array): Buffer => Buffer.from(bytes);

function open(wanted: Wanted, received: Received): ClientTransport {
  const { host, port, serverTlsCert, clientTlsCreds, messageReceiveLimit, requestHeaders } = wanted;
  const secure = serverTlsCert.length > 0;
  const tls: ClientTls | undefined = secure
    ? {
        ca: pem(serverTlsCert),
        ...(clientTlsCreds && { cert: pem(clientTlsCreds.cert), key: pem(clientTlsCreds.key) }),
      }
    : undefined;
  const headers = Object.fromEntries(requestHeaders.map(({ name, value }) => [name.toLowerCase(), value.join(', ')]));
  const { onWire } = received;
  const options = {
    url: `${secure ? 'https' : 'http'}://${host}:${port}`,
    dialect,
    headers: () => headers,
    ...(messageReceiveLimit > 0 && { maxAnswer: messageReceiveLimit }),
  };
  // The suite looks for timeouts that it has not asked for.
  const timeout = Number.POSITIVE_INFINITY;
  if (!isConnect) return createGrpcClient({ ...options, timeout, ...(tls && { tls }), onWire });
  const http = createHttpClient({ ...(tls && { tls }), onWire });
  const client = createConnectClient({ ...options, timeout, http });
  return { invoke: client.invoke, close: () => http.close() };
}

async function call(wanted: Wanted): Promise<object> {
  const operation = api.operations.find(({ rpc }) => rpc === wanted.method) as Operation;
  const [message] = wanted.requestMessages;
  const request = message ? decode(api, operation.request, message.value) : {};
  const received = new Received(isConnect);
  const client = open(wanted, received);
  const abort = new AbortController();
  const { case: when, value } = wanted.cancel?.cancelTiming ?? {};
  const { timeoutMs } = wanted;
  const deadline = timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
  const context = callContext('suite', '', { signal: abort.signal, ...deadline });
  const payloads: unknown[] = [];
  let error: object | undefined;
  const timer = when === 'afterCloseSendMs' ? setTimeout(() => abort.abort(), Number(value)) : undefined;
  const take = (answer: unknown): void => {
    const { payload } = answer as { payload?: object };
    const type = `${suitePackage}.ConformancePayload`;
    payloads.push(unpacked(described, type, payload ?? {}));
    if (when === 'afterNumResponses' && payloads.length === value) abort.abort();
  };
  try {
    if (when === 'afterNumResponses' && value === 0) abort.abort();
    const reply = await client.invoke({ operation: operation.name, request, context } as never);
    if (isStream(reply)) for await (const { event } of reply.events) take(event);
    else take(reply.value);
  } catch (thrown) {
    error = errorOf(A2AError.from(thrown), received);
  } finally {
    clearTimeout(timer);
    await client.close();
  }
  const { headers, trailers } = received;
  return { responseHeaders: headers, responseTrailers: trailers, payloads, ...(error && { error }) };
}

/** The error, with the details that were received, of which an A2AError keeps only the known ones. */
function errorOf(error: A2AError, { details }: Received): object {
  const code = connectCodeOf(error.rpcStatus ?? error.row.grpc).toUpperCase();
  return { code: `CODE_${code}`, message: error.message, details: details.map(anyOf) };
}

function anyOf({ typeUrl, value }: { readonly typeUrl: string; readonly value: Uint8Array }): object {
  const name = typeUrl.slice(typeUrl.lastIndexOf('/') + 1);
  const type = described.messageOf(name);
  return { '@type': `type.googleapis.com/${name}`, ...(jsonOf(type, value) as object) };
}

const jsonOf = (type: ReturnType<typeof described.messageOf>, value: Uint8Array): JsonValue =>
  unpacked(described, type.typeName, decode(api, type.typeName, value) as object) as JsonValue;

const requestType = described.messageOf(`${suitePackage}.ClientCompatRequest`);
const responseType = described.messageOf(`${suitePackage}.ClientCompatResponse`);
const answerWith = (json: object): void =>
  writeDelimited(
    process.stdout,
    'highest first',
    toBinary(responseType, fromJson(responseType, json as JsonValue, { registry: described.registry })),
  );

const running = new Set<Promise<void>>();
for await (const bytes of delimited(process.stdin, 'highest first')) {
  const wanted = fromBinary(requestType, bytes) as unknown as Wanted;
  const { testName } = wanted;
  const done = call(wanted)
    .then(
      (response) => answerWith({ testName, response }),
      (thrown: unknown) => answerWith({ testName, error: { message: String((thrown as Error).stack ?? thrown) } }),
    )
    .finally(() => running.delete(done));
  running.add(done);
  if (running.size >= 8) await Promise.race(running);
}
await Promise.all(running);
