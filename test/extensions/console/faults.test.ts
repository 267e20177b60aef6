import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';

const unavailable = (message: string): string =>
  JSON.stringify({ error: { code: 503, status: 'UNAVAILABLE', message, details: [] } });

describe.skipIf(noBrowser !== undefined)('the console, when something is wrong', () => {
  let opened: OpenedConsole;

  beforeAll(async () => {
    opened = await openConsole({ config: 'agents: { demo: { kind: reference } }' });
  }, consoleDeadline);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  test('every page says which replica answers, in which version, whether it is ready, and when it was read', async () => {
    for (const hash of ['#/agents', '#/tasks', '#/gateway', '#/bench']) {
      await opened.goto(hash);
      const line = opened.page.getByRole('main').locator('footer');
      await expect.poll(() => line.innerText()).toMatch(/Ready\s+Replica .+\s+v\d+\.\d+\.\d+\s+store written/);
      if (hash !== '#/bench') await expect.poll(() => line.innerText()).toMatch(/as of \d\d:\d\d:\d\d/);
    }
  });

  test('a proxy that answers for a dead gateway is told apart from the gateway', async () => {
    await using tab = await opened.open('#/tasks');
    const { page } = tab;
    await page.getByText('0 tasks').waitFor();
    await page.route(/admin|settings|readyz/, (route) => route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' }));
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByText("Connection lost: a proxy answered with status 502 in the gateway's place. Trying").waitFor();
    await page.unroute(/admin|settings|readyz/);
    await page.getByRole('link', { name: /^demo/ }).waitFor();
    await page.getByText('Connection lost').waitFor({ state: 'detached' });
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

  test('what is live says so, and that the gateway stops', async () => {
    await using tab = await opened.open('#/tasks');
    const { page } = tab;
    await page.getByText('Live', { exact: true }).waitFor();
    const body = JSON.stringify({ status: 'not ready', reason: 'The gateway is stopping' });
    await page.route(/readyz/, (route) => route.fulfill({ status: 503, body }));
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText('Live. The gateway is not ready: The gateway is stopping').waitFor();
  });

  test('a browser without a network says so', async () => {
    await using tab = await opened.open('#/agents');
    const { page } = tab;
    await page.context().setOffline(true);
    await page.getByText('This browser is offline. Trying again…').waitFor();
    await page.context().setOffline(false);
    await page.getByText('This browser is offline').waitFor({ state: 'detached' });
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
    await page.locator('.plot canvas').first().waitFor();
    expect(problems).toEqual([]);
  });

  test('the number of tasks that wait has a plus where there are more, and a question mark where it is not known', async () => {
    await using tab = await opened.open('#/agents');
    const { page } = tab;
    const inbox = page.getByRole('link', { name: /^Inbox/ });
    await page.route(/tasks:group/, (route) => route.fulfill({ json: { tasks: 20_000, complete: false } }));
    const look = async (): Promise<string> => {
      // As when the tab is shown again.
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      return inbox.innerText();
    };
    await expect.poll(look).toMatch(/20,000\+/);
    await page.route(/tasks:group/, (route) => route.fulfill({ status: 503, body: unavailable('busy') }));
    await expect.poll(look).toMatch(/\?/);
  });
});
