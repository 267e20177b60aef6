import { expect, test, vi } from 'vitest';
import { defineAgent } from '../../../src/agents/define.ts';
import { ask, status } from '../../../src/agents/events.ts';
import { connect } from '../../../src/client/index.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';

/** Questions of agents at another gateway, which has deadlines of its own. */

const asking = defineAgent({ name: 'Asking', description: 'Asks' }, ({ text }) =>
  text === 'authorize'
    ? status('TASK_STATE_AUTH_REQUIRED', 'Sign in first')
    : ask('How many?', { for: 'nobody', deadline: '1h', otherwise: { answer: 2 } }),
);

/** A gateway with the agent, and one in front of it. */
async function opened(questions: string) {
  const behind = await openGateway('agents: { demo: { kind: reference } }', { agents: { asking } });
  const agent = `{ kind: upstream, url: '${behind.url}/asking'${questions} }`;
  const before = await openGateway(`agents: { asking: ${agent} }`);
  const client = await connect(`${before.url}/asking`);
  afterTest(client.close);
  const inner = await connect(`${behind.url}/asking`);
  afterTest(inner.close);
  return { client, inner };
}

const factsOf = ({ status }: Task) => status.message?.metadata?.['a2a-gateway/question'];

test('the deadline of another gateway is shown, and its delegate and default answer are its own', async () => {
  const { client, inner } = await opened('');
  const { task } = await client.send('go');
  const [theirs] = (await inner.listTasks({})).tasks;
  expect(theirs && factsOf(theirs)).toMatchObject({ for: 'nobody', otherwise: { answer: 2 } });
  expect(task && factsOf(task)).toEqual({ until: expect.any(String) });
});

test('a deadline in front of another gateway fails the task, and cancels that of the other one', async () => {
  const { client, inner } = await opened(', questions: { deadline: 500ms, otherwise: { answer: 1 } }');
  const { task } = await client.send('authorize');
  const id = task?.id ?? '';
  // An answer cannot stand in for an authorization.
  expect(task && factsOf(task)).toEqual({ until: expect.any(String), otherwise: 'fail' });
  await vi.waitFor(
    async () => {
      expect((await client.getTask({ id })).status.state).toBe('TASK_STATE_FAILED');
      expect((await inner.listTasks({})).tasks.map(({ status: { state } }) => state)).toEqual(['TASK_STATE_CANCELED']);
    },
    { interval: 100 },
  );
});
