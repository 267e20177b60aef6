import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { challenge, createGateway, defineAgent, type Gateway, type GatewaySettings } from '../../src/index.ts';
import { toolsAt } from '../extensions/mcp/client.ts';
import { apps, listenOn, ownText } from '../support/apps.ts';
import { silent } from '../support/core.ts';

/** A gateway in an app: with own authentication and two tenants, over every binding that the app's server can serve. */

const hello = defineAgent({
  name: 'Hello',
  description: 'Greets.',
  execute: ({ text, principal, tenant }) => `${text} ${principal.id} ${tenant}`,
});
const tenants: Readonly<Record<string, string>> = { ada: 'acme', bob: 'umbrella' };
const settings: GatewaySettings = {
  store: 'memory:',
  logger: silent,
  agents: { hello },
  auth: {
    anonymous: false,
    publicCards: true,
    authenticate(request) {
      const token = request.header('authorization')?.slice('Bearer '.length);
      if (token === undefined) return undefined;
      const tenant = tenants[token];
      return tenant === undefined ? challenge('Bearer realm="app"') : { id: token, tenants: [tenant] };
    },
  },
};

const cases = Object.entries(apps).flatMap(([name, make]) =>
  (['middleware', 'attach'] as const).map((how) => ({ name, make, how })),
);

