import type { OutgoingHttpHeaders } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { A2AError, type Client } from '../../../src/client/index.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import {
  type Act,
  type Exchange,
  errors,
  events,
  type HostileAgent,
  type Speech,
} from '../../support/hostile-agent.ts';
import type { Bridge } from '../../support/upstreams.ts';
import { bridged, essence, follow, servesOn, wordsOf } from './hostile-bridge.ts';

/** Answers of an upstream agent that are malformed or break the protocol, as a client sees them. */

const { task, status, chunk } = events;

/** The outcome of a message: the task, or the error. */
async function outcome(client: Client): Promise<Task | A2AError> {
  try {
    const { task } = await client.send('go');
    return task ?? expect.fail('a message');
  } catch (thrown) {
    return A2AError.from(thrown);
  }
}

/** Why a message failed: the error, or the message of the failed task. */
async function reason(client: Client): Promise<string> {
  const result = await outcome(client);
  if (result instanceof A2AError) return `${result.kind}: ${result.message}`;
  expect(result.status.state).toBe('TASK_STATE_FAILED');
  return wordsOf(result.status.message);
}

const http: readonly Speech[] = ['a2a-1.0 jsonrpc', 'a2a-1.0 rest'];

/** Sends the message over HTTP+JSON, so that a test can check the HTTP status. */
const post = (bridge: Bridge): Promise<Response> =>
  fetch(`${bridge.origin}/up/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] } }),
  });

/** Writes the same piece repeatedly until the client disconnects; resolves with the number of bytes taken. */
async function pour({ res, closed }: Exchange, contentType: string, piece: string): Promise<number> {
  if (!res) throw new TypeError('only over HTTP/1.1');
  res.writeHead(200, { 'content-type': contentType });
  let gone = false;
  void closed.then(() => {
    gone = true;
  });
  let bytes = 0;
  while (!gone) {
    bytes += piece.length;
    if (!res.write(piece)) {
      await Promise.race([new Promise((resolve) => res.once('drain', resolve)), closed]);
    }
  }
  return bytes;
}

const html = '<!doctype html><title>Welcome</title><p>It works!';

const nonsense: readonly (readonly [what: string, act: Act])[] = [
  ['a page', ({ res }) => res?.writeHead(200, { 'content-type': 'text/html' }).end(html)],
  ['a page that claims to be JSON', ({ res }) => res?.writeHead(200, { 'content-type': 'application/json' }).end(html)],
  ['nothing', ({ res }) => res?.writeHead(200, { 'content-type': 'application/json' }).end()],
  ['nothing at all', ({ res }) => res?.writeHead(204).end()],
  [
    'half of JSON',
    ({ res }) => res?.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":'),
  ],
  [
    'a number',
    ({ res, id }) =>
      res
        ?.writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result: 42 })),
  ],
  ['a picture', ({ res }) => res?.writeHead(200, { 'content-type': 'image/png' }).end('PNG')],
  ['an error page', ({ res }) => res?.writeHead(500, { 'content-type': 'text/html' }).end(html)],
  ['a page that is not there', ({ res }) => res?.writeHead(404, { 'content-type': 'text/html' }).end(html)],
  ['a redirect', ({ res }) => res?.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data' }).end()],
  [
    'a stream of nonsense',
    ({ res }) => res?.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"a":\n\ndata: 1\n\n'),
  ],
  ['a stream of nothing', ({ res }) => res?.writeHead(200, { 'content-type': 'text/event-stream' }).end()],
];

describe.each(http)('an agent of %s that answers a message wrongly', (speech) => {
  it.each(nonsense)(
    `an agent of ${speech} that answers a message wrongly fails the call when it sends %s`,
    async (what, act) => {
      const { agent, bridge, client } = await bridged(speech, [act], { SendMessage: act });
      expect(await reason(client)).toMatch(/./);
      // The gateway does not repeat a message that the agent may have received. After a 404, it cannot have received one.
      const sent = agent.count('SendStreamingMessage') + agent.count('SendMessage');
      expect(sent).toBe(what === 'a page that is not there' ? 2 : 1);
      const response = await post(bridge);
      const { error } = (await response.json()) as { error?: { details: { reason?: string }[] } };
      expect([response.status, error?.details[0]?.reason]).toEqual([
        expect.toSatisfy((code: number) => [500, 502, 504].includes(code)),
        expect.stringMatching(/^(INVALID_AGENT_RESPONSE|UPSTREAM_)/),
      ]);
      await servesOn(bridge);
    },
  );

  it.each([
    [429, 'tooManyRequests'],
    [503, 'unavailable'],
  ])(
    `an agent of ${speech} that answers a message wrongly makes the caller retry later when it sends HTTP %i with Retry-After`,
    async (code, kind) => {
      const act: Act = ({ res }) => res?.writeHead(code, { 'retry-after': '7' }).end();
      const { agent, bridge, client } = await bridged(speech, [act], { SendMessage: act });
      expect(await outcome(client)).toMatchObject({ kind, retryAfter: 7 });
      expect(agent.calls).toHaveLength(1);
      const response = await post(bridge);
      expect([response.status, response.headers.get('retry-after')]).toEqual([code, '7']);
      await servesOn(bridge);
    },
  );

  it(`an agent of ${speech} that answers a message wrongly fails the call when it sends an endless body, of which little is buffered`, async () => {
    let poured = 0;
    const { bridge, client } = await bridged(speech, [
      async (exchange) => {
        poured = await pour(exchange, 'application/json', ' '.repeat(1 << 16));
      },
    ]);
    expect(await reason(client)).toMatch(/larger than/);
    await expect.poll(() => poured).toBeGreaterThan(0);
    expect(poured).toBeLessThan(64 << 20);
    await servesOn(bridge);
  });

  it(`an agent of ${speech} that answers a message wrongly fails the call when it sends an endless event, of which little is buffered`, async () => {
    let poured = 0;
    const { bridge, client } = await bridged(speech, [
      async (exchange) => {
        poured = await pour(exchange, 'text/event-stream', `data: ${'x'.repeat(1 << 16)}\n`);
      },
    ]);
    expect(await reason(client)).toMatch(/larger|too large|longer|exceed/i);
    await expect.poll(() => poured).toBeGreaterThan(0);
    expect(poured).toBeLessThan(64 << 20);
    await servesOn(bridge);
  });
});

describe('a JSON-RPC agent', () => {
  const speech = 'a2a-1.0 jsonrpc';
  const reply = ({ res }: Exchange, body: object): void =>
    void res?.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  it.each(['other', -1, true, ['1'], { toString: 1 }])(
    "a JSON-RPC agent fails the call when it answers with another request's id %j",
    async (id) => {
      const { agent, client } = await bridged(speech, [
        (exchange) => {
          agent.happen(task('COMPLETED'));
          reply(exchange, { jsonrpc: '2.0', id, result: { task: agent.truth } });
        },
      ]);
      expect(await reason(client)).toMatch(/id of another request/);
    },
  );

  it('a JSON-RPC agent does not change the task by events with the id of another request', async () => {
    const { agent, client } = await bridged(speech, [
      async (exchange) => {
        await exchange.tell(agent.happen(task('WORKING')));
        exchange.res?.write(
          `data: ${JSON.stringify({ jsonrpc: '2.0', id: 'other', result: status('FAILED', 'Not yours') })}\n\n`,
        );
        await exchange.tell(agent.happen(status('COMPLETED', 'Done')));
        exchange.end();
      },
    ]);
    const { task: end } = await follow(client);
    expect(essence(end)).toEqual(essence(agent.truth));
    expect(end.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('a JSON-RPC agent does not change the task by an event with an unknown state', async () => {
    const { agent, bridge, client } = await bridged(speech, [
      async (exchange) => {
        await exchange.tell(agent.happen(task('WORKING')));
        await exchange.tell(status('DANCING', 'La la'));
        await exchange.tell(agent.happen(chunk('one', false)));
        await exchange.tell(agent.happen(status('COMPLETED', 'Done')));
        exchange.end();
      },
    ]);
    const { task: end } = await follow(client);
    expect(end.status.state).toBe('TASK_STATE_COMPLETED');
    expect(end.artifacts).toHaveLength(1);
    expect(end.metadata?.['a2a-gateway/unread']).toEqual([expect.stringContaining('DANCING')]);
    await servesOn(bridge);
  });

  it('a JSON-RPC agent fails the call when it answers with an unknown state', async () => {
    const { client } = await bridged(speech, [
      (exchange) => reply(exchange, { jsonrpc: '2.0', id: exchange.id, result: task('DANCING') }),
    ]);
    expect(await reason(client)).toMatch(/./);
  });

  it('a JSON-RPC agent does not pollute the prototype of objects', async () => {
    const { client } = await bridged(speech, [
      ({ res, id }) =>
        res
          ?.writeHead(200, { 'content-type': 'application/json' })
          .end(
            `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"task":{"id":"theirs-1","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"metadata":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}}}`,
          ),
    ]);
    await outcome(client);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('a gRPC agent that answers a message wrongly', () => {
  const head = { ':status': 200, 'content-type': 'application/grpc' };
  /** A frame whose length is what it says, or what it does not. */
  const frame = (flag: number, length: number, bytes: Buffer): Buffer => {
    const start = Buffer.alloc(5);
    start.writeUInt8(flag);
    start.writeUInt32BE(length, 1);
    return Buffer.concat([start, bytes]);
  };
  const junk = Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]);

  /** Headers and a body. */
  const body =
    (headers: OutgoingHttpHeaders, bytes: string | Buffer = ''): Act =>
    ({ h2 }) => {
      h2?.respond(headers);
      h2?.end(bytes);
    };

  it.each([
    ['a page', body({ ':status': 200, 'content-type': 'text/html' }, html)],
    ['an error page', body({ ':status': 503 }, html)],
    ['no status', body(head)],
    ['a status that there is not', body({ ...head, 'grpc-status': '99', 'grpc-message': 'Hm' })],
    ['bytes that are no message', body(head, frame(0, junk.length, junk))],
    ['a message that is compressed in no known way', body(head, frame(1, junk.length, junk))],
    ['half a message', body(head, frame(0, 1_000, junk))],
    [
      'the beginning of 4 GB',
      ({ h2 }: Exchange) => {
        h2?.respond(head);
        h2?.write(frame(0, 0xffffffff, junk));
      },
    ],
    ['the end of the stream', ({ h2 }: Exchange) => h2?.close(2)],
    ['the end of the session', ({ h2 }: Exchange) => h2?.session?.goaway(0xb)],
    ['the end of the connection', (exchange: Exchange) => exchange.reset()],
  ] satisfies [string, Act][])(
    'a gRPC agent that answers a message wrongly fails the call when it sends %s',
    async (_, act) => {
      const { agent, bridge, client } = await bridged('a2a-1.0 grpc', [act], { SendMessage: act }, { silence: 500 });
      expect(await reason(client)).toMatch(/./);
      expect(agent.count('SendStreamingMessage') + agent.count('SendMessage')).toBe(1);
      await servesOn(bridge);
    },
  );
});

