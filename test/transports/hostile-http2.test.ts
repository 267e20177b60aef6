import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { api } from '../../src/core/model/a2a.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { startGateway } from '../support/gateway.ts';
import {
  again,
  callHead,
  flag,
  frame,
  frameType,
  hpack,
  RawHttp2,
  remembered,
  setting,
  settings,
  uint32,
} from '../support/http2-frames.ts';
import { grpcError, RawGrpc, RawHttp, restError } from '../support/raw.ts';

/** Frames that no library would send. Whatever they are, an honest client is served meanwhile and afterwards. */

const open: RawHttp2[] = [];
const gateway = await startGateway();
/** Gateways with short timeouts: `hasty` for all clients, `impatient` for clients that do not read. */
const hasty = await startGateway({ settings: 'limits: { requestTimeout: 400ms, slowReader: 200ms }' });
const impatient = await startGateway({ settings: 'limits: { slowReader: 200ms }' });
const http = new RawHttp(gateway.port);
const grpc = new RawGrpc(gateway.target);
afterEach(async () => {
  await honest();
  for (const raw of open.splice(0)) raw.close();
});

const service = '/lf.a2a.v1.A2AService';
const send = callHead(`${service}/SendMessage`);
const message = (text: string): object => ({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } });
const bytes = (type: string, json: object): Uint8Array => encode(api, `lf.a2a.v1.${type}`, json);
const enveloped = (message: Uint8Array, compressed = 0): Buffer =>
  Buffer.concat([Buffer.of(compressed), uint32(message.length), message]);
const hello = enveloped(bytes('SendMessageRequest', message('say hello')));

/** The request of a binding that sends a message. */
interface Sending {
  readonly send: Buffer;
  readonly stream: Buffer;
  readonly body: (text: string) => Buffer;
  readonly streamBody: (text: string) => Buffer;
}

const post = (path: string, type = 'application/json'): Buffer =>
  hpack([
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'localhost'],
    ['content-type', type],
    ['a2a-version', '1.0'],
  ]);
const protobuf = (text: string): Buffer => enveloped(bytes('SendMessageRequest', message(text)));
const json = (text: string): Buffer => Buffer.from(JSON.stringify(message(text)));
const rpc = (method: string) => (text: string) =>
  Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: message(text) }));
const bindings: Readonly<Record<string, Sending>> = {
  gRPC: { send, stream: callHead(`${service}/SendStreamingMessage`), body: protobuf, streamBody: protobuf },
  'JSON-RPC': { send: post('/'), stream: post('/'), body: rpc('SendMessage'), streamBody: rpc('SendStreamingMessage') },
  'HTTP+JSON': { send: post('/message:send'), stream: post('/message:stream'), body: json, streamBody: json },
  Connect: {
    send: post(`${service}/SendMessage`),
    stream: post(`${service}/SendStreamingMessage`, 'application/connect+json'),
    body: json,
    streamBody: (text) => enveloped(json(text)),
  },
};

/** A client over each protocol that does as it should. */
async function honest(): Promise<void> {
  const [call, answer] = await Promise.all([
    grpc.send(`${service}/SendMessage`, bytes('SendMessageRequest', message('say hello'))),
    http.send({
      path: '/message:send',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify(message('say hello')),
    }),
  ]);
  expect(grpcError(call)).toBeUndefined();
  expect(restError(answer)).toBeUndefined();
}

async function connect(first = settings(), { port } = gateway): Promise<RawHttp2> {
  const raw = await RawHttp2.open(port, first);
  open.push(raw);
  return raw;
}

/** Sends the same bytes again and again until the connection is closed; says how often it could. */
async function flood(raw: RawHttp2, part: (round: number) => Uint8Array, rounds: number): Promise<number> {
  for (let round = 0; round < rounds; round++) {
    if (raw.closed) return round;
    await raw.push(part(round));
  }
  return rounds;
}

const times = (count: number, part: (index: number) => Uint8Array): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, index) => part(index)));

/** A hundred streams with these frames, each followed by a reset. */
const resetRound =
  (frames: readonly Buffer[]) =>
  (round: number): Buffer =>
    times(100, (i) => {
      const id = uint32((round * 100 + i) * 2 + 1);
      const sent = [...frames, frame(frameType.rstStream, 0, 0, uint32(8))].map((each) => Buffer.from(each));
      for (const each of sent) id.copy(each, 5);
      return Buffer.concat(sent);
    });

