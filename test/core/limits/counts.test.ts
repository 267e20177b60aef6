import { afterEach, describe, expect, it, vi } from 'vitest';
import { api } from '../../../src/core/model/a2a.ts';
import { api as olderApi } from '../../../src/gen/a2a-v0_3/index.ts';
import { encode } from '../../../src/wire/protobuf.ts';
import { startGateway } from '../../support/gateway.ts';
import {
  connectError,
  type ErrorFacts,
  grpcError,
  type HttpAnswer,
  RawGrpc,
  RawHttp,
  restError,
  rpcError,
} from '../../support/raw.ts';

/** Requests of too many parts, keys or values, on every binding: refused while they are read, and not before the limit. */

const json = { 'content-type': 'application/json' };
const v1 = { ...json, 'a2a-version': '1.0' };
const service = '/lf.a2a.v1.A2AService/SendMessage';
const rpc = (method: string, params: object): string => JSON.stringify({ params, id: 'r-7', method, jsonrpc: '2.0' });
const enveloped = (message: Uint8Array): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
};

/** Contents of a message, in the words of one dialect. */
interface Holding {
  readonly parts?: number;
  readonly keys?: number;
  readonly items?: number;
}

const keysOf = (size = 0): object => Object.fromEntries(Array.from({ length: size }, (_, i) => [`k${i}`, 'x']));
const listOf = (size = 0): string[] => Array(size).fill('x');

const newest = ({ parts = 1, keys, items }: Holding) => ({
  message: {
    messageId: 'm',
    role: 'ROLE_USER',
    parts: [...Array(parts - 1).fill({ text: 'x' }), { data: listOf(items) }],
    metadata: keysOf(keys),
  },
});
const older = ({ parts = 1, keys, items }: Holding) => ({
  message: {
    kind: 'message',
    messageId: 'm',
    role: 'user',
    parts: [...Array(parts - 1).fill({ kind: 'text', text: 'x' }), { kind: 'data', data: { list: listOf(items) } }],
    metadata: keysOf(keys),
  },
});
const olderProto = ({ parts = 1, keys, items }: Holding) => ({
  message: {
    messageId: 'm',
    role: 'ROLE_USER',
    content: [...Array(parts - 1).fill({ text: 'x' }), { data: { data: { list: listOf(items) } } }],
    metadata: keysOf(keys),
  },
});
const vault = ({ parts = 1, keys, items }: Holding) => ({
  message: {
    role: 'user',
    parts: [
      ...Array(parts - 1).fill({ type: 'text', content: 'x' }),
      { type: 'data', content: { list: listOf(items) } },
    ],
    metadata: keysOf(keys),
  },
});

type Answer = ErrorFacts & { readonly code?: unknown; readonly status?: unknown; readonly id?: unknown };

/** Sends a message that holds so much over one binding. Undefined when it was accepted. */
interface Binding {
  /** Names of the lists and objects in errors. */
  readonly fields: { readonly parts: string; readonly keys: string };
  /** Code or status of too many parts or keys, and of too many values. */
  readonly refusals: readonly [unknown, unknown];
  send(http: RawHttp, grpc: RawGrpc, holding: Holding): Promise<Answer | undefined>;
}

const fields = { parts: 'message.parts', keys: 'message.metadata' };
const ofRpc = [
  { code: -32602, id: 'r-7' },
  { code: -32600, id: 'r-7' },
] as const;
const ofConnect = [{ code: 'invalid_argument' }, { code: 'resource_exhausted' }] as const;
const ofGrpc = [{ status: 'INVALID_ARGUMENT' }, { status: 'RESOURCE_EXHAUSTED' }] as const;
const connectHeaders = { ...json, 'connect-protocol-version': '1' };
const newestBytes = (holding: Holding): Uint8Array => encode(api, 'lf.a2a.v1.SendMessageRequest', newest(holding));

/** The status of gRPC-Web, in the headers of an answer without messages. */
const webError = ({ headers }: HttpAnswer): Answer | undefined => {
  const { 'grpc-status': status, 'grpc-message': message = '' } = headers;
  if (status === undefined) return undefined;
  return { reason: undefined, message: decodeURIComponent(String(message)), fields: [], code: Number(status) };
};

const bindings: Readonly<Record<string, Binding>> = {
  'JSON-RPC': {
    fields,
    refusals: ofRpc,
    send: async (http, _, holding) =>
      rpcError(await http.send({ headers: v1, body: rpc('SendMessage', newest(holding)) })),
  },
  'JSON-RPC of 0.3': {
    fields,
    refusals: ofRpc,
    send: async (http, _, holding) =>
      rpcError(await http.send({ headers: json, body: rpc('message/send', older(holding)) })),
  },
  AgentVault: {
    fields,
    refusals: ofRpc,
    send: async (http, _, holding) =>
      rpcError(await http.send({ path: '/as/agentvault-0.2', headers: json, body: rpc('tasks/send', vault(holding)) })),
  },
  'HTTP+JSON': {
    fields,
    refusals: [{ status: 400 }, { status: 413 }],
    send: async (http, _, holding) =>
      restError(await http.send({ path: '/message:send', headers: v1, body: JSON.stringify(newest(holding)) })),
  },
  'Connect with JSON': {
    fields,
    refusals: ofConnect,
    send: async (http, _, holding) =>
      connectError(await http.send({ path: service, headers: connectHeaders, body: JSON.stringify(newest(holding)) })),
  },
  'Connect with protobuf': {
    fields,
    refusals: ofConnect,
    send: async (http, _, holding) =>
      connectError(
        await http.send({
          path: service,
          headers: { ...connectHeaders, 'content-type': 'application/proto' },
          body: newestBytes(holding),
        }),
      ),
  },
  gRPC: {
    fields,
    refusals: ofGrpc,
    send: async (_, grpc, holding) => grpcError(await grpc.send(service, newestBytes(holding))),
  },
  'gRPC of 0.3': {
    fields: { parts: 'message.content', keys: 'message.metadata' },
    refusals: ofGrpc,
    send: async (_, grpc, holding) =>
      grpcError(
        await grpc.send(
          '/a2a.v1.A2AService/SendMessage',
          encode(olderApi, 'a2a.v1.SendMessageRequest', olderProto(holding)),
        ),
      ),
  },
  'gRPC-Web': {
    fields,
    refusals: [{ code: 3 }, { code: 8 }],
    send: async (http, _, holding) => {
      const headers = { 'content-type': 'application/grpc-web+proto' };
      return webError(await http.send({ path: service, headers, body: enveloped(newestBytes(holding)) }));
    },
  },
};

