import { afterAll, beforeAll, describe, test } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { callsOf } from '../../support/admin.ts';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { expectAccessible } from '../../support/console-tasks.ts';
import { adminHeaders } from '../../support/gateway.ts';
import { sendJson, serve } from '../../support/peer.ts';

const alice = { name: 'alice', scopes: ['tasks'], ...newKey() };
const reader = { name: 'reader', scopes: ['tasks:read'], ...newKey() };

describe.skipIf(noBrowser !== undefined)('the page of a call that was denied', () => {
  let opened: OpenedConsole;

  beforeAll(async () => {
    const judge = await serve((_, res) => sendJson(res, { action: 'block', reason: 'a secret' }));
    opened = await openConsole({
      config: JSON.stringify({
        listen: { host: 'localhost', port: 0 },
        store: 'memory:',
        auth: { apiKeys: [alice, reader].map(({ name, scopes, hash }) => ({ name, scopes, hash })) },
        agents: { demo: { kind: 'reference' }, guarded: { kind: 'reference' }, stopped: { kind: 'reference' } },
        policies: [{ name: 'office-hours', deny: 'agent == "demo"', reason: 'The office is closed.' }],
        guards: [{ name: 'secrets', where: 'agent == "guarded"', on: ['request'], url: judge }],
      }),
    });
  }, consoleDeadline);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  /** Sends a message that is refused, and shows the page of its call. */
  async function showRefused(agent: string, key: string): Promise<void> {
    const { page, goto, gateway } = opened;
    const calls = callsOf(`${gateway.url}/${agent}`, { 'x-api-key': key });
    await calls.send('hello', {}).catch(() => undefined);
    await goto(`#/calls?agent=${agent}&failed=true`);
    await page.getByRole('row').nth(1).getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: /^Call / }).waitFor();
  }

  test('a denial by a policy names the policy, and does not blame the credential', async () => {
    const { page } = opened;
    await showRefused('demo', alice.key);
    await page.getByText('The policy office-hours has refused the call, and not the caller’s credential.').waitFor();
    await page.getByText('The office is closed.', { exact: true }).waitFor();
    await expectAccessible(opened, 'call-denied-by-policy');
    await page.getByRole('alert').getByRole('link', { name: 'configuration' }).click();
    await page.getByRole('heading', { level: 1, name: 'Gateway' }).waitFor();
  });

  test('a denial is listed as it comes, under the refused calls and not under the failed ones', async () => {
    const { page, goto, gateway } = opened;
    const calls = callsOf(`${gateway.url}/demo`, { 'x-api-key': alice.key });
    await goto('#/calls?agent=demo&outcome=failed');
    await page.getByText('Live', { exact: true }).waitFor();
    await calls.send('once more', {}).catch(() => undefined);
    await goto('#/calls?agent=demo&outcome=refused');
    const rows = page.getByRole('table', { name: 'Calls' }).getByRole('row').filter({ hasText: 'permissionDenied' });
    await rows.first().waitFor();
    const before = await rows.count();
    await page.getByText('Live', { exact: true }).waitFor();
    await calls.send('and again', {}).catch(() => undefined);
    await rows.nth(before).waitFor();
    await goto('#/calls?agent=demo&outcome=failed');
    await page.getByText('No call passes these filters').waitFor();
  });

  test('a denial by a guard names the guard', async () => {
    await showRefused('guarded', alice.key);
    await opened.page.getByText('The guard secrets has refused the call').waitFor();
  });

  test('a call of a stopped agent leads to the stop', async () => {
    const { page, gateway } = opened;
    const operator = callsOf(gateway.url, adminHeaders(gateway.url));
    await operator.post('/admin/v1/agents/stopped:stop', { reason: 'it spends too much' });
    await showRefused('stopped', alice.key);
    await page.getByRole('alert').getByRole('link', { name: 'Stops' }).click();
    await page.getByText('it spends too much').first().waitFor();
  });

  test('a call without the scope is explained by the credential of its caller', async () => {
    await showRefused('guarded', reader.key);
    await opened.page.getByText('The caller lacks the scope, the agent or the tenant').waitFor();
  });
});
