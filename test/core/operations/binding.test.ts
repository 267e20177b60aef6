import { expect, it } from 'vitest';
import { defineAgent, status } from '../../../src/agents/define.ts';
import { startCore, taskIn, userMessage } from '../../support/core.ts';

const agentThat = (execute: Parameters<typeof defineAgent>[0]['execute']) =>
  defineAgent({ name: 'Named', description: 'Works under another name elsewhere', execute });

it('the id of a task elsewhere is durable as soon as the task can be seen', async () => {
  const agent = agentThat(async function* ({ bind, newContext }) {
    bind({ id: 'there', contextId: newContext ? 'new there' : 'known there' });
    yield status('TASK_STATE_WORKING');
  });
  const core = await startCore({ agent });
  const seen: unknown[] = [];
  const { append } = core.store;
  core.store.append = async (batch) => {
    await append.call(core.store, batch);
    seen.push([batch.events.length, await core.store.upstreamOf(batch.key)]);
  };
  const task = taskIn(await core.call('SendMessage', { message: userMessage('hello') }));
  expect(seen).toEqual([[3, { id: 'there', contextId: 'new there' }]]);
  const again = userMessage('again', { contextId: task.contextId ?? '' });
  const { id } = taskIn(await core.call('SendMessage', { message: again }));
  expect(await core.store.upstreamOf(id)).toEqual({ id: 'there', contextId: 'known there' });
});

it('the id of a task at its agent: it is written without an event when the task has no new one', async () => {
  const delivered = Promise.withResolvers<void>();
  const agent = agentThat(async function* ({ bind }) {
    await delivered.promise;
    bind({ id: 'there', contextId: '' });
    // The task is in this state already.
    yield status('TASK_STATE_SUBMITTED');
    await new Promise(() => {});
  });
  const core = await startCore({ agent });
  const configuration = { returnImmediately: true };
  const { id } = taskIn(await core.call('SendMessage', { message: userMessage('hello'), configuration }));
  delivered.resolve();
  await expect.poll(() => core.store.upstreamOf(id)).toEqual({ id: 'there', contextId: '' });
  expect(await core.store.events(id, 0, 10)).toHaveLength(1);
});