const endsEarly: readonly (readonly [name: string, before: Buffer, part: (round: number) => Uint8Array])[] = [
  ...Object.entries(bindings).flatMap(([binding, { send, stream, body, streamBody }]) =>
    [
      ['streams that are begun and reset', [frame(frameType.headers, flag.endHeaders, 0, send)]],
      [
        'streams that are whole calls and reset',
        [
          frame(frameType.headers, flag.endHeaders, 0, send),
          frame(frameType.data, flag.endStream, 0, body('say hello')),
        ],
      ],
      [
        'subscriptions that are begun and reset',
        [
          frame(frameType.headers, flag.endHeaders, 0, stream),
          frame(frameType.data, flag.endStream, 0, streamBody('wait')),
        ],
      ],
    ]
      // JSON-RPC, HTTP+JSON and Connect share the handler of HTTP requests; gRPC has one of its own.
      .slice(0, /JSON-RPC|gRPC/.test(binding) ? 3 : 1)
      .map(([name, frames]) => [`${name}, ${binding},`, settings(), resetRound(frames as Buffer[])] as const),
  ),
  [
    'streams that make the server reset them',
    settings(),
    (round) =>
      times(100, (i) => {
        const id = (round * 100 + i) * 2 + 1;
        return Buffer.concat([
          frame(frameType.headers, flag.endHeaders, id, send),
          frame(frameType.windowUpdate, 0, id, uint32(0)),
        ]);
      }),
  ],
  [
    'more streams than there may be',
    settings(),
    (round) => times(100, (i) => frame(frameType.headers, flag.endHeaders, (round * 100 + i) * 2 + 1, send)),
  ],
  [
    'CONTINUATION after CONTINUATION',
    frame(frameType.headers, 0, 1, send),
    (round) => times(50, (i) => frame(frameType.continuation, 0, 1, hpack([[`x-${round}-${i}`, 'y'.repeat(100)]]))),
  ],
  [
    'CONTINUATION with nothing in it',
    frame(frameType.headers, 0, 1, send),
    () => times(500, () => frame(frameType.continuation, 0, 1)),
  ],
  ['SETTINGS', settings(), (round) => times(500, (i) => settings([setting.maxStreams, round * 500 + i]))],
  ['SETTINGS with nothing in it', settings(), () => times(1_000, () => settings())],
  ['PING', settings(), () => times(500, () => frame(frameType.ping, 0, 0, Buffer.alloc(8)))],
  [
    'PRIORITY',
    settings(),
    (round) => times(500, (i) => frame(frameType.priority, 0, (round * 500 + i) * 2 + 1, Buffer.alloc(5))),
  ],
  [
    'DATA with nothing in it',
    frame(frameType.headers, flag.endHeaders, 1, send),
    () => times(500, () => frame(frameType.data, 0, 1)),
  ],
  ['frames of no known type', settings(), () => times(500, () => frame(0x42))],
];

it.each(endsEarly)('a flood of %s ends with its connection', async (_, before, part) => {
  const raw = await connect(before === undefined ? settings() : Buffer.concat([settings(), before]));
  const rounds = flood(raw, part, 400);
  await honest();
  await rounds;
  await raw.until(({ closed }) => closed);
});

it('a flood of SETTINGS and PING whose answers the client does not read ends, too', async () => {
  for (const part of [settings(), frame(frameType.ping, 0, 0, Buffer.alloc(8))]) {
    const raw = await connect();
    raw.socket.pause();
    const rounds = flood(raw, () => times(1_000, () => part), 20);
    await honest();
    await rounds;
    raw.socket.resume();
    await raw.until(({ closed }) => closed);
  }
});

it('a flood of WINDOW_UPDATE costs little, and ends where a window would be more than there is', async () => {
  const raw = await connect();
  const rounds = flood(raw, () => times(1_000, () => frame(frameType.windowUpdate, 0, 0, uint32(1))), 50);
  await honest();
  await rounds;
  raw.send(frame(frameType.windowUpdate, 0, 0, uint32(0x7fffffff)));
  await raw.until(({ closed }) => closed);
  expect(raw.goaway).toBe(3);
});

