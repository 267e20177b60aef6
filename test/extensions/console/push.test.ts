import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../push/receiver.ts';
import { noBrowser, violationsOf } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';

const config = `
defaultAgent: demo
agents: { demo: { kind: reference }, other: { kind: reference } }
`;

describe.skipIf(noBrowser !== undefined)('the page of push notifications', () => {
  let opened: OpenedConsole;
  /** HTTP statuses that the two receivers answer with. */
  const answers = { gone: 410, busy: 503 };
  const receivers: Receiver[] = [];

  const register = async (agent: string, url: string, taskText = 'hello'): Promise<string> => {
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: taskText }] };
    const response = await fetch(`${opened.gateway.url}/${agent}/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ message, configuration: { taskPushNotificationConfig: { url } } }),
    });
    const { task } = (await response.json()) as { task: { id: string } };
    return task.id;
  };

  let [deadTask, waitingTask] = ['', ''];

  beforeAll(async () => {
    opened = await openConsole({ config });
    receivers.push(await startReceiver(() => answers.gone), await startReceiver(() => answers.busy));
    const [gone, busy] = receivers as [Receiver, Receiver];
    deadTask = await register('demo', `${gone.url}/hook`);
    waitingTask = await register('other', `${busy.url}/hook`);
    await Promise.all(receivers.map((receiver) => receiver.until((got) => got.length > 0)));
  }, consoleDeadline);

  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    for (const receiver of receivers) await receiver.close();
  });

  const rows = () => opened.page.getByRole('table', { name: 'Undelivered events' }).getByRole('row');
  const rowOf = (id: string) => rows().filter({ has: opened.page.locator(`a[href*="${id}"]`) });

  test('the page of push notifications lists dead letters and waiting events, with the reason, and counts down to the next try', async () => {
    await opened.goto('#/push');
    await rowOf(deadTask).waitFor();
    await expect.poll(() => rowOf(deadTask).innerText()).toMatch(/Dead[\s\S]*HTTP 410[\s\S]*given up[\s\S]*demo/);
    const waiting = rowOf(waitingTask);
    await expect.poll(() => waiting.innerText()).toMatch(/Waiting[\s\S]*HTTP 503[\s\S]*in \d+ s/);
    const secondsOf = async (): Promise<number> => Number(/in (\d+) s/.exec(await waiting.innerText())?.[1]);
    const first = await secondsOf();
    await expect.poll(secondsOf, { interval: 200 }).not.toBe(first);
  });

  test('the page of push notifications looks right at two widths and in both themes', async () => {
    const { page, goto, screenshot, problems } = opened;
    for (const [width, colorScheme] of [
      [360, 'light'],
      [1280, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await goto('#/push');
      await rowOf(deadTask).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await screenshot(`push-undelivered-${width}-${colorScheme}`);
    }
    expect(problems).toEqual([]);
  });

  test('the page of push notifications sums by receiver, and leads to what waits for one', async () => {
    const { page, goto } = opened;
    const [gone] = receivers as [Receiver];
    await goto('#/push');
    const table = page.getByRole('table', { name: 'Receivers' });
    await expect.poll(() => table.getByRole('row').nth(1).innerText()).toContain(gone.url);
    await table.getByRole('link', { name: gone.url }).click();
    await rowOf(waitingTask).waitFor({ state: 'detached' });
    await rowOf(deadTask).waitFor();
    expect(page.url()).toContain(encodeURIComponent(gone.url));
    await table.getByRole('link', { name: gone.url }).click();
    await rowOf(waitingTask).waitFor();
  });

  test('the page of push notifications filters by state, agent and task, in the address', async () => {
    const { page, goto } = opened;
    await goto('#/push');
    await page.getByRole('button', { name: 'Waiting', exact: true }).click();
    await expect.poll(() => rowOf(deadTask).count()).toBe(0);
    expect(page.url()).toContain('state=waiting');
    await page.getByRole('button', { name: 'Waiting', exact: true }).click();
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('demo');
    await expect.poll(() => rowOf(waitingTask).count()).toBe(0);
    await goto(`#/push?task=${waitingTask}`);
    await rowOf(waitingTask).waitFor();
    await rowOf(deadTask).waitFor({ state: 'detached' });
    await goto('#/push?task=none');
    await page.getByText('No undelivered event matches the filters').waitFor();
  });

  test('the page of push notifications retries one task after a question, then all', async () => {
    const { page, goto } = opened;
    const [gone, busy] = receivers as [Receiver, Receiver];
    await goto(`#/push?task=${deadTask}`);
    expect(await rowOf(deadTask).getByRole('link').getAttribute('href')).toContain(`#/tasks/${deadTask}`);
    const before = gone.got.length;
    await page.getByRole('button', { name: 'Retry this task' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry this task?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(gone.got.length).toBe(before);
    answers.gone = 204;
    await page.getByRole('button', { name: 'Retry this task' }).click();
    await dialog.getByRole('button', { name: 'Retry now' }).click();
    await page.getByText('Push configurations that are tried again now: 1.').waitFor();
    await gone.until((got) => got.length >= before + 4);
    await page.getByText('No undelivered event matches the filters').waitFor();
    answers.busy = 204;
    await goto('#/push');
    await rowOf(waitingTask).waitFor();
    await page.getByRole('button', { name: 'Retry all deliveries' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry now' }).click();
    await busy.until((got) => got.at(-1)?.body.statusUpdate?.status.state === 'TASK_STATE_COMPLETED');
    await page.getByText('There are no undelivered events').waitFor();
  });

  test('the page of push notifications retries what waits for one receiver, from the list of receivers and with its filter', async () => {
    const { page, goto } = opened;
    const [gone, busy] = receivers as [Receiver, Receiver];
    Object.assign(answers, { gone: 410, busy: 410 });
    const [one, other] = [await register('demo', `${gone.url}/hook`), await register('demo', `${busy.url}/hook`)];
    await goto('#/push');
    const inTable = page.getByRole('table', { name: 'Receivers' }).getByRole('row');
    const row = inTable.filter({ hasText: gone.url });
    for (const { url } of [gone, busy]) await inTable.filter({ hasText: url }).waitFor();
    answers.gone = 204;
    await row.getByRole('button', { name: 'Retry this receiver' }).click();
    await page.getByRole('dialog').getByText(gone.url).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry now' }).click();
    await row.waitFor({ state: 'detached' });
    await goto(`#/push?receiver=${encodeURIComponent(busy.url)}`);
    await rowOf(other).waitFor();
    await rowOf(one).waitFor({ state: 'detached' });
    const retry = page.locator('.page-head').getByRole('button', { name: 'Retry this receiver' });
    // A part of the name shows the receiver, and retries nothing until one is named.
    const part = new URL(busy.url).host.slice(0, -1);
    await goto(`#/push?receiver=${part}`);
    await rowOf(other).waitFor();
    expect(await retry.isDisabled()).toBe(true);
    await goto(`#/push?receiver=${encodeURIComponent(busy.url)}`);
    const asked = page.waitForRequest('**/deliveries:retry');
    await retry.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry now' }).click();
    expect((await asked).postDataJSON()).toEqual({ taskId: '', receiver: busy.url });
    await page.getByText('Push configurations that are tried again now: 1.').waitFor();
  });

  test('the page of push notifications says why a retry is refused', async () => {
    const { page, goto } = opened;
    answers.gone = 410;
    const task = await register('demo', `${(receivers as [Receiver])[0].url}/hook`);
    await goto('#/push?state=dead');
    await rowOf(task).waitFor();
    await page.route('**/deliveries:retry', (route) =>
      route.fulfill({ status: 403, json: { error: { code: 403, message: 'The caller lacks the scope admin' } } }),
    );
    await page.getByRole('button', { name: 'Retry all deliveries' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry now' }).click();
    await page.getByRole('dialog').getByText('The caller lacks the scope admin').waitFor();
  });
});
