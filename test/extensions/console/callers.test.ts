import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';

const { key, hash } = newKey();
const crawler = newKey();

const config = `
agents: { demo: { kind: reference }, other: { kind: reference } }
auth:
  anonymous: true
  apiKeys: [{ name: bob, hash: "${hash}", agents: [other] }, { name: crawler, hash: "${crawler.hash}" }]
limits: { requestsPerMinute: 300 }
`;

describe.skipIf(noBrowser !== undefined)('the list of callers', () => {
  let opened: OpenedConsole;
  /** Requests of a caller, and those of them that were over its limit. */
  const limited = { sent: 0, refused: 0 };

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
    for (; limited.refused < 3; limited.sent += 100) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => call('/demo/tasks', crawler.key)));
      limited.refused += answers.filter((status) => status === 429).length;
    }
  }, consoleDeadline);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  test('callers whose requests are refused are listed with how many, and a number opens exactly these calls', async () => {
    const { page, goto, screenshot } = opened;
    await goto('#/gateway');
    const bob = page.getByRole('row').filter({ hasText: 'key:bob' });
    await bob.getByRole('link', { name: /^7 of 9$/ }).waitFor();
    await page.getByRole('row').filter({ hasText: 'without a valid credential' }).getByText('3 of 3').waitFor();
    await page
      .getByText(/^The numbers cover 1 d until \d\d:\d\d\. Each line has the same time .* Complete since /)
      .waitFor();
    await screenshot('callers');
    await bob.getByRole('link', { name: /^7 of 9$/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
    await page.getByText('7 calls', { exact: true }).waitFor();
  });

  test('requests over the limit of a caller are counted as refusals of this caller', async () => {
    const { page, goto } = opened;
    await goto('#/gateway');
    const flooding = page.getByRole('row').filter({ hasText: 'key:crawler' });
    await flooding.getByRole('link', { name: `${limited.refused} of ${limited.sent}`, exact: true }).click();
    await page.getByRole('row').filter({ hasText: '429' }).filter({ hasText: 'key:crawler' }).first().waitFor();
  });
});
