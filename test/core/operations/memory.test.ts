import { beforeEach, expect, test, vi } from 'vitest';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { type Bench, collect, startCore, taskIn, userMessage } from '../../support/core.ts';

let core: Bench;
beforeEach(async () => {
  core = await startCore({ demo: createReferenceAgent() });
});

const ask = async (): Promise<string> => taskIn(await core.call('SendMessage', { message: userMessage('ask') })).id;

/** Uses of a task after which it need not stay in memory. */
const uses: Record<string, () => Promise<unknown>> = {
  send: () => core.call('SendMessage', { message: userMessage('hello') }),
  'send and stream': async () => collect(await core.stream('SendStreamingMessage', { message: userMessage('hello') })),
  continue: async () => core.call('SendMessage', { message: userMessage('Ada', { taskId: await ask() }) }),
  'continue and stream': async () => {
    const message = userMessage('Ada', { taskId: await ask() });
    await collect(await core.stream('SendStreamingMessage', { message }));
  },
  'go away': async () => {
    const gone = AbortSignal.timeout(20);
    await core.call('SendMessage', { message: userMessage('slow 60') }, { signal: gone }).catch(() => undefined);
  },
  'be refused': async () => {
    const message = userMessage('more', { taskId: await ask(), contextId: 'another' });
    await expect(core.call('SendMessage', { message })).rejects.toMatchObject({ kind: 'invalidParams' });
  },
  'ask for a webhook that there cannot be': async () => {
    vi.spyOn(core.store, 'putPushConfig').mockRejectedValueOnce(new Error('full'));
    const configuration = { taskPushNotificationConfig: { url: 'http://localhost/' } };
    await core.call('SendMessage', { message: userMessage('hello'), configuration }).catch(() => undefined);
  },
  cancel: async () => core.call('CancelTask', { id: await ask() }),
  'read and subscribe': async () => {
    const id = await ask();
    const events = await core.stream('SubscribeToTask', { id });
    await events.next();
    await core.call('GetTask', { id });
    await events.return?.();
  },
};

test.each(Object.entries(uses))('nothing stays in memory after the calls: %s', async (_, use) => {
  await use();
  await vi.waitFor(() => expect(core.service.live).toBe(0), { interval: 5 });
});
