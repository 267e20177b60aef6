import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import type { Logger } from '../../../src/core/ports/logger.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import { type OwnPage, ownPages } from '../../../src/transports/pages/own-pages.ts';
import { silent } from '../../support/core.ts';
import { adminHeaders, openGateway } from '../../support/gateway.ts';
import { afterTest, listenOn } from '../../support/peer.ts';

/** Pages of a gateway without anonymous access, as strangers see them, and the pages that an app keeps. */

describe('with anonymous: false', () => {
  const catalogs = ['/.well-known/ai-catalog.json', '/.well-known/api-catalog'];
  const open = ['/healthz', '/readyz', '/openapi.json', ...catalogs];
  const alice = newKey();
  const start = async (agents = 'agents: { demo: { kind: reference } }\ndefaultAgent: demo') => {
    const opened = await openGateway(
      `auth: { anonymous: false, apiKeys: [{ name: alice, hash: "${alice.hash}" }] }\n${agents}\n`,
    );
    const read = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${opened.url}${path}`, { headers: { accept: 'text/html,*/*', ...headers } });
      return { status: response.status, text: await response.text() };
    };
    return { ...opened, read };
  };

  it.each([...Object.keys(ownPages), '/'])(
    'with anonymous: false %s is for callers, unless the contract opens it',
    async (path) => {
      const { read } = await start();
      expect((await read(path)).status).toBe(open.includes(path) ? 200 : 401);
      expect((await read(path, { 'x-api-key': alice.key })).status).toBe(path === '/metrics' ? 403 : 200);
    },
  );

  it.each(['/mcp', '/demo/mcp', '/tasks', '/demo/tasks', '/admin/v1/agents', '/demo/extendedAgentCard'])(
    'with anonymous: false %s is for callers',
    async (path) => {
      expect((await (await start()).read(path)).status).toBe(401);
    },
  );

  it('with anonymous: false cards and the files of the console are open, and readiness has no details', async () => {
    const { read } = await start();
    for (const path of ['/.well-known/agent-card.json', '/.well-known/agent.json', '/agent-card.json']) {
      expect([path, (await read(path)).status]).toEqual([path, 200]);
    }
    expect((await read('/console/settings.json')).text).not.toContain('demo');
    expect(JSON.parse((await read('/readyz')).text)).toEqual({ status: 'ready' });
  });

  it('with anonymous: false cards are open if the admin key is the only credential', async () => {
    const { url, close } = await openGateway(
      'auth: { anonymous: false }\nagents: { demo: { kind: reference } }\ndefaultAgent: demo',
    );
    afterTest(close);
    const statusOf = async (path: string): Promise<number> => (await fetch(`${url}${path}`)).status;
    expect(await statusOf('/.well-known/agent-card.json')).toBe(200);
    expect(await statusOf('/agents')).toBe(401);
  });
});

it('addresses of agents and tool servers are shown by /readyz to operators alone', async () => {
  const { url, close } = await openGateway(`
agents:
  away: { kind: upstream, url: "http://127.0.0.1:9/secret-agent" }
  tools: { kind: mcp, servers: { far: { url: "http://localhost:9/secret-tools" } } }
`);
  afterTest(close);
  const read = async (headers = {}): Promise<string> => (await fetch(`${url}/readyz`, { headers })).text();
  await expect.poll(async () => (await read()).match(/unreachable/g)?.length).toBeGreaterThan(1);
  const stranger = await read();
  expect(stranger).not.toMatch(/127\.0\.0\.1|localhost|secret-|:9\b/);
  expect(stranger).toContain('cannot reach its address: ');
  expect(await read(adminHeaders(url))).toContain('http://127.0.0.1:9/secret-agent');
});

describe('an app that a gateway is attached to', () => {
  async function attach(pages?: boolean | readonly OwnPage[]) {
    const lines: unknown[] = [];
    const info: Logger['info'] = (fields, message) => void lines.push([message, fields]);
    const settings = { store: 'memory:', agents: { demo: { kind: 'reference' as const } } };
    const gateway = createGateway(
      { ...settings, ...(pages !== undefined && { pages }) },
      { logger: { ...silent, info } },
    );
    await gateway.start();
    const server = createServer((_, res) => res.end('own'));
    gateway.attach(server);
    const { port } = await listenOn(server);
    afterTest(async () => {
      server.close();
      await gateway.close({ drainMs: 0 });
    });
    const kept: string[] = [];
    for (const path of Object.keys(ownPages)) {
      if ((await (await fetch(`http://localhost:${port}${path}`)).text()) === 'own') kept.push(path);
    }
    return { kept, log: JSON.stringify(lines) };
  }

  it('an app that a gateway is attached to keeps the pages that apps have, and the log names them', async () => {
    const { kept, log } = await attach();
    expect(kept).toEqual(Object.keys(ownPages).filter((page) => page !== '/agents'));
    expect(log).toContain('left to the app');
    expect(log).toContain('"/metrics"');
  });

  it('an app that a gateway is attached to gets those of the gateway that pages names, and no others', async () => {
    const named = ['/healthz', '/metrics', '/.well-known/ai-catalog.json'] as const;
    const left = Object.keys(ownPages).filter((page) => !named.some((one) => one === page));
    expect((await attach(named)).kept).toEqual(left);
    expect((await attach(false)).kept).toEqual(Object.keys(ownPages));
  });
});
