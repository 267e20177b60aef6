import { describe, expect, it } from 'vitest';
import { A2AError } from '../../../src/core/model/errors.ts';
import { ask, directoryOf, post, raw, rpc, sendRequest, serving, start } from './serving.ts';

const send = (path: string, headers?: Record<string, string>) =>
  post(serving.url + path, path.includes('message:send') ? sendRequest : rpc('SendMessage', sendRequest), headers);

it.each([
  ['', 'demo', ''],
  ['/', 'demo', ''],
  ['/demo', 'demo', ''],
  ['/weather', 'weather', ''],
  ['/weather/', 'weather', ''],
  ['/weather/as/a2a-1.0', 'weather', ''],
  ['/weather/as/a2a-1.0/', 'weather', ''],
  ['/as/a2a-1.0', 'demo', ''],
  ['/as/a2a-1.0/message:send', 'demo', ''],
  ['/message:send', 'demo', ''],
  ['/message:send/', 'demo', ''],
  ['/weather/message:send', 'weather', ''],
  ['/weather/t%2F1/message:send', 'weather', 't/1'],
  ['/as/a2a-1.0/t1/message:send', 'demo', 't1'],
])('the path %j leads to its agent and tenant', async (path, agent, tenant) => {
  const { calls } = await start();
  const { status, json } = await send(path);
  expect([status, json.error]).toEqual([200, undefined]);
  expect(calls.map(({ operation, context }) => [operation, context.agent, context.tenant])).toEqual([
    ['SendMessage', agent, tenant],
  ]);
});

it('a path may come as a whole URL, as proxies send it', async () => {
  await start();
  const head = 'Host: x\r\nConnection: close\r\n\r\n';
  expect(await raw(serving.port, `GET http://x.example/weather/tasks/1?historyLength=2 HTTP/1.1\r\n${head}`)).toMatch(
    /^HTTP\/1.1 200 /,
  );
  expect(serving.calls[0]?.request).toEqual({ id: '1', historyLength: 2 });
});

it('a path below the root never has a tenant: an unknown first segment is an unknown agent', async () => {
  const { calls } = await start();
  for (const path of ['/nobody/message:send', '/nobody/tasks']) {
    const { status, json } = await ask(serving.url + path, { method: path.endsWith('tasks') ? 'GET' : 'POST' });
    expect([status, json.error.code, json.error.message]).toEqual([404, 404, 'No such agent: nobody']);
    expect(json.error.details[0].reason).toBe('AGENT_NOT_FOUND');
  }
  expect(calls).toEqual([]);
});

it('a path without an agent is not found when there is no default agent', async () => {
  await start({ agents: directoryOf(['a', 'b'], { defaultName: undefined }) });
  expect((await post(serving.url, rpc('SendMessage', sendRequest))).json.error.code).toBe(-32601);
  expect((await ask(`${serving.url}/tasks`)).status).toBe(404);
  expect((await ask(`${serving.url}/a/tasks`)).status).toBe(200);
});

it('a path belongs to the agent whose host it is', async () => {
  await start({
    agents: directoryOf(['demo', 'weather'], { forHost: (host) => (host === 'w.test' ? 'weather' : undefined) }),
  });
  await raw(serving.port, 'GET /tasks HTTP/1.1\r\nHost: w.test\r\nConnection: close\r\n\r\n');
  expect(serving.calls[0]?.context.agent).toBe('weather');
});

it.each([
  ['GET', '/demo', 'POST'],
  ['DELETE', '/demo/', 'POST'],
  ['DELETE', '/message:send', 'POST'],
  ['GET', '/weather/message:send', 'POST'],
  ['POST', '/tasks', 'GET'],
  ['DELETE', '/.well-known/agent-card.json', 'GET, HEAD'],
])('a path has other methods than %s: %s', async (method, path, allow) => {
  await start();
  const { status, headers, json } = await ask(serving.url + path, { method });
  expect([status, headers.get('allow'), json.error.details[0].reason]).toEqual([405, allow, 'METHOD_NOT_ALLOWED']);
});

