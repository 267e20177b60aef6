import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineAgent } from '../../../src/index.ts';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { openGateway } from '../../support/gateway.ts';
import { serve } from '../../support/peer.ts';

/** A card of about five megabytes: thousands of skills, and one text of two megabytes. */
const hugeCard = {
  name: 'Huge',
  description: 'x'.repeat(2_000_000),
  version: '1',
  capabilities: {},
  supportedInterfaces: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: Array.from({ length: 4_000 }, (_, at) => ({
    id: `skill-${at}`,
    name: `Skill ${at}`,
    description: 'd'.repeat(600),
    tags: ['one', 'two'],
  })),
};

describe.skipIf(noBrowser !== undefined)('the page about agents', () => {
  let opened: OpenedConsole;
  let upstream: Awaited<ReturnType<typeof openGateway>>;

  beforeAll(async () => {
    upstream = await openGateway('agents: { planner: { kind: reference } }');
    const far = await serve((_, res) => res.end(JSON.stringify(hugeCard)));
    const huge = defineAgent({ ...hugeCard, async *execute() {} });
    opened = await openConsole({
      agents: { huge },
      browser: { permissions: ['clipboard-read', 'clipboard-write'] },
      config: `
defaultAgent: demo
agents:
  demo: { kind: reference }
  planner: { kind: upstream, url: "${upstream.url}" }
  far: { kind: upstream, url: "${far}" }
  gone: { kind: upstream, url: "http://127.0.0.1:9" }
`,
    });
  }, consoleDeadline);

  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await upstream?.close();
  });

  const cells = async (agent: string): Promise<string[]> =>
    opened.page
      .getByRole('table', { name: 'Agents' })
      .getByRole('row')
      .filter({ hasText: agent })
      .getByRole('cell')
      .allInnerTexts();

  const send = async (agent: string, text: string): Promise<void> => {
    const response = await fetch(`${opened.gateway.url}/${agent}/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] } }),
    });
    await response.text();
  };

  /** Texts of the first column, row by row. */
  const order = (page = opened.page): Promise<string[]> =>
    page.getByRole('table', { name: 'Agents' }).locator('.table-body .cell:first-child').allInnerTexts();

  test('agents in trouble come first: what cannot be reached, then what fails, each with its last hour', async () => {
    const { page, goto, screenshot } = opened;
    for (let times = 0; times < 3; times++) await send('planner', 'say hi');
    for (let times = 0; times < 15; times++) await send('demo', 'fail');
    await send('gone', 'hello');
    // The gateway takes at most one point a second.
    await sleep(1_100);
    await goto('#/agents?q=');
    await page.reload();
    // The card of far is larger than the gateway reads.
    await expect.poll(async () => (await order()).join(' ')).toMatch(/^gone far demo\s+default planner huge$/);
    const demo = await cells('demo');
    // Its tasks fail, so that it is not said to be well.
    expect([demo[1], demo[2], demo[3], demo[7]]).toEqual(['Failing', '15 of 15', '0 of 15', 'reference']);
    expect(demo[5]).toMatch(/ms$/);
    expect((await cells('gone')).slice(1, 4)).toEqual(['Unreachable', '–', '1 of 1']);
    // It answers at once, without a task.
    expect((await cells('planner')).slice(1, 4)).toEqual(['OK', '–', '0 of 3']);
    await screenshot('agents-trouble');
    // A line, or a dot where only one minute is known.
    const paths = page.getByRole('row').filter({ hasText: 'demo' }).locator('svg').first().locator('path');
    const drawn = await paths.evaluateAll((all) => all.map((path) => path.getAttribute('d')).join(''));
    expect(drawn).toMatch(/^M/);
  });

  test('why tasks fail is said on the first page, and one click leads to what a number counts', async () => {
    const { page, goto } = opened;
    const reasons = page.getByRole('region', { name: 'Why tasks ended' });
    await reasons.getByRole('row').filter({ hasText: '15 ×' }).filter({ hasText: 'demo' }).waitFor();
    await page.getByRole('link', { name: '15 of 15' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'Failed' }).count()).toBe(15);
    await goto('#/agents');
    await page.getByRole('link', { name: '1 of 1' }).click();
    await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'gone' }).waitFor();
    await goto('#/agents');
    await reasons.getByRole('link', { name: '15 ×' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'Failed' }).count()).toBe(15);
    await goto('#/agents');
    await page.getByRole('row').filter({ hasText: 'demo' }).getByRole('link', { name: /ms$/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
    await page.getByText('15 calls', { exact: true }).waitFor();
    expect(page.url()).toContain('sort=-Duration');
  });

  test('the page of an agent shows its last hour, and leads to what failed', async () => {
    const { page, goto } = opened;
    await goto('#/agents/demo');
    const state = page.getByRole('region', { name: 'State' });
    await state.getByText('Failed calls, last hour').waitFor();
    await state
      .getByRole('link', { name: /^0 of \d+$/ })
      .first()
      .waitFor();
    await state.getByRole('link', { name: /ms$/ }).waitFor();
    await state.getByRole('link', { name: '15 of 15' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'Failed' }).count()).toBe(15);
    await goto('#/agents/gone');
    await state.getByRole('link', { name: '1 of 1' }).click();
    await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'gone' }).waitFor();
  });

  test('the page about agents sorts by any column', async () => {
    const { page, goto } = opened;
    await goto('#/agents');
    const header = page.getByRole('table', { name: 'Agents' }).getByRole('columnheader', { name: 'Agent' });
    await header.getByRole('button').click();
    await expect.poll(async () => (await order())[0]).toMatch(/^demo/);
    expect(await header.getAttribute('aria-sort')).toBe('ascending');
    await header.getByRole('button').click();
    await expect.poll(async () => (await order())[0]).toBe('planner');
    // The highest number first, and the address leads to the same order.
    await page.getByRole('columnheader', { name: 'Failed tasks' }).getByRole('button').click();
    await expect.poll(async () => (await order())[0]).toMatch(/^demo/);
    expect(page.url()).toMatch(/sort=-Failed\+tasks$/);
    await goto('#/agents?sort=Failed+tasks');
    await expect.poll(async () => (await order())[0]).not.toMatch(/^demo/);
  });

  test('rows keep their places under the pointer', async () => {
    const { page, goto, gateway } = opened;
    await goto('#/agents?sort=-Failed+calls');
    const names = async (): Promise<string[]> => {
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      return order();
    };
    await page.mouse.move(0, 0);
    const before = await names();
    expect(before[0]).toMatch(/^gone/);
    await page.getByRole('table', { name: 'Agents' }).locator('.table-body .table-row').last().hover();
    for (let times = 0; times < 9; times++)
      await fetch(`${gateway.url}/demo/tasks/none`, { headers: { 'a2a-version': '1.0' } });
    await expect.poll(async () => (await names()) && (await cells('demo'))[3]).toBe('9 of 24');
    expect(await names()).toEqual(before);
    await page.mouse.move(0, 0);
    // The share of failures decides: one of one is more than 9 of 24, and those more than none.
    await expect.poll(async () => (await names())[1]).toMatch(/^demo/);
  });

  test('every column is reached on a phone', async () => {
    await using tab = await opened.open('#/agents', { viewport: { width: 390, height: 800 } });
    const failed = tab.page.getByRole('columnheader', { name: 'Failed calls' });
    await failed.scrollIntoViewIfNeeded();
    const { x = 0, width = 0 } = (await failed.boundingBox()) ?? {};
    expect(x).toBeGreaterThan(0);
    expect(x + width).toBeLessThanOrEqual(390);
    // The row is still known by its name.
    const name = await tab.page.getByRole('link', { name: 'planner' }).boundingBox();
    expect(name?.x).toBeLessThan(60);
    expect(name?.x).toBeGreaterThan(0);
  });

  test('the selected view is in sight on a phone', async () => {
    await using tab = await opened.open('#/gateway?view=configuration', { viewport: { width: 390, height: 800 } });
    await tab.page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Configuration' }).waitFor();
    await tab.page.waitForFunction("document.querySelector('.tab[aria-current]').getBoundingClientRect().right < 390");
  });

  test('the page about agents renders a card, and shows it in every generation beside the one that the agent sent', async () => {
    const { page, goto } = opened;
    await goto('#/agents/planner');
    await page.getByRole('heading', { level: 2, name: 'Reference agent' }).waitFor();
    await page.getByText('Echo and commands').waitFor();
    const cards = page.getByRole('region', { name: 'Cards', exact: true });
    expect(await cards.getByRole('button').allInnerTexts()).toEqual([
      'From the agent',
      ...['a2a-1.0', 'a2a-1.1', 'a2a-0.3', 'a2a-0.2', 'a2a-0.1', 'agentvault-0.2', 'a2a-php-0.3'],
    ]);
    await cards.getByRole('button', { name: 'From the agent', exact: true }).click();
    await cards.getByRole('button', { name: 'a2a-0.1', exact: true }).click();
    await page.getByRole('region', { name: 'Card: From the agent', exact: true }).waitFor();
    const old = page.getByRole('region', { name: 'Card: a2a-0.1', exact: true });
    await old.getByText('name', { exact: true }).first().waitFor();
    expect(page.url()).toContain('card=upstream&card=a2a-0.1');
    await cards.getByRole('button', { name: 'From the agent', exact: true }).click();
    await page.getByRole('region', { name: 'Card: From the agent' }).waitFor({ state: 'detached' });
  });

  test('the page of an agent copies for each client how to reach the agent', async () => {
    const { page, goto, gateway } = opened;
    await goto('#/agents/planner');
    const connect = page.getByRole('region', { name: 'Connect', exact: true });
    for (const [client, part] of [
      ['a2a-gateway', `npx a2a-gateway send ${gateway.url}/planner 'Ada' --stream`],
      ['curl', `curl ${gateway.url}/planner/message:send`],
      ['MCP', `"url": "${gateway.url}/planner/mcp"`],
    ] as const) {
      await connect.getByText(client, { exact: true }).first().click();
      await page.getByRole('button', { name: `Copy ${client} code` }).click();
      await connect.getByRole('group').filter({ hasText: part }).getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toContain(part);
    }
    // The request of the curl command, sent by fetch.
    const code = await page.getByRole('region', { name: 'curl code' }).innerText();
    const [, url = ''] = /curl (\S+)/.exec(code) ?? [];
    const [, body = ''] = /--data-raw '([^']+)'/.exec(code) ?? [];
    const headers = Object.fromEntries(
      [...code.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = '', value = '']) => [name, value]),
    );
    const answer = await fetch(url, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('Ada');
  });

  test('the page about agents stays usable with a card of five megabytes', async () => {
    const { page, goto } = opened;
    await goto('#/agents/huge');
    await page.getByRole('heading', { level: 2, name: 'Huge' }).waitFor();
    await page.getByText('Skill 2', { exact: true }).waitFor();
    expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(2_000);
    expect(await page.evaluate('document.body.innerText.length')).toBeLessThan(60_000);
    await page.getByRole('region', { name: 'Findings' }).getByRole('listitem').first().waitFor();
    await page.getByRole('button', { name: 'a2a-1.0', exact: true }).click();
    await page.getByRole('region', { name: 'Card: a2a-1.0', exact: true }).waitFor();
    expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(6_000);

    // The gateway reads no card of this size from other machines, and says so.
    await goto('#/agents/far');
    await page.getByText('Unreachable').waitFor();
    await page.getByText('The gateway cannot reach the agent: The answer is larger than').waitFor();
  });

  test('the page about agents says where an agent does not exist', async () => {
    const { page, goto } = opened;
    await goto('#/agents/nothing');
    await page.getByRole('alert').filter({ hasText: 'nothing' }).waitFor();
  });

  test('the page about agents shows the configuration without secrets', async () => {
    const { page, goto } = opened;
    await goto('#/gateway?view=configuration');
    await page.getByRole('region', { name: 'Configuration' }).getByText('durability').waitFor();
  });
});
