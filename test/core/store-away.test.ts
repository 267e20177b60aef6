import { expect, test } from 'vitest';
import { createReferenceAgent } from '../../src/agents/reference.ts';
import { A2AError } from '../../src/core/model/errors.ts';
import { openStore, startCore, taskIn, userMessage } from '../support/core.ts';

test('while the store is unavailable callers get an error, and running tasks are written when it is back', async () => {
  const store = await openStore();
  const append = store.append.bind(store);
  let away = false;
  store.append = (batch) => (away ? Promise.reject(new A2AError('unavailable')) : append(batch));
  const core = await startCore({ demo: createReferenceAgent() }, { store });
  const question = taskIn(await core.call('SendMessage', { message: userMessage('ask') }));

  away = true;
  const unavailable = { kind: 'unavailable' };
  const answer = userMessage('Ada', { taskId: question.id });
  await expect(core.call('SendMessage', { message: answer })).rejects.toMatchObject(unavailable);
  await expect(core.call('SendMessage', { message: userMessage('hello') })).rejects.toMatchObject(unavailable);
  await expect(core.call('CancelTask', { id: question.id })).rejects.toMatchObject(unavailable);

  away = false;
  await expect
    .poll(async () => (await core.call('GetTask', { id: question.id })).status.state, { timeout: 10_000 })
    .toBe('TASK_STATE_COMPLETED');
  // The agent had heard of the new message by then: what it did is not lost.
  await expect.poll(async () => (await core.call('ListTasks', {})).totalSize, { timeout: 10_000 }).toBe(2);
});
