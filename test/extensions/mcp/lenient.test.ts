import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import type { Part, Task } from '../../../src/core/model/a2a.ts';
import { bodyOf, listenOn } from '../../support/peer.ts';
import { startTools, type ToolGateway } from '../../support/tools/gateway.ts';
import { toolsAt } from './client.ts';

/** MCP servers over HTTP that do not keep to the specification, and whose tools have run all the same. */

interface Rpc {
  readonly id?: number;
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
  readonly params: any;
}

interface Asked {
  readonly rpc: Rpc;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Sends a body as it is. */
  send(body: unknown, status?: number, type?: string | undefined): void;
}

/** One server: each part of it may be replaced. */
interface Lenient {
  readonly initialize?: (asked: Asked) => void;
  readonly discover?: (asked: Asked) => void;
  readonly initialized?: (asked: Asked) => void;
  readonly list?: (asked: Asked) => void;
  readonly call?: (asked: Asked) => void;
  readonly get?: (res: ServerResponse) => void;
}

const fine = { content: [{ type: 'text', text: 'fine' }] };
const tool = { name: 'go', inputSchema: { type: 'object' } };
const answer = ({ rpc: { id } }: Asked, result: unknown): object => ({ jsonrpc: '2.0', id, result });
const handshake = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 's', version: '1' },
};
const unknownMethod = (asked: Asked): void =>
  asked.send({ jsonrpc: '2.0', id: asked.rpc.id, error: { code: -32601, message: 'Method not found' } });
const refuse =
  (status: number, error: unknown, id: unknown = null) =>
  (asked: Asked): void =>
    asked.send({ jsonrpc: '2.0', id, error }, status);

const usual: Required<Lenient> = {
  discover: unknownMethod,
  initialize: (asked) => asked.send(answer(asked, handshake)),
  initialized: ({ res }) => void res.writeHead(202).end(),
  list: (asked) => asked.send(answer(asked, { tools: [tool] })),
  call: (asked) => asked.send(answer(asked, fine)),
  get: (res) => void res.writeHead(405).end(),
};

const event = (message: object, name = 'message'): string => `event: ${name}\ndata: ${JSON.stringify(message)}\n\n`;
const stream =
  (...events: string[]) =>
  (asked: Asked): void => {
    asked.res.writeHead(200, { 'content-type': 'text/event-stream' });
    asked.res.end(events.join(''));
  };

/** The id of a server by what it does. */
const idOf = (name: string): string => name.replaceAll(/\W+/g, '-').slice(0, 64);

/** Servers by their names, and one gateway before all of them. */
function serve(servers: Readonly<Record<string, Lenient>>) {
  let gateway: ToolGateway;
  beforeAll(async () => {
    const server = createServer(async (req, res) => {
      const id = (req.url ?? '').split('/')[1];
      const one = { ...usual, ...Object.entries(servers).find(([name]) => idOf(name) === id)?.[1] };
      if (req.method !== 'POST') return req.method === 'GET' ? one.get(res) : void res.writeHead(405).end();
      const rpc = JSON.parse(await bodyOf(req)) as Rpc;
      const send: Asked['send'] = (body, status = 200, type = 'application/json') => {
        res.writeHead(status, type === '' ? {} : { 'content-type': type });
        res.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
      };
      const asked = { rpc, req, res, send };
      const parts: Record<string, (asked: Asked) => void> = {
        'server/discover': one.discover,
        initialize: one.initialize,
        'notifications/initialized': one.initialized,
        'tools/list': one.list,
        'tools/call': one.call,
      };
      (parts[rpc.method] ?? one.initialized)(asked);
    });
    const { origin } = await listenOn(server);
    const settings = Object.keys(servers).map((name) => [
      idOf(name),
      { url: `${origin}/${idOf(name)}/mcp`, timeout: '10s' },
    ]);
    gateway = await startTools({ servers: Object.fromEntries(settings) });
  });
  const call = async (name: string): Promise<Task> => {
    const client = await connect(gateway.origin);
    const data = { target_mcp_server_id: idOf(name), tool_name: 'go', arguments: {} };
    const { task } = await client.send([{ data }]);
    return task ?? expect.fail('no task');
  };
  return {
    call,
    origin: () => gateway.origin,
    health: () => gateway.health(),
    card: async () => (await connect(gateway.origin)).card,
  };
}

