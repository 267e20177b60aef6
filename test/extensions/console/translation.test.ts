import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { noBrowser, violationsOf } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';

const message = {
  messageId: 'm',
  role: 'user',
  kind: 'message',
  parts: [{ kind: 'text', text: 'hello', metadata: { lang: 'en' } }],
  extensions: ['urn:example:x'],
};

const request = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'message/send', params: { message } }, undefined, 2);

const others = ['a2a-1.1', 'a2a-1.0', 'a2a-0.2', 'a2a-0.1', 'agentvault-0.2', 'a2a-php-0.3'];

describe.skipIf(noBrowser !== undefined)('the Translation page', () => {
  let opened: OpenedConsole;
  let page: Page;

  beforeAll(async () => {
    opened = await openConsole();
    ({ page } = opened);
  }, consoleDeadline);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  const frame = (): Locator => page.getByRole('textbox', { name: 'Frame' });
  const of = (dialect: string): Locator => page.getByRole('region', { name: dialect, exact: true });
  const line = (text: RegExp): Locator => page.locator('.json-row', { hasText: text });

  beforeEach(async () => {
    await opened.goto('#/agents');
    await opened.goto('#/bench?view=translation');
    await page.getByRole('button', { name: 'Clear' }).click();
    opened.problems.length = 0;
  });

  test('the Translation page shows a frame in all generations, with losses at their place', async () => {
    await frame().fill(request);
    await page.getByText('read as request of message/send in a2a-0.3 over JSON-RPC').waitFor();
    for (const dialect of others) await of(dialect).waitFor();
    await of('a2a-1.0').getByText('"SendMessage"').waitFor();
    await of('a2a-0.1').getByText('tasks/send').first().waitFor();
    await of('a2a-0.1').getByText('message.extensions').waitFor();
    const extensions = line(/^extensions:/);
    await expect.poll(() => extensions.innerText()).toMatch(/a2a-0\.1\s+loses it: a2a-0\.1 has no place/);
    expect(await line(/^text:/).innerText()).not.toContain('loses it');
    const metadata = line(/^metadata:/);
    await expect.poll(() => metadata.innerText()).toContain('agentvault-0.2');
    await of('a2a-0.1').getByRole('button', { name: 'Mark only these losses' }).click();
    expect(await metadata.innerText()).not.toContain('agentvault-0.2');
    await page.setViewportSize({ width: 1280, height: 1_400 });
    await opened.screenshot('translation-frame');
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await violationsOf(page)).toEqual([]);
    expect(opened.problems).toEqual([]);
  });

  test('a translation becomes the frame, and other text gets an error', async () => {
    await frame().fill(request);
    await of('a2a-1.0').getByRole('button', { name: 'Use as the frame' }).click();
    await page.getByText('read as request of SendMessage in a2a-1.0 over JSON-RPC').waitFor();
    await of('a2a-0.3').waitFor();
    await frame().fill('{ "jsonrpc": ');
    await page
      .getByRole('alert')
      .getByText(/not valid JSON/)
      .waitFor();
    await frame().fill('{ "hello": "world" }');
    await page
      .getByRole('alert')
      .getByText(/not a frame of a known dialect/)
      .waitFor();
    expect(opened.problems).toEqual([]);
  });

  test('the Translation page shows a task of the gateway at any position of its log, and its events', async () => {
    const id = await sent('stream 2');
    await opened.goto(`#/tasks/${id}`);
    const translate = page.getByRole('button', { name: 'In other dialects' });
    await translate.click();
    await page.getByText(/^read as task in a2a-1/).waitFor();
    await of('a2a-0.3').getByText('"completed"').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Event', exact: true }).click();
    await translate.click();
    await page.getByText(/^read as event in a2a-1/).waitFor();
    await of('a2a-0.3').getByText('"final": true').waitFor();
    expect(opened.problems).toEqual([]);
  });

  test('a frame of several megabytes does not stop the page', async () => {
    const huge = JSON.stringify({ ...message, parts: [{ kind: 'text', text: '\u202e<b>'.repeat(1_000_000) }] });
    await page.evaluate(`{
      const area = document.querySelector('.tr-source textarea');
      area.value = ${JSON.stringify(huge)};
      area.dispatchEvent(new Event('input', { bubbles: true }));
    }`);
    await of('a2a-1.0').waitFor();
    await of('a2a-1.0').getByText('U+202E').first().waitFor();
    await page.getByText(/too much to edit here/).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('No frame yet').waitFor();
  });

  /** Sends a message to the agent, and returns the id of its task. */
  async function sent(text: string): Promise<string> {
    const response = await fetch(`${opened.gateway.url}/demo/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } }),
    });
    const { task } = (await response.json()) as { task: { id: string } };
    return task.id;
  }
});
