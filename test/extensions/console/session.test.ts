import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashOf, shownHash } from '../../../src/auth/hash.ts';
import { noBrowser, openInTab, openPage } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { adminHeaders, openGateway } from '../../support/gateway.ts';
import { paced } from '../../support/pace.ts';

const key = (name: string, scopes: string) =>
  `{ name: ${name}, hash: "${shownHash(hashOf(`key of ${name}`))}", scopes: [${scopes}] }`;

const config = (more = ''): string => `
auth:
  anonymous: false
  apiKeys:
    - ${key('operator', 'admin')}
    - ${key('reader', '"admin:read"')}
    - ${key('user', 'tasks')}
agents: { hidden-agent: { kind: reference } }
${more}`;

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByRole('dialog', { name: 'Sign in' }).getByLabel('API key').fill(`key of ${name}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
}

/** The page reads at once what it would read after a pause, as when the tab comes to the front. */
const wake = (page: Page): Promise<unknown> => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");

const row = (page: Page) => page.getByRole('link', { name: 'hidden-agent' });

describe.skipIf(noBrowser !== undefined)('the session of a browser', () => {
  let opened: OpenedConsole;

  beforeAll(async () => {
    opened = await openConsole({ config: config() });
  }, consoleDeadline);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  test('the session of a browser shows nothing of the gateway before there is a credential', async () => {
    await using tab = await opened.open();
    const bodies: string[] = [];
    tab.page.on('response', async (response) => bodies.push(await response.text().catch(() => '')));
    await tab.page.getByRole('dialog', { name: 'Sign in' }).waitFor();
    for (const id of [
      'bench',
      'tasks',
      'inbox',
      'push',
      'knowledge',
      'metrics',
      'gateway',
      'agents/hidden',
      'agents',
    ]) {
      await tab.page.evaluate(`location.hash = '#/${id}'`);
      await tab.page.locator('article').first().waitFor();
    }
    await tab.page.waitForTimeout(300);
    await expect.poll(() => bodies.length).toBeGreaterThan(5);
    expect(await tab.page.content()).not.toContain('hidden-agent');
    expect(bodies.join()).not.toContain('hidden-agent');
  });

  test('the session of a browser requests a key, explains what is wrong with it, and shows the agents to operators', async () => {
    await using tab = await opened.open();
    const { page } = tab;
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    await expect.poll(() => dialog.textContent()).toContain('Credentials are required');
    await signIn(page, 'nobody');
    await expect.poll(() => dialog.textContent()).toMatch(/API key/);
    await dialog.waitFor();
    await signIn(page, 'operator');
    await row(page).waitFor();
    await dialog.waitFor({ state: 'detached' });

    // The key is kept nowhere; the browser has a session that scripts cannot read.
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])')).not.toMatch(
      /key of operator|a2a-gateway-[\da-f]{12}/,
    );
    expect(await page.context().cookies()).toMatchObject([{ httpOnly: true, sameSite: 'Strict', path: '/' }]);
    await page.reload();
    await row(page).waitFor();

    // A link opens in a new tab without the key, and signing out ends all of them.
    const other = await openInTab(row(page));
    await other.getByRole('heading', { level: 1, name: 'hidden-agent' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await row(page).waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain('hidden-agent');
    expect(await page.context().cookies()).toEqual([]);
    await wake(other);
    await other.getByRole('dialog', { name: 'Sign in' }).waitFor();
    await expect.poll(() => other.locator('main').textContent()).not.toContain('reference agent');
    await other.close();
  });

  test('the session of a browser refuses a caller without the scope, and says so once', async () => {
    await using tab = await opened.open();
    const { page } = tab;
    await signIn(page, 'user');
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    await dialog.getByRole('status').filter({ hasText: 'lacks the scope' }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    const notice = page.locator('main').getByRole('status').filter({ hasText: 'lacks the scope' });
    await notice.waitFor();
    // The page goes on reading, but does not ask again.
    for (let times = 0; times < 3; times++) {
      const again = page.waitForResponse('**/admin/v1/agents');
      await wake(page);
      await again;
    }
    await page.waitForTimeout(100);
    expect(await dialog.isVisible()).toBe(false);
    expect(await page.content()).not.toContain('hidden-agent');
    await notice.getByRole('button', { name: 'Sign in' }).click();
    await signIn(page, 'reader');
    await row(page).waitFor();
  });

  test('the session of a browser shows who is signed in on every page, and offers readers nothing that they may not do', async () => {
    await using tab = await opened.open();
    const { page } = tab;
    const who = page.locator('.side-who');
    await signIn(page, 'reader');
    await row(page).waitFor();
    for (const hash of ['#/tasks', '#/calls', '#/push', '#/gateway?view=configuration', '#/agents/hidden-agent']) {
      await opened.goto(hash, page);
      await expect.poll(() => who.textContent()).toMatch(/key:reader.*admin:read/);
      for (const name of ['Disable', 'Drain', 'Reload', 'Retry all deliveries', 'Record calls']) {
        expect(await page.getByRole('button', { name }).count()).toBe(0);
      }
    }
    await page.getByText('OK', { exact: true }).first().waitFor();
    await fetch(`${opened.gateway.url}/hidden-agent/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'key of user' },
      body: JSON.stringify({
        message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'wait' }] },
        configuration: { returnImmediately: true },
      }),
    });
    await opened.goto('#/tasks', page);
    await page.getByRole('checkbox', { name: 'Select row 1' }).check();
    await page.getByRole('button', { name: 'Export' }).waitFor();
    expect(await page.getByRole('button', { name: /Answer|Cancel tasks/ }).count()).toBe(0);
    await opened.goto('#/agents/hidden-agent', page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await who.waitFor({ state: 'detached' });
    await signIn(page, 'operator');
    await page.getByRole('button', { name: 'Disable' }).waitFor();
  });

  test('the session of a browser disables and enables an agent, each after a question', async () => {
    await using tab = await opened.open('#/agents/hidden-agent');
    const { page } = tab;
    await signIn(page, 'operator');
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    const send = (): Promise<Response> =>
      fetch(`${opened.gateway.url}/hidden-agent/message:send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': 'key of user' },
        body: JSON.stringify({ message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'say hi' }] } }),
      });
    expect((await send()).status).toBe(503);
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor({ state: 'detached' });
    expect((await send()).status).toBe(200);
  });
});

describe.skipIf(noBrowser !== undefined)('the address with a key', () => {
  let opened: OpenedConsole;

  beforeAll(async () => {
    opened = await openConsole({ config: 'agents: { hidden-agent: { kind: reference } }' });
  }, consoleDeadline);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  test('the address with a key signs in, and keeps the key out of the address, the history and requests for pages', async () => {
    const { browser, gateway } = opened;
    const { 'x-api-key': key = '' } = adminHeaders(gateway.url);
    await using tab = await openPage(browser, gateway.url);
    const { page } = tab;
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await page.goto(`${gateway.url}/console/#key=${key}`);
    await row(page).waitFor();
    expect(key).toMatch(/^a2a_admin_/);
    expect(page.url()).toBe(`${gateway.url}/console/#/`);
    expect(requested.filter((url) => new URL(url).search.includes(key) || url.split('#')[0]?.includes(key))).toEqual(
      [],
    );
    await page.reload();
    await row(page).waitFor();
    await row(page).click();
    await page.goBack();
    await row(page).waitFor();
    expect(page.url()).not.toContain('key');
  });

  test('the address with a key of another start is refused, and the dialog says where the right one is', async () => {
    const { browser, gateway } = opened;
    const { 'x-api-key': key = '' } = adminHeaders(gateway.url);
    await using tab = await openPage(browser, gateway.url);
    const { page } = tab;
    await page.goto(`${gateway.url}/console/#key=${key.split('').toReversed().join('')}`);
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    await expect.poll(() => dialog.textContent()).toContain('The gateway makes a new key at each start.');
    expect(await page.content()).not.toContain('hidden-agent');
    // The right address in the same tab.
    await page.evaluate(`location.hash = ${JSON.stringify(`#key=${key}`)}`);
    await row(page).waitFor();
    await dialog.waitFor({ state: 'detached' });
  });
});