it.each(Object.entries(bindings))(
  'a flood of streams on many connections leaves room for others: %s',
  async (_, { send }) => {
    const many = await Promise.all([1, 2, 3].map(() => connect(settings(), hasty)));
    for (const raw of many) {
      raw.send(times(300, (i) => frame(frameType.headers, flag.endHeaders, i * 2 + 1, send)));
    }
    await honest();
    // The gateway gives up requests that never arrive in full.
    await Promise.all(many.map((raw) => raw.until(() => raw.of(frameType.headers).length === 300)));
  },
);

describe('header lists', () => {
  const block = (pairs: number, first: Buffer): Buffer =>
    Buffer.concat([send, first, ...Array.from({ length: pairs }, () => again)]);
  const field = remembered('a2a-extensions', `${'a,'.repeat(1_900)}a`);

  it('header lists that are many times as long as what was sent are refused', async () => {
    const raw = await connect();
    for (let id = 1; id < 100; id += 2) {
      raw.send(frame(frameType.headers, flag.endHeaders, id, block(100, id === 1 ? field : Buffer.alloc(0))));
    }
    await honest();
    // A head that is an answer, and the end, for each.
    await raw.until(() => raw.of(frameType.headers).length >= 50);
    expect(raw.of(frameType.headers).every(({ flags }) => (flags & flag.endStream) !== 0)).toBe(true);
  });

  it('header lists with more fields than there may be reset their stream alone', async () => {
    const raw = await connect();
    raw.send(frame(frameType.headers, flag.endHeaders, 1, block(4_000, field)));
    await raw.until(() => raw.of(frameType.rstStream).length >= 1);
    raw.send(frame(frameType.headers, flag.endHeaders, 3, send), frame(frameType.data, flag.endStream, 3, hello));
    await raw.until(() => raw.of(frameType.data).length > 0);
  });

  it.each([
    ['an index that is not there', Buffer.of(0xff, 0xff, 0x7f)],
    ['an integer without end', Buffer.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)],
    ['a string longer than its block', Buffer.of(0, 0x7f, 0xff, 0x03)],
    ['broken Huffman', Buffer.of(0, 0x84, 0xff, 0xff, 0xff, 0xff, 0x01, 0x61)],
    ['a table of four gibibytes', Buffer.of(0x3f, 0xe1, 0xff, 0xff, 0xff, 0x0f)],
  ])('header lists with %s end their connection', async (_, faulty) => {
    const raw = await connect();
    raw.send(frame(frameType.headers, flag.endHeaders | flag.endStream, 1, Buffer.concat([faulty, send])));
    await raw.until(({ closed }) => closed);
  });

  it.each([
    ['upper case', [['X-Upper', 'a']]],
    ['a colon of its own', [[':custom', 'a']]],
    ['a second path', [[':path', '/a']]],
    ['Connection', [['connection', 'close']]],
    ['Transfer-Encoding', [['transfer-encoding', 'chunked']]],
    ['a content-length that is not so', [['content-length', '3']]],
  ] as const)('header lists with %s are no call', async (_, fields) => {
    const raw = await connect();
    raw.send(
      frame(frameType.headers, flag.endHeaders, 1, Buffer.concat([send, hpack(fields)])),
      frame(frameType.data, flag.endStream, 1, hello),
    );
    await raw.until(({ closed }) => closed || raw.of(frameType.rstStream).length > 0);
    expect(raw.of(frameType.data)).toEqual([]);
  });
});

describe('a host beside the authority', () => {
  const call = async (host: string): Promise<RawHttp2> => {
    const raw = await connect();
    raw.send(
      frame(frameType.headers, flag.endHeaders, 1, Buffer.concat([send, hpack([['host', host]])])),
      frame(frameType.data, flag.endStream, 1, hello),
    );
    await raw.until(() => raw.of(frameType.headers).length > 0);
    return raw;
  };

  it.each(['evil.example', 'localhost:81', 'localhost.evil.example'])(
    'a host beside the authority that differs is refused: "%s"',
    async (host) => {
      const raw = await call(host);
      expect(raw.of(frameType.headers)[0]?.flags).toBe(flag.endHeaders | flag.endStream);
      expect(raw.of(frameType.data)).toEqual([]);
    },
  );

  it.each(['localhost', 'LocalHost', 'localhost:80'])(
    'a host beside the authority that is the same is served: %s',
    async (host) => {
      const raw = await call(host);
      await raw.until(() => raw.of(frameType.data).length > 0);
    },
  );
});

