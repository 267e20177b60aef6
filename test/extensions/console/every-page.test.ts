import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askAdmin } from '../../support/admin.ts';
import { noBrowser, violationsOf } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { openGateway } from '../../support/gateway.ts';

const root = new URL('../../../', import.meta.url);
const dist = fileURLToPath(new URL('dist/console/', root));
const table = readFileSync(new URL('src/extensions/console/shell/pages.ts', root), 'utf8');
const ids = [...table.matchAll(/\bid: '(\w+)'/g)].map(([, id = '']) => id);

/** Views inside pages that differ much from what the page shows first. Names in braces are those of a task of the test. */
const views = [
  'gateway?view=replicas',
  'gateway?view=stops',
  'gateway?view=registrations',
  'gateway?view=losses',
  'gateway?view=generations',
  'gateway?view=configuration',
  'bench?view=translation',
  'tasks/{id}',
  'tasks?context={contextId}',
  'calls/{requestId}',
  'tasks?view=conversations',
  'tasks?view=reasons',
  'agents/planner',
  'agents/planner?card=a2a-1.0&card=a2a-0.3',
  'nothing',
];

const sizes = [390, 1024, 1440].flatMap((width) => (['light', 'dark'] as const).map((theme) => ({ width, theme })));

/** Names the tables of a page that are wider than their place. */
const wideTables = `[...document.querySelectorAll('.table-box')]
  .filter((box) => box.scrollWidth > box.clientWidth)
  .map((box) => box.ariaLabel)`;

const kilobyte = 1024;
const kib = (bytes: number): string => `${(bytes / kilobyte).toFixed(1)} KiB`;