const partsIn = (task: Task): readonly Part[] => task.artifacts?.[0]?.parts.slice(1) ?? [];
const said = (task: Task): string => task.status.message?.parts[0]?.text ?? '';

describe('the result of a tool arrives when its server', () => {
  const result = (asked: Asked): string => JSON.stringify(answer(asked, fine));
  const servers: Record<string, Lenient> = {
    'answers with HTTP 500': { call: (asked) => asked.send(answer(asked, fine), 500) },
    'answers with HTTP 404': { call: (asked) => asked.send(answer(asked, fine), 404) },
    'answers with HTTP 403': { call: (asked) => asked.send(answer(asked, fine), 403) },
    'names no media type': { call: (asked) => asked.send(result(asked), 200, '') },
    'names text/plain': { call: (asked) => asked.send(result(asked), 200, 'text/plain; charset=utf-8') },
    'names text/html': { call: (asked) => asked.send(result(asked), 200, 'text/html') },
    'names JSON in capitals': { call: (asked) => asked.send(result(asked), 200, 'Application/JSON; Charset="UTF-8"') },
    'names a stream and sends JSON': { call: (asked) => asked.send(result(asked), 200, 'text/event-stream') },
    'names JSON and sends a stream': { call: (asked) => asked.send(event(answer(asked, fine)), 200) },
    'names nothing and sends a stream': { call: (asked) => asked.send(event(answer(asked, fine)), 200, '') },
    'writes nulls': {
      call: (asked) =>
        asked.send({ ...answer(asked, { ...fine, _meta: null, structuredContent: null, isError: null }), error: null }),
    },
    'writes a byte order mark': { call: (asked) => asked.send(`\uFEFF${result(asked)}`) },
    'answers with a batch': { call: (asked) => asked.send([answer(asked, fine)]) },
    'answers in lines': {
      call: (asked) =>
        asked.send(
          `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n${result(asked)}\n`,
        ),
    },
    'names no id': { call: (asked) => asked.send({ jsonrpc: '2.0', id: null, result: fine }) },
    'leaves the envelope out': { call: (asked) => asked.send(fine) },
    'writes signs of life into its stream': {
      call: (asked) =>
        stream(
          event({ type: 'ping' }),
          ': x\n\n',
          'data: keep-alive\n\n',
          'event: ping\ndata: 1\n\n',
          'data:\n\n',
          event(answer(asked, fine)),
        )(asked),
    },
    'gives its events a name': { call: (asked) => stream(event(answer(asked, fine), 'response'))(asked) },
    'ends its stream without a blank line': { call: (asked) => stream(event(answer(asked, fine)).trimEnd())(asked) },
    'writes its event in several lines': {
      call: (asked) =>
        stream(JSON.stringify(answer(asked, fine), undefined, 1).replaceAll(/^/gm, 'data: '), '\r\n\r\n')(asked),
    },
    'refuses the notification of the handshake': { initialized: refuse(400, { code: -32600, message: 'no id' }) },
    'answers the notification of the handshake with a page': {
      initialized: ({ send }) => send('<p>', 200, 'text/html'),
    },
    'has a page at its address': { get: (res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<p>') },
    'fails when it is asked for its era': {
      discover: (asked) => asked.send('Internal Server Error', 500, 'text/plain'),
    },
    'says nothing readable of its era': { discover: (asked) => asked.send('OK', 200, 'text/plain') },
    'redirects to another path': {
      initialize: (asked) => moved(asked) ?? usual.initialize(asked),
      discover: (asked) => moved(asked) ?? unknownMethod(asked),
      list: (asked) => moved(asked) ?? usual.list(asked),
      call: (asked) => moved(asked) ?? usual.call(asked),
    },
    'declares no tools': { initialize: (asked) => asked.send(answer(asked, { ...handshake, capabilities: {} })) },
    'says little in its handshake': {
      initialize: (asked) => asked.send(answer(asked, { capabilities: null, serverInfo: null, instructions: null })),
    },
    'lists broken tools beside it': {
      list: (asked) =>
        asked.send(
          answer(asked, {
            tools: [
              null,
              { name: 5 },
              { description: 'no name' },
              { ...tool, inputSchema: null, annotations: { readOnlyHint: null } },
            ],
            nextCursor: null,
          }),
        ),
    },
    'fails at the second page of its list': {
      list: (asked) =>
        asked.rpc.params?.cursor
          ? refuse(200, { code: -32603, message: 'no' }, asked.rpc.id)(asked)
          : asked.send(answer(asked, { tools: [tool], nextCursor: 'two' })),
    },
    'lists the same page for ever': {
      list: (asked) => asked.send(answer(asked, { tools: [tool], nextCursor: 'again' })),
    },
  };
  const moved = ({ req, res }: Asked): true | undefined => {
    if (req.url?.endsWith('/mcp/')) return undefined;
    res.writeHead(301, { location: `${req.url}/` }).end();
    return true;
  };
  const { call, health, card } = serve(servers);

  it.each(Object.keys(servers))('the result of a tool arrives when its server %s', async (name) => {
    const task = await call(name);
    expect(task.status.state, said(task)).toBe('TASK_STATE_COMPLETED');
    expect(partsIn(task)).toEqual([{ text: 'fine' }]);
  });

  it('operators see which tools of a server were left out, and the card has the others', async () => {
    const broken = 'lists broken tools beside it';
    await call(broken);
    expect((await health())[`server ${idOf(broken)}`]).toBe('ok');
    expect((await health())[`server ${idOf(broken)} problems`]).toContain(
      'tool 2: it has no name; the tool is left out',
    );
    expect((await card()).skills.map(({ id }) => id)).toContain(`${idOf(broken)}.go`);
  });
});

describe('a session that the server has lost', () => {
  /** Refusals of a request in a session that the server does not know. */
  const refusals: Record<string, (asked: Asked) => void> = {
    'HTTP 404': (asked) => asked.send('', 404, ''),
    'HTTP 404 and an error': refuse(404, { code: -32001, message: 'Session not found' }),
    'HTTP 404 and the error of Python': refuse(404, { code: -32600, message: 'Session not found' }, 'server-error'),
    'HTTP 400 and an error': refuse(400, { code: -32000, message: 'Bad Request: No valid session ID provided' }),
    'HTTP 400 and words': (asked) => asked.send('Invalid or missing session ID', 400, 'text/plain'),
    'HTTP 400 and nothing': (asked) => asked.send('', 400, ''),
    'HTTP 400 and an event': (asked) =>
      asked.send(
        event({ jsonrpc: '2.0', error: { code: -32000, message: 'Bad Request: Server not initialized' }, id: null }),
        400,
        'text/event-stream',
      ),
    'HTTP 401 and words': (asked) => asked.send('Unauthorized: Session not found', 401, 'text/plain'),
    'HTTP 410': (asked) => asked.send('Gone', 410, 'text/plain'),
    'HTTP 422 and words': (asked) => asked.send('Unexpected message, expect initialize request', 422, 'text/plain'),
    'HTTP 500 and a nested error': (asked) =>
      asked.send(
        { error: 'Error POSTing to endpoint (HTTP 400): {"code":-32000,"message":"No valid session ID provided"}' },
        500,
      ),
    'HTTP 503 and an error': refuse(503, { code: -32000, message: 'unknown session' }),
    'an error': (asked) =>
      refuse(200, { code: -32000, message: `Session expired (request ${asked.rpc.id})` }, asked.rpc.id)(asked),
    'the error of Python': (asked) =>
      refuse(200, { code: -32602, message: 'Invalid request parameters', data: '' }, asked.rpc.id)(asked),
  };

  /** A server that forgets its sessions, and counts what it has executed. */
  function forgetful(refusal: (asked: Asked) => void) {
    const state = { session: 0, executed: 0 };
    const known =
      (serving: (asked: Asked) => void) =>
      (asked: Asked): void =>
        asked.req.headers['mcp-session-id'] === `s${state.session}` ? serving(asked) : refusal(asked);
    const server: Lenient = {
      initialize(asked) {
        state.session += 1;
        asked.res.setHeader('mcp-session-id', `s${state.session}`);
        asked.send(answer(asked, handshake));
      },
      list: known(usual.list),
      call: known((asked) => {
        state.executed += 1;
        usual.call(asked);
      }),
    };
    return { state, server };
  }

  const all = Object.fromEntries(Object.entries(refusals).map(([name, refusal]) => [name, forgetful(refusal)]));
  const { call } = serve(Object.fromEntries(Object.entries(all).map(([name, { server }]) => [name, server])));

  it.each(Object.keys(refusals))(
    'a session that the server has lost and says so by %s is renewed, and the call is executed once',
    async (name) => {
      const { state } = all[name] as ReturnType<typeof forgetful>;
      expect((await call(name)).status.state).toBe('TASK_STATE_COMPLETED');
      state.session += 100;
      const task = await call(name);
      expect(task.status.state, said(task)).toBe('TASK_STATE_COMPLETED');
      expect(state.executed).toBe(2);
    },
  );
});

describe('a call is executed once', () => {
  /** Servers whose tool has run, and whose answer looks like that of a lost session. `renews`: whether the session is renewed. */
  const outcomes: Record<string, { readonly failure: (asked: Asked) => void; readonly words: RegExp }> = {
    'an error of a tool about sessions': {
      failure: (asked) => refuse(200, { code: -32000, message: 'Session not found: browser 7' }, asked.rpc.id)(asked),
      words: /-32000\] Session not found: browser 7/,
    },
    'an error of a tool about sessions with HTTP 400': {
      failure: (asked) => refuse(400, { code: -32000, message: 'Session not found: browser 7' }, asked.rpc.id)(asked),
      words: /-32000\] Session not found: browser 7/,
    },
    'an error of a tool that found nothing': {
      failure: (asked) => refuse(404, { code: -32002, message: 'No user 7' }, asked.rpc.id)(asked),
      words: /-32002\] No user 7/,
    },
    'HTTP 400': { failure: (asked) => asked.send('bad', 400, 'text/plain'), words: /HTTP status 400/ },
    'HTTP 503': { failure: (asked) => asked.send('busy', 503, 'text/plain'), words: /HTTP status 503/ },
    'HTTP 502 and words': {
      failure: (asked) => asked.send('session closed', 502, 'text/plain'),
      words: /HTTP status 502/,
    },
    'an answer that breaks off': { failure: ({ res }) => void res.destroy(), words: /CONNECTION_ERROR/ },
    'an empty stream': { failure: stream(), words: /ended its answer without a result/ },
  };
  const executed = new Map<string, number>();
  const { call } = serve(
    Object.fromEntries(
      Object.entries(outcomes).map(([name, { failure }]) => {
        const count = (asked: Asked): void => {
          executed.set(name, (executed.get(name) ?? 0) + 1);
          failure(asked);
        };
        return [name, { call: count }];
      }),
    ),
  );

  it.each(Object.keys(outcomes))('a call is executed once if its answer is %s', async (name) => {
    const task = await call(name);
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(said(task)).toMatch(outcomes[name]?.words ?? /never/);
    expect(executed.get(name)).toBe(1);
  });

  const late = { session: 1, executed: 0 };
  const lost = serve({
    'loses its session while a tool runs': {
      initialize(asked) {
        asked.res.setHeader('mcp-session-id', `s${late.session}`);
        asked.send(answer(asked, handshake));
      },
      list: (asked) =>
        asked.req.headers['mcp-session-id'] === `s${late.session}`
          ? usual.list(asked)
          : refuse(404, { code: -32001, message: 'Session not found' })(asked),
      call(asked) {
        late.executed += 1;
        late.session += 1;
        if (late.executed === 1) asked.send('the session was closed', 503, 'text/plain');
        else usual.call(asked);
      },
    },
  });

  it('a call is executed once if the session was lost while the tool ran, and the next call has another session', async () => {
    const failed = await lost.call('loses its session while a tool runs');
    expect(said(failed)).toMatch(/HTTP status 503/);
    expect(late.executed).toBe(1);
    late.session += 1;
    expect((await lost.call('loses its session while a tool runs')).status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('what of a result cannot be read', () => {
  const content = [
    { type: 'text', text: 'before' },
    { type: 'hologram', beams: 3 },
    { type: 'image', data: '?' },
  ];
  const { call, origin } = serve({
    odd: { call: (asked) => asked.send(answer(asked, { content, isError: 'perhaps' })) },
    failed: { call: (asked) => asked.send(answer(asked, { content, isError: 'true' })) },
    deep: {
      call: (asked) =>
        asked.send(
          `{"jsonrpc":"2.0","id":${asked.rpc.id},"result":{"content":[{"type":"text","text":"top"}],"structuredContent":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}}`,
        ),
    },
    proto: {
      call: (asked) =>
        asked.send(`{"jsonrpc":"2.0","id":${asked.rpc.id},"result":{"structuredContent":{"__proto__":{"a":1},"b":2}}}`),
    },
  });
  const unread = (task: Task): unknown => task.metadata?.['a2a-gateway/unread'];

  it('what of a result cannot be read is named in the task, and the rest of it arrives', async () => {
    const task = await call('odd');
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(partsIn(task)).toEqual([{ text: 'before' }, { data: content[1] }, { data: content[2] }]);
    expect(unread(task)).toEqual([
      'artifacts[0].parts[2]: unknown kind "hologram"',
      'artifacts[0].parts[3]: its data is not base64',
      'artifacts[0].parts[0].data.mcp_result.isError: expected true or false, not "perhaps"',
    ]);
  });

  it('what of a result cannot be read is named in a task that has failed, too', async () => {
    const task = await call('failed');
    expect([task.status.state, said(task)]).toEqual(['TASK_STATE_FAILED', '[MCP_TOOL/TOOL_EXECUTION_FAILED] before']);
    expect(unread(task)).toHaveLength(2);
  });

  it('what of a result cannot be read reaches clients of MCP as text', async () => {
    const tools = await toolsAt(`${origin()}/tools/mcp`);
    await expect.poll(tools.names).toContain('odd_go');
    const { result } = await tools.call('odd_go');
    expect(result.content).toEqual([
      content[0],
      ...content.slice(1).map((item) => ({ type: 'text', text: JSON.stringify(item) })),
    ]);
    expect(result.isError).toBeUndefined();
    expect((await tools.call('failed_go')).result.isError).toBe(true);
  });

  it('what of a result cannot be read is left out where no receiver takes it', async () => {
    const deep = await call('deep');
    expect(partsIn(deep)[0]).toEqual({ text: 'top' });
    expect(unread(deep)).toEqual([expect.stringMatching(/structuredContent\.a\[0\].*nested deeper/)]);
    const proto = await call('proto');
    expect(partsIn(proto)).toEqual([{ data: { b: 2 } }]);
    expect(unread(proto)).toEqual([expect.stringMatching(/structuredContent\.__proto__: the name is not allowed/)]);
  });
});

describe('a server of 2026-07-28', () => {
  const discovered = { supportedVersions: ['2026-07-28', null], capabilities: { tools: null }, instructions: null };
  const modern = (call: (asked: Asked) => void): Lenient => ({
    discover: (asked) =>
      asked.send({ ...answer(asked, { ...discovered, _meta: null, resultType: null }), error: null }),
    initialize: unknownMethod,
    list: (asked) =>
      asked.send(
        answer(asked, {
          resultType: 'complete',
          ttlMs: null,
          nextCursor: null,
          _meta: null,
          tools: [{ name: 7 }, { ...tool, title: null, outputSchema: null, annotations: { readOnlyHint: null } }],
        }),
      ),
    call,
  });
  const { call, card } = serve({
    nulls: modern((asked) =>
      asked.send(
        answer(asked, { resultType: 'complete', ...fine, _meta: null, isError: null, structuredContent: null }),
      ),
    ),
    kinds: modern((asked) =>
      stream(event({ type: 'ping' }), event(answer(asked, { content: [{ type: 'hologram' }] })))(asked),
    ),
    failing: modern((asked) => refuse(500, { code: -32603, message: 'the database is away' }, asked.rpc.id)(asked)),
  });

  it('a server of 2026-07-28 may write null for what is absent, and lists broken tools beside others', async () => {
    const task = await call('nulls');
    expect([task.status.state, partsIn(task)]).toEqual(['TASK_STATE_COMPLETED', [{ text: 'fine' }]]);
    expect((await card()).skills.map(({ id }) => id)).toEqual(['nulls.go', 'kinds.go', 'failing.go']);
  });

  it('a server of 2026-07-28 may answer with content of another kind, and between signs of life', async () => {
    const task = await call('kinds');
    expect([task.status.state, partsIn(task)]).toEqual(['TASK_STATE_COMPLETED', [{ data: { type: 'hologram' } }]]);
  });

  it('a server of 2026-07-28 says why a tool has failed also with HTTP 500', async () => {
    expect(said(await call('failing'))).toBe('[MCP_PROTOCOL/-32603] the database is away');
  });
});

describe('an answer arrives by another way than usual, of', () => {
  /** Streams that the servers have open, by the paths of their servers. */
  const streams = new Map<string, ServerResponse>();
  const over = ({ req }: Asked): ServerResponse | undefined => streams.get((req.url ?? '').split('/')[1] ?? '');
  const opens =
    (id: string, first: string) =>
    (res: ServerResponse): void => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write(first);
      streams.set(id, res);
    };
  const accept = ({ res }: Asked): void => void res.writeHead(202).end();
  const onStream = (asked: Asked, result: unknown): void =>
    void over(asked)?.write(event({ ...answer(asked, result), error: null }));
  /** Behaves like servers of MCP 2024-11-05: a POST at the address of the stream is refused, and answers come over the stream. */
  const old = (id: string, call: (asked: Asked) => void): Lenient => ({
    get: opens(id, `event: endpoint\ndata: /${id}/messages\n\ndata: keep-alive\n\n`),
    discover: (asked) => asked.send('', 404, ''),
    initialize: (asked) => {
      if (asked.req.url?.endsWith('/mcp')) return asked.send('', 404, '');
      accept(asked);
      onStream(asked, { ...handshake, instructions: null });
    },
    list: (asked) => {
      accept(asked);
      onStream(asked, { tools: [tool], nextCursor: null });
    },
    call,
  });
  const modernStream = (call: (asked: Asked) => void, id: string): Lenient => ({ get: opens(id, ': open\n\n'), call });
  const servers: Record<string, Lenient> = {
    old: old('old', (asked) => {
      accept(asked);
      onStream(asked, { ...fine, _meta: null });
    }),
    'old-that-answers-at-once': old('old-that-answers-at-once', (asked) => asked.send(answer(asked, fine))),
    'old-that-fails': old('old-that-fails', (asked) => asked.send(answer(asked, fine), 500)),
    'over-its-own-stream': modernStream((asked) => {
      accept(asked);
      onStream(asked, fine);
    }, 'over-its-own-stream'),
    'with-an-empty-body': modernStream((asked) => {
      asked.send('', 200, '');
      onStream(asked, fine);
    }, 'with-an-empty-body'),
  };
  const { call } = serve(servers);

  it.each(Object.keys(servers))('an answer arrives by another way than usual, from %s', async (name) => {
    await expect.poll(() => streams.has(name)).toBe(true);
    const task = await call(name);
    expect(task.status.state, said(task)).toBe('TASK_STATE_COMPLETED');
    expect(partsIn(task)).toEqual([{ text: 'fine' }]);
  });
});