/** The polled agent answers a message with a task. */
const working =
  (agent: () => HostileAgent): Act =>
  (exchange) =>
    exchange.answer(agent().happen(task('WORKING')));

describe.each(['a2a-1.0 jsonrpc', 'a2a-1.0 rest', 'a2a-0.3 jsonrpc', 'agentvault'] satisfies Speech[])(
  'an agent of %s that the gateway polls for its task',
  (speech) => {
    const ask = async (...acts: readonly Act[]) => {
      const started = await bridged(speech, [() => undefined]);
      const { agent } = started;
      const done: Act = (exchange) => {
        if (agent.truth.status.state !== 'TASK_STATE_COMPLETED') {
          agent.happen(chunk('one', false));
          agent.happen(status('COMPLETED', 'Done'));
        }
        exchange.answer(agent.truth);
      };
      agent.script = {
        SendMessage: working(() => agent),
        SendStreamingMessage: (exchange) => exchange.lack(),
        SubscribeToTask: (exchange) => exchange.refuse(errors.unsupported),
        GetTask: [...acts, done],
      };
      return started;
    };

    const error = (code: number, more: Record<string, string> = {}): Act => {
      return ({ res }) => res?.writeHead(code, { 'content-type': 'text/html', ...more }).end(html);
    };

    it.each([
      ['fails once', error(500)],
      ['is not there for a moment', error(503, { 'retry-after': '0' })],
      ['is behind a proxy that does not reach it once', error(502)],
      ['is behind a proxy that waits in vain once', error(504)],
      ['has too much to do', error(429, { 'retry-after': '0' })],
      ['hangs up', (exchange: Exchange) => exchange.reset()],
    ] satisfies [string, Act][])(
      `an agent of ${speech} that the gateway polls for its task completes the task when it %s`,
      async (_, act) => {
        const { agent, client } = await ask(act);
        const { task: end } = await follow(client);
        expect(end.status.state).toBe('TASK_STATE_COMPLETED');
        expect(essence(end)).toEqual(essence(agent.truth));
        expect(agent.count('SendMessage')).toBe(1);
      },
    );

    it.each([
      ['fails', error(500), /500/],
      ['answers with a page', error(200), /text\/html|not valid|JSON/],
      ['has forgotten it', (exchange: Exchange) => exchange.refuse(errors.taskNotFound), /no longer knows|not found/],
    ] satisfies [string, Act, RegExp][])(
      `an agent of ${speech} that the gateway polls for its task fails the task when it %s on every request`,
      async (_, act, why) => {
        const { bridge, client } = await ask(...Array.from({ length: 200 }, () => act));
        const { task: end } = await follow(client);
        expect(end.status.state).toBe('TASK_STATE_FAILED');
        expect(wordsOf(end.status.message)).toMatch(why);
        await servesOn(bridge);
      },
    );
  },
);
