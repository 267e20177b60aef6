import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { A2AError } from '../../../src/core/model/errors.ts';
import { createStore } from '../../../src/stores/index.ts';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { silent } from '../../support/core.ts';
import { paced } from '../../support/pace.ts';

const unavailable = (message: string): string =>
  JSON.stringify({ error: { code: 503, status: 'UNAVAILABLE', message, details: [] } });

/** A store in memory that is away while there is a reason, and in which so many tasks wait. */
function watchedStore() {
  const state = { away: undefined as string | undefined, waiting: 0 };
  const store = createStore('memory:', { instance: 'one', logger: silent });
  const countWaiting = async (): Promise<number> => {
    if (state.away !== undefined) throw new A2AError('unavailable', state.away);
    return state.waiting;
  };
  return { state, store: Object.assign(store, { countWaiting }) };
}

describe.skipIf(noBrowser !== undefined)('the console, when something is wrong', () => {
  let opened: OpenedConsole;

  const { state, store } = watchedStore();

  beforeAll(async () => {
    opened = await openConsole({ config: 'agents: { demo: { kind: reference } }', store });
  }, consoleDeadline);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  test('every page says which replica answers, in which version, whether it is ready, and when it was read', async () => {
    for (const hash of ['#/agents', '#/tasks', '#/gateway', '#/bench']) {
      await opened.goto(hash);
      const line = opened.page.getByRole('main').locator('footer');
      await expect.poll(() => line.innerText()).toMatch(/Ready\s+Replica .+\s+v\d+\.\d+\.\d+\s+store OK/);
      await expect.poll(() => line.innerText()).toMatch(/as of \d\d:\d\d:\d\d/);
    }
    // Metrics are read at each ten seconds.
    const line = opened.page.getByRole('main').locator('footer');
    await line.getByText(/^lag [\d.]+ m?s$/).waitFor({ timeout: paced(20_000) });
  });

  test('an open tab asks for nothing again and again that the gateway can push', async () => {
    await using tab = await opened.open('#/tasks');
    const { page } = tab;
    await page.clock.install();
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('main').locator('footer').getByText('Ready').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.clock.runFor(11_000);
    expect(asked).toEqual([]);
  });

  test('a hidden tab has no stream of the state, and has it again when it is shown', async () => {
    await using tab = await opened.open('#/gateway');
    const { page } = tab;
    const line = page.getByRole('main').locator('footer');
    await line.getByText('Ready').waitFor();
    const show = (hidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
         document.dispatchEvent(new Event('visibilitychange'));`,
      );
    const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('status:watch'));
    await show(true);
    await ended;
    const again = page.waitForRequest(/status:watch/);
    await show(false);
    await again;
    await line.getByText('Ready').waitFor();
  });

  test('a proxy that answers for a dead gateway is told apart from the gateway', async () => {
    await using tab = await opened.open('#/tasks');
    const { page } = tab;
    await page.getByText('0 tasks').waitFor();
    await page.route(/admin|settings|readyz/, (route) => route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' }));
    await page.getByRole('link', { name: 'Agents' }).click();
    await page
      .getByText("Connection lost: a proxy answered with status 502 in the gateway's place. Trying")
      .first()
      .waitFor();
    await page.unroute(/admin|settings|readyz/);
    await page.getByRole('link', { name: /^demo/ }).waitFor();
    await page.getByText('Connection lost').first().waitFor({ state: 'detached' });
  });

  test('a search that a dying replica cuts opens the list, which is read again when the gateway is back', async () => {
    await using tab = await opened.open('#/agents');
    const { page } = tab;
    await page.getByRole('link', { name: /^demo/ }).waitFor();
    let failures = 0;
    await page.route(/\/admin\/v1\/tasks\?/, (route) => {
      failures += 1;
      return failures > 4 ? route.continue() : route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' });
    });
    const field = page.getByRole('searchbox', { name: 'Find tasks, agents and calls' });
    await field.fill('chrysoprase');
    await field.press('Enter');
    await expect.poll(() => page.url()).toContain('text=chrysoprase');
    await page.getByText('0 tasks').waitFor();
    expect(failures).toBeGreaterThan(4);
  });

  test('a gateway that is not ready says why, and what is not known is not shown as nothing', async () => {
    await using tab = await opened.open('#/agents');
    const { page } = tab;
    await page.getByRole('link', { name: /^demo/ }).waitFor();
    const body = unavailable('The store cannot be reached');
    const headers = { 'content-type': 'application/json' };
    await page.route(/admin|readyz/, (route) => route.fulfill({ status: 503, headers, body }));
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByText('The gateway is not ready: The store cannot be reached. Trying again…').waitFor();
    await page.getByRole('main').locator('footer').getByText('Not ready').waitFor();
    expect(await page.getByText('0 tasks').count()).toBe(0);
    await page.unroute(/admin|readyz/);
    await page.getByText('0 tasks').waitFor();
    await page.getByText('The gateway is not ready').waitFor({ state: 'detached' });
  });

  test('what is live says so, and that the gateway has lost its store', async () => {
    await using tab = await opened.open('#/tasks');
    const { page } = tab;
    await page.getByText('Live', { exact: true }).waitFor();
    const footer = page.getByRole('main').locator('footer');
    state.away = 'no route to the database';
    await page.getByText('Live. The gateway is not ready: no route to the database').waitFor();
    await footer.getByText(/store away/).waitFor();
    await footer.getByText('Not ready').waitFor();
    // Unknown is not nothing.
    await expect.poll(() => page.getByRole('link', { name: /^Inbox/ }).innerText()).toMatch(/\?/);
    state.away = undefined;
    await page.getByText('The gateway is not ready').first().waitFor({ state: 'detached' });
    await footer.getByText('store OK').waitFor();
  });

  test('a browser without a network says so', async () => {
    await using tab = await opened.open('#/agents');
    const { page } = tab;
    await page.context().setOffline(true);
    await page.getByText('This browser is offline. Trying again…').waitFor();
    await page.context().setOffline(false);
    await page.getByText('This browser is offline').waitFor({ state: 'detached' });
  });

  test('a page whose files a proxy refuses appears with its styles once they are served, without a reload', async () => {
    await using tab = await opened.open('#/agents');
    const { page } = tab;
    await page.getByRole('link', { name: /^demo/ }).waitFor();
    await page.evaluate('globalThis.isSamePage = true');
    await page.route('**/assets/**', (route) => route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' }));
    const refused = page.waitForResponse(/assets\/metrics-.*css/);
    await page.getByRole('link', { name: 'Metrics' }).click();
    await refused;
    expect(await page.locator('.plot').count()).toBe(0);
    await page.unroute('**/assets/**');
    await page.locator('.plot svg').first().waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('.chart')).display")).toBe('grid');
    expect(await page.evaluate('isSamePage')).toBe(true);
  });

  test('a page whose files are gone says that the gateway was updated', async () => {
    await using tab = await opened.open('#/agents');
    const { page } = tab;
    await page.route('**/assets/push-*.js', (route) => route.fulfill({ status: 404, body: 'not found' }));
    await page.getByRole('link', { name: 'Push' }).click();
    await page.getByText('The page could not be loaded: its file is missing').waitFor();
    await page.getByText('The gateway was updated: reload this page.').waitFor();
  });

  test('a page that throws when it is loaded shows the exception, and not another version', async () => {
    await using tab = await opened.open('#/agents');
    const { page } = tab;
    const headers = { 'content-type': 'text/javascript' };
    await page.route('**/assets/push-*.js', (route) => route.fulfill({ headers, body: "throw new Error('broken')" }));
    await page.getByRole('link', { name: 'Push' }).click();
    await page.getByText('The page could not be loaded: broken').waitFor();
    expect(await page.getByText('was updated').count()).toBe(0);
  });

  test('a browser whose language has no tag of BCP 47 gets charts', async () => {
    await using tab = await opened.open('#/agents');
    const { page, problems } = tab;
    await page.addInitScript("Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' })");
    await page.reload();
    await page.getByRole('link', { name: 'Metrics' }).click();
    await page.locator('.plot svg').first().waitFor();
    expect(problems).toEqual([]);
  });

  test('the number of tasks that wait is followed, and has a plus where there are more than are counted', async () => {
    await using tab = await opened.open('#/agents');
    const inbox = tab.page.getByRole('link', { name: /^Inbox/ });
    for (const [waiting, said] of [
      [12, /^Inbox\s+12\s+waiting$/],
      [1_001, /^Inbox\s+1,000\+\s+waiting$/],
      [0, /^Inbox$/],
    ] as const) {
      state.waiting = waiting;
      await expect.poll(() => inbox.innerText()).toMatch(said);
    }
  });

  test('a gateway that stops says so, and then is gone', async () => {
    const { page, gateway } = opened;
    await opened.goto('#/tasks');
    await page.getByText('Live', { exact: true }).waitFor();
    const closed = gateway.gateway.close({ delayMs: 4_000, drainMs: 0 });
    await page.getByText('Live. The gateway is not ready: The gateway is stopping').waitFor();
    await page.getByRole('main').locator('footer').getByText('draining').waitFor();
    await closed;
    await page.getByText('Connection lost. Trying again…').first().waitFor();
    await page.getByRole('main').locator('footer').getByText('Unreachable').waitFor();
  });
});
