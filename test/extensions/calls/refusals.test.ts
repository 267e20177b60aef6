import { beforeAll, describe, expect, it } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { connect } from '../../../src/client/index.ts';
import type { RequestOf } from '../../../src/gen/admin-v1/operations.ts';
import { askAdmin, callsOf } from '../../support/admin.ts';
import { openGateway } from '../../support/gateway.ts';

/** Requests that are refused after their caller is authenticated, by binding and reason. */

const [alice, operator] = [newKey(), newKey()];
const asAlice = { 'x-api-key': alice.key };
const bindings = ['jsonrpc', 'rest', 'grpc', 'connect'] as const;

const start = async (limits: string, scopes = '[tasks]'): Promise<string> => {
  const { url } = await openGateway(`
limits: ${limits}
auth:
  anonymous: false
  apiKeys:
    - { name: alice, hash: "${alice.hash}", scopes: ${scopes} }
    - { name: operator, hash: "${operator.hash}", scopes: [admin] }
defaultAgent: demo
agents: { demo: { kind: reference } }
`);
  return url;
};

/** Refused requests and calls by caller. */
async function counted(url: string): Promise<Record<string, string>> {
  const request: RequestOf<'ListNumbers'> = { by: ['NUMBER_GROUPING_PRINCIPAL'] };
  const { groups = [] } = await askAdmin(url, 'ListNumbers', request, { 'x-api-key': operator.key });
  const counts = groups.map(({ principal = '', numbers: { calls = 0, refused = 0 } = {} }) => [
    principal,
    `${calls} calls, ${refused} refused`,
  ]);
  return Object.fromEntries(counts.filter(([caller]) => caller !== 'key:operator'));
}

async function get(url: string, via: (typeof bindings)[number], id = 'none'): Promise<unknown> {
  const client = await connect(url, { via, headers: asAlice });
  try {
    return await client.getTask({ id }).catch((thrown: unknown) => thrown);
  } finally {
    await client.close();
  }
}

describe('a refused request is counted for its caller', () => {
  it.each(bindings)('over the limit of requests, over %s', async (via) => {
    const url = await start('{ requestsPerMinute: 4 }');
    let refused = 0;
    while (refused === 0) {
      const failure = (await get(url, via).catch((thrown: unknown) => thrown)) as { kind?: string };
      if (failure.kind === 'tooManyRequests') refused += 1;
    }
    const { 'key:alice': ofAlice = '', ...others } = await counted(url);
    expect(ofAlice).toMatch(/, [1-9]\d* refused$/);
    expect(others).toEqual({});
  });

  it.each(bindings)('without the scope of the operation, over %s', async (via) => {
    const url = await start('{}', '[knowledge]');
    await get(url, via);
    expect(await counted(url)).toEqual({ 'key:alice': '0 calls, 1 refused' });
  });

  it.each(bindings)('with a body that is too large, over %s', async (via) => {
    const url = await start('{ body: 4KiB }');
    const client = await connect(url, { via, headers: asAlice });
    await expect(client.send('x'.repeat(10_000))).rejects.toMatchObject({ kind: 'payloadTooLarge' });
    await client.close();
    expect(await counted(url)).toEqual({ 'key:alice': '0 calls, 1 refused' });
  });
});

describe('a refused HTTP request is counted for its caller', () => {
  let url: string;
  beforeAll(async () => {
    url = await start('{}');
  });

  it.each([
    [
      'for an agent that does not exist, over JSON-RPC',
      'POST',
      '/nobody',
      '{"jsonrpc":"2.0","id":1,"method":"GetTask"}',
    ],
    ['for an agent that does not exist, over HTTP+JSON', 'POST', '/nobody/message:send', '{}'],
    ['for an agent that does not exist, over MCP', 'POST', '/nobody/mcp', '{}'],
    ['with a body that is no JSON, over JSON-RPC', 'POST', '/', '{'],
    ['with a body that is no JSON, over HTTP+JSON', 'POST', '/message:send', '{'],
    ['with a body that is no JSON, over MCP', 'POST', '/demo/mcp', '{'],
    ['with an unknown method', 'POST', '/', '{"jsonrpc":"2.0","id":1,"method":"Unknown"}'],
    ['with a wrong verb', 'DELETE', '/message:send', undefined],
    ['for a path below an agent that does not exist', 'GET', '/demo/none/none', undefined],
    ['for an rpc that does not exist, over Connect', 'POST', '/lf.a2a.v1.A2AService/Unknown', '{}'],
  ])('%s', async (_, method, path, body) => {
    const before = await counted(url);
    await callsOf(url, asAlice).request(path, { method, body: body ?? null });
    const [calls = '0 calls', refused = '0 refused'] = (before['key:alice'] ?? '').split(', ').filter(Boolean);
    expect(await counted(url)).toEqual({ 'key:alice': `${calls}, ${Number.parseInt(refused, 10) + 1} refused` });
  });
});
