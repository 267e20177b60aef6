import { describe, expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { startGateway } from '../../support/gateway.ts';
import { afterTest, bodyOf, serve } from '../../support/peer.ts';
import { sdkAgents } from '../../support/sdk-agents.ts';
import { startBridge, type UpstreamSettings } from '../../support/upstreams.ts';

/** Tests of the requests with which the gateway probes an agent whose card is incomplete. */

const gateway = await startGateway();

/** The reference agent in one dialect, behind a proxy that records its requests. */
async function watched(dialect: string, edit: (card: string) => string = (card) => card) {
  const requests: string[] = [];
  const origin = await serve(async (req, res) => {
    const body = await bodyOf(req);
    requests.push(`${req.method} ${req.url} ${body === '' ? '' : JSON.parse(body).method}`.trim());
    const answer = await fetch(`${gateway.origin}${req.url}`, {
      method: req.method ?? 'GET',
      headers: { 'content-type': 'application/json', 'a2a-version': String(req.headers['a2a-version'] ?? '') },
      ...(body !== '' && { body }),
    });
    const text = (await answer.text()).replaceAll(gateway.origin, origin);
    const isCard = req.url?.endsWith('.json') === true;
    res
      .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
      .end(isCard && answer.ok ? edit(text) : text);
  });
  const base = `${origin}/as/${dialect}`;
  return { url: `${base}/.well-known/agent-card.json`, base: new URL(base).pathname, requests };
}

async function upstream(settings: UpstreamSettings) {
  const bridge = await startBridge({ up: settings });
  const protocolInUse = async () => {
    const { agents } = (await (await fetch(`${bridge.origin}/readyz`)).json()) as {
      agents: { up: { dialect: string; transport: string } };
    };
    return `${agents.up.transport} ${agents.up.dialect}`;
  };
  return { client: await bridge.client('up'), protocolInUse };
}

it.each(['a2a-0.3', 'a2a-php-0.3', 'a2a-0.2', 'a2a-0.1'])(
  'an agent whose card fits several dialects is called by the gateway in %s, which it implements',
  async (dialect) => {
    const agent = await watched(dialect);
    const { client, protocolInUse } = await upstream({ url: agent.url });
    expect((await client.send('hello')).task?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(await protocolInUse()).toBe(`jsonrpc ${dialect}`);
    // It is called only at the URLs of the card: a card of 0.3 lists gRPC at the host.
    const { base } = agent;
    const listed = [`POST ${base} `, `GET ${base}/`, ...(dialect === 'a2a-0.3' ? ['POST /'] : [])];
    expect(agent.requests.filter((one) => !listed.some((start) => one.startsWith(start)))).toEqual([]);
  },
);

it.each(['a2a-0.2', 'a2a-0.1'])(
  'an agent whose card fits several dialects is called by the client in %s, which it implements',
  async (dialect) => {
    const { url } = await watched(dialect);
    const client = await connect(url);
    afterTest(() => client.close());
    expect(client.dialect).toBe(dialect);
    expect((await client.send('hello')).task?.status.state).toBe('TASK_STATE_COMPLETED');
    // The interface is one of the card as that generation reads it.
    expect(client.card.supportedInterfaces).toContainEqual(client.interface);
  },
);

it('an agent whose card fits several dialects is not probed by a client that sends the same message in each of them', async () => {
  const { url, requests } = await watched('a2a-0.3');
  const client = await connect(url);
  afterTest(() => client.close());
  expect(client.dialect).toBe('a2a-0.3');
  expect(requests).toHaveLength(1);
});

it.each([
  { transport: 'rest', dialect: 'auto' },
  { transport: 'rest', dialect: 'a2a-1.0' },
] as const)('an agent that supports more than its card lists is called as configured: %o', async (wishes) => {
  const { url } = await watched('a2a-1.0', (text) => {
    const card = JSON.parse(text);
    const [first] = card.supportedInterfaces;
    return JSON.stringify({ ...card, supportedInterfaces: [first] });
  });
  const { client, protocolInUse } = await upstream({ url, ...wishes });
  expect((await client.send('hello')).task?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(await protocolInUse()).toBe('rest a2a-1.0');
});

it('an agent that supports more than its card lists is not called in a configured dialect that it does not support', async () => {
  const { url } = await watched('a2a-0.1');
  const { client } = await upstream({ url, transport: 'rest' });
  await expect(client.send('hello')).rejects.toThrow('cannot be called over HTTP+JSON; its card offers JSONRPC');
});

describe('an agent without a card', () => {
  /** Starts a server of the official SDK. Returns a URL at which it has no card. */
  async function cardless(name: string): Promise<string> {
    const agent = await sdkAgents[name]?.();
    if (!agent) throw new TypeError(`there is no ${name}`);
    afterTest(() => agent.close());
    const card = (await (await fetch(`${agent.url}/.well-known/agent-card.json`)).json()) as {
      url?: string;
      supportedInterfaces?: readonly { readonly url: string }[];
    };
    const url = card.supportedInterfaces?.[0]?.url ?? card.url ?? '';
    return url.startsWith('http') ? url : `http://${url}`;
  }

  const ways = [
    ['sdk10-jsonrpc', 'a2a-1.0', 'jsonrpc'],
    ['sdk10-rest', 'a2a-1.0', 'rest'],
    ['sdk10-grpc', 'a2a-1.0', 'grpc'],
    ['sdk03-rest', 'a2a-0.3', 'rest'],
    ['sdk03-grpc', 'a2a-0.3', 'grpc'],
  ] as const;

  it.each(ways)(
    'an agent without a card is probed, and called in the dialect that it implements: %s',
    async (name, dialect, transport) => {
      const url = await cardless(name);
      for (const wishes of [{}, { dialect, transport }]) {
        const { client, protocolInUse } = await upstream({ url, ...wishes });
        const states: (string | undefined)[] = [];
        for await (const event of client.sendStream('chunks 3')) states.push(event.statusUpdate?.status.state);
        expect(states.at(-1)).toBe('TASK_STATE_COMPLETED');
        expect(await protocolInUse()).toBe(`${transport} ${dialect}`);
        expect(client.card.description).toMatch(/^An upstream agent/);
      }
    },
  );

  it.each(ways)(
    'an agent without a card is called by a client with configured dialect and binding: %s',
    async (name, as, via) => {
      const url = await cardless(name);
      const client = await connect(url, { as, via });
      afterTest(() => client.close());
      expect([client.card.name, client.document]).toEqual([new URL(url).host, undefined]);
      expect((await client.send('hello')).task?.status.state).toBe('TASK_STATE_COMPLETED');
      await expect(connect(url)).rejects.toThrow('no agent card at');
    },
  );

  it.each(['grpc', 'connect'] as const)(
    'an agent without a card is not called over %s at a URL with a path',
    async (via) => {
      const url = await cardless('sdk10-grpc');
      await expect(connect(`${url}/other`, { as: 'a2a-1.0', via })).rejects.toMatchObject({
        kind: expect.stringMatching(/agentNotFound|upstreamUnreachable/),
      });
    },
  );

  it('an agent without a card is not called over a binding that its dialect lacks', async () => {
    const url = await cardless('sdk10-rest');
    await expect(connect(url, { as: 'a2a-0.1', via: 'rest' })).rejects.toThrow(
      'a2a-0.1 is not available over HTTP+JSON',
    );
  });
});
