import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { printed, startCli } from '../../support/cli.ts';
import { builtConsole, consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { logOf, sendText, soon } from '../../support/console-tasks.ts';
import { paced } from '../../support/pace.ts';

interface Stored {
  readonly events: readonly { readonly position: number; readonly event: object }[];
}

interface Inspected {
  readonly task: { readonly artifacts?: readonly { readonly parts: readonly object[] }[] };
}

describe.skipIf(noBrowser !== undefined)('tasks that are followed live', () => {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-console-live-'));
  const adminKey = 'key-of-the-operator';
  const headers = { 'x-api-key': adminKey };
  let gateway: ChildProcess;
  let url: string;
  let opened: OpenedConsole;

  /** Starts the gateway in a process of its own; later at the same port again. */
  const start = async (port: string): Promise<void> => {
    const store = `sqlite:${join(folder, 'gateway.db')}`;
    gateway = startCli(['serve', '--port', port, '--store', store], {
      lasting: true,
      env: { A2A_GATEWAY_ADMIN_KEY: adminKey },
    });
    const [, found = ''] = /(http:\/\/localhost:\d+)/.exec(await printed(gateway, /http:\/\/localhost:\d+/)) ?? [];
    url = found;
    while (!(await fetch(`${url}/readyz`).catch(() => undefined))?.ok) await sleep(50);
  };
  const kill = async (): Promise<void> => {
    const exited = once(gateway, 'exit');
    gateway.kill('SIGKILL');
    await exited;
  };

  beforeAll(async () => {
    await builtConsole();
    await start('0');
    opened = await openConsole({ at: url, adminKey });
  }, consoleDeadline);

  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const stored = async (key: string): Promise<Stored> =>
    (await fetch(`${url}/admin/v1/tasks/${key}/events?pageSize=1000`, { headers })).json() as Promise<Stored>;
  const inspected = async (key: string): Promise<Inspected> =>
    (await fetch(`${url}/admin/v1/tasks/${key}`, { headers })).json() as Promise<Inspected>;
  const send = (text: string, more = {}) => sendText(url, text, more);
  const state = (page: Page) => page.getByRole('heading', { level: 1 }).locator('..');

  /** The page shows every event of the log once, in order. */
  const expectWhole = async (page: Page, key: string): Promise<void> => {
    const { events } = await stored(key);
    await page.getByText(`${events.length} of ${events.length}`, { exact: true }).waitFor();
    const parts = (await inspected(key)).task.artifacts?.[0]?.parts.length;
    if (parts !== undefined) await page.getByText(parts === 1 ? '1 part' : `${parts} parts`, { exact: true }).waitFor();
    const shown = await logOf(page);
    expect([...shown.keys()].sort((one, other) => one - other)).toEqual(events.map(({ position }) => position));
    for (const { position, event } of events) {
      const [, chunk] = /"text":"(chunk \d+)"/.exec(JSON.stringify(event)) ?? [];
      if (chunk) expect(shown.get(position)).toContain(chunk);
    }
  };

  test('the console follows a task that another client drives, through a gateway that is killed and comes back', async () => {
    const { page, open, screenshot } = opened;
    const question = await send('ask');
    await using other = await open(`#/tasks/${question.id}`);
    await using third = await open('#/tasks');
    const streamed = await send('stream 400 10');
    await opened.goto(`#/tasks/${streamed.id}`);
    await state(page).getByText('Working').waitFor();
    await state(other.page).getByText('Input required').waitFor();
    // In the middle of the stream.
    await expect.poll(async () => (await stored(streamed.id)).events.length, soon).toBeGreaterThan(60);
    // A picture of the documentation.
    await state(page).getByText('Live', { exact: true }).waitFor();
    await screenshot('task-running');
    await kill();
    await state(page).getByText('Connection lost. Trying again…').first().waitFor();
    await page.getByRole('main').getByText('Connection lost. Trying again…').first().waitFor();
    // A page that cannot be read now is read when the gateway is back.
    await third.page.evaluate(`location.hash = '#/tasks/${question.id}'`);
    await third.page.getByText('The gateway cannot be reached.').waitFor();
    await start(new URL(url).port);
    await state(page)
      .getByText(/^(Failed|Completed)$/)
      .waitFor({ timeout: paced(15_000) });
    await expectWhole(page, streamed.id);

    await third.page.getByText('What is your name?').first().waitFor();
    // A task that waited goes on after the restart, and the page follows it.
    await send('Ada', { taskId: question.id });
    await state(other.page)
      .getByText('Completed')
      .waitFor({ timeout: paced(15_000) });
    await other.page.getByText('Hello, Ada').first().waitFor();
    await expectWhole(other.page, question.id);
  });

  test('two tabs show the same list and the same task live', async () => {
    const { page, open } = opened;
    await using other = await open('#/tasks');
    await opened.goto('#/tasks');
    for (const each of [page, other.page]) await each.getByText('Live', { exact: true }).waitFor();
    const { id } = await send('stream 60 20');
    for (const each of [page, other.page]) await each.getByRole('link', { name: id.slice(-8) }).waitFor();
    await page.getByRole('link', { name: id.slice(-8) }).click();
    await other.page.getByRole('link', { name: id.slice(-8) }).click();
    for (const each of [page, other.page]) {
      await state(each).getByText('Completed').waitFor();
      await expectWhole(each, id);
    }
  });

  test('a hidden tab keeps no stream open, and misses nothing', async () => {
    await using watched = await opened.open('#/tasks');
    const { page } = watched;
    await page.clock.install();
    const question = await send('ask');
    await page.evaluate(`location.hash = '#/tasks/${question.id}'`);
    await state(page).getByText('Input required').waitFor();
    const show = (hidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
         document.dispatchEvent(new Event('visibilitychange'));`,
      );
    const ended = page.waitForEvent('requestfailed', (request) => request.url().includes(':follow'));
    await show(true);
    await page.clock.runFor(16_000);
    await ended;
    await send('Ada', { taskId: question.id });
    await expect.poll(async () => (await stored(question.id)).events.length, soon).toBeGreaterThan(3);
    expect(await state(page).getByText('Input required').count()).toBe(1);
    await show(false);
    await page.clock.runFor(1_000);
    await state(page).getByText('Completed').waitFor();
    await page.getByText('Hello, Ada').first().waitFor();
  });

  test('a selected position stays selected while the task continues', async () => {
    const { page, goto } = opened;
    const { id } = await send('stream 200 20');
    await goto(`#/tasks/${id}`);
    await state(page).getByText('Working').waitFor();
    // To choose the last event is to stay at the end of the log.
    await expect.poll(async () => Number(await page.getByRole('slider').getAttribute('max')), soon).toBeGreaterThan(10);
    await page.getByRole('slider').fill('3');
    const task = page.getByRole('region', { name: 'The task at the chosen position' });
    await task.getByText('After event 3').waitFor();
    await state(page).getByText('Completed').waitFor();
    await task.getByText('After event 3').waitFor();
    await page.getByRole('button', { name: 'Last event' }).click();
    await task.getByText('200 parts').waitFor();
    await expectWhole(page, id);
  });
});
