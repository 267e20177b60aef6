import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineAgent } from '../../../src/agents/define.ts';
import { status } from '../../../src/agents/events.ts';
import { newKey } from '../../../src/auth/hash.ts';
import { callsOf } from '../../support/admin.ts';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { expectAccessible, sendText } from '../../support/console-tasks.ts';

const [alice, runaway] = [newKey(), newKey()];

const shop = defineAgent({ name: 'Shop', description: 'Always fails' }, ({ text }) =>
  status('TASK_STATE_FAILED', text.startsWith('far') ? `courier within reach of ${text.slice(3)} km` : 'courier ill'),
);

const config = `
agents: { demo: { kind: reference }, other: { kind: reference } }
auth:
  anonymous: true
  apiKeys: [{ name: alice, hash: "${alice.hash}" }, { name: runaway, hash: "${runaway.hash}" }]
limits: { requestsPerMinute: unlimited }
`;

describe.skipIf(noBrowser !== undefined)('numbers and failures that the gateway keeps', () => {
  let opened: OpenedConsole;

  beforeAll(async () => {
    opened = await openConsole({ config, agents: { shop } });
  }, consoleDeadline);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  test('a caller with more than a thousand failures pushes no failure of others out of the list, which says how many are not listed', async () => {
    const { page, goto, gateway } = opened;
    const fail = async ({ key }: { readonly key: string }): Promise<unknown> =>
      (await callsOf(gateway.url, { 'x-api-key': key }).request('/demo/tasks/none')).text();
    await fail(alice);
    for (let times = 0; times < 13; times += 1) await Promise.all(Array.from({ length: 100 }, () => fail(runaway)));
    await goto('#/calls?outcome=failed');
    await page.getByText(/[\d,]+ more calls of key:runaway are counted, and not listed/).waitFor();
    await goto('#/calls?outcome=failed&principal=key:alice');
    await page.getByText('1 call', { exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: 'key:alice' }).filter({ hasText: '404' }).waitFor();
    await goto('#/gateway');
    const row = page.getByRole('row').filter({ hasText: 'key:runaway' });
    await row.getByText('1,300 of 1,300', { exact: true }).waitFor();
  });

  test('reasons that differ in short numbers alone are one row, whose number opens exactly these tasks', async () => {
    const { page, goto, gateway } = opened;
    for (let km = 1; km <= 6; km += 1) await sendText(gateway.url, `far ${km}`, { agent: 'shop' });
    for (let times = 0; times < 2; times += 1) await sendText(gateway.url, 'ill', { agent: 'shop' });
    await goto('#/agents');
    const reasons = page.getByRole('region', { name: 'Why tasks ended' }).getByRole('row');
    const far = reasons.filter({ hasText: 'courier within reach of … km' });
    await far.getByText('anonymous 6').waitFor();
    await far.getByRole('link', { name: '6 ×' }).click();
    await page.getByText('6 tasks', { exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: 'courier within reach of 6 km' }).waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'courier ill' }).count()).toBe(0);
  });

  test('the lines of all agents begin at one time and end at one time', async () => {
    const { page, goto, gateway } = opened;
    await sendText(gateway.url, 'hello', { agent: 'other' });
    await goto('#/agents');
    const table = page.getByRole('table', { name: 'Agents' });
    const row = table.getByRole('row').filter({ has: page.getByRole('link', { name: 'other', exact: true }) });
    await row.getByRole('link', { name: '0 of 1' }).first().waitFor();
    const drawn = await table.locator('svg').evaluateAll((all) => all.map((svg) => svg.getAttribute('viewBox')));
    expect(drawn.length).toBeGreaterThan(8);
    expect(new Set(drawn)).toEqual(new Set(['0 0 59 1']));
    await page
      .getByText(/^The numbers cover 1 h until \d\d:\d\d\. Each line has the same time and reaches up to 100 % or /)
      .waitFor();
  });

  test('the page of an agent says how many calls are counted with others and may be calls of the agent', async () => {
    const { page, goto } = opened;
    await page.route('**/admin/v1/numbers?*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ json: { ...(await response.json()), countedWithOthers: 1_204 } });
    });
    await goto('#/agents/demo');
    const note = '1,204 more calls and refusals are counted with (others), and may be among these.';
    await page.getByText(note).waitFor();
    await page.unroute('**/admin/v1/numbers?*');
  });

  test('calls in each generation are counted for their caller', async () => {
    const { page, goto, gateway } = opened;
    const old = { jsonrpc: '2.0', id: 1, method: 'message/send' };
    const message = { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'text', text: 'hello' }] };
    const calls = callsOf(gateway.url, { 'x-api-key': alice.key });
    const answer = await calls.request('/demo/as/a2a-0.3', {
      method: 'POST',
      body: JSON.stringify({ ...old, params: { message } }),
    });
    expect(await answer.json()).toHaveProperty('result');
    await goto('#/gateway?view=generations');
    const uses = page.getByRole('row').filter({ hasText: 'key:alice' });
    await uses.filter({ hasText: 'a2a-0.3' }).waitFor();
    await uses.filter({ hasText: 'a2a-1.0' }).waitFor();
  });
});

test.skipIf(noBrowser !== undefined)(
  'a gateway that keeps no numbers says so, and shows no zero in their place',
  {
    timeout: consoleDeadline,
  },
  async () => {
    await using opened = await openConsole({ config: 'calls: false\nagents: { demo: { kind: reference } }' });
    const { page, goto, gateway } = opened;
    for (let times = 0; times < 2; times += 1) await sendText(gateway.url, 'fail');
    await goto('#/agents');
    await page.getByText('No numbers are kept: the configuration says calls: false.').waitFor();
    await page.getByRole('region', { name: 'Why tasks ended' }).getByText('2 ×').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await expectAccessible(opened, 'agents-without-numbers');
    await goto('#/gateway');
    const caller = page.getByRole('row').filter({ hasText: 'anonymous' });
    await caller.waitFor();
    await page.getByText('No numbers are kept: the configuration says calls: false.').waitFor();
    expect((await caller.getByRole('cell').allInnerTexts()).slice(1, 6)).toEqual(['–', '–', '–', '–', '–']);
    await goto('#/agents/demo');
    await page.getByText('No numbers are kept: the configuration says calls: false.').waitFor();
    expect(opened.problems).toEqual([]);
  },
);
