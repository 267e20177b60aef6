import { describe, expect, test } from 'vitest';
import { askAdmin } from '../../support/admin.ts';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, openConsole } from '../../support/console.ts';
import { expectAccessible } from '../../support/console-tasks.ts';
import { openGateway } from '../../support/gateway.ts';

describe.skipIf(noBrowser !== undefined)('the page about registrations', () => {
  test('the page about registrations shows what a card brings, and serves it once it is approved', {
    timeout: consoleDeadline,
  }, async () => {
    const upstream = await openGateway('agents: { planner: { kind: reference } }');
    await using opened = await openConsole({
      config: 'registration: { allow: true }\nagents: { demo: { kind: reference } }',
    });
    const { url } = opened.gateway;
    await askAdmin(url, 'RegisterAgent', { name: 'guest', url: upstream.url });
    const { page, goto } = opened;
    await goto('#/gateway?view=registrations');
    await page.getByRole('link', { name: 'guest' }).click();
    const section = page.getByRole('region', { name: 'guest', exact: true });
    await section.getByText('card.name').waitFor();
    await section.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await section.getByText('Approved').waitFor();
    expect((await fetch(`${url}/guest/.well-known/agent-card.json`)).status).toBe(200);
    await section.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No agent is registered').waitFor();
    const removed = page.getByRole('region', { name: 'Removed agents', exact: true });
    await removed.getByText('guest').waitFor();
    await removed.getByRole('button', { name: 'Forget' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
    await removed.waitFor({ state: 'detached' });
  });

  test('forty cards that wait are found by a text, approved at once, and announced on the first page with those that fail', {
    timeout: consoleDeadline,
  }, async () => {
    const upstream = await openGateway('agents: { planner: { kind: reference } }');
    await using opened = await openConsole({
      config: 'registration: { allow: true }\nagents: { demo: { kind: reference } }',
    });
    const { url } = opened.gateway;
    for (let at = 0; at < 40; at += 1)
      await askAdmin(url, 'RegisterAgent', { name: `${at % 2 ? 'guest' : 'other'}-${at}`, url: upstream.url });
    const { page, goto } = opened;
    await goto('#/agents');
    await page.getByRole('link', { name: '40 agents to approve' }).click();
    await expectAccessible(opened, 'registrations');
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(2_000);
    await page.getByLabel('Search registrations').fill('guest');
    await page.getByLabel('Select all').check();
    await page.getByText('20 selected').waitFor();
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    const dialog = page.getByRole('dialog', { name: 'Approve 20 cards?' });
    // A dialog that is closed meanwhile keeps the selection.
    await page.route('**/admin/v1/registrations/*', () => {});
    await approve.click();
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('0 of 20 cards approved, 20 not yet.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.unroute('**/admin/v1/registrations/*');
    await page.getByText('20 selected').waitFor();
    // A call that fails decides nothing: its card still waits.
    await page.route('**/admin/v1/registrations/guest-3:approve', (route) =>
      route.fulfill({ status: 500, json: { error: { code: 500, message: 'The store is away' } } }),
    );
    await approve.click();
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('19 of 20 cards approved, 1 not done.').waitFor();
    await page.getByRole('list', { name: 'Not done' }).getByText('guest-3').waitFor();
    expect((await fetch(`${url}/guest-1/.well-known/agent-card.json`)).status).toBe(200);
    expect((await fetch(`${url}/other-2/.well-known/agent-card.json`)).status).toBe(404);
    await goto('#/agents');
    await page.getByRole('link', { name: '21 agents to approve' }).waitFor();
  });
});
