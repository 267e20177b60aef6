import { expect, it } from 'vitest';
import { caller, sending, startReloading, taskIn } from './support.ts';

const config = (whileRunning: string): string =>
  `store: "memory:"\nagents: { demo: { kind: reference, whileRunning: ${whileRunning} } }\n`;

it('a reload changes what becomes of messages to a task that is worked on', async () => {
  const { url, reload } = await startReloading(config('refuse'));
  const { post, stream } = caller(url);
  const streaming = await stream('wait');
  await streaming.until('WORKING');
  const id = taskIn(streaming.text());
  const further = { ...sending('more'), configuration: { returnImmediately: true } };
  const request = {
    ...further,
    message: { messageId: 'm2', role: 'ROLE_USER', parts: [{ text: 'more' }], taskId: id },
  };
  const refused = await post('/message:send', request);
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('accepts no further message')]);
  expect((await reload(config('queue'))).agents.changed).toEqual(['demo']);
  expect((await post('/message:send', request)).status).toBe(200);
  await post(`/tasks/${id}:cancel`, {});
  expect(await streaming.over).toContain('a2a-gateway/unanswered');
});
