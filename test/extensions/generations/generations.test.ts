import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { A2AError, connect } from '../../../src/client/index.ts';
import { openGenerationUses } from '../../../src/extensions/generations/store.ts';
import { createStore } from '../../../src/stores/index.ts';
import { complete } from '../../support/admin.ts';
import { dialectBindings } from '../../support/conversations.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { afterTest } from '../../support/peer.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { startReplica } from '../../support/replicas.ts';
import { alice, bob, clientOf, counted, generationsOf, operator, start } from './support.ts';

/** Calls of generations are counted as they pass, by caller, agent, generation and binding. */

describe.each(dialectBindings.map((one) => [`${one.as} over ${one.via}`, one] as const))('%s', (name, binding) => {
  it(`calls in ${name} are counted for each caller and agent`, async () => {
    const { url } = await start();
    const gateway = { alice: await clientOf(url, binding), bob: await clientOf(url, binding, { apiKey: bob.key }) };
    const before = Date.now();
    await gateway.alice.send('say good day');
    await gateway.bob.send('say good day');
    await gateway.bob.send('say good day');
    await expect(gateway.bob.getTask({ id: 'unknown' })).rejects.toThrow();
    const { uses = [], generations = [], since } = await generationsOf(url);
    const key = (caller: string): string => `key:${caller} demo ${binding.as} ${binding.via}`;
    expect(uses.map((use) => [counted(use).who, counted(use).newWork])).toEqual([
      [key('alice'), 1],
      [key('bob'), 2],
    ]);
    // Some clients read the task after they have sent the message.
    expect(uses.map(({ calls }) => Number(calls))).toEqual([expect.any(Number), expect.any(Number)]);
    expect(Number(uses[1]?.calls)).toBeGreaterThanOrEqual(3);
    expect(generations).toMatchObject([{ generation: binding.as, callers: 2, newWork: 3 }]);
    for (const { firstAt = '', lastAt = '' } of uses) {
      expect(Date.parse(firstAt)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(lastAt)).toBeGreaterThanOrEqual(Date.parse(firstAt));
    }
    expect(Date.parse(since ?? '')).toBeGreaterThanOrEqual(before);
  });
});

it('the fields that calls lost are listed with who cannot express them, without content', async () => {
  const far = await start();
  const auth = `{ type: apiKey, key: "${bob.key}" }`;
  const { url } = await start(
    `  old: { kind: upstream, url: "${far.url}/as/agentvault-0.2", dialect: agentvault-0.2, auth: ${auth} }`,
  );
  const parts = [{ text: 'a secret', filename: 'secret.txt', mediaType: 'text/markdown' }];
  const send = async (agent: string) => {
    const client = await connect(`${url}/${agent}`, { as: 'a2a-1.0', via: 'jsonrpc', apiKey: alice.key, direct: true });
    afterTest(() => client.close());
    return client.sendMessage({ message: { messageId: 'm', role: 'ROLE_USER', parts } });
  };
  await send('old');
  const { task } = await send('demo');
  const legacy = await clientOf(url, { as: 'a2a-0.3', via: 'jsonrpc' });
  for (const _ of [1, 2]) await legacy.getTask({ id: task?.id ?? '', historyLength: 5 });
  const answer = await generationsOf(url);
  const lost = (generation: string, agent: string) =>
    (answer.uses ?? [])
      .filter((use) => use.generation === generation && use.agent === agent)
      .flatMap((use) => (use.lost ?? []).map(({ path, agentDialect = '', count }) => ({ path, agentDialect, count })));
  expect(lost('a2a-0.3', 'demo')).toContainEqual({ path: 'history.parts.filename', agentDialect: '', count: 2 });
  expect(lost('a2a-1.0', 'old')).toContainEqual({
    path: 'message.parts.filename',
    agentDialect: 'agentvault-0.2',
    count: 1,
  });
  expect(lost('a2a-1.0', 'demo')).toEqual([]);
  expect(JSON.stringify(answer)).not.toContain('secret');
});