it('a header with a line break is none', async () => {
  const raw = await connect();
  const broken = hpack([['x-request-id', 'a\r\nx-request-id: b']]);
  raw.send(
    frame(frameType.headers, flag.endHeaders, 1, Buffer.concat([send, broken])),
    frame(frameType.data, flag.endStream, 1, hello),
  );
  await raw.until(() => raw.of(frameType.data).length > 0);
});

it.each([
  ['longer than any may be', frame(frameType.data, 0, 1, Buffer.alloc(0), 0xffffff)],
  ['DATA of no stream', frame(frameType.data, 0, 0, hello)],
  ['HEADERS of a stream of the server', frame(frameType.headers, flag.endHeaders, 2, send)],
  ['SETTINGS of a stream', frame(frameType.settings, 0, 1)],
  ['SETTINGS of no whole entry', frame(frameType.settings, 0, 0, Buffer.alloc(5))],
  ['a window beyond all bounds', settings([setting.windowSize, 0xffffffff])],
  ['PING of seven bytes', frame(frameType.ping, 0, 0, Buffer.alloc(7))],
  ['PUSH_PROMISE', frame(frameType.pushPromise, flag.endHeaders, 1, Buffer.concat([uint32(2), send]))],
  ['padding longer than the frame', frame(frameType.data, flag.padded, 1, Buffer.of(200, 1))],
  ['CONTINUATION of nothing', frame(frameType.continuation, flag.endHeaders, 1)],
])('a frame breaks its connection: %s', async (_, faulty) => {
  // Together with a call, so that the call is broken before the gateway has seen it.
  const raw = await connect();
  raw.send(frame(frameType.headers, flag.endHeaders, 1, send), faulty);
  await honest();
  await raw.until(({ closed }) => closed);
  // And with one that is under way.
  const later = await connect();
  later.send(
    frame(frameType.headers, flag.endHeaders, 1, callHead(`${service}/SendStreamingMessage`)),
    frame(frameType.data, flag.endStream, 1, enveloped(bytes('SendMessageRequest', message('wait')))),
  );
  await later.until(() => later.of(frameType.data).length > 0);
  later.send(faulty);
  await later.until(({ closed }) => closed);
});

describe.each(Object.entries(bindings))('a client that makes no room, over %s,', (name, sending) => {
  const large = 'x'.repeat(300_000);

  it(`a client that makes no room, over ${name}, for a whole answer does not keep it waiting for ever`, async () => {
    const raw = await connect(settings([setting.windowSize, 0]), impatient);
    for (let id = 1; id < 20; id += 2) {
      const body = sending.body(`say ${large}`);
      raw.send(frame(frameType.windowUpdate, 0, 0, uint32(1_000_000)));
      raw.send(frame(frameType.headers, flag.endHeaders, id, sending.send));
      for (let at = 0; at < body.length; at += 16_384) {
        const last = at + 16_384 >= body.length;
        await raw.push(frame(frameType.data, last ? flag.endStream : 0, id, body.subarray(at, at + 16_384)));
      }
    }
    await honest();
    await raw.until(() => raw.of(frameType.rstStream).length >= 10);
    // ENHANCE_YOUR_CALM, which gRPC reads as RESOURCE_EXHAUSTED.
    expect(new Set(raw.of(frameType.rstStream).map(({ payload }) => payload.readUInt32BE()))).toEqual(new Set([11]));
    expect(raw.closed).toBe(false);
  });

  it(`a client that makes no room, over ${name}, for a small answer neither`, async () => {
    const raw = await connect(settings([setting.windowSize, 0]), hasty);
    raw.send(
      frame(frameType.headers, flag.endHeaders, 1, sending.send),
      frame(frameType.data, flag.endStream, 1, sending.body('say hello')),
    );
    await raw.until(() => raw.of(frameType.rstStream).length >= 1);
  });

  it(`a client that makes no room, over ${name}, for a stream holds its source back, and is cut off`, async () => {
    const raw = await connect(settings([setting.windowSize, 1_000]), impatient);
    raw.send(
      frame(frameType.headers, flag.endHeaders, 1, sending.stream),
      frame(frameType.data, flag.endStream, 1, sending.streamBody('stream 5000 0')),
    );
    await raw.until(() => raw.of(frameType.data).length > 0);
    await honest();
    await raw.until(() => raw.of(frameType.rstStream).length >= 1);
    expect(raw.of(frameType.data).reduce((sum, { payload }) => sum + payload.length, 0)).toBeLessThanOrEqual(1_000);
  });
});

