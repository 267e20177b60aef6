import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { api } from '../../src/core/model/a2a.ts';
import { encode } from '../../src/wire/protobuf.ts';
import { anyJson, anyText } from '../support/arbitrary-json.ts';
import { connectError, grpcError, RawGrpc, RawHttp, restError, rpcError } from '../support/raw.ts';
import { agentVault, message, service, targetGateway, v1 } from './target-gateway.ts';

/** Requests that are spoilt at random, and bytes that are none: each is refused in its binding's own form, if at all. */

const target = targetGateway();
const { rpc } = target;

/** A valid request of each operation that a fuzzer may spoil; none of them waits for long when it is not spoilt. */
const samples: Readonly<Record<string, object>> = {
  SendMessage: message('say hi', { metadata: { a: 1 }, extensions: ['urn:x'], referenceTaskIds: ['t'] }),
  SendStreamingMessage: message('say hi', { contextId: 'c' }),
  GetTask: { id: 'none', historyLength: 3 },
  ListTasks: {
    contextId: 'none',
    status: 'TASK_STATE_WORKING',
    pageSize: 2,
    statusTimestampAfter: '2026-01-01T00:00:00Z',
  },
  CancelTask: { id: 'none', metadata: {} },
  SubscribeToTask: { id: 'none' },
  CreateTaskPushNotificationConfig: {
    taskId: 'none',
    url: 'https://example.com',
    authentication: { scheme: 'Bearer' },
  },
  GetTaskPushNotificationConfig: { taskId: 'none', id: 'none' },
  ListTaskPushNotificationConfigs: { taskId: 'none', pageSize: 2 },
  DeleteTaskPushNotificationConfig: { taskId: 'none', id: 'none' },
  GetExtendedAgentCard: {},
};

/** The value with one of its leaves or branches replaced, or a key added. */
function spoilt(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null) return anyJson;
  const entries = Object.entries(value);
  const replaced = entries.map(([key, inner]) =>
    spoilt(inner).map((other) =>
      Array.isArray(value) ? value.map((item, i) => (String(i) === key ? other : item)) : { ...value, [key]: other },
    ),
  );
  const more = fc.tuple(fc.oneof(anyText, fc.constantFrom('constructor', 'toString', 'hasOwnProperty')), anyJson);
  const added = more.map(([key, other]) => (Array.isArray(value) ? [...value, other] : { ...value, [key]: other }));
  return fc.oneof(anyJson, added, ...replaced);
}

