import { expect, it, vi } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { events, startHostile } from '../../support/hostile-agent.ts';
import { card10, words } from '../../support/hostile-words.ts';
import { later } from '../../support/later.ts';
import { afterTest } from '../../support/peer.ts';
import { bridgedTo, essence, follow, obligingAgent } from './hostile-bridge.ts';

/** The card of an agent that moves, changes, comes and goes. */

const { task, status } = events;

it('the card of an upstream agent is requested with its ETag, and kept when it has not changed', async () => {
  const agent = await obligingAgent();
  agent.cardTag = '"one"';
  const { client } = await bridgedTo(agent.url, { cardAge: 9_000 });
  await client.send('go');
  expect(agent.cardReads).toEqual([undefined]);
  later(10_000);
  expect((await client.send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
  await expect.poll(() => agent.cardReads).toEqual([undefined, '"one"']);
  expect((await client.send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
});

it.each([
  ['had a tag already', '"one"'],
  ['had none before', undefined],
])('the card of an upstream agent is requested with a new ETag when only that has changed: it %s', async (_, first) => {
  const agent = await obligingAgent();
  agent.cardTag = first;
  const { client } = await bridgedTo(agent.url, { cardAge: 9_000 });
  await client.send('go');
  agent.cardTag = '"two"';
  for (const reads of [2, 3]) {
    later(10_000);
    await client.send('go');
    await expect.poll(() => agent.cardReads.length).toBe(reads);
  }
  expect(agent.cardReads).toEqual([undefined, first, '"two"']);
  const calls = agent.calls.length;
  expect((await client.send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(agent.calls).toHaveLength(calls + 1);
});

it('the card of an upstream agent is served with its new content after a change', async () => {
  const agent = await obligingAgent();
  agent.cardTag = '"one"';
  const { bridge, client } = await bridgedTo(agent.url, { cardAge: 9_000 });
  await client.send('go');
  const served = async (): Promise<string> => {
    const read = await connect(`${bridge.origin}/up`, { as: 'a2a-1.0' });
    await read.close();
    return read.card.description;
  };
  const before = await served();
  agent.card = { ...card10(`${agent.url}/rpc`, 'JSONRPC'), description: 'Knows more by now' };
  agent.cardTag = '"two"';
  later(10_000);
  await client.send('go');
  await expect.poll(served).toBe('Knows more by now');
  expect(before).not.toBe('Knows more by now');
});

it('the card of an upstream agent with a new port is read when the former port is closed', async () => {
  const former = await obligingAgent();
  const next = await obligingAgent();
  const agent = await startHostile('a2a-1.0 jsonrpc');
  agent.card = card10(`${former.url}/rpc`, 'JSONRPC');
  const { client } = await bridgedTo(agent.url);
  expect((await client.send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(former.calls).toHaveLength(1);
  await former.stop();
  agent.card = card10(`${next.url}/rpc`, 'JSONRPC');
  later(10_000);
  expect((await client.send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(next.calls).toHaveLength(1);
});

it('the card of an upstream agent with a new port is read for a running task', async () => {
  const former = await startHostile('a2a-1.0 jsonrpc');
  const next = await startHostile('a2a-1.0 jsonrpc');
  const agent = await startHostile('a2a-1.0 jsonrpc');
  agent.card = card10(`${former.url}/rpc`, 'JSONRPC');
  former.script = {
    async SendStreamingMessage(exchange) {
      await exchange.tell(former.happen(task('WORKING')));
      next.happen(task('WORKING'));
      next.happen(status('COMPLETED', 'Done'));
      agent.card = card10(`${next.url}/rpc`, 'JSONRPC');
      later(10_000);
      await former.stop();
    },
  };
  const { client } = await bridgedTo(agent.url);
  const { task: end } = await follow(client);
  expect(essence(end)).toEqual(essence(next.truth));
  expect(end.status.state).toBe('TASK_STATE_COMPLETED');
});

it('the card of an upstream agent with a new protocol version is read for the next call', async () => {
  const agent = await obligingAgent();
  const { client } = await bridgedTo(agent.url);
  expect((await client.send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
  agent.speak('a2a-0.3 jsonrpc');
  later(10_000);
  expect((await client.send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
  expect((await client.send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
});

it.each([
  ['is not there yet', 404, ''],
  ['is a page', 200, '<html>'],
  ['cannot be had', 500, ''],
])('the card of an upstream agent that %s is read as soon as it is available', async (_, code, text) => {
  const agent = await obligingAgent();
  agent.gate = (path, __, res) => {
    if (path.startsWith('/rpc')) return false;
    res.writeHead(code, { 'content-type': 'text/html' }).end(text);
    return true;
  };
  const { bridge } = await bridgedTo(agent.url);
  // The gateway has a card of its own for it all the same.
  const client = await connect(`${bridge.origin}/up`, { as: 'a2a-1.0' });
  afterTest(() => client.close());
  await expect(client.send('go')).rejects.toMatchObject({
    kind: expect.stringMatching(/upstreamUnreachable|invalidAgentResponse/),
  });
  agent.gate = undefined;
  later(60_000);
  expect((await client.send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
});

it.each(['a2a-1.0 jsonrpc', 'a2a-0.3 jsonrpc'] as const)(
  'the card of an upstream agent of %s declares an extended card at the gateway only as the agent does',
  async (speech) => {
    for (const supported of [false, undefined]) {
      const agent = await startHostile(speech);
      const card = words[speech].card(`${agent.url}/rpc`) as { capabilities: object };
      const said = supported === false ? { supportsAuthenticatedExtendedCard: false } : {};
      const capabilities = supported === false ? { ...card.capabilities, extendedAgentCard: false } : card.capabilities;
      agent.card = speech === 'a2a-0.3 jsonrpc' ? { ...card, ...said } : { ...card, capabilities };
      const { bridge } = await bridgedTo(agent.url);
      const cardOf = async (version: string) => {
        const headers = { 'a2a-version': version };
        const response = await fetch(`${bridge.origin}/up/.well-known/agent-card.json`, { headers });
        return (await response.json()) as Record<string, unknown> & { capabilities: Record<string, unknown> };
      };
      await expect.poll(async () => (await cardOf('1.0')).name).toBe('Hostile agent');
      expect((await cardOf('1.0')).capabilities.extendedAgentCard).toBe(supported);
      expect((await cardOf('0.3')).supportsAuthenticatedExtendedCard).toBe(supported);
    }
  },
);

it('the card of an upstream agent is not read to its end when it is endless', async () => {
  const agent = await obligingAgent();
  let poured = 0;
  agent.gate = (path, _, res) => {
    if (path.startsWith('/rpc')) return false;
    res.writeHead(200, { 'content-type': 'application/json' });
    const pour = (): void => {
      for (poured += 1; !res.closed && res.write(' '.repeat(1 << 16)); ) poured += 1;
    };
    res.on('drain', pour);
    pour();
    return true;
  };
  const { client } = await bridgedTo(agent.url);
  await expect(client.send('go')).rejects.toMatchObject({
    kind: expect.stringMatching(/upstreamUnreachable|invalidAgentResponse/),
  });
  // Several places are looked at, and a megabyte of each is enough.
  expect(poured << 16).toBeLessThan(256 << 20);
});

it('the card of an upstream agent is read later when the agent is down at the start', async () => {
  const agent = await obligingAgent();
  await agent.stop();
  const { bridge, client } = await bridgedTo(agent.url);
  await expect(client.send('go')).rejects.toMatchObject({ kind: 'upstreamUnreachable' });
  const card = await fetch(`${bridge.origin}/up/.well-known/agent-card.json`);
  expect(await card.json()).toMatchObject({ name: 'up', description: expect.stringContaining('not been read yet') });
  const ready = await fetch(`${bridge.origin}/readyz`);
  expect([ready.status, await ready.json()]).toMatchObject([200, { agents: { up: { state: 'unreachable' } } }]);
  await agent.start();
  later(60_000);
  expect((await client.send('go')).task?.status.state).toBe('TASK_STATE_COMPLETED');
  expect(await (await fetch(`${bridge.origin}/readyz`)).json()).toMatchObject({ agents: { up: { state: 'ok' } } });
});

it('the card of an upstream agent is not counted as a call of the agent on /readyz', async () => {
  const { bridge, client } = await bridgedTo((await obligingAgent()).url);
  const health = async (): Promise<{ lastCall: string }> => {
    const { agents } = (await (await fetch(`${bridge.origin}/readyz`)).json()) as {
      agents: { up: { lastCall: string } };
    };
    return agents.up;
  };
  await vi.waitFor(async () => expect(await health()).toMatchObject({ state: 'ok', lastCall: 'not called yet' }));
  const before = Date.now();
  await client.send('go');
  const { lastCall } = await health();
  expect(new Date(lastCall).toISOString()).toBe(lastCall);
  expect(Date.parse(lastCall)).toBeGreaterThanOrEqual(before);
});