it.each(Object.entries(bindings))(
  'a message of one byte at a time is put together, or given up: %s',
  async (_, { send, body }) => {
    const whole = body('say hello');
    const raw = await connect(settings(), hasty);
    raw.send(frame(frameType.headers, flag.endHeaders, 1, send));
    raw.send(...[...whole].map((byte, i) => frame(frameType.data, i === whole.length - 1 ? 1 : 0, 1, Buffer.of(byte))));
    await raw.until(() => raw.of(frameType.data).length > 0);
    raw.send(frame(frameType.headers, flag.endHeaders, 3, send), frame(frameType.data, 0, 3, whole.subarray(0, 9)));
    await honest();
    await raw.until(() => raw.of(frameType.headers).some(({ stream }) => stream === 3));
  },
);

describe('a reset that comes together with what it resets', () => {
  const heads = {
    'a call': send,
    'an unknown rpc': callHead('/none'),
    'no call': hpack([
      [':method', 'GET'],
      [':scheme', 'http'],
      [':path', '/'],
      [':authority', 'localhost'],
    ]),
    'too many headers': callHead(`${service}/SendMessage`, [['x-long', 'x'.repeat(15_000)]]),
  };
  it.each(Object.entries(heads))(
    'a reset that comes together with what it resets ends no process: %s',
    async (_, head) => {
      const raw = await RawHttp2.open(gateway.port);
      open.push(raw);
      const streams = Array.from({ length: 40 }, (_, i) => 2 * i + 1);
      // The frames that follow its headers keep the closed stream alive for a moment.
      raw.send(
        Buffer.concat(
          streams.flatMap((id) => [frame(1, 4, id, head), frame(0, 0, id, hello), frame(3, 0, id, uint32(0))]),
        ),
      );
      raw.send(frame(frameType.ping, 0, 0, Buffer.alloc(8)));
      await raw.until(() => raw.closed || raw.of(frameType.ping).length > 0);
    },
  );
});

describe('anything', () => {
  const ids = fc.constantFrom(0, 1, 1, 3, 3, 5, 7, 2);
  const heads = fc.constantFrom(
    send,
    callHead(`${service}/SendStreamingMessage`),
    callHead('/grpc.health.v1.Health/Watch'),
    callHead('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'),
    callHead('/none'),
    callHead(`${service}/SendMessage`, [['grpc-timeout', '1m']]),
    callHead(`${service}/SendMessage`, [['grpc-encoding', 'gzip']]),
  );
  const bodies = fc.oneof(
    fc.constantFrom(
      hello,
      enveloped(bytes('SendMessageRequest', message('stream 20 1'))),
      enveloped(Buffer.of(1, 2, 3), 1),
    ),
    fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)),
  );
  const numbers = fc.constantFrom(0, 1, 8, 100, 65_535, 0x7fffffff, 0xffffffff);
  const frames = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(fc.constantFrom(4, 4, 5, 0), ids, heads).map(([f, id, head]) => frame(1, f, id, head)),
    },
    {
      weight: 4,
      arbitrary: fc.tuple(fc.constantFrom(0, 1, 1, 8), ids, bodies).map(([f, id, body]) => frame(0, f, id, body)),
    },
    { weight: 2, arbitrary: fc.tuple(ids, numbers).map(([id, code]) => frame(3, 0, id, uint32(code))) },
    fc.tuple(ids, numbers).map(([id, by]) => frame(8, 0, id, uint32(by))),
    fc.tuple(fc.constantFrom(1, 2, 3, 4, 5, 6, 99), numbers).map((entry) => settings(entry)),
    fc.tuple(fc.nat(255), fc.nat(255), ids, fc.uint8Array({ maxLength: 20 })).map((given) => frame(...given)),
    fc.uint8Array({ maxLength: 30 }).map((array) => Buffer.from(array)),
  );

  it('anything in any order ends no process', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(frames, fc.boolean()), { maxLength: 20 }),
        fc.boolean(),
        async (sent, reset) => {
          const raw = await RawHttp2.open(gateway.port);
          for (const [part, wait] of sent) {
            raw.send(part);
            if (wait) await new Promise((resolve) => setImmediate(resolve));
          }
          if (reset) raw.socket.resetAndDestroy();
          else raw.close();
        },
      ),
      { numRuns: 150 },
    );
  });
});
