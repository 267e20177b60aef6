import { expect, it } from 'vitest';
import { defineAgent, status } from '../../../src/agents/define.ts';
import { collect, startCore, userMessage } from '../../support/core.ts';

it('agents learn whether the caller waits until a new task comes to rest', async () => {
  const seen: (boolean | undefined)[] = [];
  const agent = defineAgent({
    name: 'Told',
    description: 'Remembers what it was told',
    execute: async function* ({ awaited }) {
      seen.push(awaited);
      yield status('TASK_STATE_INPUT_REQUIRED');
    },
  });
  const core = await startCore({ agent });
  const send = (configuration: object) => core.call('SendMessage', { message: userMessage('hello'), configuration });
  await send({});
  await send({ returnImmediately: true });
  await send({ taskPushNotificationConfig: { url: 'https://client.example/hook' } });
  await collect(await core.stream('SendStreamingMessage', { message: userMessage('hello') }));
  expect(seen).toEqual([true, false, false, false]);
});
