import { describe, expect, test } from 'vitest';
import { askAdmin } from '../../support/admin.ts';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, openConsole } from '../../support/console.ts';
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
    const section = page.getByRole('region', { name: 'guest' });
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
});
