import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callsOf } from '../../support/admin.ts';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { expectAccessible } from '../../support/console-tasks.ts';
import { sendJson, serve } from '../../support/peer.ts';

describe.skipIf(noBrowser !== undefined)('the view of policies and guards', () => {
  let opened: OpenedConsole;

  beforeAll(async () => {
    const judge = await serve((_, res) => sendJson(res, { action: 'block', reason: 'a secret' }));
    opened = await openConsole({
      config: JSON.stringify({
        store: 'memory:',
        agents: { demo: { kind: 'reference' }, guarded: { kind: 'reference' } },
        policies: [
          { name: 'hours', deny: 'agent == "demo" && operation == "CancelTask"', reason: 'The office is closed.' },
          { name: 'trial', deny: 'agent == "demo"', shadow: true },
        ],
        guards: [{ name: 'secrets', where: 'agent == "guarded"', on: ['request'], url: judge }],
      }),
    });
  }, consoleDeadline);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  test('counts what policies and guards decide, in shadow too, and leads to the calls that they have refused', async () => {
    const { page, goto, gateway } = opened;
    const demo = callsOf(`${gateway.url}/demo`);
    for (const text of ['one', 'two']) await demo.send(text);
    await demo.post('/tasks/none:cancel', {}).catch(() => undefined);
    await callsOf(`${gateway.url}/guarded`)
      .send('hello')
      .catch(() => undefined);
    await goto('#/gateway?view=policies');
    const rules = page.getByRole('table', { name: 'Policies and guards' });
    const ruleRow = (name: string) => rules.getByRole('row').filter({ hasText: name });
    const cells = async (name: string) => (await ruleRow(name).getByRole('cell').allInnerTexts()).slice(1);
    // Metrics are kept at each ten seconds, of which one may lie between the calls.
    await ruleRow('trial').getByRole('link', { name: '3', exact: true }).waitFor();
    await ruleRow('secrets').getByRole('link', { name: '1', exact: true }).waitFor();
    expect(await cells('hours')).toEqual(['policy', '0', '1', '0', '0', '0', '0']);
    expect(await cells('trial')).toEqual(['policy', '0', '0', '0', '0', '3', '0']);
    expect(await cells('secrets')).toEqual(['guard', '0', '1', '0', '0', '0', '0']);
    await expectAccessible(opened, 'policies');
    await ruleRow('hours').getByRole('link', { name: '1', exact: true }).click();
    // The latest decisions have such a row, too.
    await page.getByRole('heading', { level: 1, name: 'Calls', exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: 'The office is closed.' }).waitFor();
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
    expect(await page.getByRole('row').count()).toBe(2);
  });

  test('the latest decisions name the rule, the caller, the agent and the reason, and lead to the call and to the task', async () => {
    const { page, goto, gateway } = opened;
    const sent = await callsOf(`${gateway.url}/demo`).send('three');
    await goto('#/gateway?view=policies');
    const decisions = page.getByRole('table', { name: 'Latest decisions' });
    // Read again every ten seconds: the call may come into the list after its answer.
    const row = decisions.getByRole('row').filter({ has: page.locator(`a[href*="${sent.id}"]`) });
    await row.waitFor();
    const texts = await row.getByRole('cell').allInnerTexts();
    expect(texts.slice(1, 5)).toEqual(['policy trial', 'would have refused', 'anonymous', 'demo']);
    await row.getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: /^Call / }).waitFor();
    await page.getByText('would have refused').waitFor();
    await page.getByRole('link', { name: sent.id }).first().click();
    await page.getByRole('heading', { level: 1, name: /^Task / }).waitFor();
    expect(opened.problems).toEqual([]);
  });

  test('a rule that was removed from the configuration stays listed with its decisions, and the view asks for the configuration once', async () => {
    const { page, goto } = opened;
    let reads = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/admin/v1/config')) reads += 1;
    });
    await page.route('**/admin/v1/config', async (route) => {
      const response = await route.fetch();
      const { settings, ...config } = (await response.json()) as { settings: { policies: { name: string }[] } };
      const policies = settings.policies.filter(({ name }) => name !== 'trial');
      await route.fulfill({ response, json: { ...config, settings: { ...settings, policies } } });
    });
    await page.reload();
    // Until the gateway has said which configuration is active, the view reads it each time.
    await page.locator('.status').getByRole('link', { name: 'Replica' }).waitFor();
    await goto('#/gateway?view=policies');
    const rules = page.getByRole('table', { name: 'Policies and guards' });
    await rules.getByRole('row').filter({ hasText: 'trial' }).filter({ hasText: 'removed' }).waitFor();
    expect(await rules.getByRole('row').filter({ hasText: 'hours' }).filter({ hasText: 'removed' }).count()).toBe(0);
    const before = reads;
    await goto('#/calls');
    await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
    await goto('#/gateway?view=policies');
    await rules.getByRole('row').nth(1).waitFor();
    expect(reads).toBe(before);
    await page.unroute('**/admin/v1/config');
  });
});
