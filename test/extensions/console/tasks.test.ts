import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { elementsOf, expectAccessible, seedTasks, sendText, soon } from '../../support/console-tasks.ts';

const tasks = 10_000;
const events = 20_000;

describe.skipIf(noBrowser !== undefined)('the Tasks page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-console-tasks-'));
  let opened: OpenedConsole;
  let longId: string;

  beforeAll(async () => {
    const store = `sqlite:${join(folder, 'gateway.db')}`;
    longId = await seedTasks(store, tasks, events);
    opened = await openConsole({ config: `store: '${store}'\nagents: { demo: { kind: reference } }` });
  }, consoleDeadline);

  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(() => {
    opened.problems.length = 0;
  });

  const send = (text: string, more = {}) => sendText(opened.gateway.url, text, more);

  const scrollTo = (to: string) =>
    opened.page.evaluate(`{ const box = document.querySelector('.table-box'); box.scrollTop = ${to}; }`);

  test('10,000 tasks are scrolled through with few elements in the page', async () => {
    const { page, goto, problems } = opened;
    await goto('#/tasks');
    const table = page.getByRole('region', { name: 'Tasks, table' });
    await table.getByRole('row').nth(5).waitFor();
    const total = page.getByText(`10,001 tasks`, { exact: true });
    let most = 0;
    while (!(await total.isVisible())) {
      await scrollTo('1e9');
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 20))');
      most = Math.max(most, await elementsOf(page));
    }
    expect(most).toBeLessThan(1500);
    for (const share of [0, 0.33, 0.5, 1]) {
      await scrollTo(`box.scrollHeight * ${share}`);
      await table.getByRole('row').nth(5).waitFor();
    }
    await page.getByRole('cell').filter({ hasText: 'context-0' }).first().waitFor();
    expect(problems).toEqual([]);
  });

  test('a page that cannot be read is not requested repeatedly, and the rows stay', async () => {
    const { page, goto } = opened;
    await goto('#/inbox');
    let refused = 0;
    await page.route('**/admin/v1/tasks?*pageToken=*', async (request) => {
      refused += 1;
      await request.fulfill({ status: 500, json: { error: { code: 500, message: 'out of order' } } });
    });
    await goto('#/tasks?principal=key:bob');
    const table = page.getByRole('region', { name: 'Tasks, table' });
    await table.getByRole('row').nth(5).waitFor();
    await scrollTo('1e9');
    await page.getByRole('alert').filter({ hasText: 'out of order' }).waitFor();
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 300))');
    expect(refused).toBe(1);
    expect(await table.getByRole('row').count()).toBeGreaterThan(5);
    await page.unroute('**/admin/v1/tasks?*pageToken=*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('200+ tasks').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('new tasks do not move rows under a reader who has scrolled', async () => {
    const { page, goto } = opened;
    await goto('#/tasks?principal=anonymous');
    await page.getByText('No task passes these filters').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const first = await send('hello');
    for (let more = 0; more < 59; more++) await send('hello');
    await page.getByText('60 tasks', { exact: true }).waitFor();
    await scrollTo('1e9');
    await page.getByRole('link', { name: first.id.slice(-8) }).waitFor();
    await goto('#/tasks');
    const table = page.getByRole('region', { name: 'Tasks, table' });
    await table.getByRole('row').nth(5).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await scrollTo('2000');
    const { id } = await send('hello');
    const more = page.getByRole('button', { name: 'Show 1 new' });
    await more.waitFor();
    await more.click();
    await page.getByRole('link', { name: id.slice(-8) }).waitFor();
  });

  test('the Tasks page filters live in the address, and a task that changes leaves the list of its former state', async () => {
    const { page, goto } = opened;
    const { id } = await send('ask');
    await goto('#/tasks');
    await page.getByRole('button', { name: 'Input required' }).click();
    await expect.poll(() => page.url(), soon).toContain('#/tasks?state=input-required');
    const link = page.getByRole('link', { name: id.slice(-8) });
    await link.waitFor();
    await page.getByLabel('Caller').fill('anonymous');
    await expect.poll(() => page.url(), soon).toContain('principal=anonymous');
    await page.reload();
    await link.waitFor();
    expect(await page.getByLabel('Caller').inputValue()).toBe('anonymous');
    await send('Ada', { taskId: id });
    await link.waitFor({ state: 'detached' });
    await page.getByText('No task passes these filters').waitFor();
    await page.getByRole('button', { name: 'Remove all filters' }).click();
    await link.waitFor();
  });

  test('a long log is read where it is looked at, and folded at any position', async () => {
    const { page, goto, problems } = opened;
    await goto(`#/tasks/${longId}`);
    const slider = page.getByRole('slider', { name: 'Position in the log' });
    await page.getByText('20,000 of 20,000').waitFor();
    const task = page.getByRole('region', { name: 'The task at the chosen position' });
    await task.getByText('19,998 parts').waitFor();
    await slider.fill('10000');
    await task.getByText('9,999 parts').waitFor();
    await task.getByText('After event 10,000').waitFor();
    const chosen = page.getByRole('group', { name: 'Event log' }).locator('[aria-current=true]');
    await expect.poll(() => chosen.innerText(), soon).toContain('chunk 9999');
    // Playwright focuses the row and then sends the key: a row that is drawn anew in between gets none.
    const goUp = async (): Promise<string> => {
      if ((await slider.inputValue()) === '10000') await chosen.press('ArrowUp');
      return page.url();
    };
    await expect.poll(goUp, soon).toContain('position=9999');
    await task.getByText('9,998 parts').waitFor();
    await task.getByRole('button', { name: 'Event', exact: true }).click();
    await task.getByText('chunk 9998').waitFor();
    await task.getByRole('button', { name: 'Task', exact: true }).click();
    await page.getByRole('button', { name: 'Read all 20,000 events to draw the timeline' }).click();
    await page.getByRole('img', { name: /^Course of the task over .*: Working after 0 ms, Completed after/ }).waitFor();
    expect(await elementsOf(page)).toBeLessThan(1500);
    await page.getByRole('img', { name: /^Course of the task/ }).click();
    await expect.poll(async () => Number(await slider.inputValue()), soon).toBeGreaterThan(9000);
    await slider.fill('9999');
    await expect.poll(() => page.url(), soon).toContain('position=9999');
    // An address names a moment.
    await page.reload();
    await task.getByText('9,998 parts').waitFor();
    expect(problems).toEqual([]);
  });

  test('the history of a task is exported to a file', async () => {
    const { open } = opened;
    const { id } = await send('stream 30 0');
    const watched = await open(`#/tasks/${id}`);
    const { page, problems } = watched;
    await page.getByText('33 of 33').waitFor();
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const download = await downloaded;
    expect(download.suggestedFilename()).toBe(`task-demo-${id}.json`);
    const file = join(folder, 'history.json');
    await download.saveAs(file);
    const history = JSON.parse(readFileSync(file, 'utf8'));
    expect(history.events.map(({ position }: { position: number }) => position)).toEqual(
      Array.from({ length: 33 }, (_, at) => at + 1),
    );
    expect(problems).toEqual([]);
    await watched[Symbol.asyncDispose]();
  });

  test('a task is answered and canceled from its page', async () => {
    const { page, goto, problems, screenshot } = opened;
    const inputTask = await send('ask');
    await goto(`#/tasks/${inputTask.id}`);
    await page.getByText('What is your name?').first().waitFor();
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Answer the task' });
    await dialog.getByLabel('Answer').fill('Ada');
    await dialog.getByRole('button', { name: 'Send answer' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Hello, Ada').first().waitFor();
    await page.getByRole('heading', { level: 1 }).locator('..').getByText('Completed').waitFor();
    await expectAccessible(opened, 'task');

    const waiting = await send('wait');
    await goto(`#/tasks/${waiting.id}`);
    await page.getByRole('button', { name: 'Cancel task' }).click();
    const question = page.getByRole('dialog', { name: 'Cancel this task?' });
    await question.waitFor();
    await screenshot('task-cancel');
    await question.getByRole('button', { name: 'Let it run' }).click();
    await page.getByRole('button', { name: 'Cancel task' }).click();
    await question.getByRole('button', { name: 'Cancel task' }).click();
    await page.getByRole('heading', { level: 1 }).locator('..').getByText('Canceled').waitFor();
    expect(await page.getByRole('button', { name: 'Cancel task' }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('a task that is not there is an error in words', async () => {
    const { page, goto } = opened;
    await goto('#/tasks/no-such-task');
    await page.getByRole('alert').filter({ hasText: 'no-such-task' }).waitFor();
  });
});
