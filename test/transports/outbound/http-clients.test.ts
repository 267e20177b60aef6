import type { RequestListener, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../../src/core/model/a2a.ts';
import {
  type CallContext,
  isStream,
  type LoggedEvent,
  type Reply,
  type UnaryReply,
} from '../../../src/core/model/call.ts';
import type { A2AError } from '../../../src/core/model/errors.ts';
import { createDialects, extensions } from '../../../src/dialects/registry.ts';
import { createJsonRpcClient } from '../../../src/transports/jsonrpc/client.ts';
import type { ClientTransport, HttpTransportOptions } from '../../../src/transports/outbound/http-transport.ts';
import { createRestClient } from '../../../src/transports/rest/client.ts';
import { contextFor } from '../../support/core.ts';
import { afterTest, bodyOf, closedPortUrl, sendJson, serve, serveTcp } from '../../support/peer.ts';

const dialect = createDialects().byName.get('a2a-1.0');
if (dialect === undefined) throw new Error('there is no v1');

/** Differences between the bindings that carry v1. */
interface Row {
  readonly name: string;
  readonly create: (options: HttpTransportOptions) => ClientTransport;
  /** A successful answer's body. */
  wrap(value: unknown, id: unknown): unknown;
  wrapError(error: Failure, id: unknown): { status: number; body: unknown };
}

interface Failure {
  readonly code: number;
  readonly http: number;
  readonly status: string;
  readonly message: string;
  readonly reason: string;
}

const detailsOf = ({ reason }: Failure) => [
  { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' },
];

const rows: Row[] = [
  {
    name: 'JSON-RPC',
    create: createJsonRpcClient,
    wrap: (result, id) => ({ jsonrpc: '2.0', id, result }),
    wrapError: (error, id) => ({
      status: 200,
      body: { jsonrpc: '2.0', id, error: { code: error.code, message: error.message, data: detailsOf(error) } },
    }),
  },
  {
    name: 'HTTP+JSON',
    create: createRestClient,
    wrap: (value) => value,
    wrapError: (error) => ({
      status: error.http,
      body: { error: { code: error.http, status: error.status, message: error.message, details: detailsOf(error) } },
    }),
  },
];

const context = (more: Partial<CallContext> = {}): CallContext => contextFor('demo', { requestId: 'r1', ...more });

const task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } };
const message = { messageId: 'm1', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] };
const status = (state: string) => ({ statusUpdate: { taskId: 't1', contextId: 'c1', status: { state } } });

/** Id of a JSON-RPC request; undefined for HTTP+JSON. */
const idOf = (body: string): unknown => (body === '' ? undefined : JSON.parse(body).id);

const sse = (res: ServerResponse) => res.writeHead(200, { 'content-type': 'text/event-stream' });

