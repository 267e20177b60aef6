import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { afterTest, bodyOf, serve } from '../support/peer.ts';
import { type Running, startGateway } from './gateway.ts';
import { startBridge, type UpstreamSettings } from './upstreams.ts';

/** What is found out of an agent whose card does not tell everything, and how much it is asked for that. */

let gateway: Running;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** The reference agent in one dialect, behind somebody who writes down what is asked. */
async function watched(dialect: string, edit: (card: string) => string = (card) => card) {
  const asked: string[] = [];
  const origin = await serve(async (req, res) => {
    const body = await bodyOf(req);
    asked.push(`${req.method} ${req.url} ${body === '' ? '' : JSON.parse(body).method}`.trim());
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
  return { url: `${base}/.well-known/agent-card.json`, base: new URL(base).pathname, asked };
}

async function upstream(settings: UpstreamSettings) {
  const bridge = await startBridge({ up: settings });
  afterTest(() => bridge.close());
  const spoken = async () => {
    const { agents } = (await (await fetch(`${bridge.origin}/readyz`)).json()) as {
      agents: { up: { dialect: string; transport: string } };
    };
    return `${agents.up.transport} ${agents.up.dialect}`;
  };
  return { client: await bridge.client('up'), spoken };
}

describe('an agent whose card several generations could have written', () => {
  it.each(['a2a-0.3', 'a2a-php-0.3', 'a2a-0.2', 'a2a-0.1'])('is called in %s, which it speaks', async (dialect) => {
    const agent = await watched(dialect);
    const { client, spoken } = await upstream({ url: agent.url });
    expect((await client.send('hello')).task?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(await spoken()).toBe(`jsonrpc ${dialect}`);
    // Where the card says, and nowhere else: a card of 0.3 lists gRPC at the host.
    const { base } = agent;
    const listed = [`POST ${base} `, `GET ${base}/`, ...(dialect === 'a2a-0.3' ? ['POST /'] : [])];
    expect(agent.asked.filter((one) => !listed.some((start) => one.startsWith(start)))).toEqual([]);
  });

  it.each(['a2a-0.2', 'a2a-0.1'])('is connected to in %s, which it speaks', async (dialect) => {
    const { url } = await watched(dialect);
    const client = await connect(url);
    afterTest(() => client.close());
    expect(client.dialect).toBe(dialect);
    expect((await client.send('hello')).task?.status.state).toBe('TASK_STATE_COMPLETED');
    // The interface is one of the card as that generation reads it.
    expect(client.card.supportedInterfaces).toContainEqual(client.interface);
  });

  it('is not asked by a client where that makes no difference to how a message is sent', async () => {
    const { url, asked } = await watched('a2a-0.3');
    const client = await connect(url);
    afterTest(() => client.close());
    expect(client.dialect).toBe('a2a-0.3');
    expect(asked).toHaveLength(1);
  });
});

describe('an agent that can do what its card does not list', () => {
  it.each([
    { transport: 'rest', dialect: 'auto' },
    { transport: 'rest', dialect: 'a2a-1.0' },
  ] as const)('is called as configured: %o', async (wishes) => {
    const { url } = await watched('a2a-1.0', (text) => {
      const card = JSON.parse(text);
      const [first] = card.supportedInterfaces;
      return JSON.stringify({ ...card, supportedInterfaces: [first] });
    });
    const { client, spoken } = await upstream({ url, ...wishes });
    expect((await client.send('hello')).task?.status.state).toBe('TASK_STATE_COMPLETED');
    expect(await spoken()).toBe('rest a2a-1.0');
  });

  it('is not called as configured where it cannot', async () => {
    const { url } = await watched('a2a-0.1');
    const { client } = await upstream({ url, transport: 'rest' });
    await expect(client.send('hello')).rejects.toThrow('cannot be called over HTTP+JSON; its card offers JSONRPC');
  });
});