describe.each(cases)('a gateway in an app of $name, mounted by $how', ({ name, make, how }) => {
  let gateway: Gateway;
  let server: Server;
  let url = '';
  beforeAll(async () => {
    gateway = createGateway(settings);
    await gateway.start();
    server = await make(gateway, how === 'middleware');
    if (how === 'attach') gateway.attach(server);
    url = `http://127.0.0.1:${await listenOn(server)}`;
  });
  afterAll(async () => {
    await gateway.close({ drainMs: 0 });
    server.close().closeAllConnections();
  });

  const via = ['jsonrpc', 'rest', ...(how === 'attach' ? (['grpc', 'connect'] as const) : [])] as const;
  it.each(via)(
    `a gateway in an app of ${name}, mounted by ${how} serves callers of two tenants over %s`,
    async (binding) => {
      for (const [token, tenant] of Object.entries(tenants)) {
        const client = await connect(url, { via: binding, bearer: token });
        expect(await client.send('hi')).toMatchObject({ message: { parts: [{ text: `hi own:${token} ${tenant}` }] } });
        await client.close();
      }
      const client = await connect(url, { via: binding, bearer: 'mallory' });
      await expect(client.send('hi')).rejects.toMatchObject({ kind: 'unauthenticated' });
      await client.close();
    },
  );

  it(`a gateway in an app of ${name}, mounted by ${how} serves callers over Connect`, async () => {
    const response = await fetch(`${url}/lf.a2a.v1.A2AService/SendMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', authorization: 'Bearer bob' },
      body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } }),
    });
    expect(await response.text()).toContain('hi own:bob umbrella');
  });

  it(`a gateway in an app of ${name}, mounted by ${how} serves callers over MCP`, async () => {
    const options = { requestInit: { headers: { Authorization: 'Bearer ada' } } };
    const { call } = await toolsAt(`${url}/mcp`, options);
    expect((await call('hello__default', { message: 'hi' })).text).toContain('hi own:ada acme');
  });

  it(`a gateway in an app of ${name}, mounted by ${how} lists gRPC in its cards when the server of the app supports it`, async () => {
    const cards = ['', '/as/a2a-0.3', '/hello'].map((base) => `${base}/.well-known/agent-card.json`);
    for (const path of cards) {
      for (const version of ['', '0.3', '1.0']) {
        const text = await (await fetch(url + path, { headers: { 'a2a-version': version } })).text();
        expect(text).toContain('JSONRPC');
        expect(text).toContain('HTTP+JSON');
        expect([path, version, /grpc/i.test(text)]).toEqual([path, version, how === 'attach']);
      }
    }
    if (how === 'middleware') await expect(connect(url, { via: 'grpc' })).rejects.toThrow(/gRPC/);
  });

  it(`a gateway in an app of ${name}, mounted by ${how} serves its own pages, and leaves all other paths to the app`, async () => {
    const status = async (path: string, token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return (await fetch(url + path, { headers })).status;
    };
    expect([await status('/agents'), await status('/agents', 'ada')]).toEqual([401, 200]);
    if (how === 'attach') {
      // The gateway comes first, and leaves the paths to apps that have them.
      expect(await (await fetch(`${url}/healthz`)).text()).toBe(ownText);
      for (const path of ['/readyz', '/metrics', '/openapi.json'])
        expect([path, await status(path)]).toEqual([path, 404]);
    } else {
      expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' });
      expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: 'ready' });
      expect([await status('/metrics'), await status('/openapi.json')]).toEqual([401, 200]);
    }
    for (const path of ['/', '/own']) {
      expect(await (await fetch(url + path, { headers: { accept: 'text/html' } })).text()).toBe(ownText);
    }
    expect(await status('/nothing')).toBe(404);
  });
});

describe.each(['middleware', 'attach'] as const)('a gateway with `pages: false`, mounted by %s', (how) => {
  it(`a gateway with \`pages: false\`, mounted by ${how} leaves every page to the app`, async () => {
    const gateway = createGateway({ ...settings, pages: false });
    await gateway.start();
    const make = apps['plain http'];
    const server = (await make?.(gateway, how === 'middleware')) as Server;
    if (how === 'attach') gateway.attach(server);
    const url = `http://127.0.0.1:${await listenOn(server)}`;
    expect(await (await fetch(`${url}/healthz`)).text()).toBe(ownText);
    for (const path of ['/readyz', '/agents', '/metrics', '/openapi.json', '/.well-known/ai-catalog.json']) {
      expect((await fetch(url + path)).status).toBe(404);
    }
    expect((await fetch(`${url}/.well-known/agent-card.json`)).status).toBe(200);
    await gateway.close({ drainMs: 0 });
    server.close().closeAllConnections();
  });
});

describe('an https server', () => {
  const [ca, cert, key] = ['ca.pem', 'server.pem', 'server.key'].map((name) =>
    readFileSync(new URL(`../support/tls/${name}`, import.meta.url), 'utf8'),
  ) as [string, string, string];
  it.each([
    ['that may agree on h2', ['http/1.1', 'h2'], true],
    ['that speaks HTTP/1.1 alone', ['http/1.1'], false],
  ])('an https server offers gRPC if it may agree on h2: one %s', async (_, ALPNProtocols, grpc) => {
    const gateway = createGateway(settings);
    await gateway.start();
    const server = createHttps({ cert, key, ALPNProtocols }, (_, res) => void res.end(ownText));
    gateway.attach(server);
    const url = `https://localhost:${await listenOn(server as unknown as Server)}`;
    const options = { bearer: 'ada', tls: { ca } };
    const client = await connect(url, { via: 'jsonrpc', ...options });
    expect(client.card.supportedInterfaces.some(({ protocolBinding }) => protocolBinding === 'GRPC')).toBe(grpc);
    expect(await client.send('hi')).toMatchObject({ message: { parts: [{ text: 'hi own:ada acme' }] } });
    await client.close();
    if (grpc) {
      const over = await connect(url, { via: 'grpc', ...options });
      expect(await over.send('hi')).toMatchObject({ message: { parts: [{ text: 'hi own:ada acme' }] } });
      await over.close();
    }
    await gateway.close({ drainMs: 0 });
    server.close().closeAllConnections();
  });
});

it('listeners of the app for connections see all of them', async () => {
  const gateway = createGateway(settings);
  await gateway.start();
  const server = (await apps['plain http']?.(gateway, false)) as Server;
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  gateway.attach(server);
  const url = `http://127.0.0.1:${await listenOn(server)}`;
  expect(await (await fetch(`${url}/own`)).text()).toBe(ownText);
  const client = await connect(url, { via: 'grpc', bearer: 'ada' });
  await client.send('hi');
  expect(connections).toBeGreaterThanOrEqual(2);
  await client.close();
  await gateway.close({ drainMs: 0 });
  server.close().closeAllConnections();
});
