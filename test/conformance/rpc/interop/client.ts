import { deepStrictEqual } from 'node:assert';
import { isStream, type Reply } from '../../../../src/core/model/call.ts';
import { A2AError } from '../../../../src/core/model/errors.ts';
import type { WireProtocol } from '../../../../src/dialects/kernel/wire.ts';
import type { ClientTls } from '../../../../src/net/client-tls.ts';
import { createGrpcClient } from '../../../../src/transports/grpc/client.ts';
import { contextFor } from '../../../support/core.ts';
import { Received } from '../received.ts';
import { api, echoed, grpc, payloadOf } from './service.ts';

/** The interoperability cases of the project's client, as gRPC's authors describe them. Each throws where it fails. */

/** A rpc that the server does not have, in a service of its own or not. */
const unimplemented = (service: string, name: string) => ({
  ...(api.operations.find(({ rpc }) => rpc === 'EmptyCall') as (typeof api.operations)[number]),
  name,
  rpc: name,
  grpcPath: `/${service}/UnimplementedCall`,
});

const operations = [
  ...api.operations,
  unimplemented('grpc.testing.TestService', 'UnimplementedMethod'),
  unimplemented('grpc.testing.UnimplementedService', 'UnimplementedService'),
];
const empty = grpc.methods.get('EmptyCall');
if (!empty) throw new Error('no EmptyCall');
const missing = ['UnimplementedMethod', 'UnimplementedService'];

const dialect: WireProtocol = {
  name: 'interop',
  versions: [],
  extensionHeaders: [],
  grpc: {
    ...grpc,
    api: { ...api, operations },
    // One kind for each status that the cases look for.
    kindOf: (status) => (({ UNKNOWN: 'agentError', UNIMPLEMENTED: 'methodNotFound' }) as const)[status as 'UNKNOWN'],
    methods: new Map([
      ...grpc.methods,
      ...missing.map((name) => [name, { ...empty, name, operation: name as never }] as const),
    ]),
  },
};

type Call = (operation: string, request: object) => Promise<Reply>;

const sizes = { request: 271_828, response: 314_159, stream: [31_415, 9, 2_653, 58_979] } as const;
/** Of the description: tab, letters with accents, letters outside of the first plane. */
const special = '\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n';

const cases: Readonly<Record<string, (call: Call, received: Received) => Promise<void>>> = {
  async empty_unary(call) {
    deepStrictEqual(await call('EmptyCall', {}), { value: {} });
  },
  async large_unary(call) {
    const request = { responseSize: sizes.response, payload: payloadOf(sizes.request) };
    deepStrictEqual(await call('UnaryCall', request), { value: { payload: payloadOf(sizes.response) } });
  },
  async server_streaming(call) {
    const reply = await call('StreamingOutputCall', { responseParameters: sizes.stream.map((size) => ({ size })) });
    if (!isStream(reply)) throw new Error('no stream');
    const events: unknown[] = [];
    for await (const { event } of reply.events) events.push(event);
    deepStrictEqual(
      events,
      sizes.stream.map((size) => ({ payload: payloadOf(size) })),
    );
  },
  status_code_and_message: (call) =>
    refused(call('UnaryCall', { responseStatus: { code: 2, message: 'test status message' } }), {
      kind: 'agentError',
      message: 'test status message',
    }),
  special_status_message: (call) =>
    refused(call('UnaryCall', { responseStatus: { code: 2, message: special } }), {
      kind: 'agentError',
      message: special,
    }),
  unimplemented_method: (call) => refused(call('UnimplementedMethod', {}), { kind: 'methodNotFound' }),
  unimplemented_service: (call) => refused(call('UnimplementedService', {}), { kind: 'methodNotFound' }),
  async custom_metadata(call, { headers, trailers }) {
    await call('UnaryCall', { responseSize: 1, payload: payloadOf(1) });
    const sentBack = (list: Received['headers'], name: string) => list.find((header) => header.name === name)?.value;
    deepStrictEqual(sentBack(headers, echoed.initial), [metadata[echoed.initial]]);
    deepStrictEqual(sentBack(trailers, echoed.trailing), [metadata[echoed.trailing]]);
  },
};

const metadata = {
  [echoed.initial]: 'test_initial_metadata_value',
  [echoed.trailing]: Buffer.from('0a0b0a0b0a0b', 'hex').toString('base64'),
};

async function refused(answer: Promise<Reply>, { kind, message }: { kind: string; message?: string }): Promise<void> {
  const thrown = await answer.then(
    () => undefined,
    (error: unknown) => A2AError.from(error),
  );
  deepStrictEqual([thrown?.kind, message && thrown?.message], [kind, message]);
}

/** Runs one case against a server. Throws for one that the client does not have. */
export async function runCase(name: string, port: number, tls: ClientTls | undefined): Promise<void> {
  const run = cases[name];
  if (!run) throw new Error('the client sends no streams of requests');
  const received = new Received(false);
  const client = createGrpcClient({
    url: `${tls ? 'https' : 'http'}://localhost:${port}`,
    dialect,
    timeout: 10_000,
    ...(tls && { tls }),
    ...(name === 'custom_metadata' && { headers: () => metadata }),
    onWire: received.onWire,
  });
  try {
    await run(
      (operation, request) => client.invoke({ operation, request, context: contextFor('interop') } as never),
      received,
    );
  } finally {
    await client.close();
  }
}
