import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { expectAccessible, sendText, soon } from '../../support/console-tasks.ts';

describe.skipIf(noBrowser !== undefined)('the Calls page', () => {
  let opened: OpenedConsole;
  /** An agent that resets every connection. */
  let broken: Server;

  beforeAll(async () => {
    broken = createServer((req) => void req.socket.destroy()).listen(0, '127.0.0.1');
    await new Promise((resolve) => broken.once('listening', resolve));
    const { port } = broken.address() as AddressInfo;
    opened = await openConsole({
      config: `
auth: { anonymous: true }
agents:
  demo: { kind: reference }
  broken: { kind: upstream, url: "http://127.0.0.1:${port}", dialect: a2a-0.3, transport: jsonrpc }
`,
    });
  }, consoleDeadline);

  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    broken?.close();
  });

  beforeEach(() => {
    opened.problems.length = 0;
  });

  /** A call that fails. Returns its status and its request id. */
  async function fail(): Promise<{ readonly status: number; readonly id: string }> {
    const response = await fetch(`${opened.gateway.url}/broken/message:send`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
      body: JSON.stringify({ message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hi' }] } }),
    });
    await response.text();
    return { status: response.status, id: response.headers.get('x-request-id') ?? '' };
  }

  test('why a client got 502 is answered in three clicks from the first page', async () => {
    const { status, id } = await fail();
    expect(status).toBe(502);
    await sendText(opened.gateway.url, 'hello');
    const { page, goto } = opened;
    await goto('#/');
    let clicks = 0;
    const click = async (role: 'link' | 'button', name: string | RegExp): Promise<void> => {
      clicks += 1;
      await page.getByRole(role, { name, exact: true }).first().click();
    };
    await click('link', 'Calls');
    await click('button', 'Failed');
    const row = page.getByRole('row').filter({ hasText: '502' });
    await row.first().waitFor();
    expect(await row.first().innerText()).toContain('upstreamUnreachable');
    clicks += 1;
    await row.first().getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: `Call ${id}` }).waitFor();
    const reason = page.getByRole('alert');
    await reason.waitFor();
    expect(await reason.innerText()).toMatch(/502.*upstreamUnreachable: .*the connection was closed/s);
    expect(clicks).toBeLessThanOrEqual(3);
    expect(opened.problems).toEqual([]);
  });

  test('a call appears while the list is open, and leads to its task, its agent and the calls of both', async () => {
    const { page, goto } = opened;
    await goto('#/calls?agent=demo');
    await page.getByText('Live', { exact: true }).waitFor();
    const { id } = await sendText(opened.gateway.url, 'stream 2');
    await goto(`#/calls?task=${id}`);
    await page.getByText('1 call', { exact: true }).waitFor();
    await page.getByRole('row').nth(1).getByRole('link').first().click();
    await page.getByRole('link', { name: id }).click();
    await page.getByRole('heading', { level: 1, name: /^Task / }).waitFor();
    await page.getByRole('link', { name: 'about this task' }).click();
    await page.getByText('1 call', { exact: true }).waitFor();
    await page.getByRole('cell').getByRole('link', { name: 'demo' }).click();
    await expect.poll(() => page.url(), soon).toContain('agent=demo');
    await goto('#/agents/demo');
    await page.getByRole('article').getByRole('link', { name: 'Calls' }).click();
    await page.getByRole('row').nth(1).waitFor();
    expect(page.url()).toContain('#/calls?agent=demo');
    expect(opened.problems).toEqual([]);
  });

  test('a time of the day shows the calls around it, and the address keeps all filters', async () => {
    const { page, goto } = opened;
    await fail();
    await goto('#/calls');
    await page.getByRole('row').nth(1).waitFor();
    const before = new Date(Date.now() - 3_600_000);
    const clock = (at: Date): string => at.toTimeString().slice(0, 5);
    await page.getByLabel('Around').fill(clock(before));
    await page.getByText('No call passes these filters').waitFor();
    await page.getByLabel('Around').fill(clock(new Date()));
    await page.getByRole('row').nth(1).waitFor();
    await page.getByLabel('Search').fill('UPSTREAMun');
    await page.getByText('No call passes these filters').waitFor();
    await page.getByLabel('Search').fill('broken');
    await page.getByRole('row').nth(1).waitFor();
    await page.reload();
    await page.getByRole('row').nth(1).waitFor();
    expect(await page.getByLabel('Search').inputValue()).toBe('broken');
    await page.getByRole('button', { name: 'Remove filters' }).click();
    await expect.poll(() => page.url(), soon).toMatch(/#\/calls$/);
  });

  test('rows keep their places while the pointer is over them', async () => {
    const { page, goto } = opened;
    await goto('#/calls');
    await page.getByText('Live', { exact: true }).waitFor();
    const first = page.getByRole('row').nth(1);
    const text = await first.innerText();
    await first.hover();
    await sendText(opened.gateway.url, 'hello');
    await page.getByRole('button', { name: 'Show 1 new' }).waitFor();
    expect(await first.innerText()).toBe(text);
  });

  test('is accessible and fits, as a list and as one call', async () => {
    const { id } = await fail();
    await opened.goto('#/calls?failed=true&error=upstreamUnreachable');
    await opened.page.getByRole('row').nth(1).waitFor();
    await expectAccessible(opened, 'calls');
    await opened.goto(`#/calls/${id}`);
    await opened.page.getByRole('alert').waitFor();
    await expectAccessible(opened, 'call');
  }, 30_000);
});
