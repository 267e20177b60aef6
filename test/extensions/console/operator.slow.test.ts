import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { png, script } from '../../support/agents/shop-agent.ts';
import {
  noBrowser,
  openInTab,
  openPage,
  sharedBrowser,
  violationsOf,
  type WatchedPage,
} from '../../support/browser.ts';
import { builtConsole } from '../../support/console.ts';
import { keyOf, type Operated, Operator, startOperated } from '../../support/operator.ts';
import { paced } from '../../support/pace.ts';

/** Bounds that a slow machine keeps, too: what is awaited are conditions. */
const [starting, timeoutMs] = [240_000, 120_000];
const soon = { timeout: paced(60_000) };

const failures = 38;

describe.skipIf(noBrowser !== undefined)('an operator of two replicas behind a proxy with TLS and a path', () => {
  let operated: Operated;
  let browser: Awaited<ReturnType<typeof sharedBrowser>>;
  let watched: WatchedPage;
  let page: Page;
  let operator: Operator;

  const open = async (): Promise<WatchedPage> => {
    const tab = await openPage(browser, new URL(operated.proxy.url).origin, {
      ignoreHTTPSErrors: true,
      viewport: { width: 1280, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    // Of the context, so that pages which it opens wait as long.
    tab.page.context().setDefaultTimeout(soon.timeout);
    return tab;
  };

  beforeAll(async () => {
    await builtConsole();
    operated = await startOperated();
    browser = await sharedBrowser();
    for (let order = 10_001; order <= 10_000 + failures; order++) await operated.send('shop', `pay ${order}`);
    await operated.send('shop', 'ship 1', { caller: 'bob' });
    watched = await open();
    ({ page } = watched);
    await page.goto(`${operated.proxy.url}/console/#key=${keyOf('operator')}`);
    await page.getByRole('table', { name: 'Agents' }).waitFor();
    operator = new Operator(page);
  }, starting);

  afterAll(async () => {
    await watched?.[Symbol.asyncDispose]();
    await operated?.[Symbol.asyncDispose]();
  }, timeoutMs);

  beforeEach(async () => {
    watched.problems.length = 0;
    await operator.begin();
  });

  test('an operator finds which tasks failed, why, for whom, and since when', { timeout: timeoutMs }, async () => {
    const shop = operator.rows('shop').filter({ hasText: `${failures + 1} of ${failures + 1}` });
    await shop.waitFor(soon);
    const reasons = page.getByRole('region', { name: 'Why tasks ended' });
    await reasons
      .getByRole('row')
      .filter({ hasText: `${failures} ×` })
      .getByText('payment provider answered 402')
      .waitFor();
    await operator.link(/^shop/);
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
    await operator.click(page.getByRole('link', { name: `${failures + 1} of ${failures + 1}` }));
    const row = operator.rows('no courier');
    await row.getByText('key:bob').waitFor();
    await operator.click(row.getByRole('link'));
    await page.getByRole('heading', { level: 1, name: /^Task / }).waitFor();
    await page.getByText('key:bob').first().waitFor();
    await page.getByText('no courier').first().waitFor();
    expect(watched.problems).toEqual([]);
  });

  test('an operator of two replicas behind a proxy with TLS and a path finds a task by the beginning and the end of its id, by its caller, and by words', {
    timeout: timeoutMs,
  }, async () => {
    const { task } = await operated.send('shop', 'report on stones', { caller: 'bob' });
    const opened = page.getByRole('heading', { level: 1, name: /^Task / });
    const field = page.getByRole('searchbox', { name: 'Find tasks, agents and calls' });
    const found = page.getByRole('list', { name: 'Found' });
    for (const part of [task.id.slice(0, 30), task.id.slice(-10)]) {
      await operator.begin();
      await field.fill(part);
      await operator.click(found.getByRole('link', { name: new RegExp(`^Task .*${task.id}`) }));
      await opened.waitFor();
      expect(page.url()).toContain(task.id);
    }
    await operator.begin();
    await operator.find('key:bob');
    await operator.rows('report on stones').first().waitFor();
    await expect.poll(() => page.url(), soon).toContain('principal=key%3Abob');
    // A word that only the artifact has.
    await expect
      .poll(async () => {
        await operator.begin();
        await operator.find('chrysoprase');
        await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
        await page.locator('article[aria-busy=false]').waitFor();
        return operator.rows('report on stones').count();
      }, soon)
      .toBe(1);
    await operator.begin();
    await operator.find('file box 1999');
    await page.getByText('1 task', { exact: true }).waitFor();
    expect(watched.problems).toEqual([]);
  });

  test('an operator finds why a client got 502 at a time of the day', { timeout: timeoutMs }, async () => {
    const at = new Date();
    const { status, requestId } = await operated.send('carrier', 'bring it');
    expect(status).toBe(502);
    await operated.send('shop', 'buy it');
    await operator.link('Calls');
    await page.getByLabel('Around').fill(at.toTimeString().slice(0, 8));
    await expect.poll(() => page.url(), soon).toContain('before=');
    await operator.button('Failed');
    await operator.click(operator.rows('502').getByRole('link'));
    await page.getByRole('heading', { level: 1, name: `Call ${requestId}` }).waitFor();
    await expect
      .poll(() => page.getByRole('alert').innerText(), soon)
      .toMatch(/502[\s\S]*upstreamUnreachable: [\s\S]*connection refused/);
    await page.getByText('key:alice').first().waitFor();
    expect(watched.problems).toEqual([]);
  });

  test('an operator finds the messages on the wire', { timeout: timeoutMs }, async () => {
    await operator.link(/^courier/);
    await operator.button('Record calls');
    await operator.confirm('Record');
    await page.getByText('No call was recorded yet').waitFor();
    // By turns: each of the replicas records.
    const part = { text: 'stream 2', filename: 'lost.md' };
    for (const caller of ['alice', 'bob'] as const) await operated.send('courier', '', { caller, part });
    await page.getByText('2 of 20 calls').waitFor();
    await operator.begin();
    await operator.link('Calls');
    await operator.click(page.getByRole('link', { name: '2 of 20 calls' }));
    await operator.click(operator.rows('key:bob').getByRole('link'));
    const wire = (name: string) => page.getByRole('region', { name, exact: true });
    await wire('request of client').waitFor();
    await expect
      .poll(() => wire('request of client').innerText())
      .toMatch(/^POST \/courier\/message:send HTTP\/1.1\n.*\n\n\{\n/s);
    expect(await wire('request of client').innerText()).not.toContain(keyOf('bob'));
    await expect.poll(() => wire('request of attempt 1.1').innerText()).toContain('"method": "tasks/send"');
    await expect.poll(() => wire('answer of attempt 1.1').innerText()).toContain('HTTP/1.1 200');
    const lost = wire('Request in A2A 1.0').locator('.json-row', { hasText: 'filename' });
    await expect.poll(() => lost.innerText()).toContain('agentvault-0.2');
    await page.getByRole('button', { name: 'Copy as curl' }).first().click();
    const curl: string = await page.evaluate('navigator.clipboard.readText()');
    // Through the proxy, with its path.
    expect(curl).toContain(`${operated.proxy.url}/courier/message:send`);
    expect(curl).toMatch(/A2A_API_KEY/);
    await page.getByRole('button', { name: 'Stop' }).click();
    await operator.confirm('Stop');
    await page.getByText(/ended now/).waitFor();
    expect(watched.problems).toEqual([]);
  });

  test('an operator reads a day of numbers over both replicas, whose failures lead to the failed tasks', {
    timeout: timeoutMs,
  }, async () => {
    await operator.link('Metrics');
    const chart = page.getByRole('region', { name: 'Failed calls', exact: true });
    await chart.locator('svg').waitFor();
    expect(await page.getByText('did not answer').count()).toBe(0);
    await operator.link('24 hours');
    await expect.poll(() => page.url(), soon).toContain('after=24h');
    await operator.click(chart.getByRole('listitem').getByRole('link', { name: 'carrier' }));
    await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
    await operator.rows('502').first().waitFor();
    const filters = new URL(page.url().replace('#/', '')).searchParams;
    expect(filters.get('agent')).toBe('carrier');
    expect(watched.problems).toEqual([]);
  });

  test("an operator opens and downloads an agent's artifacts, and nothing of them runs", {
    timeout: timeoutMs,
  }, async () => {
    await operated.send('shop', 'report');
    await operator.find('report');
    await operator.click(operator.rows('report').getByRole('link'));
    const file = (name: string) => page.locator('.file-part').filter({ hasText: name });
    await operator.click(file('chart.png').getByRole('button', { name: 'Open' }));
    const image = page.getByRole('img', { name: /chart\.png/ });
    await image.waitFor();
    await expect
      .poll(() => image.evaluate((shown) => (shown as unknown as { naturalWidth: number }).naturalWidth), soon)
      .toBe(1);
    await file('report.md').getByRole('button', { name: 'Open' }).click();
    await page.getByText('<b>42</b> rows').waitFor();
    await file('rows.json').getByRole('button', { name: 'Open' }).click();
    await page.getByRole('region', { name: /rows\.json/ }).waitFor();
    // An SVG that says it is a PNG is a text.
    await file('.svg').getByRole('button', { name: 'Open' }).click();
    await page.getByText('onload="globalThis.hacked = 1"').waitFor();
    await file('.exe').getByRole('button', { name: 'Open' }).click();
    await page.getByText('neither text nor an image').waitFor();
    expect(await page.evaluate(`'hacked' in globalThis`)).toBe(false);
    expect(await violationsOf(page)).toEqual([]);

    const save = async (name: string): Promise<readonly [string, string]> => {
      const downloaded = page.waitForEvent('download');
      await file(name).getByRole('button', { name: 'Download' }).click();
      const download = await downloaded;
      return [download.suggestedFilename(), readFileSync(await download.path(), 'base64')];
    };
    expect(await save('chart.png')).toEqual(['chart.png', png]);
    expect(await save('.svg')).toEqual(['evil_gnp_svg.txt', Buffer.from(script).toString('base64')]);
    expect((await save('.exe'))[0]).toBe('invoice_pdf_exe.bin');
    expect(watched.problems).toEqual([]);
  });

  test('an operator exports, answers and cancels several tasks, and refusals have their reasons', {
    timeout: timeoutMs,
  }, async () => {
    // Tasks of both replicas.
    for (let at = 0; at < 3; at++) await operated.send('shop', 'size of a hat');
    await operated.send('shop', 'ship a hat');
    const select = async (): Promise<void> => {
      await operator.begin();
      await operator.find('hat');
      await page.getByText('4 tasks', { exact: true }).waitFor();
      await operator.click(page.getByRole('checkbox', { name: 'Select all' }));
      await page.getByText('4 tasks selected').waitFor();
    };
    await select();
    const downloaded = page.waitForEvent('download');
    await operator.button('Export');
    const download = await downloaded;
    expect(download.suggestedFilename()).toMatch(/^tasks-[\d-]+\.json$/);
    expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toHaveLength(4);
    await page.getByText('4 of 4 exported.').waitFor();

    await select();
    await operator.button('Answer');
    const dialog = page.getByRole('dialog', { name: 'Answer 4 tasks?' });
    await dialog.getByLabel('Answer to all of them').fill('size again');
    await operator.confirm('Answer');
    await page.getByText('3 of 4 answered, 1 not done.').waitFor();
    const refused = page.getByRole('list', { name: 'Not done' }).getByRole('listitem');
    expect(await refused.allInnerTexts()).toEqual([expect.stringMatching(/^shop .*: .+/)]);
    expect(await violationsOf(page)).toEqual([]);

    await select();
    await operator.button('Cancel tasks');
    await operator.confirm('Cancel tasks');
    await page.getByText('3 of 4 canceled, 1 not done.').waitFor();
    await expect.poll(() => operator.rows('Canceled').count(), soon).toBe(3);
    expect(watched.problems.filter((problem) => !/40\d/.test(problem))).toEqual([]);
  });

  test('an operator of two replicas behind a proxy with TLS and a path signs in once for all tabs, and signs out of all', {
    timeout: timeoutMs,
  }, async () => {
    await using tab = await open();
    await tab.page.goto(`${operated.proxy.url}/console/`);
    const dialog = tab.page.getByRole('dialog', { name: 'Sign in' });
    await dialog.getByLabel('API key').fill(keyOf('operator'));
    const other = new Operator(tab.page);
    await other.click(dialog.getByRole('button', { name: 'Sign in' }));
    const agent = tab.page.getByRole('link', { name: /^shop/ });
    await agent.waitFor();
    expect(await tab.page.context().cookies()).toMatchObject([
      {
        name: expect.stringMatching(/^__Host-a2a-gateway-/),
        secure: true,
        httpOnly: true,
        sameSite: 'Strict',
        path: '/',
      },
    ]);
    const second = await openInTab(agent);
    await second.getByRole('heading', { level: 1, name: 'shop' }).waitFor();
    await second.getByRole('button', { name: 'Drain' }).waitFor();
    await other.click(tab.page.getByRole('button', { name: 'Sign out' }));
    await agent.waitFor({ state: 'detached' });
    expect(await tab.page.context().cookies()).toEqual([]);
    await second.getByRole('dialog', { name: 'Sign in' }).waitFor();
    await expect.poll(() => second.locator('main').innerText(), soon).not.toContain('Sells things');
  });

  describe('when something is wrong', () => {
    const footer = () => page.getByRole('main').locator('footer');

    test('a store that is away and a browser without network are told apart', { timeout: timeoutMs }, async () => {
      await operator.link('Tasks');
      await page.getByText('Live', { exact: true }).waitFor();
      await operated.postgres.halt();
      await page
        .getByText(/The gateway is not ready: /)
        .first()
        .waitFor();
      await footer()
        .getByText(/store away/)
        .waitFor();
      expect(await page.getByText('0 tasks').count()).toBe(0);
      await operated.postgres.resume();
      await page.getByText('The gateway is not ready').first().waitFor({ state: 'detached' });
      await footer().getByText('store OK').waitFor();
      await page.context().setOffline(true);
      await page.getByText('This browser is offline. Trying again…').waitFor();
      await page.context().setOffline(false);
      await page.getByText('This browser is offline').first().waitFor({ state: 'detached' });
    });

    test('a replica that is killed is not taken for alive, and the lists stay true without it', {
      timeout: timeoutMs,
    }, async () => {
      await operator.link('Tasks');
      await page.getByText('Live', { exact: true }).waitFor();
      await footer()
        .getByText(/and 1 more/)
        .waitFor();
      await operated.kill(0);
      // It is named as dead until another replica has taken over what it did, and as vanished from then on.
      await expect
        .poll(() => footer().innerText(), soon)
        .toMatch(/^Ready\s+Replica [^\s,]+(\s+and 1 more, 1 dead)?(, 1 vanished)?\s+v/);
      await page.getByText('Live', { exact: true }).waitFor();
      const [, alive] = operated.replicas;
      const response = await fetch(`${alive}/shop/message:send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': keyOf('bob') },
        body: JSON.stringify({ message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'pay the rest' }] } }),
      });
      expect(response.status).toBe(200);
      await operator.rows('pay the rest').waitFor();
      await operator.find('file box 1');
      await operator.rows('file box 1').first().waitFor();
      await page.getByText('Connection lost').first().waitFor({ state: 'detached' });
    });

    test('a console without any replica says that it is the proxy that answers', {
      timeout: timeoutMs,
    }, async () => {
      await operated.kill(1);
      await page
        .getByText("Connection lost: a proxy answered with status 502 in the gateway's place. Trying again…")
        .first()
        .waitFor();
      await footer().getByText('Proxy').waitFor();
      // Data that was loaded before stays visible.
      await page.getByRole('table', { name: 'Agents' }).getByRole('link', { name: /^shop/ }).waitFor();
    });
  });
});
