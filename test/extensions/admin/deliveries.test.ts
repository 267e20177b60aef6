import { beforeAll, expect, test } from 'vitest';
import type { DeliveryStatus } from '../../../src/gen/admin-v1/types.ts';
import { startReceiver } from '../../push/receiver.ts';
import { callsOf } from '../../support/admin.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';

let gateway: Opened;
let calls: ReturnType<typeof callsOf>;

beforeAll(async () => {
  gateway = await openGateway('agents: { demo: { kind: reference } }\ndefaultAgent: demo\n');
  calls = callsOf(gateway.url);
});

const list = async (query = ''): Promise<DeliveryStatus[]> =>
  (await calls.get<{ deliveries?: DeliveryStatus[] }>(`/admin/v1/deliveries${query}`)).deliveries ?? [];

test('undelivered events are listed, and delivered again when that is requested', async () => {
  let status = 410;
  const hook = await startReceiver(() => status);
  const { id } = await calls.send('ask');
  await calls.post(`/tasks/${id}/pushNotificationConfigs`, { id: 'hook', url: `${hook.url}/path?secret` });
  // All of its events are there before one is given up.
  await calls.send('Ada', { taskId: id, immediately: false });
  let deliveries: DeliveryStatus[] = [];
  while (deliveries.length === 0) deliveries = await list();
  expect(deliveries).toEqual([
    {
      state: 'dead',
      taskKey: id,
      taskId: id,
      configId: 'hook',
      agent: 'demo',
      principal: 'anonymous',
      receiver: hook.url,
      dialect: 'a2a-1.0',
      attempts: 0,
      reason: expect.stringContaining('410'),
      firstPosition: expect.any(Number),
      lastPosition: expect.any(Number),
      time: expect.stringMatching(/Z$/),
    },
  ]);
  expect(JSON.stringify(deliveries)).not.toContain('secret');
  expect(await list('?taskId=none')).toEqual([]);
  expect(await list(`?taskId=${id}`)).toEqual(deliveries);
  expect(await calls.post('/admin/v1/deliveries:retry', { taskId: 'none' })).toEqual({ retried: 0 });
  status = 200;
  const before = hook.got.length;
  expect(await calls.post('/admin/v1/deliveries:retry', {})).toEqual({ retried: 1 });
  await hook.until((got) => got.length > before);
  while ((await list()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
});