describe.skipIf(noBrowser !== undefined)('the console', () => {
  let opened: OpenedConsole;
  const named: Record<string, string> = {};
  let upstream: Awaited<ReturnType<typeof openGateway>>;

  beforeAll(async () => {
    upstream = await openGateway('agents: { planner: { kind: reference } }');
    opened = await openConsole({
      config: `
defaultAgent: demo
agents:
  demo: { kind: reference, knowledge: true }
  planner: { kind: upstream, url: "${upstream.url}" }
  archive: { kind: upstream, url: "http://127.0.0.1:9" }
  clerk: { kind: reference }
  support: { kind: reference }
registration: { allow: true }
`,
    });
    for (const [agent, text] of [
      ['demo', 'say hello'],
      ['demo', 'ask'],
      ['planner', 'ask'],
      ['demo', 'fail'],
      ['clerk', 'say hello'],
      ['support', 'stream 3'],
      ['archive', 'say hello'],
    ]) {
      const response = await fetch(`${opened.gateway.url}/${agent}/message:send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
        body: JSON.stringify({ message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] } }),
      });
      const { task } = (await response.json()) as { task?: { id: string; contextId: string } };
      if (text === 'fail') Object.assign(named, task, { requestId: response.headers.get('x-request-id') });
    }
    for (const name of ['guest', 'visitor']) {
      await askAdmin(opened.gateway.url, 'RegisterAgent', { name, url: upstream.url, leaseSeconds: 600 });
    }
    await askAdmin(opened.gateway.url, 'StopCaller', { principal: 'key:bob', reason: 'it calls without an end' });
    await askAdmin(opened.gateway.url, 'Record', { agent: 'demo', calls: 10 });
    await opened.page.reload();
    opened.problems.length = 0;
  }, consoleDeadline);

  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await upstream?.close();
  });

  test('the console has the pages that its table lists', () => {
    expect(ids).toEqual(['agents', 'bench', 'knowledge', 'tasks', 'calls', 'inbox', 'push', 'metrics', 'gateway']);
  });

  test.each([...ids, ...views])('the console has no faults at any width, in either theme: %s', async (at) => {
    const { page, problems, goto, screenshot } = opened;
    await goto(`#/${at.replace(/\{(\w+)\}/, (_, name) => named[name] ?? '')}`);
    await page.locator('article[aria-busy=false]').waitFor();
    await page.waitForTimeout(60);
    await page.locator('article[aria-busy=false]').waitFor();
    const faults: Record<string, unknown> = {};
    for (const { width, theme } of sizes) {
      // A button that is half below the fold of a narrow page would count as too small.
      await page.setViewportSize({ width, height: width < 1_000 ? 1_600 : 800 });
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await screenshot(`${at.replaceAll(/\W/g, '-')}-${width}-${theme}`);
      const found = await violationsOf(page);
      if (found.length > 0) faults[`${width} ${theme}`] = found;
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      if (width === 1440) expect(await page.evaluate(wideTables)).toEqual([]);
    }
    expect(faults).toEqual({});
    expect(problems.splice(0)).toEqual([]);
  });

  test('the console loads at most 60 KB of scripts and 12 KB of styles for its first page, and 240 KB in all', async () => {
    await using tab = await opened.open();
    await tab.page.getByRole('link', { name: /^demo/ }).waitFor();
    const loaded: string[] = await tab.page.evaluate(
      "performance.getEntriesByType('resource').filter(({ transferSize }) => transferSize > 0).map(({ name }) => name)",
    );
    const sizeOf = (name: string): number => readFileSync(join(dist, `assets/${name}.br`)).length;
    const names = loaded.flatMap((url) => /\/assets\/(.+)$/.exec(url)?.[1] ?? []);
    // A part is fetched before it is imported, and imported from the browser's memory.
    expect(names).toEqual([...new Set(names)]);
    const sum = (ending: string): number =>
      names.filter((name) => name.endsWith(ending)).reduce((total, name) => total + sizeOf(name), 0);
    const all = globSync('**/*.{js,css}.br', { cwd: dist }).reduce(
      (total, path) => total + readFileSync(join(dist, path)).length,
      0,
    );
    const [scripts, styles] = [sum('.js'), sum('.css')];
    console.log(`first page: ${kib(scripts)} of scripts, ${kib(styles)} of styles; in all ${kib(all)}`);
    expect(scripts).toBeGreaterThan(5 * kilobyte);
    expect(scripts).toBeLessThanOrEqual(60 * kilobyte);
    expect(styles).toBeLessThanOrEqual(12 * kilobyte);
    expect(all).toBeLessThanOrEqual(240 * kilobyte);
  });

  test('the console is used with the keyboard alone', async () => {
    await using tab = await opened.open();
    const { page, problems } = tab;
    await page.getByRole('link', { name: /^demo/ }).waitFor();
    const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent.trim()');

    // The first stop leads past the navigation.
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');

    // The key of the search opens it from any page, and is a character where one types.
    await page.keyboard.press('/');
    await page.keyboard.type('a/b');
    expect(await page.getByRole('searchbox', { name: 'Find tasks, agents and calls' }).inputValue()).toBe('a/b');
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: 'Tasks', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    expect(problems).toEqual([]);
    await page.getByRole('button', { name: 'Sign out' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);

    // Without the search, its key is left to the browser.
    await page.evaluate(`addEventListener('keydown', (event) => { window.isTaken = event.defaultPrevented; })`);
    await page.keyboard.press('/');
    expect(await page.evaluate('window.isTaken')).toBe(false);
  });

  test('the console keeps the chosen theme in this browser', async () => {
    await using tab = await opened.open('', { colorScheme: 'light' });
    const { page } = tab;
    const ground = (): Promise<string> => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await ground();
    const change = page.getByRole('button', { name: /theme/ });
    await change.click();
    expect(await ground()).toBe(light);
    await change.click();
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    await change.waitFor();
    expect(await ground()).toBe(dark);
  });

  test('the console refuses scripts that a page of the gateway would never load', async () => {
    await using tab = await opened.open();
    const { page } = tab;
    const run = (script: string): Promise<string> =>
      page.evaluate(`(async () => { try { ${script}; return 'done'; } catch (error) { return error.name; } })()`);
    expect(await run("document.body.innerHTML = '<p>markup</p>'")).toBe('TypeError');
    expect(await run("new Worker('data:text/javascript,1')")).toBe('TypeError');
    expect(await run("document.createElement('script').src = '../healthz'")).toBe('TypeError');
    expect(await run("await fetch('http://127.0.0.1:9/')")).toBe('TypeError');
    expect(tab.problems.filter((problem) => problem.startsWith('exception'))).toEqual([]);
  });
});
