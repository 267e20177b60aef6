import { expect, it } from 'vitest';
import { defineAgent, status } from '../../../src/agents/define.ts';
import { A2AError, markRefusal } from '../../../src/core/model/errors.ts';
import { startCore, taskIn, userMessage } from '../../support/core.ts';

/** Agents that open a task, and then refuse the message that opened it. */

const refusal = (): A2AError => markRefusal(new A2AError('invalidParams', 'no such work'));

/** An agent that refuses when the gate opens, and a core before it. */
async function start(limits: { readonly answer?: number } = {}) {
  const opened = Promise.withResolvers<string>();
  const gate = Promise.withResolvers<void>();
  const agent = defineAgent({
    name: 'Choosy',
    description: 'Refuses every message',
    execute: async function* ({ taskId }) {
      yield status('TASK_STATE_SUBMITTED');
      opened.resolve(taskId);
      await gate.promise;
      throw refusal();
    },
  });
  const core = await startCore({ agent }, limits);
  const send = (over = {}) => core.call('SendMessage', { message: userMessage('go') }, over);
  const tasks = async () => (await core.call('ListTasks', {})).tasks;
  return { core, send, tasks, opened: opened.promise, refuse: () => gate.resolve() };
}

it('a caller that waits for its task gets the refusal, and no task is left', async () => {
  const { send, tasks, opened, refuse } = await start();
  const answer = expect(send()).rejects.toMatchObject({ kind: 'invalidParams', message: 'no such work' });
  await opened;
  refuse();
  await answer;
  expect(await tasks()).toEqual([]);
});

it('the call is refused alike under its idempotency key, and not sent to the agent again', async () => {
  const { core, opened, refuse } = await start();
  const request = { message: userMessage('go') };
  const send = () => core.call('SendMessage', request, { idempotencyKey: 'once' });
  const first = expect(send()).rejects.toMatchObject({ kind: 'invalidParams', message: 'no such work' });
  await opened;
  refuse();
  await first;
  await expect(send()).rejects.toMatchObject({ kind: 'invalidParams', message: 'no such work' });
});

it('a caller that was answered before with its task finds it as failed', async () => {
  const { core, send, opened, refuse } = await start({ answer: 1 });
  const task = taskIn(await send());
  await opened;
  refuse();
  const stateOf = async () => (await core.call('GetTask', { id: task.id })).status.state;
  await expect.poll(stateOf).toBe('TASK_STATE_FAILED');
});

it('a caller that waits gets the failed task where another one follows it', async () => {
  const { core, send, opened, refuse } = await start();
  const answer = send();
  const events = await core.stream('SubscribeToTask', { id: await opened });
  await events.next();
  refuse();
  expect(taskIn(await answer).status.state).toBe('TASK_STATE_FAILED');
  await events.return?.();
});
