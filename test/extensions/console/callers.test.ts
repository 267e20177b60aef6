import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';

const { key, hash } = newKey();

const config = `
agents: { demo: { kind: reference }, other: { kind: reference } }
auth:
  anonymous: true
  apiKeys: [{ name: bob, hash: "${hash}", agents: [other] }]
`;

describe.skipIf(noBrowser !== undefined)('the list of callers', () => {
  let opened: OpenedConsole;

  const call = async (path: string, sent = key): Promise<number> => {
    const headers = { 'a2a-version': '1.0', 'x-api-key': sent };
    const response = await fetch(opened.gateway.url + path, { headers });
    await response.text();
    return response.status;
  };

  beforeAll(async () => {
    opened = await openConsole({ config });
    for (let times = 0; times < 2; times++) expect(await call('/other/tasks')).toBe(200);
    for (let times = 0; times < 7; times++) expect(await call('/demo/tasks')).toBe(403);
    for (let times = 0; times < 3; times++) expect(await call('/demo/tasks', 'wrong')).toBe(401);
  }, consoleDeadline);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  test('callers whose requests are refused are listed with how many, and a number opens exactly these calls', async () => {
    const { page, goto, screenshot } = opened;
    await goto('#/gateway');
    const bob = page.getByRole('row').filter({ hasText: 'key:bob' });
    await bob.getByRole('link', { name: /^7 of 9$/ }).waitFor();
    await page.getByRole('row').filter({ hasText: 'without a valid credential' }).getByText('3 of 3').waitFor();
    await page.getByText(/^Numbers of 1 d until \d\d:\d\d\. Each line shows this time, .* Complete since /).waitFor();
    await screenshot('callers');
    await bob.getByRole('link', { name: /^7 of 9$/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
    await page.getByText('7 calls', { exact: true }).waitFor();
  });
});
