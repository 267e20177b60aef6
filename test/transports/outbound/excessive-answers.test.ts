import { createServer as createHttp2Server, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerCounts } from '../../../src/core/limits/counts.ts';
import { api } from '../../../src/core/model/a2a.ts';
import { isStream } from '../../../src/core/model/call.ts';
import type { A2AError } from '../../../src/core/model/errors.ts';
import { createDialects } from '../../../src/dialects/registry.ts';
import { createConnectClient } from '../../../src/transports/connect/client.ts';
import { createGrpcClient } from '../../../src/transports/grpc/client.ts';
import { createJsonRpcClient } from '../../../src/transports/jsonrpc/client.ts';
import type { ClientTransport } from '../../../src/transports/outbound/http-transport.ts';
import { createRestClient } from '../../../src/transports/rest/client.ts';
import { envelope, flags } from '../../../src/transports/rpc/envelope.ts';
import { encode } from '../../../src/wire/protobuf.ts';
import { contextFor } from '../../support/core.ts';
import { afterTest, bodyOf, serve } from '../../support/peer.ts';

/** Agents may answer with more than callers may send, but not with anything: an answer that holds too much is refused by name. */

const dialect = createDialects().byName.get('a2a-1.0') ?? expect.fail('there is no v1');

const taskOf = (parts: number, keys = 0) => ({
  id: 't1',
  contextId: 'c1',
  status: { state: 'TASK_STATE_COMPLETED' },
  artifacts: [{ artifactId: 'a', parts: Array(parts).fill({ text: '' }) }],
  metadata: Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, 1])),
});
const { parts: mostParts, keys: mostKeys } = answerCounts;
const fitting = taskOf(mostParts, 10);
const tooManyParts = taskOf(mostParts + 1);
const tooManyKeys = taskOf(1, mostKeys + 1);

/** The number of calls of the agent. */
let calls = 0;
let task: object = fitting;

type Open = () => Promise<ClientTransport>;

/** An agent over HTTP/1.1, which answers with the task: as one value, or as the first event of a stream. */
const overHttp = (
  create: (options: { url: string; dialect: typeof dialect }) => ClientTransport,
  answer: (id: unknown, isStream: boolean) => { readonly type: string; readonly body: string | Buffer },
): Open =>
  async function open() {
    const url = await serve(async (req, res) => {
      calls += 1;
      const sent = await bodyOf(req);
      const isStreaming = /subscribe/i.test(`${req.url} ${sent}`);
      const id = sent.startsWith('{"jsonrpc"') ? JSON.parse(sent).id : undefined;
      const { type, body } = answer(id, isStreaming);
      res.writeHead(200, { 'content-type': type }).end(body);
    });
    return create({ url, dialect });
  };

const sse = (value: object) => ({ type: 'text/event-stream', body: `data: ${JSON.stringify(value)}\n\n` });
const json = (value: object) => ({ type: 'application/json', body: JSON.stringify(value) });

let http2: Http2Server;
beforeAll(() => {
  http2 = createHttp2Server().on('stream', (stream, { ':path': path }) => {
    calls += 1;
    const isStreaming = String(path).endsWith('SubscribeToTask');
    const [type, value] = isStreaming ? ['StreamResponse', { task }] : ['Task', task];
    stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.on('error', () => undefined);
    stream.end(envelope(encode(api, `lf.a2a.v1.${type}`, value as object)));
  });
  return new Promise<void>((resolve) => void http2.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void http2.close());

const clients: Readonly<Record<string, Open>> = {
  'JSON-RPC': overHttp(createJsonRpcClient, (id, isStreaming) =>
    isStreaming ? sse({ jsonrpc: '2.0', id, result: { task } }) : json({ jsonrpc: '2.0', id, result: task }),
  ),
  'HTTP+JSON': overHttp(createRestClient, (_, isStreaming) => (isStreaming ? sse({ task }) : json(task))),
  Connect: overHttp(createConnectClient, (_, isStreaming) => {
    if (!isStreaming) return json(task);
    const messages = [envelope(Buffer.from(JSON.stringify({ task }))), envelope(Buffer.from('{}'), flags.connectEnd)];
    return { type: 'application/connect+json', body: Buffer.concat(messages) };
  }),
  gRPC: async () => createGrpcClient({ url: `http://127.0.0.1:${(http2.address() as AddressInfo).port}`, dialect }),
};

describe.each(Object.entries(clients))('a client over %s', (name, open) => {
  const context = () => contextFor('demo', { requestId: 'r1' });
  const failureOf = (call: Promise<unknown>): Promise<A2AError> =>
    call.then(
      () => expect.fail('answered'),
      (thrown) => thrown,
    );

  async function connect() {
    calls = 0;
    const client = await open();
    afterTest(() => client.close());
    const get = () => client.invoke({ operation: 'GetTask', request: { id: 't1' }, context: context() });
    const follow = async (): Promise<number> => {
      const reply = await client.invoke({ operation: 'SubscribeToTask', request: { id: 't1' }, context: context() });
      if (!isStream(reply)) return expect.fail('no stream');
      let parts = 0;
      for await (const { event } of reply.events) parts += event.task?.artifacts?.[0]?.parts.length ?? 0;
      return parts;
    };
    return { get, follow };
  }

  // JSON is counted in one place for all bindings, protobuf in another one.
  const all = name === 'JSON-RPC' || name === 'gRPC';

  if (all) {
    it(`a client over ${name} reads an answer and an event of as many parts as an agent may send`, async () => {
      task = fitting;
      const { get, follow } = await connect();
      expect(await get()).toMatchObject({ value: { artifacts: [{ parts: { length: mostParts } }] } });
      expect(await follow()).toBe(mostParts);
    });
  }

  it.each([
    ['parts', tooManyParts, `artifacts[0].parts has more than ${mostParts} parts`],
    ['keys', tooManyKeys, `metadata has more than ${mostKeys} keys`],
  ])(
    `a client over ${name} refuses one of too many %s by name, and calls the agent once`,
    async (_what, value, message) => {
      task = value;
      const { get, follow } = await connect();
      const expected = { kind: 'invalidAgentResponse', message: expect.stringContaining(message) };
      expect(await failureOf(get())).toMatchObject(expected);
      expect(calls).toBe(1);
      expect(await failureOf(follow())).toMatchObject(expected);
      expect(calls).toBe(2);
    },
  );
});
