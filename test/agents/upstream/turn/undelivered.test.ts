import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createStore } from '../../../../src/stores/index.ts';
import { silent } from '../../../support/core.ts';
import { newFolder } from '../../../support/folders.ts';
import { startGateway } from '../../../support/gateway.ts';
import { reaches } from '../../../support/reaches.ts';
import { startBridge, type UpstreamSettings } from '../../../support/upstreams.ts';

/** A task that asks, whose gateway has died between logging the answer to the question and sending it. */
async function leaveUnsent(settings: (origin: string) => UpstreamSettings) {
  const folder = newFolder();
  const agent = await startGateway();
  const url = `sqlite:${join(folder, 'gateway.db')}`;
  const far = settings(agent.origin);
  const first = await startBridge({ far }, url);
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

  const second = await startBridge({ far }, url);
  return { client: await second.client('far'), id, seq };
}

it('a message that a killed gateway logged and never sent is sent by the next', async () => {
  const { client, id } = await leaveUnsent((url) => ({ url }));
  await reaches(client, id, 'COMPLETED');
  const { artifacts } = await client.getTask({ id });
  expect(artifacts?.[0]?.parts[0]?.text).toBe('Hello, Ada');
});

it('a task waits for the message again when the agent honours no idempotency keys', async () => {
  const { client, id, seq } = await leaveUnsent((origin) => ({
    url: `${origin}/as/a2a-0.1/.well-known/agent-card.json`,
    dialect: 'a2a-0.1',
  }));
  for await (const { seq: at, event: update } of client.events('SubscribeToTask', { id }, { after: seq })) {
    expect([at, update.statusUpdate?.status.state]).toEqual([seq + 2, 'TASK_STATE_INPUT_REQUIRED']);
    break;
  }
  const answered = await client.send('Ada', { taskId: id });
  expect(answered.task?.status.state).toBe('TASK_STATE_COMPLETED');
});