/** Limits of a request's contents, besides the members that every request has. */
const limits = 'limits: { parts: 20, keys: 30, values: 200 }\n';
const within: Holding = { parts: 20, keys: 30, items: 60 };

describe.each(Object.entries(bindings))('%s', (name, { fields: named, refusals, send }) => {
  it(`${name} takes a message of as many parts and keys as the limits say, and names what has one more`, async () => {
    const gateway = await startGateway({ settings: limits });
    const [http, grpc] = [new RawHttp(gateway.port), new RawGrpc(gateway.target)];
    expect(await send(http, grpc, within)).toBeUndefined();
    const [invalid, tooLarge] = refusals;

    const parts = await send(http, grpc, { ...within, parts: 21 });
    expect(parts).toMatchObject(invalid as object);
    expect(parts?.message).toContain(`${named.parts} has more than 20 parts (limits.parts)`);
    if (parts?.fields.length) expect(parts.fields).toEqual([named.parts]);

    const keys = await send(http, grpc, { ...within, keys: 31 });
    expect(keys).toMatchObject(invalid as object);
    expect(keys?.message).toContain(`${named.keys} has more than 30 keys (limits.keys)`);

    const values = await send(http, grpc, { ...within, items: 200 });
    expect(values).toMatchObject(tooLarge as object);
    expect(values?.message).toContain('more than 200 values (limits.values)');
  });
});

it('MCP refuses a call of too many keys with its id', async () => {
  const gateway = await startGateway({ settings: limits });
  const headers = { ...json, accept: 'application/json, text/event-stream' };
  const call = (keys: number) => ({
    name: 'send_message',
    arguments: { agent: 'demo', message: 'x', data: keysOf(keys) },
  });
  const send = (keys: number) =>
    new RawHttp(gateway.port).send({ path: '/mcp', headers, body: rpc('tools/call', call(keys)) });
  const { body } = await send(31);
  expect(JSON.parse(body.toString())).toMatchObject({
    id: 'r-7',
    error: { code: -32602, message: expect.stringContaining('arguments.data has more than 30 keys') },
  });
  expect((await send(30)).body.toString()).not.toContain('more than');
});

/** 6 MB of many small values. */
const size = 6_000_000;
const repeated = (piece: string): string => piece.repeat(size / piece.length).slice(0, -1);
const manyKeys = (): string => {
  const keys: string[] = [];
  for (let length = 0; length < size; length += keys.at(-1)?.length ?? 0) keys.push(`"k${keys.length}":1,`);
  return keys.join('').slice(0, -1);
};
const message = (parts: string, metadata = ''): string =>
  `{"message":{"messageId":"m","role":"ROLE_USER","parts":[${parts}],"metadata":{${metadata}}}}`;
const shapes: Readonly<Record<string, () => string>> = {
  'empty parts': () => message(repeated('{},')),
  'keys of one object': () => message('{"text":"x"}', manyKeys()),
  'keys of data': () => message(`{"data":{${manyKeys()}}}`),
  'objects in data': () => message(`{"data":[${repeated('{"a":1},')}]}`),
  digits: () => message(`{"data":[${repeated('1,')}]}`),
  'large integers': () => message(`{"data":[${repeated('1234567890123456789,')}]}`),
};

describe('six megabytes of', () => {
  afterEach(() => void vi.restoreAllMocks());

  it.each(Object.entries(shapes))('six megabytes of %s are refused before they are parsed', async (_, shape) => {
    const text = shape();
    const gateway = await startGateway();
    const http = new RawHttp(gateway.port);
    let parsed = 0;
    const { parse } = JSON;
    vi.spyOn(JSON, 'parse').mockImplementation((source, reviver) => {
      parsed += String(source).length;
      return parse(source, reviver);
    });
    const answers = [
      await http.send({ headers: v1, body: `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${text}}` }),
      await http.send({ path: '/message:send', headers: v1, body: text }),
      await http.send({ path: service, headers: connectHeaders, body: text }),
    ];
    // The envelope of the request of JSON-RPC, and nothing of the messages.
    expect(parsed).toBeLessThan(1_000);
    for (const { body } of answers) expect(body.toString()).toMatch(/has more than \d+ (?:parts|keys|values)/);
  });
});
