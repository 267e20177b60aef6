import { expect, it } from 'vitest';
import { connect } from '../../../src/client/index.ts';
import { askAdmin } from '../../support/admin.ts';
import { answering, startCopy } from '../../support/agents/copies.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';

it('operators see each copy of an agent, and the ids of tasks as the copies know them', async () => {
  const [a, b] = [await startCopy('a'), await startCopy('b')];
  await b.close();
  const { url } = await openGateway(`agents: { far: { kind: upstream, url: ['${a.url}', '${b.url}?key=secret'] } }`);
  await answering(url, 1);
  const client = await connect(`${url}/far`);
  afterTest(() => client.close());
  const { task } = await client.send('wait', { returnImmediately: true });
  const underWay = async () => (await askAdmin(url, 'GetAgent', { name: 'far' })).copies?.[0]?.outstanding;
  await expect.poll(underWay).toBe(1);
  const { copies } = await askAdmin(url, 'GetAgent', { name: 'far' });
  expect(copies).toEqual([
    { url: a.url, state: 'ok', breaker: 'closed', outstanding: 1, leftOut: false },
    {
      url: `${b.url}?…`,
      state: expect.stringMatching(/^(connecting|unreachable)$/),
      breaker: 'closed',
      outstanding: 0,
      leftOut: true,
      ...(copies?.[1]?.reason !== undefined && { reason: expect.stringContaining('cannot reach') }),
    },
  ]);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics.split('\n').filter((line) => line.startsWith('a2a_gateway_upstream_copies{'))).toEqual([
    'a2a_gateway_upstream_copies{agent="far",state="ok"} 1',
    'a2a_gateway_upstream_copies{agent="far",state="left-out"} 1',
  ]);

  const direct = await connect(a.url);
  afterTest(() => direct.close());
  const { tasks = [] } = await askAdmin(url, 'FindTasks', { agent: 'far' });
  const inspect = () => askAdmin(url, 'InspectTask', { key: tasks[0]?.key ?? '' });
  await expect.poll(async () => (await inspect()).upstreamTaskId).toBeTruthy();
  const known = await inspect();
  const there = await direct.listTasks({});
  expect([known.upstreamTaskId, known.upstreamContextId]).toEqual([there.tasks[0]?.id, there.tasks[0]?.contextId]);

  await client.cancelTask({ id: task?.id ?? '' });
  await expect.poll(underWay).toBe(0);
  // Also of runs that the gateway stops for a reason of its own.
  const { task: other } = await client.send('wait', { returnImmediately: true });
  await expect.poll(underWay).toBe(1);
  await askAdmin(url, 'StopTask', { key: other?.id ?? '' });
  await expect.poll(underWay).toBe(0);
});