const anyBytes = fc.uint8Array({ maxLength: 200 });
/** JSON text, most of it well-formed. */
const textOf = (json: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc
    .tuple(json, fc.nat({ max: 20 }), fc.constantFrom('', '}', '\u0000', '{"__proto__":1}'))
    .map(([value, at, noise]) => {
      const text = JSON.stringify(value);
      return at === 0 ? text.slice(0, -1) + noise : text;
    });

const operations = Object.keys(samples);
/** This many runs, or the number that a slow machine completes in ten seconds. */
const runs = (numRuns: number) => ({ numRuns, endOnFailure: true, interruptAfterTimeLimit: 10_000 });

describe('a gateway that receives arbitrary input', () => {
  it('a gateway that receives arbitrary input is tested with a sample of every operation', () => {
    expect(operations.sort()).toEqual(api.operations.map(({ name }) => name).sort());
  });

  const rpcBodies = fc.oneof(
    anyBytes,
    textOf(anyJson),
    fc
      .constantFrom(...operations)
      .chain((method) => textOf(spoilt(samples[method]).map((params) => ({ jsonrpc: '2.0', id: 1, method, params })))),
    textOf(spoilt({ jsonrpc: '2.0', id: 'a', method: 'GetTask', params: { id: 'none' } })),
    textOf(
      spoilt({
        jsonrpc: '2.0',
        id: 'req-send-1',
        method: 'tasks/send',
        params: { message: { role: 'user', parts: [{ type: 'text', content: 'say hi' }] } },
      }),
    ),
    textOf(
      fc
        .tuple(fc.constantFrom('tasks/get', 'tasks/cancel', 'tasks/sendSubscribe'), anyJson)
        .map(([method, params]) => ({ jsonrpc: '2.0', id: 1, method, params })),
    ),
  );

  it.each(['/', agentVault])(
    'a gateway that receives arbitrary input answers JSON-RPC at %s in the right form',
    async (path) => {
      const headers = path.startsWith('/as') ? { 'content-type': 'application/json' } : v1;
      await fc.assert(
        fc.asyncProperty(rpcBodies, async (body) => {
          rpcError(await rpc(body, path, headers));
        }),
        runs(100),
      );
    },
  );

  it('a gateway that receives arbitrary input answers JSON-RPC without a version in the right form', async () => {
    await fc.assert(
      fc.asyncProperty(rpcBodies, async (body) => {
        rpcError(await rpc(body, '/', { 'content-type': 'application/json' }));
      }),
      runs(100),
    );
  });

  const routes = api.operations.flatMap((operation) => operation.http.map((rule) => ({ operation, rule })));

  it('a gateway that receives arbitrary input answers every route of HTTP+JSON in the right form', async () => {
    const segment = fc.oneof(
      anyText.filter((text) => text !== '' && text !== '.' && text !== '..').map(encodeURIComponent),
      fc.constantFrom('demo', 'none', '%zz', '%ff', '%2f', '%00', ':cancel', '__proto__', 'a:b'),
    );
    const query = fc.oneof(
      fc.constant(''),
      fc
        .dictionary(fc.constantFrom('pageSize', 'historyLength', 'status', 'tenant', 'x', 'id'), anyText, {
          maxKeys: 3,
        })
        .map((entries) => `?${new URLSearchParams(entries)}`),
      fc.constantFrom('?%zz=1', '?&&=', '?pageSize=1&pageSize=2', '?message.parts=1'),
    );
    const call = fc.constantFrom(...routes).chain(({ operation, rule }) =>
      fc.record({
        method: fc.constant(rule.verb),
        path: fc.array(segment, { minLength: 3, maxLength: 3 }).map((segments) => {
          const rest = segments.values();
          return rule.path.replace(/\{[^}]+\}/g, () => rest.next().value ?? 'x');
        }),
        query,
        body: fc.oneof(anyBytes, textOf(anyJson), textOf(spoilt(samples[operation.name]))),
        base: fc.constantFrom('', '/demo', '/frugal', '/as/a2a-1.0'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(call, async ({ method, path, query: search, body, base }) => {
        const content = method === 'POST' ? { body } : {};
        restError(await target.http.send({ method, path: `${base}${path}${search}`, headers: v1, ...content }));
      }),
      runs(200),
    );
  });

  it('a gateway that receives arbitrary input answers every method of gRPC in the right form', async () => {
    const call = fc.constantFrom(...api.operations).chain((operation) => {
      const valid = encode(api, operation.request, samples[operation.name] as object);
      return fc.record({
        path: fc.constant(operation.grpcPath),
        content: fc.oneof(
          anyBytes,
          fc
            .tuple(fc.nat({ max: valid.length }), anyBytes)
            .map(([at, noise]) => Buffer.concat([valid.subarray(0, at), noise, valid.subarray(at)])),
          fc
            .tuple(fc.nat({ max: valid.length }), fc.nat({ max: 255 }))
            .map(([at, byte]) => Uint8Array.from(valid, (value, i) => (i === at ? byte : value))),
        ),
      });
    });
    await fc.assert(
      fc.asyncProperty(call, async ({ path, content }) => {
        grpcError(await target.grpc.send(path, content));
      }),
      runs(200),
    );
  });

  it('a gateway that receives arbitrary input answers every method of Connect in the right form', async () => {
    const streaming = new Set(api.operations.filter((operation) => operation.streaming).map(({ rpc: name }) => name));
    const unary = operations.filter((name) => !streaming.has(name));
    const call = fc.constantFrom(...unary).chain((name) =>
      fc.record({
        name: fc.constant(name),
        body: fc.oneof(anyBytes, textOf(anyJson), textOf(spoilt(samples[name]))),
        type: fc.constantFrom('application/json', 'application/proto'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(call, async ({ name, body, type }) => {
        const headers = { 'content-type': type, 'connect-protocol-version': '1' };
        connectError(await target.http.send({ path: `${service}/${name}`, body, headers }));
      }),
      runs(120),
    );
  });

  it('a gateway that receives arbitrary input answers enveloped Connect and gRPC-Web in the right form', async () => {
    const types = [
      'application/connect+json',
      'application/connect+proto',
      'application/grpc-web+proto',
      'application/grpc-web+json',
      'application/grpc-web',
      'application/grpc-web-text',
    ];
    const call = fc.record({
      name: fc.constantFrom(...operations),
      type: fc.constantFrom(...types),
      body: fc.oneof(
        anyBytes,
        fc
          .tuple(fc.nat({ max: 3 }), fc.nat({ max: 300 }), anyBytes)
          .map(([flags, size, content]) => Buffer.concat([Buffer.from([flags, 0, 0, size >> 8, size & 255]), content])),
      ),
    });
    await fc.assert(
      fc.asyncProperty(call, async ({ name, type, body }) => {
        const answer = await target.http.send({ path: `${service}/${name}`, body, headers: { 'content-type': type } });
        // A stream says in its last envelope how it went; a media type that the method does not have is 415.
        expect([200, 415]).toContain(answer.status);
        const last = (type.endsWith('text') ? Buffer.from(`${answer.body}`, 'base64') : answer.body)
          .toString('latin1')
          .toLowerCase();
        // Both protocols ask for INTERNAL where a message is compressed and no header says how.
        if (last.includes('the headers name no compression')) return;
        expect(last).not.toMatch(/"code":"(?:internal|unknown)"|grpc-status: ?(?:2|13)\b/);
      }),
      runs(120),
    );
  });

  it('a gateway that receives arbitrary input answers arbitrary paths of cards and pages', async () => {
    const segment = fc.oneof(
      anyText.map(encodeURIComponent),
      fc.constantFrom('demo', '..', '%2e%2e', '%00', '%zz', 'as'),
    );
    const path = fc
      .tuple(
        fc.array(segment, { maxLength: 3 }),
        fc.constantFrom(
          '.well-known/agent-card.json',
          '.well-known/agent.json',
          'agent-card.json',
          'agents',
          'healthz',
          '',
        ),
      )
      .map(([segments, last]) => `/${[...segments, last].join('/')}`);
    const version = fc.option(
      fc.string({ maxLength: 8 }).filter((text) => /^[!-~]*$/.test(text)),
      { nil: undefined },
    );
    await fc.assert(
      fc.asyncProperty(path, version, async (url, requested) => {
        const headers = requested === undefined ? {} : { 'a2a-version': requested };
        const answer = await target.http.send({ method: 'GET', path: url, headers });
        if (answer.status >= 400) restError(answer);
        else expect([200, 204, 301, 302, 304, 308]).toContain(answer.status);
      }),
      runs(120),
    );
  });

  it('a gateway that receives arbitrary input survives bytes that are not HTTP', async () => {
    const first = fc.oneof(
      anyBytes,
      fc
        .constantFrom(
          'PRI * HTTP/2.0\r\n\r\nXX',
          'PRI',
          'GET / HTTP/9.9\r\n\r\n',
          'POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n',
        )
        .map((text) => Buffer.from(text)),
      anyBytes.map((noise) => Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), noise])),
    );
    await fc.assert(
      fc.asyncProperty(first, async (content) => {
        const answer = await new Promise<Buffer>((resolve, reject) => {
          const chunks: Buffer[] = [];
          const socket = connect(target.gateway.port, '127.0.0.1', () => socket.end(content));
          socket.on('data', (chunk) => chunks.push(chunk));
          socket.on('error', () => resolve(Buffer.concat(chunks)));
          socket.on('close', () => resolve(Buffer.concat(chunks)));
          socket.setTimeout(10_000, () => reject(new Error('the socket stays open')));
        });
        const text = answer.toString('latin1');
        if (text.startsWith('HTTP/1.1')) expect(text).toMatch(/^HTTP\/1\.1 (?:4\d\d|505)/);
      }),
      runs(100),
    );
  });

  it('a gateway that receives arbitrary input keeps no timer and no socket of refused calls', async () => {
    const kinds = () => {
      const counts: Record<string, number> = {};
      for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
      return { timers: counts.Timeout ?? 0, sockets: (counts.TCPSocketWrap ?? 0) + (counts.TCPServerWrap ?? 0) };
    };
    const round = async (): Promise<void> => {
      const own = new RawHttp(target.gateway.port);
      const ownGrpc = new RawGrpc(target.gateway.target);
      const calls = operations.flatMap((method) => [
        own.send({
          path: '/',
          headers: v1,
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { id: 5 } }),
        }),
        own.send({ path: `${service}/${method}`, headers: { 'content-type': 'application/json' }, body: '{"x":' }),
        ownGrpc.send(`${service}/${method}`, Buffer.from([1, 2, 3])),
      ]);
      await Promise.all(calls);
      own.close();
      ownGrpc.close();
    };
    await round();
    const settled = await vi.waitFor(() => kinds());
    for (let i = 0; i < 5; i += 1) await round();
    await vi.waitFor(
      () => {
        const now = kinds();
        expect(now.sockets).toBeLessThanOrEqual(settled.sockets + 2);
        expect(now.timers).toBeLessThanOrEqual(settled.timers + 4);
      },
      { interval: 50 },
    );
  });
});
