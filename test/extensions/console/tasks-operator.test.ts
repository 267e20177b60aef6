import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import shop from '../../support/agents/shop-agent.ts';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { expectAccessible, sendText, soon } from '../../support/console-tasks.ts';

describe.skipIf(noBrowser !== undefined)('what an operator does with tasks', () => {
  let opened: OpenedConsole;
  let page: Page;
  let clicks = 0;

  beforeAll(async () => {
    opened = await openConsole({ agents: { shop } });
    ({ page } = opened);
  }, consoleDeadline);
  afterAll(() => opened?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    opened.problems.length = 0;
    await page.setViewportSize({ width: 1280, height: 800 });
    await opened.goto('#/agents');
    clicks = 0;
  });

  const send = (text: string, more = {}) => sendText(opened.gateway.url, text, { agent: 'shop', ...more });
  const click = async (role: 'link' | 'button' | 'checkbox' | 'menuitem', name: string | RegExp): Promise<void> => {
    clicks += 1;
    await page.getByRole(role, { name }).first().click();
  };

  test('what an operator does with tasks sees what was asked and why it failed in the list, in one click', async () => {
    await send('pay 4711');
    await click('link', 'Tasks');
    const row = page.getByRole('row').filter({ hasText: 'pay 4711' });
    await row.getByText('payment provider answered 402 for order 4711').waitFor();
    await row.getByText('a2a-1.0, rest').waitFor();
    await row.getByText('Failed').waitFor();
    expect(clicks).toBe(1);
    await expectAccessible(opened, 'tasks-words');
  });

  test('what an operator does with tasks sees how many tasks failed for the same reason, and which they are, in three clicks', async () => {
    for (let order = 10_001; order <= 10_003; order++) await send(`pay ${order}`);
    await send('ship 1');
    await click('link', 'Tasks');
    clicks += 1;
    await page.getByText('By reason', { exact: true }).click();
    const reason = page.getByRole('row').filter({ hasText: 'payment provider answered 402 for order …' });
    await reason.getByText('Failed').waitFor();
    await expectAccessible(opened, 'tasks-reasons');
    await page.setViewportSize({ width: 1280, height: 800 });
    clicks += 1;
    // With that of the test before: numbers in reasons do not count.
    await reason.getByRole('link', { name: '4 ×' }).click();
    await page.getByText('4 tasks', { exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: 'no courier' }).first().waitFor({ state: 'detached' });
    expect(clicks).toBe(3);
    expect(opened.problems).toEqual([]);
  });

  test('what an operator does with tasks finds a task by words, or by the end of its id, from any page, without a click', async () => {
    const { id, contextId } = await send('size of the green coat');
    await opened.goto('#/metrics');
    await page.getByRole('heading', { name: 'Metrics' }).waitFor();
    // A new page takes the focus when it is shown.
    await expect.poll(() => page.evaluate('document.activeElement.id'), soon).toBe('main');
    await page.keyboard.press('/');
    await page.keyboard.type('Green coat');
    const found = page.getByRole('list', { name: 'Found' });
    await found.getByRole('link', { name: /^Task .*size of the green coat/ }).waitFor();
    await expectAccessible(opened, 'find');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('Which size?').first().waitFor();
    expect(page.url()).toContain(id);

    await page.keyboard.press('/');
    await page.keyboard.type(id.slice(-10));
    await found.getByRole('link', { name: new RegExp(`^Task .*${id}`) }).waitFor();
    expect(await found.getByRole('link', { name: /^All calls with/ }).getAttribute('href')).toContain('#/calls?text=');
    await page.keyboard.press('Escape');
    await found.waitFor({ state: 'detached' });
    const field = page.getByRole('searchbox', { name: 'Find tasks, agents and calls' });
    // Enter opens what is named exactly, also before anything is listed.
    for (const [text, hash] of [
      [id, `#/tasks/${id}`],
      [contextId, `#/tasks?context=${contextId}`],
      ['shop', '#/agents/shop'],
      ['green', '#/tasks?text=green'],
    ] as const) {
      await field.fill(text);
      await field.press('Enter');
      await expect.poll(() => page.url(), soon).toContain(hash);
      await expect.poll(() => field.inputValue(), soon).toBe('');
    }
    await page.getByText('1 task', { exact: true }).waitFor();
    expect(clicks).toBe(0);

    await field.fill('no such words \u202e');
    await page.getByText('Nothing found').waitFor();
    expect(opened.problems).toEqual([]);
  });

  test('what an operator does with tasks selects several tasks by the keyboard, and exports them', async () => {
    await Promise.all(['hat', 'hat', 'hat'].map((what) => send(`size of a ${what}`)));
    await send('ship a hat');
    await opened.goto('#/tasks?text=hat');
    await page.getByText('4 tasks', { exact: true }).waitFor();
    const rows = page.getByRole('region', { name: 'Tasks, table' }).getByRole('row');
    for (const at of [1, 2]) {
      await rows.nth(at).getByRole('checkbox').focus();
      await page.keyboard.press(' ');
    }
    await page.getByText('2 tasks selected').waitFor();
    await click('checkbox', 'Select all');
    await page.getByText('4 tasks selected').waitFor();
    await expectAccessible(opened, 'tasks-selected');
    await page.setViewportSize({ width: 1280, height: 800 });

    const downloaded = page.waitForEvent('download');
    await click('button', 'Export');
    const download = await downloaded;
    expect(download.suggestedFilename()).toMatch(/^tasks-[\d-]+\.json$/);
    const file = await download.path();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveLength(4);
    await page.getByText('4 of 4 exported.').waitFor();
    expect(opened.problems).toEqual([]);
  });

  test('what an operator does with tasks sorts the list by a column, and the address has the order', async () => {
    for (const what of ['ribbon b', 'ribbon c', 'ribbon a']) await send(`size of a ${what}`);
    await opened.goto('#/tasks?text=ribbon');
    await page.getByText('3 tasks', { exact: true }).waitFor();
    const asked = page.getByRole('table', { name: 'Tasks' }).locator('.table-body .cell:nth-child(2)');
    await click('button', 'Request');
    await asked.first().getByText('size of a ribbon a').waitFor();
    expect(await asked.allInnerTexts()).toEqual(['size of a ribbon a', 'size of a ribbon b', 'size of a ribbon c']);
    expect(page.url()).toContain('sort=Request');
    await click('button', 'Request');
    await asked.first().getByText('size of a ribbon c').waitFor();
    expect(opened.problems).toEqual([]);
  });

  test('what an operator does with tasks sees reasons and conversations counted by the gateway, again as tasks end, and page by page', async () => {
    const { contextId } = await send('pay 20001');
    await opened.goto('#/tasks?view=reasons&text=order+200');
    await page.getByRole('link', { name: '1 ×' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await send('pay 20002', { contextId });
    await page.getByRole('link', { name: '2 ×' }).waitFor();
    await click('link', 'Conversations');
    await page.getByRole('heading', { level: 1, name: 'Conversations' }).waitFor();
    const row = page.getByRole('row').filter({ hasText: contextId.slice(-8) });
    expect((await row.innerText()).split(/\s+/)).toEqual(expect.arrayContaining(['pay', '20002', 'shop', '2']));
    // A page has 500 conversations, or some more.
    for (let at = 0; at < 110; at++) await Promise.all(Array.from({ length: 10 }, () => send('ship 2')));
    await opened.goto('#/tasks?view=conversations');
    await page.getByText(/^[5-9]\d\d conversations of /).waitFor();
    expect(await row.count()).toBe(0);
    await click('button', 'Older');
    await page.getByText(/^\d+ conversations of /).waitFor();
    await click('button', 'Latest');
    await page.getByRole('button', { name: 'Latest' }).waitFor({ state: 'detached' });
    expect(opened.problems).toEqual([]);
  });
});