describe.skipIf(noBrowser !== undefined)('a tab that stays open', () => {
  let opened: OpenedConsole;
  // The key is the same after a restart.
  const hash = shownHash(hashOf('the-same-key'));
  const folder = mkdtempSync(join(tmpdir(), 'a-tab-'));
  const restarted = (agent: string, port = 0): string => `
store: "sqlite:${join(folder, 'gateway.db')}"
listen: { host: localhost, port: ${port} }
auth: { apiKeys: [{ name: operator, hash: "${hash}", scopes: [admin] }] }
agents: { ${agent}: { kind: reference } }
`;

  beforeAll(async () => {
    opened = await openConsole({ config: restarted('first'), adminKey: 'the-same-key' });
  }, consoleDeadline);

  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  test('a tab that stays open shows what a reload of the configuration changed', async () => {
    const { page, gateway } = opened;
    await page.getByRole('link', { name: /^first/ }).waitFor();
    const agents = { first: { kind: 'reference' as const }, second: { kind: 'reference' as const } };
    const auth = { apiKeys: [{ name: 'operator', hash, scopes: ['admin'] }] };
    await gateway.gateway.reload({ listen: { port: 0 }, store: 'memory:', auth, defaultAgent: 'first', agents });
    await wake(page);
    await page.getByRole('link', { name: 'second' }).waitFor({ timeout: paced(10_000) });
    expect(await page.getByText('was updated').count()).toBe(0);
  });

  test('a tab that stays open shows that the connection is lost, and continues when the gateway is back', async () => {
    const { page, gateway } = opened;
    await gateway.close();
    await wake(page);
    await page
      .getByText('Connection lost. Trying again…')
      .first()
      .waitFor({ timeout: paced(10_000) });
    // Data that was loaded before stays visible.
    await page.getByRole('link', { name: /^first/ }).waitFor();
    const back = await openGateway(restarted('third', gateway.port));
    await page.getByRole('link', { name: /^third/ }).waitFor({ timeout: paced(15_000) });
    await page.getByText('Connection lost').first().waitFor({ state: 'detached' });
    expect(await page.getByText('was updated').count()).toBe(0);
    await back.close();
  });

  test('a tab that stays open requests a reload when the gateway has another console', async () => {
    const { page, gateway } = opened;
    await wake(page);
    await page
      .getByText('Connection lost')
      .first()
      .waitFor({ timeout: paced(10_000) });
    await page.route('**/console/settings.json', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), build: 'another' } });
    });
    const back = await openGateway(restarted('third', gateway.port));
    await page.getByText('The gateway was updated: reload this page.').waitFor({ timeout: paced(15_000) });
    await page.unroute('**/console/settings.json');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('link', { name: /^third/ }).waitFor();
    expect(await page.getByText('was updated').count()).toBe(0);

    // A part of the console that the gateway no longer has.
    await page.route('**/assets/push-*.js', (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Push' }).click();
    await page.getByText('The gateway was updated: reload this page.').waitFor();
    await back.close();
  });
});
