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

  const chart = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const linesOf = (name: string) => chart(opened.page, name).getByRole('listitem').allInnerTexts();

  beforeAll(async () => {
    for (let i = 0; i < 12; i++) await Promise.all([send('demo', 'echo hello'), send('second', i < 5 ? 'fail' : 'hi')]);
    for (let i = 0; i < 3; i++) await send('away', 'hello');
    // The gateway takes at most one point a second.
    await sleep(1_100);
  });

  test('the page of the metrics shows in a new tab what was before it', async () => {
    const { page, goto, screenshot, problems } = opened;
    await goto('#/metrics');
    const calls = chart(page, 'Call rate');
    await calls.waitFor();
    expect((await linesOf('Call rate')).join(' ')).toMatch(/away\s+\S+\/s\s+demo\s+\S+\/s[\s\S]*second\s+\S+\/s/);
    await calls.getByRole('img', { name: /latest: away \S+, at most \S+; .*second \S+, at most / }).waitFor();
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [360, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 1400 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.waitForTimeout(60);
      await screenshot(`metrics-traffic-${width}-${colorScheme}`);
      expect(await violationsOf(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(problems).toEqual([]);
  });

  test('the first page names an alert that would fire, and one click leads to its chart', async () => {
    await using other = await opened.open('#/push');
    const { page } = other;
    // The series look as if the agent had been away for an hour.
    await page.route('**/admin/v1/metrics?*', async (route) => {
      const { series, ...rest } = await (await route.fetch()).json();
      const away = ({ name }: { name: string }): boolean => name === 'a2a_gateway_agent_state';
      const changed = series.map((one: { name: string; values: unknown[] }) =>
        away(one) ? { ...one, values: one.values.fill(1) } : one,
      );
      await route.fulfill({ json: { ...rest, series: changed } });
    });
    await opened.goto('#/agents', page);
    const firing = page.getByRole('status').filter({ hasText: 'These alerts would fire now' });
    await firing.getByRole('link', { name: 'AgentUnreachable' }).click();
    const unreachable = chart(page, 'Unreachable agents');
    await unreachable.waitFor();
    await firing.waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('chart-unreachable-agents');
    await expect.poll(() => unreachable.innerText()).toContain('AgentUnreachable: at 1 for 5 min');
    expect(await unreachable.getByRole('img').getAttribute('aria-label')).toContain('away 1');
  });

  test('the page of the metrics draws lines, and shows the values at the pointer in all charts', async () => {
    const { page } = opened;
    const calls = chart(page, 'Call rate');
    await calls.scrollIntoViewIfNeeded();
    const drawn: string[][] = await page.evaluate(
      `Array.from(document.querySelectorAll('#chart-call-rate svg g'),
        (line) => [Array.from(line.children, (path) => path.getAttribute('d')).join(''), getComputedStyle(line).stroke])`,
    );
    expect(drawn).toHaveLength((await linesOf('Call rate')).length);
    for (const [path] of drawn) expect(path).toMatch(/^M\d+ [\d.]+/);
    expect(new Set(drawn.map(([, color]) => color)).size).toBe(drawn.length);
    // The axes have round values and times.
    expect(await calls.locator('.plot-value').allInnerTexts()).toEqual(
      expect.arrayContaining(['0/s', expect.stringMatching(/^0?\.?0*[125]0*\/s$/)]),
    );
    expect((await calls.locator('.plot-time').allInnerTexts()).join(' ')).toMatch(/^(\d\d:\d0 ?)+$/);
    const box = await calls.locator('svg').boundingBox();
    if (!box) throw new Error('no plot');
    await page.mouse.move(box.x + box.width * 0.3, box.y + 20);
    await expect.poll(() => linesOf('Memory')).toEqual([expect.stringMatching(/–$/), expect.stringMatching(/–$/)]);
    await page.mouse.move(0, 0);
    await expect.poll(() => linesOf('Memory')).toEqual(Array(2).fill(expect.stringMatching(/[\d.]+ [MG]iB/)));
  });

  test('the axis of the memory has whole numbers of its unit', async () => {
    const { page, goto } = opened;
    await goto('#/metrics');
    const marks = chart(page, 'Memory').locator('.plot-value');
    await marks.nth(1).waitFor();
    for (const mark of await marks.allInnerTexts()) expect(mark).toMatch(/^(?:0 B|\d+(?:\.0)? [KMG]iB)$/);
  });

  test('a point of failed calls leads to these calls, and the name of an agent to those of the whole range', async () => {
    const { page, goto } = opened;
    await goto('#/metrics');
    const failures = chart(page, 'Failed calls');
    await failures.locator('svg').waitFor();
    await failures.scrollIntoViewIfNeeded();
    const box = await failures.locator('svg').boundingBox();
    if (!box) throw new Error('no plot');
    await page.mouse.click(box.x + box.width - 1, box.y + 20);
    await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
    const filters = new URL(page.url().replace('#/', '')).searchParams;
    expect(Object.fromEntries(filters)).toMatchObject({ agent: 'away', outcome: 'failed' });
    const [after, before] = [filters.get('after') ?? '', filters.get('before') ?? ''].map((time) => Date.parse(time));
    expect((before ?? 0) - (after ?? 0)).toBe(20_000);
    await goto('#/metrics');
    await failures.getByRole('link', { name: 'away' }).click();
    await page.getByRole('table').getByText('away').first().waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'away' }).count()).toBe(3);
  });

  test('all charts have one range, of a name or as dragged', async () => {
    const { page, goto } = opened;
    await goto('#/metrics');
    const asked = page.waitForRequest(/admin\/v1\/metrics\?.*step=480/);
    await page.getByRole('link', { name: '24 hours' }).click();
    const after = Date.parse(new URL((await asked).url()).searchParams.get('after') ?? '');
    expect(Math.round((Date.now() - after) / 3_600_000)).toBe(24);
    await goto('#/metrics?after=1h');
    const calls = chart(page, 'Call rate');
    await calls.locator('svg').waitFor();
    await calls.scrollIntoViewIfNeeded();
    const box = await calls.locator('svg').boundingBox();
    if (!box) throw new Error('no plot');
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 2, box.y + 20, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/before=/);
    const { searchParams } = new URL(page.url().replace('#/', ''));
    const span = Date.parse(searchParams.get('before') ?? '') - Date.parse(searchParams.get('after') ?? '');
    expect(Math.abs(span - 1_800_000)).toBeLessThan(60_000);
    await expect.poll(() => page.getByRole('navigation', { name: 'Range' }).getByRole('link').count()).toBe(4);
    expect(await page.getByText('would fire now').count()).toBe(0);
  });

  test('the page of an agent leads to the metrics of this agent, in every range', async () => {
    const { page, goto } = opened;
    await goto('#/agents/second');
    await page.locator('.page-actions').getByRole('link', { name: 'Metrics', exact: true }).click();
    await page.getByText(/^Values of the agent second and the whole gateway, of all replicas together/).waitFor();
    const line = [expect.stringMatching(/^second\s+\S+\/s$/)];
    expect(await linesOf('Call rate')).toEqual(line);
    await page.getByRole('link', { name: '6 hours' }).click();
    await page.getByText(/^Values of the agent second .*, one for every 120 s/).waitFor();
    expect(await linesOf('Call rate')).toEqual(line);
  });

  test('the page of the metrics says which replicas are missing', async () => {
    await using other = await opened.open('#/push');
    await other.page.route('**/admin/v1/metrics?*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ json: { ...(await response.json()), missingReplicas: ['replica-2'] } });
    });
    await opened.goto('#/metrics', other.page);
    await other.page.getByText('what they know is missing: replica-2').waitFor();
  });

  test('the page of the metrics asks for fewer points where the gateway has too many agents for so many', async () => {
    await using other = await opened.open('#/push');
    let refused = 0;
    await other.page.route('**/admin/v1/metrics?*', async (route) => {
      if (Number(new URL(route.request().url()).searchParams.get('step')) >= 80) return route.continue();
      refused += 1;
      const details = [{ fieldViolations: [{ field: 'names', description: 'must name fewer metrics' }] }];
      await route.fulfill({ status: 400, json: { error: { code: 400, message: 'Invalid', details } } });
    });
    await opened.goto('#/metrics', other.page);
    await chart(other.page, 'Call rate').waitFor();
    expect(refused).toBe(2);
  });

  test('the page of the metrics reads nothing while the tab is hidden', async () => {
    await using other = await opened.open('#/metrics');
    const { page } = other;
    await chart(page, 'Call rate').waitFor();
    await page.clock.install();
    let readings = 0;
    page.on('request', (request) => {
      if (request.url().includes('/admin/v1/metrics')) readings += 1;
    });
    await page.evaluate(`Object.defineProperty(document, 'hidden', { value: true, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
    await page.clock.runFor(60_000);
    expect(readings).toBe(0);
  });

  test('the page of the metrics asks to sign in where the caller may not read them', async () => {
    await using other = await opened.open('#/metrics');
    await other.page.getByRole('button', { name: 'Sign out' }).click();
    await other.page.getByRole('dialog', { name: 'Sign in' }).waitFor();
    expect(await other.page.getByRole('heading', { name: 'Call rate' }).count()).toBe(0);
  });
});
