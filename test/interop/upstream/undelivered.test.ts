import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createStore } from '../../../src/stores/index.ts';
import { silent } from '../../support/core.ts';
import { startGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';
import { startBridge } from '../../support/upstreams.ts';

it('a task whose answer never reached its upstream agent, since the gateway died, waits for an answer again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'a2a-gateway-undelivered-'));
  afterTest(() => rm(folder, { recursive: true, force: true }));
  const agent = await startGateway();
  afterTest(() => agent.close());
  const url = `sqlite:${join(folder, 'gateway.db')}`;
  const first = await startBridge({ far: { url: agent.origin } }, url);
  const { task } = await (await first.client('far')).send('ask');
  const id = task?.id ?? expect.fail('no task');
  await first.close();

  // The message is in the log, and no gateway works on the task any more.
  const store = createStore(url, { instance: 'dead', logger: silent });
  await store.open();
  const { seq = 0, generation = 0 } = (await store.load(id)) ?? {};
  const parts = [{ text: 'Ada' }];
  const event = { message: { messageId: 'lost', role: 'ROLE_USER' as const, parts, taskId: id } };
  const status = { state: 'TASK_STATE_INPUT_REQUIRED' as const, at: Date.now() };
  await store.append({
    key: id,
    events: [{ seq: seq + 1, at: Date.now(), generation, event, json: JSON.stringify(event) }],
    status,
  });
  await store.close();

  const second = await startBridge({ far: { url: agent.origin } }, url);
  afterTest(() => second.close());
  const client = await second.client('far');
  for await (const { seq: at, event: told } of client.events('SubscribeToTask', { id }, { after: seq })) {
    expect([at, told.statusUpdate?.status.state]).toEqual([seq + 2, 'TASK_STATE_INPUT_REQUIRED']);
    break;
  }
  const answered = await client.send('Ada', { taskId: id });
  expect(answered.task?.status.state).toBe('TASK_STATE_COMPLETED');
});
