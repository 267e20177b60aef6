import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser, violationsOf } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';

const config = `
defaultAgent: demo
agents:
  demo: { kind: reference }
  second: { kind: reference }
  away: { kind: upstream, url: "http://localhost:9/" }
`;

describe.skipIf(noBrowser !== undefined)('the page of the metrics', () => {
  let opened: OpenedConsole;

  beforeAll(async () => {
    opened = await openConsole({ config });
    await opened.page.clock.install();
  }, consoleDeadline);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  const send = async (agent: string, text: string, more: object = {}): Promise<void> => {
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
    const response = await fetch(`${opened.gateway.url}/${agent}/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ message, ...more }),
    });
    await response.text();
  };

  /** Lets the page read the metrics once more. */
  const read = async (page: Page, seconds = 5): Promise<void> => {
    const answer = page.waitForResponse((response) => response.url().endsWith('/metrics'));
    await page.clock.runFor(seconds * 1_000);
    await (await answer).finished();
    await sleep(60);
  };

  const chart = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  test('shows the calls of agents as they are made', async () => {
    const { page, goto, screenshot, problems } = opened;
    await goto('#/metrics');
    await page.getByRole('heading', { name: 'Process', exact: true }).waitFor();
    for (let i = 0; i < 24; i++) {
      await Promise.all([
        ...Array.from({ length: 2 + Math.round(4 * Math.abs(Math.sin(i / 6))) }, () => send('demo', 'echo hello')),
        ...(i % 4 === 0 ? [send('second', 'stream 3'), send('second', 'fail')] : []),
        ...(i % 5 === 0 ? [send('away', 'hello')] : []),
      ]);
      await read(page);
    }
    const calls = chart(page, 'Call rate');
    const legend = (await calls.getByRole('listitem').allInnerTexts()).join(' ');
    expect(legend).toMatch(/demo\s+(0\.\d+|[1-9]\S*)\/s/);
    expect(legend).toMatch(/second\s+0\.\d+\/s/);
    await calls.getByText('Table').click();
    await calls.getByRole('table').waitFor();
    const rows = await calls.getByRole('row').allInnerTexts();
    expect(rows[0]).toMatch(/Line\s+Now\s+Lowest\s+Average\s+Highest/);
    expect(rows.slice(1).map((row) => row.split(/\s/)[0])).toEqual(expect.arrayContaining(['demo', 'second', 'away']));
    await calls.getByText('Table').click();
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 1400 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await read(page);
      await screenshot(`metrics-traffic-${width}-${colorScheme}`);
      expect(await violationsOf(page)).toEqual([]);
    }
    expect(problems).toEqual([]);
  });

  test('names an alert whose condition is met, and leads to its chart', async () => {
    const { page } = opened;
    const overview = page.getByRole('status').filter({ hasText: 'These alert conditions' });
    await overview.getByRole('button', { name: 'AgentUnreachable' }).click();
    const unreachable = chart(page, 'Unreachable agents');
    expect(await page.evaluate('document.activeElement.id')).toBe('chart-unreachable');
    expect(await unreachable.innerText()).toContain('AgentUnreachable: at 1 for 5 min');
    expect(await unreachable.getByRole('img').getAttribute('aria-label')).toContain('away 1');
  });

  test('draws lines, and shows the values at the pointer in all charts', async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 1280, height: 900 });
    const calls = chart(page, 'Call rate');
    await calls.scrollIntoViewIfNeeded();
    await read(page);
    const colors = await page.evaluate(`(() => {
      const canvas = document.querySelector('#chart-calls canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    })()`);
    expect(colors).toBeGreaterThan(10);
    const latest = await chart(page, 'Latency').getByRole('listitem').allInnerTexts();
    const box = await calls.locator('.u-over').boundingBox();
    if (!box) throw new Error('no plot');
    await page.mouse.move(box.x + box.width * 0.6, box.y + 20);
    await page.clock.runFor(100);
    expect(await chart(page, 'Latency').getByRole('listitem').allInnerTexts()).not.toEqual(latest);
    await page.mouse.move(0, 0);
    await page.clock.runFor(100);
    expect(await chart(page, 'Latency').getByRole('listitem').allInnerTexts()).toEqual(latest);
  });

  test('reads nothing while the tab is hidden, and interrupts its lines then', async () => {
    const { page } = opened;
    const hide = (hidden: boolean): Promise<unknown> =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    let readings = 0;
    const count = (request: { url(): string }): void => {
      if (request.url().endsWith('/metrics')) readings += 1;
    };
    page.on('request', count);
    await hide(true);
    await page.clock.runFor(60_000);
    page.off('request', count);
    expect(readings).toBe(0);
    const answer = page.waitForResponse((response) => response.url().endsWith('/metrics'));
    await hide(false);
    await (await answer).finished();
    await expect
      .poll(() => chart(page, 'Call rate').getByRole('listitem').filter({ hasText: 'demo' }).innerText())
      .toContain('–');
  });

  test('keeps what it has read while other pages are shown', async () => {
    const { page, goto } = opened;
    await goto('#/push');
    await goto('#/metrics');
    const memory = chart(page, 'Memory');
    await memory.getByText('Table').click();
    await memory.getByRole('table').waitFor();
    const [, resident = ''] = await memory.getByRole('row').allInnerTexts();
    expect(resident).toMatch(/resident\s+[\d.]+ [MG]iB/);
    expect(await page.getByText('one hour is kept').innerText()).toMatch(/first reading was \d+ m ago/);
  });

  test('says which scope it needs', async () => {
    // Behind a proxy, no caller counts as one on this machine.
    await using other = await opened.open('#/metrics', { extraHTTPHeaders: { 'x-forwarded-for': '192.0.2.1' } });
    await other.page.getByRole('button', { name: 'Sign out' }).click();
    await other.page.getByText('The metrics need the scope').waitFor();
    expect(await other.page.getByRole('heading', { name: 'Call rate' }).count()).toBe(0);
  });
});