it.each([
  ['/demo', 'POST'],
  ['/message:send', 'POST'],
  ['/weather/tasks', 'GET'],
  ['/weather/as/a2a-1.0/tasks/x:subscribe', 'GET, POST'],
  ['/tasks/x/pushNotificationConfigs/y', 'GET, DELETE'],
  ['/.well-known/agent-card.json', 'GET, HEAD'],
])('a path answers OPTIONS of %s with its methods', async (path, allow) => {
  await start();
  const { status, headers } = await ask(serving.url + path, { method: 'OPTIONS' });
  expect([status, headers.get('allow')]).toEqual([204, allow]);
});

it.each(['/demo/nothing/here', '/demo/tasks/a/b/c', '/nothing.txt', '/tasks/a/b/c'])(
  'the path %s is not found',
  async (path) => {
    await start();
    const { status, json } = await ask(serving.url + path);
    expect([status, json.error.details[0].reason]).toEqual([404, 'ROUTE_NOT_FOUND']);
  },
);

it.each(['/%', '/%ff', '//', '/?', '/tasks/%zz', '/as', '/as/', '/demo/as/%00', '/..%2f', '/tasks/%E0%A4%A?x=%'])(
  'the path %s gets a clean answer',
  async (path) => {
    await start();
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    expect(await raw(serving.port, request)).toMatch(/^HTTP\/1.1 (200|(400|404|405) .*"error")/s);
  },
);

describe('a caller', () => {
  const refuse = () => {
    throw new A2AError('unauthenticated', 'who are you?');
  };

  it.each([
    ['at once', refuse],
    ['after a look-up', async () => refuse()],
  ])(
    'a caller that is refused, %s, gets 401 in the shape of the binding before a body is read',
    async (_, authenticate) => {
      await start({ authenticate });
      const head =
        'HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n';
      const jsonrpc = await raw(serving.port, `POST /demo ${head}{`);
      expect(jsonrpc).toMatch(/^HTTP\/1.1 401 .*\r\nWWW-Authenticate: Bearer/is);
      expect(JSON.parse(jsonrpc.split('\r\n\r\n')[1] ?? '')).toMatchObject({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32000, message: 'who are you?' },
      });
      const rest = await raw(serving.port, `POST /message:send ${head}{`);
      expect(rest).toMatch(/^HTTP\/1.1 401 /);
      expect(JSON.parse(rest.split('\r\n\r\n')[1] ?? '')).toMatchObject({
        error: { code: 401, status: 'UNAUTHENTICATED' },
      });
      expect(serving.calls).toEqual([]);
    },
  );

  it('a caller is judged by headers, host, address and whether there is a body', async () => {
    const seen: unknown[] = [];
    await start({
      authenticate: (caller) => {
        seen.push([caller.header('x-a'), caller.host, caller.remoteAddress, caller.hasBody, caller.encrypted]);
        return { id: 'p', anonymous: false };
      },
    });
    const host = `127.0.0.1:${serving.port}`;
    await ask(`${serving.url}/tasks`, { headers: { 'x-a': 'b' } });
    await ask(`${serving.url}/tasks/1:cancel`, { method: 'POST' });
    await send('');
    expect(seen).toEqual([
      ['b', host, '127.0.0.1', false, false],
      [undefined, host, '127.0.0.1', false, false],
      [undefined, host, '127.0.0.1', true, false],
    ]);
    expect(serving.calls[0]?.context.principal).toEqual({ id: 'p', anonymous: false });
  });
});

