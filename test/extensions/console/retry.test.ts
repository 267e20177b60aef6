import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { artifact, defineAgent } from '../../../src/agents/define.ts';
import { status } from '../../../src/agents/events.ts';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { expectAccessible, sendText } from '../../support/console-tasks.ts';

let isBroken = true;
const shop = defineAgent({ name: 'Shop', description: 'Fails while it is broken' }, ({ text }) =>
  isBroken
    ? status('TASK_STATE_FAILED', 'the payment provider is away')
    : artifact({ name: 'receipt', content: `paid ${text}` }),
);

describe.skipIf(noBrowser !== undefined)('the retry of tasks', () => {
  let opened: OpenedConsole;

  beforeAll(async () => {
    opened = await openConsole({ agents: { shop } });
  }, consoleDeadline);
  afterAll(() => opened?.[Symbol.asyncDispose]());
  beforeEach(() => {
    isBroken = true;
    opened.problems.length = 0;
  });

  const send = (text: string) => sendText(opened.gateway.url, text, { agent: 'shop' });

  test('a failed task is retried from its page: the dialog says what will happen, and old and new lead to each other', async () => {
    const { page, goto } = opened;
    const { id } = await send('4711');
    isBroken = false;
    await goto(`#/tasks/${id}`);
    await page.getByRole('button', { name: 'Retry' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry this task?' });
    await dialog.getByText('The first message of 1 task is sent again, each as a new task of its caller').waitFor();
    await dialog.getByText('what it did before it failed may happen twice').waitFor();
    await expectAccessible(opened, 'retry-one');
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('Retry of').waitFor();
    await page.getByText('paid 4711').first().waitFor();
    await page.getByRole('link', { name: id }).click();
    await page.getByText('Retried as').waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await dialog.getByText('Retried before, and not sent once more: 1 task.').waitFor();
  });

  test('all failed tasks that match are retried, more than the list has loaded, and a refusal is named', async () => {
    const { page, goto } = opened;
    for (let at = 0; at < 210; at += 1) await send(`order ${at}`);
    isBroken = false;
    await send('order done');
    await goto('#/tasks?agent=shop&text=order');
    await page.getByRole('row').nth(5).waitFor();
    await page.getByRole('button', { name: 'Select all that match' }).click();
    await page.getByText('211 tasks selected').waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry 211 tasks?' });
    await dialog.getByText('The first message of 210 tasks is sent again').waitFor();
    await dialog.getByText('1 task cannot be retried:').waitFor();
    await expectAccessible(opened, 'retry-many');
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('210 of 211 retried, 1 not done.').waitFor();
    await page.getByRole('list', { name: 'Not done' }).getByText('The task has completed').waitFor();
    await goto('#/tasks?agent=shop&text=order%20209&state=completed');
    await page.getByText('1 task', { exact: true }).waitFor();
    expect(opened.problems).toEqual([]);
  });
});
