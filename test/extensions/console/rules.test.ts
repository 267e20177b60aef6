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
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    const cells = async (name: string) => (await row(name).getByRole('cell').allInnerTexts()).slice(1);
    // Metrics are kept at each ten seconds.
    await row('hours').getByRole('link', { name: '1', exact: true }).waitFor();
    expect(await cells('hours')).toEqual(['policy', '0', '1', '0', '0', '0', '0']);
    expect(await cells('trial')).toEqual(['policy', '0', '0', '0', '0', '3', '0']);
    expect(await cells('secrets')).toEqual(['guard', '0', '1', '0', '0', '0', '0']);
    await expectAccessible(opened, 'policies');
    await row('hours').getByRole('link', { name: '1', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'The office is closed.' }).waitFor();
  });
});