describe('a card', () => {
  const path = '/.well-known/agent-card.json';

  it('a card is found at the paths of every dialect, for any agent', async () => {
    await start();
    for (const { name, card } of serving.dialects.list) {
      for (const each of card.paths) {
        expect((await ask(`${serving.url}/weather${each}`)).json).toMatchObject({
          agent: 'weather',
          readers: expect.arrayContaining([name]),
          url: `${serving.url}/weather`,
        });
        expect((await ask(`${serving.url}/as/${name}${each}`)).json).toEqual({
          agent: 'demo',
          readers: [name],
          url: `${serving.url}/as/${name}`,
        });
      }
    }
  });

  it('a card is found at one path below every dialect, wherever else its clients look', async () => {
    await start();
    for (const { name } of serving.dialects.list) {
      const { status, json } = await ask(`${serving.url}/weather/as/${name}${path}`);
      expect([status, json.readers]).toEqual([200, [name]]);
      expect(json.url).toBe(`${serving.url}/weather/as/${name}`);
    }
  });

  it('a card is the one of the requested version, by header or parameter', async () => {
    await start();
    for (const [url, headers] of [
      [path, { 'a2a-version': '1.0' }],
      [path, { 'a2a-version': '1.0.1' }],
      [`${path}?a2a-version=1.0`, {}],
    ] as const) {
      expect((await ask(serving.url + url, { headers })).json.readers).toEqual(['a2a-1.0']);
    }
    const { status, json } = await ask(serving.url + path, { headers: { 'a2a-version': '7.0' } });
    expect([status, json.error.details[0].reason]).toEqual([400, 'VERSION_NOT_SUPPORTED']);
  });

  it('a card can be cached and revalidated', async () => {
    await start();
    const first = await ask(serving.url + path);
    const { headers } = first;
    expect(headers.get('cache-control')).toMatch(/max-age=\d+/);
    expect(headers.get('vary')).toBe('A2A-Version');
    expect(headers.get('content-type')).toBe('application/json');
    const etag = headers.get('etag') as string;
    const since = headers.get('last-modified') as string;
    expect(etag).toMatch(/^"[\w-]+"$/);
    const again = async (conditions: Record<string, string>) =>
      (await ask(serving.url + path, { headers: conditions })).status;
    expect(await again({ 'if-none-match': etag })).toBe(304);
    expect(await again({ 'if-none-match': `"x", W/${etag}` })).toBe(304);
    expect(await again({ 'if-modified-since': since })).toBe(304);
    expect(await again({ 'if-none-match': '"x"', 'if-modified-since': since })).toBe(200);
    const head = await ask(serving.url + path, { method: 'HEAD' });
    expect([head.status, head.text, head.headers.get('etag'), head.headers.get('content-length')]).toEqual([
      200,
      '',
      etag,
      String(first.text.length),
    ]);
  });

  it('a card has a URL that no Host header can write, when it is configured', async () => {
    await start({ publicUrl: 'https://agents.example.com' });
    expect((await ask(`${serving.url}/weather${path}`)).json.url).toBe('https://agents.example.com/weather');
  });

  it('a card is for those whom the gateway lets in, unless it is public', async () => {
    const authenticate = () => {
      throw new A2AError('unauthenticated');
    };
    await start({ authenticate });
    expect((await ask(serving.url + path)).status).toBe(401);
    await serving.close();
    await start({ authenticate, publicCards: () => true });
    expect((await ask(serving.url + path)).status).toBe(200);
  });
});

describe('a script of another origin', () => {
  const origin = 'https://console.example.com';
  const preflight = (from: string) =>
    ask(`${serving.url}/message:send`, {
      method: 'OPTIONS',
      headers: {
        origin: from,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'a2a-version',
      },
    });

  it('a script of another origin may call and read when its origin is configured', async () => {
    await start({ origins: [origin] });
    const { status, headers } = await preflight(origin);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-allow-methods')).toContain('POST');
    expect(headers.get('access-control-allow-headers')?.toLowerCase()).toMatch(/a2a-version.*connect-protocol-version/);
    const answer = await send('/message:send', { origin });
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-expose-headers')).toContain('A2A-Gateway-Loss');
    expect(answer.headers.get('vary')).toBe('Origin');
  });

  it('a script of another origin gets no permission otherwise', async () => {
    await start({ origins: [origin] });
    for (const from of ['https://evil.example.com', 'null']) {
      const { headers } = await preflight(from);
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('access-control-allow-methods')).toBeNull();
    }
  });
});