describe.each(rows)('a client over $name', ({ name, create, wrap, wrapError }) => {
  const open = (url: string, more: Partial<HttpTransportOptions> = {}): ClientTransport => {
    const client = create({ url, dialect, timeout: 5000, ...more });
    afterTest(() => client.close());
    return client;
  };
  const call = (
    url: string,
    operation: OperationName,
    request: unknown,
    more: Partial<HttpTransportOptions> = {},
    cx = context(),
  ) => open(url, more).invoke({ operation, request: request as never, context: cx });
  const getTask = (url: string, more: Partial<HttpTransportOptions> = {}, cx = context()) =>
    call(url, 'GetTask', { id: 't1' }, more, cx);
  const collect = async (reply: Reply): Promise<LoggedEvent[]> => {
    if (!isStream(reply)) throw new Error('not a stream');
    const events: LoggedEvent[] = [];
    for await (const event of reply.events) events.push(event);
    return events;
  };
  const subscribe = async (url: string, more: Partial<HttpTransportOptions> = {}, cx = context()) =>
    collect(await call(url, 'SubscribeToTask', { id: 't1' }, more, cx));
  /** Answers every call with a value. */
  const answering = (value: unknown): RequestListener =>
    async function answer(req, res) {
      sendJson(res, wrap(value, idOf(await bodyOf(req))));
    };

  it(`a client over ${name} sends the call context in headers, and reads those of the answer`, async () => {
    let headers: NodeJS.Dict<string | string[]> = {};
    const url = await serve(async (req, res) => {
      headers = req.headers;
      const id = idOf(await bodyOf(req));
      sendJson(res, wrap(task, id), 200, { 'a2a-extensions': 'urn:a, urn:b', 'a2a-gateway-loss': 'message.parts' });
    });
    const cx = context({
      extensions: ['urn:a'],
      idempotencyKey: 'k',
      traceparent: '00-1-2-01',
      hops: 2,
      replay: { after: 7 },
    });
    const reply = await getTask(url, { headers: () => ({ authorization: 'Bearer x' }) }, cx);
    expect((reply as UnaryReply).value).toEqual(task);
    expect(headers).toMatchObject({
      'a2a-version': '1.0',
      'a2a-extensions': 'urn:a',
      'a2a-hops': '2',
      'x-request-id': 'r1',
      'idempotency-key': 'k',
      'last-event-id': '7',
      traceparent: '00-1-2-01',
      authorization: 'Bearer x',
    });
    expect([...cx.notes.extensions, ...cx.notes.losses]).toEqual(['urn:a', 'urn:b', 'message.parts']);
  });

  it(`a client over ${name} reads a stream with the ids of its events`, async () => {
    const url = await serve(async (req, res) => {
      const id = idOf(await bodyOf(req));
      sse(res).write(': hello\n\n');
      res.write(`id: 4\ndata: ${JSON.stringify(wrap({ task }, id))}\n\n`);
      res.write(`data: ${JSON.stringify(wrap(status('TASK_STATE_WORKING'), id))}\n`);
      res.end(`id: x\n\nid: 9\r\ndata: ${JSON.stringify(wrap(status('TASK_STATE_COMPLETED'), id))}\r\n\r\n`);
    });
    const events = await subscribe(url);
    expect(events.map(({ seq }) => seq)).toEqual([4, 5, 9]);
    expect(events.map(({ json }) => JSON.parse(json))).toEqual(events.map(({ event }) => event));
    expect(events.at(-1)?.event).toEqual(status('TASK_STATE_COMPLETED'));
  });

  it(`a client over ${name} counts on from where it resumed when events have no ids`, async () => {
    const url = await serve(async (req, res) => {
      const id = idOf(await bodyOf(req));
      sse(res).end(`data: ${JSON.stringify(wrap(status('TASK_STATE_COMPLETED'), id))}\n\n`);
    });
    expect((await subscribe(url, {}, context({ replay: { after: 41 } })))[0]?.seq).toBe(42);
  });

  it(`a client over ${name} rejects with the error of the agent`, async () => {
    const failure: Failure = {
      code: -32001,
      http: 404,
      status: 'NOT_FOUND',
      message: 'gone',
      reason: 'TASK_NOT_FOUND',
    };
    const url = await serve(async (req, res) => {
      const { status, body } = wrapError(failure, idOf(await bodyOf(req)));
      sendJson(res, body, status);
    });
    await expect(getTask(url)).rejects.toMatchObject({ kind: 'taskNotFound', message: 'gone' });
    await expect(subscribe(url)).rejects.toMatchObject({ kind: 'taskNotFound' });
  });

  it(`a client over ${name} distinguishes errors with the same code by their reason or, without one, by the service of the operation`, async () => {
    const refusal = { code: -32010, http: 409, status: 'ABORTED', message: 'no' };
    const a2a = { dialect, operation: 'SendMessage', request: { message }, kind: 'taskGenerationMismatch' };
    const [extension] = extensions;
    const knowledge = { dialect: extension, operation: 'Query', request: { query: 'x' }, kind: 'knowledgeQuery' };
    const cases = [
      { ...a2a, reason: 'TASK_GENERATION_MISMATCH' },
      { ...knowledge, reason: 'KNOWLEDGE_QUERY_FAILED' },
      // HTTP statuses alone do not say so much.
      ...(create === createJsonRpcClient ? [a2a, knowledge] : []).map((one) => ({ ...one, reason: 'UNKNOWN' })),
    ];
    for (const { reason, operation, request, kind, ...options } of cases) {
      const url = await serve(async (req, res) => {
        const { status, body } = wrapError({ ...refusal, reason }, idOf(await bodyOf(req)));
        sendJson(res, body, status);
      });
      const sent = open(url, options as never).invoke({ operation, request, context: context() } as never);
      await expect(sent).rejects.toMatchObject({ kind, message: 'no' });
    }
  });

  it(`a client over ${name} ends a stream with the error that the agent sent in it`, async () => {
    const failure: Failure = {
      code: -32602,
      http: 400,
      status: 'INVALID_ARGUMENT',
      message: 'no',
      reason: 'INVALID_PARAMS',
    };
    const url = await serve(async (req, res) => {
      const id = idOf(await bodyOf(req));
      sse(res).write(`data: ${JSON.stringify(wrap({ task }, id))}\n\n`);
      res.end(`event: error\ndata: ${JSON.stringify(wrapError(failure, id).body)}\n\n`);
    });
    await expect(subscribe(url)).rejects.toMatchObject({ kind: 'invalidParams', message: 'no' });
  });

  it.each<[status: number, kind: string, headers: Record<string, string>]>([
    [401, 'unauthenticated', {}],
    [403, 'permissionDenied', {}],
    [404, 'routeNotFound', {}],
    [413, 'payloadTooLarge', {}],
    [429, 'tooManyRequests', { 'retry-after': '7' }],
    [500, 'invalidAgentResponse', {}],
    [502, 'upstreamUnreachable', {}],
    [503, 'unavailable', {}],
    [520, 'upstreamUnreachable', {}],
    [522, 'upstreamTimeout', {}],
    [524, 'upstreamTimeout', {}],
    [526, 'upstreamUnreachable', {}],
    [529, 'unavailable', { 'retry-after': '7' }],
    [599, 'upstreamTimeout', {}],
  ])(`a client over ${name} understands HTTP %i without a body that it knows as %s`, async (status, kind, headers) => {
    const url = await serve((_, res) =>
      res.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<h1>no</h1>'),
    );
    await expect(getTask(url)).rejects.toMatchObject({
      kind,
      retryAfter: headers['retry-after'] === undefined ? undefined : 7,
    });
    await expect(subscribe(url)).rejects.toMatchObject({ kind });
  });

  it(`a client over ${name} reads when to try again as a date`, async () => {
    const date = new Date(Date.now() + 90_000).toUTCString();
    const url = await serve((_, res) => res.writeHead(503, { 'retry-after': date }).end());
    const { retryAfter } = (await getTask(url).catch((thrown: unknown) => thrown)) as A2AError;
    expect(retryAfter).toBeGreaterThan(30);
    expect(retryAfter).toBeLessThanOrEqual(90);
    const nonsense = await serve((_, res) => res.writeHead(503, { 'retry-after': 'soon' }).end());
    await expect(getTask(nonsense)).rejects.toMatchObject({ kind: 'unavailable', retryAfter: undefined });
  });

  it(`a client over ${name} carries the details of an error, and the time to try again in them`, async () => {
    const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' };
    const url = await serve(async (req, res) => {
      const failure = { code: -32603, http: 500, status: 'INTERNAL', message: 'no', reason: 'INTERNAL_ERROR' };
      const { status, body } = wrapError(failure, idOf(await bodyOf(req)));
      const { error } = body as { error: { data?: unknown[]; details?: unknown[] } };
      (error.data ?? error.details)?.push(retry);
      sendJson(res, body, status);
    });
    await expect(getTask(url)).rejects.toMatchObject({ message: 'no', extraDetails: [retry], retryAfter: 7 });
  });

  it.each([301, 302, 307, 308])(
    `a client over ${name} follows a redirect %i within the origin, with method, body and headers`,
    async (status) => {
      const seen: unknown[] = [];
      const url = await serve(async (req, res) => {
        const body = await bodyOf(req);
        seen.push([req.method, req.url, req.headers.authorization, body]);
        const [path = '', query] = String(req.url).split('?');
        // To the form with a slash, and from there to another path.
        if (path.endsWith('/moved/')) sendJson(res, wrap(query === 'key=k' ? task : {}, idOf(body)));
        else res.writeHead(status, { location: path.endsWith('/') ? `${path}moved/?key=k` : `${path}/` }).end();
      });
      const reply = await getTask(`${url}/a?key=k`, { headers: () => ({ authorization: 'Bearer x' }) });
      expect((reply as UnaryReply).value).toEqual(task);
      const [first] = seen as [unknown[]];
      expect(seen).toEqual(
        ['', '/', '/moved/'].map((end) => [first[0], String(first[1]).replace('?', `${end}?`), 'Bearer x', first[3]]),
      );
    },
  );

  it(`a client over ${name} does not follow a redirect to another origin, and names both`, async () => {
    let requests = 0;
    const other = await serve(() => {
      requests += 1;
    });
    const url = await serve((_, res) => res.writeHead(307, { location: `${other}/there?key=secret` }).end());
    const error = await getTask(`${url}/here`).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      kind: 'invalidAgentResponse',
      message: expect.stringMatching(
        new RegExp(`^${url}/here[^ ]* redirects to ${other}/there\\?…, which is another origin and gets no calls`),
      ),
    });
    expect(requests).toBe(0);
  });

  it.each<[what: string, status: number, location: string | undefined, said: string]>([
    ['that do not end', 302, '?', 'after 5 redirects (HTTP 302)'],
    ['to the same URL', 301, '', 'redirects to itself (HTTP 301)'],
    ['to no URL', 301, undefined, 'redirects to no URL (HTTP 301)'],
    ['to the answer of what was done', 303, '/done', '/done, which is not followed (HTTP 303)'],
  ])(`a client over ${name} gives up on redirects %s`, async (_, status, location, said) => {
    let requests = 0;
    const url = await serve((_, res) => {
      requests += 1;
      const to = location === '?' ? `/hop?${requests}` : location;
      res.writeHead(status, { ...(to !== undefined && { location: to }) }).end();
    });
    await expect(getTask(url)).rejects.toMatchObject({
      kind: 'invalidAgentResponse',
      message: expect.stringContaining(said),
    });
    expect(requests).toBe(location === '?' ? 6 : 1);
  });

  it.each<[what: string, type: string, body: string]>([
    ['a web page', 'text/html', '<html>'],
    ['broken JSON', 'application/json', '{"jsonrpc": '],
    ['JSON that is no object', 'application/json', '7'],
    ['a task that is none', 'application/json', '{"jsonrpc":"2.0","result":{"id":5},"id":5}'],
    ['a poisoned object', 'application/json', '{"__proto__":{"polluted":true}}'],
    ['invalid UTF-8', 'application/json', '\uD800'],
    ['nothing', 'application/json', ''],
  ])(`a client over ${name} calls %s an invalid answer`, async (_, type, body) => {
    const url = await serve((_, res) => res.writeHead(200, { 'content-type': type }).end(body));
    await expect(getTask(url)).rejects.toMatchObject({ kind: 'invalidAgentResponse' });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each([
    ['without a content type', {}],
    ['of type text/plain, as servers in Go send it', { 'content-type': 'text/plain; charset=utf-8' }],
  ])(`a client over ${name} reads JSON %s`, async (_, headers) => {
    const bare: RequestListener = async (req, res) => {
      res.writeHead(200, headers).end(JSON.stringify(wrap(task, idOf(await bodyOf(req)))));
    };
    expect((await getTask(await serve(bare))) as UnaryReply).toMatchObject({ value: task });
    const wrapped: RequestListener = async (req, res) => {
      res.writeHead(200, headers).end(JSON.stringify(wrap({ task }, idOf(await bodyOf(req)))));
    };
    expect(await subscribe(await serve(wrapped))).toMatchObject([{ event: { task: { id: task.id } } }]);
    const failure = { code: -32001, http: 404, status: 'NOT_FOUND', message: 'gone', reason: 'TASK_NOT_FOUND' };
    const failing = await serve(async (req, res) => {
      const { status, body } = wrapError(failure, idOf(await bodyOf(req)));
      res.writeHead(status, headers).end(JSON.stringify(body));
    });
    await expect(getTask(failing)).rejects.toMatchObject({ kind: 'taskNotFound', message: 'gone' });
    const text = await serve((_, res) => res.writeHead(200, headers).end('hello'));
    await expect(getTask(text)).rejects.toMatchObject({
      kind: 'invalidAgentResponse',
      message: expect.stringMatching(/instead of JSON: hello$/),
    });
  });

  it.each<[what: string, type: string, body: string, quote: string]>([
    ['text', 'text/plain', 'Internal Server Error', ': Internal Server Error'],
    [
      'a web page without its tags and scripts, and its type',
      'text/html',
      '<!doctype html><style>h1 { color: red }</style><h1>Oops</h1>\n<script>go("<")</script><p>no\u0007 luck</p>',
      ' with text/html: Oops no luck',
    ],
    ['JSON that is no error', 'application/json', '{"detail":"no such column"}', ': {"detail":"no such column"}'],
    ['no more than a line of it', 'text/plain', 'x'.repeat(5_000), `: ${'x'.repeat(200)}…`],
    ['no credentials', 'text/plain', 'who is Bearer top-secret-token?', ': who is [secret]?'],
    ['no credentials cut in two', 'text/plain', `${'x'.repeat(190)} top-secret-token`, `: ${'x'.repeat(190)} [secret]`],
    ['nothing of nothing', 'text/plain', '', ''],
  ])(`a client over ${name} quotes of what comes with HTTP 500 %s`, async (_, type, body, quote) => {
    const url = await serve((_, res) => res.writeHead(500, { 'content-type': type }).end(body));
    const headers = () => ({ authorization: 'Bearer top-secret-token' });
    const errorText = await getTask(url, { headers }).catch((error: Error) => error.message);
    expect(
      String(errorText)
        .slice(url.length)
        .replace(/^\/[^ ]*/, ''),
    ).toBe(` answered HTTP 500${quote}`);
  });

  it(`a client over ${name} does not wait for the end of a page that comes with an error`, async () => {
    const url = await serve((_, res) => res.writeHead(500, { 'content-type': 'text/html' }).write('<h1>no</h1>'));
    await expect(subscribe(url)).rejects.toMatchObject({
      message: expect.stringMatching(/HTTP 500 with text\/html: no$/),
    });
  });

  it(`a client over ${name} takes one value where a stream was expected, and refuses a stream without a value where one was`, async () => {
    const streaming = await serve((_, res) => sse(res).end('data: {}\n\n'));
    await expect(getTask(streaming)).rejects.toMatchObject({ kind: 'invalidAgentResponse' });
    const unary = await serve(answering({ task }));
    expect(await subscribe(unary)).toMatchObject([{ event: { task: { id: task.id } } }]);
  });

  it(`a client over ${name} refuses an answer beyond its bound`, async () => {
    const url = await serve(answering({ ...task, metadata: { filler: 'x'.repeat(5000) } }));
    await expect(getTask(url, { maxAnswer: 4000 })).rejects.toMatchObject({ kind: 'invalidAgentResponse' });
  });

  it(`a client over ${name} refuses an event beyond its bound, and one that never ends`, async () => {
    const url = await serve((_, res) => {
      sse(res).write('data: ');
      const timer = setInterval(() => res.write('x'.repeat(1000)), 1);
      res.on('close', () => clearInterval(timer));
    });
    await expect(subscribe(url, { maxAnswer: 4000 })).rejects.toMatchObject({ kind: 'invalidAgentResponse' });
  });

  it.each<[what: string, frame: string]>([
    ['half an event', 'data: {"task":{'],
    ['an event that is not JSON', 'data: hello\n\n'],
    ['an event of which nothing can be read', 'data: {"jsonrpc":"2.0","task":{},"result":{"task":{}}}\n\n'],
  ])(`a client over ${name} does not pass over %s`, async (_, frame) => {
    const url = await serve((_, res) => sse(res).end(frame));
    await expect(subscribe(url)).rejects.toMatchObject({ kind: 'invalidAgentResponse' });
  });

  it(`a client over ${name} gives up on an agent that hangs: before the answer, in it, and in a stream`, async () => {
    const mute = await serve(() => {});
    await expect(getTask(mute, { timeout: 40 })).rejects.toMatchObject({ kind: 'upstreamTimeout' });
    const late = context({ deadline: Date.now() + 40 });
    await expect(getTask(mute, {}, late)).rejects.toMatchObject({ kind: 'upstreamTimeout' });
    await expect(getTask(mute, {}, context({ deadline: 1 }))).rejects.toMatchObject({ kind: 'deadlineExceeded' });
    const half = await serve((_, res) => res.writeHead(200, { 'content-type': 'application/json' }).write('{'));
    await expect(getTask(half, { timeout: 60 })).rejects.toMatchObject({ kind: 'upstreamTimeout' });
    const silent = await serve((_, res) => sse(res).write(':\n\n'));
    await expect(subscribe(silent, { silence: 40 })).rejects.toMatchObject({ kind: 'upstreamTimeout' });
  });

  it(`a client over ${name} reports an agent that cannot be reached, or disconnects`, async () => {
    await expect(getTask(await closedPortUrl())).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
    const reset = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    await expect(getTask(reset)).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
    const midFrame = await serveTcp((socket) =>
      socket.once('data', () => {
        const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
        socket.write(`${head}8\r\ndata: {"\r\n`, () => socket.destroy());
      }),
    );
    await expect(subscribe(midFrame)).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
    const noHttp = await serveTcp((socket) => socket.end('* OK IMAP4rev1 ready\r\n'));
    await expect(getTask(noHttp)).rejects.toMatchObject({ kind: 'invalidAgentResponse' });
  });

  it(`a client over ${name} closes the connection when a stream is left early, begun or not, and when the signal aborts`, async () => {
    const closed: Promise<void>[] = [];
    const url = await serve(async (req, res) => {
      closed.push(new Promise((resolve) => res.once('close', () => resolve())));
      sse(res).write(`data: ${JSON.stringify(wrap({ task }, idOf(await bodyOf(req))))}\n\n`);
    });
    const client = open(url);
    const begin = async (cx = context()) => {
      const reply = await client.invoke({ operation: 'SubscribeToTask', request: { id: 't1' }, context: cx });
      if (!isStream(reply)) throw new Error('not a stream');
      return reply.events;
    };
    for await (const { event } of await begin()) {
      expect(event).toEqual({ task });
      break;
    }
    await closed[0];
    await (await begin())[Symbol.asyncIterator]().return?.();
    await closed[1];
    const going = new AbortController();
    const events = (await begin(context({ signal: going.signal })))[Symbol.asyncIterator]();
    await events.next();
    const next = events.next();
    going.abort();
    await expect(next).rejects.toMatchObject({ kind: 'canceled' });
    await closed[2];
  });

  it(`a client over ${name} never turns an id into another path`, async () => {
    const requests: unknown[] = [];
    const url = await serve((req, res) => {
      requests.push(req.url);
      res.writeHead(404).end();
    });
    for (const id of ['..', '.', '../..', 'a/b', '%2e%2e', 'a?b#c']) {
      await call(url, 'GetTask', { id }).catch(() => {});
    }
    const paths = requests.filter((path) => path !== '/');
    expect(paths).toEqual(
      paths.length === 0 ? [] : ['/tasks/..%2F..', '/tasks/a%2Fb', '/tasks/%252e%252e', '/tasks/a%3Fb%23c'],
    );
  });

  it(`a client over ${name} needs a URL`, () => {
    expect(() => create({ url: 'demo', dialect })).toThrow(/not a valid URL/);
  });

  it(`a client over ${name} sends messages`, async () => {
    const seen: unknown[] = [];
    const url = await serve(async (req, res) => {
      const body = await bodyOf(req);
      seen.push(req.method, req.url, JSON.parse(body));
      sendJson(res, wrap({ message: { messageId: 'm2', role: 'ROLE_AGENT', parts: [{ text: 'ho' }] } }, idOf(body)));
    });
    const reply = await call(`${url}/demo/`, 'SendMessage', { message });
    expect((reply as UnaryReply<'SendMessage'>).value.message?.parts).toEqual([{ text: 'ho' }]);
    expect(JSON.stringify(seen)).toContain(JSON.stringify(message));
  });
});
