import { beforeAll, describe, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { type Running, startGateway } from '../../support/gateway.ts';
import { modernTools, toolsAt } from './client.ts';

/** Server cards (SEP-2127): what clients read before they connect. */

const [alice, bob] = [newKey(), newKey()];

describe('a gateway whose cards are public', () => {
  let gateway: Running;
  beforeAll(async () => {
    const settings = `auth: { anonymous: false, apiKeys: [{ name: alice, hash: "${alice.hash}" }] }`;
    gateway = await startGateway({ settings });
  });
  const cardAt = (path: string, headers = {}) => fetch(`${gateway.origin}${path}/server-card`, { headers });

  it('a gateway whose cards are public describes all agents at the root', async () => {
    const answer = await cardAt('/mcp');
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/mcp-server-card+json',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    });
    expect(await answer.json()).toEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
      name: 'localhost/a2a-gateway',
      version: expect.any(String),
      title: 'Agents of a2a-gateway',
      description: 'Agents of a2a-gateway as tools',
      remotes: [
        {
          type: 'streamable-http',
          url: `${gateway.origin}/mcp`,
          headers: [{ name: 'X-Api-Key', description: expect.any(String), isSecret: true }],
          supportedProtocolVersions: expect.arrayContaining(['2026-07-28', '2025-11-25', '2025-06-18']),
        },
      ],
    });
  });

  it('a gateway whose cards are public describes one agent as its server describes itself to clients of both eras', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
    const card: any = await (await cardAt('/demo/mcp')).json();
    expect(card.name).toBe('localhost/a2a-gateway.demo');
    const [{ url, supportedProtocolVersions }] = card.remotes;
    const requestInit = { headers: { 'X-Api-Key': alice.key } };
    const [{ client: older }, { client: modern }] = [
      await toolsAt(url, { requestInit }),
      await modernTools(url, { requestInit }),
    ];
    const { title, version } = card;
    for (const client of [older, modern]) expect(client.getServerVersion()).toMatchObject({ title, version });
    expect(supportedProtocolVersions).toContain(modern.getNegotiatedProtocolVersion());
  });

  it('a gateway whose cards are public sends no card again to those that have it, and none of unknown agents', async () => {
    const etag = (await cardAt('/mcp')).headers.get('etag') ?? '';
    expect((await cardAt('/mcp', { 'If-None-Match': etag })).status).toBe(304);
    expect((await cardAt('/nobody/mcp')).status).toBe(404);
  });
});

it('where cards need credentials, callers get those of the agents that they may call', async () => {
  const settings = `auth:
  anonymous: false
  publicCards: false
  apiKeys: [{ name: bob, hash: "${bob.hash}", agents: [demo] }]`;
  const gateway = await startGateway({ settings });
  const cardAt = (path: string, headers: Record<string, string> = { 'X-Api-Key': bob.key }) =>
    fetch(`${gateway.origin}${path}/server-card`, { headers });
  expect((await cardAt('/mcp', {})).status).toBe(401);
  expect((await cardAt('/hello/mcp')).status).toBe(403);
  const answer = await cardAt('/demo/mcp');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('private, max-age=300');
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});
