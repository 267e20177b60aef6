import { expect, it } from 'vitest';
import type { Client } from '../../../src/client/index.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { listeningAgent } from '../../support/agents/listening.ts';
import { silent } from '../../support/core.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';
import { startBridge } from '../../support/upstreams.ts';

/** Messages that are forwarded to an upstream agent while it works. */

async function bridged(agent: Agent): Promise<Client> {
  const config = parseConfig('store: "memory:"\nlisten: { port: 0 }\n', { file: '/upstream.yaml' });
  const { gateway, url } = await openGateway(config, { logger: silent, agents: { demo: agent } });
  afterTest(() => gateway.close({ drainMs: 0 }));
  const bridge = await startBridge({ far: { url } });
  return bridge.client('far');
}

const taskOf = ({ task }: { task?: Task }): Task => {
  if (!task) throw new TypeError('no task');
  return task;
};

it('a message reaches the agent in the same run, and its answer is part of the task', async () => {
  const client = await bridged(listeningAgent());
  const { id } = taskOf(await client.send('listen', { returnImmediately: true }));
  const task = taskOf(await client.send('hello', { taskId: id }));
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(task.artifacts).toMatchObject([{ name: 'echo', parts: [{ text: 'hello' }] }]);
});

it('a message that the agent refuses is named by the task, which goes on until the agent ends it', async () => {
  const client = await bridged({ ...listeningAgent(), whileRunning: 'refuse' });
  const { id } = taskOf(await client.send('wait', { returnImmediately: true }));
  const message = { messageId: 'refused', role: 'ROLE_USER' as const, parts: [{ text: 'hello' }], taskId: id };
  const refused = client.sendMessage({ message });
  refused.catch(() => undefined);
  for (;;) {
    const { history = [], status } = await client.getTask({ id });
    expect(status.state).toBe('TASK_STATE_WORKING');
    if (history.some(({ messageId }) => messageId === 'refused') && status.message) break;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  await client.cancelTask({ id });
  await expect(refused).rejects.toMatchObject({ kind: 'unsupportedOperation' });
  expect((await client.getTask({ id })).metadata?.['a2a-gateway/unanswered']).toEqual(['refused']);
});