it('calls of operators, and calls that are of no generation, are not counted', async () => {
  const { url } = await start();
  await generationsOf(url);
  const headers = {
    'x-api-key': alice.key,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  await fetch(`${url}/mcp`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  expect(await generationsOf(url)).toMatchObject({ uses: [], generations: [], uncountedCalls: 0 });
});

it('an entry is listed by its generation, its caller and its agent, and lists have pages', async () => {
  const { url } = await start();
  for (const as of ['a2a-0.3', 'a2a-0.2'] as const) {
    for (const agent of ['', '/other'])
      await (await clientOf(url, { as, via: 'jsonrpc' }, { agent })).send('say good day');
  }
  const named = async (request: Parameters<typeof generationsOf>[1]) =>
    ((await generationsOf(url, request)).uses ?? []).map(({ generation, agent }) => `${generation} ${agent}`);
  expect(await named({})).toEqual(['a2a-0.2 demo', 'a2a-0.2 other', 'a2a-0.3 demo', 'a2a-0.3 other']);
  expect(await named({ generation: 'a2a-0.3' })).toEqual(['a2a-0.3 demo', 'a2a-0.3 other']);
  expect(await named({ agent: 'other' })).toEqual(['a2a-0.2 other', 'a2a-0.3 other']);
  expect(await named({ principal: 'key:bob' })).toEqual([]);
  const { uses = [], nextPageToken: pageToken = '' } = await generationsOf(url, { pageSize: 3 });
  expect(uses).toHaveLength(3);
  expect(await named({ pageSize: 3, pageToken })).toEqual(['a2a-0.3 other']);
  await expect(generationsOf(url, { pageSize: 1_001 })).rejects.toThrow('pageSize');
});

it('what was counted is stored when the gateway stops, and is there after the next start', async () => {
  const store = `store: "sqlite:${join(newFolder(), 'gateway.db')}"`;
  const first = await start(store);
  await (await clientOf(first.url, { as: 'a2a-0.3', via: 'rest' })).send('say good day');
  await first.close();
  const second = await start(store);
  await (await clientOf(second.url, { as: 'a2a-0.3', via: 'rest' })).send('say good day');
  const { uses = [] } = await generationsOf(second.url);
  expect(uses.map(counted)).toMatchObject([{ who: 'key:alice demo a2a-0.3 rest', newWork: 2 }]);
});

it('counts that the store does not take are kept, and stored with the next ones', async () => {
  const store = createStore('memory:', { instance: 'test', logger: silent });
  const { url } = await start('', { store });
  const uses = await store.extend(openGenerationUses);
  const client = await clientOf(url, { as: 'a2a-0.3', via: 'jsonrpc' });
  await client.send('say good day');
  vi.spyOn(uses, 'add').mockRejectedValueOnce(new A2AError('unavailable', 'The store is away'));
  await expect(generationsOf(url)).rejects.toThrow('The store is away');
  await client.send('say good day');
  expect(((await generationsOf(url)).uses ?? []).map(counted)).toMatchObject([{ calls: 2, newWork: 2 }]);
});

describe('on PostgreSQL', () => {
  beforeAll(sharedPostgres);

  it('a replica lists what all replicas have counted until then', async () => {
    const url = await (await sharedPostgres()).migrated();
    const config = `agents: { demo: { kind: reference } }
auth: { apiKeys: [{ name: operator, hash: "${operator.hash}", scopes: [admin] }] }`;
    const replicas = [await startReplica(url, 'one', { config }), await startReplica(url, 'two', { config })];
    for (const replica of replicas)
      await (await replica.client({ via: 'jsonrpc', as: 'a2a-0.3' })).send('say good day');
    for (const replica of replicas) {
      const { uses = [], missingReplicas = [] } = await complete(() => generationsOf(replica.url));
      expect(missingReplicas).toEqual([]);
      expect(uses.map(counted)).toMatchObject([{ newWork: 2 }]);
    }
  });
});
