import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPresence } from '../../../src/extensions/admin/presence.ts';
import { createStore } from '../../../src/stores/index.ts';
import { type Receiver, startReceiver } from '../../push/receiver.ts';
import { askAdmin, callsOf } from '../../support/admin.ts';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { expectAccessible, sendText } from '../../support/console-tasks.ts';
import { paced } from '../../support/pace.ts';

describe.skipIf(noBrowser !== undefined)('the line of what waits for an operator', () => {
  let opened: OpenedConsole;
  let gone: Receiver;
  const store = createStore('memory:', { instance: 'watched' });

  beforeAll(async () => {
    gone = await startReceiver(() => 410);
    opened = await openConsole({ config: 'agents: { demo: { kind: reference } }', store });
  }, consoleDeadline);

  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await gone?.close();
  });

  test('the first page says that nothing waits', async () => {
    await opened.goto('#/agents');
    await opened.page.getByRole('region', { name: 'Waiting for you' }).getByText('nothing').waitFor();
  });

  test('each number leads to exactly what it counts', async () => {
    const { page, goto, gateway } = opened;
    for (const text of ['ask', 'ask']) await sendText(gateway.url, text);
    await askAdmin(gateway.url, 'StopCaller', { principal: 'key:thief', reason: 'a stolen key' });
    const rows = await store.extend(openPresence);
    await rows.note({ id: 'gone/1', host: 'far', pid: 1, version: '1.0.0', startedAt: 0, draining: false }, true);
    await goto('#/agents');
    const line = page.getByRole('region', { name: 'Waiting for you' });
    await line.getByRole('link', { name: '2 questions' }).waitFor();
    await expectAccessible(opened, 'waiting');
    await line.getByRole('link', { name: '2 questions' }).click();
    await page.getByText('2 tasks wait.').waitFor();
    await sendText(gateway.url, 'auth');
    await goto('#/agents');
    await line.getByRole('link', { name: '1 approval or authorization' }).click();
    await page.getByText('1 task waits.').waitFor();
    await goto('#/agents');
    await line.getByRole('link', { name: '1 stop' }).click();
    await page.getByText('a stolen key').waitFor();
    await goto('#/agents');
    await line.getByRole('link', { name: '1 vanished replica' }).click();
    const lost = page.getByRole('region', { name: 'Vanished replicas', exact: true });
    await lost.getByText('gone/1').waitFor();
    await expectAccessible(opened, 'vanished');
    await lost.getByRole('button', { name: 'Seen' }).click();
    await lost.waitFor({ state: 'detached' });
    await goto('#/agents');
    await line.getByRole('link', { name: '1 stop' }).waitFor();
    await line.getByText('vanished').waitFor({ state: 'detached' });
  });

  test('dead letters lead to the notifications that were given up', async () => {
    const { page, goto, gateway } = opened;
    const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
    await callsOf(`${gateway.url}/demo`).post('/message:send', {
      message,
      configuration: { taskPushNotificationConfig: { url: `${gone.url}/hook` } },
    });
    await goto('#/agents');
    await page.getByRole('region', { name: 'Waiting for you' }).getByRole('link', { name: '1 dead letter' }).click();
    const rows = page.getByRole('table', { name: 'Undelivered events' }).getByRole('row');
    await rows.filter({ hasText: 'HTTP 410' }).waitFor();
    expect(await rows.count()).toBe(2);
    await goto('#/agents');
    // Metrics are kept at each ten seconds, and read at each twenty.
    const alert = page.getByRole('region', { name: 'Waiting for you' }).getByRole('link', { name: '1 alert' });
    await alert.waitFor({ timeout: paced(60_000) });
    await alert.click();
    await page.getByRole('status').getByRole('link', { name: 'PushGivenUp' }).waitFor();
  });
});
