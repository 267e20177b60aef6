import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { callsOf } from '../../support/admin.ts';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { expectAccessible, seedWaiting } from '../../support/console-tasks.ts';
import { newFolder } from '../../support/folders.ts';

const callers = {
  alice: ['tasks'],
  ada: ['questions'],
  carol: ['questions'],
  operator: ['admin', 'admin:read'],
  reviewer: ['admin:read', 'questions'],
  reader: ['admin:read'],
};
const apiKeys = Object.entries(callers).map(([name, scopes]) => ({ name, scopes, ...newKey() }));
const keyOf = (caller: string): string => apiKeys.find(({ name }) => name === caller)?.key ?? '';

const config = JSON.stringify({
  listen: { host: 'localhost', port: 0 },
  store: 'memory:',
  auth: { apiKeys: apiKeys.map(({ name, scopes, hash }) => ({ name, scopes, hash })) },
  agents: { demo: { kind: 'reference' } },
  policies: [{ name: 'spend', ask: { of: ['ada', 'operator', 'carol'], quorum: 2 }, reason: 'It costs money.' }],
});

describe.skipIf(noBrowser !== undefined)('the inbox of people who must agree to calls', () => {
  let opened: OpenedConsole;
  let alice: ReturnType<typeof callsOf>;

  beforeAll(async () => {
    opened = await openConsole({ config });
    alice = callsOf(`${opened.gateway.url}/demo`, { 'x-api-key': keyOf('alice') });
  }, consoleDeadline);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  const stateOf = async (id: string): Promise<string> =>
    (await alice.get<{ status: { state: string } }>(`/tasks/${id}`)).status.state;

  /** Signs in as a caller, in the first page. */
  async function signInAs(caller: string): Promise<void> {
    const { page, gateway } = opened;
    await page.goto('about:blank');
    await page.goto(`${gateway.url}/console/#key=${keyOf(caller)}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (caller === 'operator') await opened.goto('#/inbox');
  }

  test('people see what they are asked, and the agent gets the call when enough of them approve', async () => {
    const { page } = opened;
    const { id } = await alice.send('stream 2 0', { immediately: false });
    await signInAs('ada');
    const item = page.getByRole('article', { name: 'Task of demo' });
    await item.getByText('stream 2 0').waitFor();
    await item.getByText('called by key:alice').waitFor();
    await item.getByText('It costs money.').waitFor();
    await item.getByText('The agent gets this call when 2 of ada, operator, carol agree (policy spend).').waitFor();
    await expectAccessible(opened, 'inbox-asked');
    await item.getByRole('button', { name: 'Approve' }).press('Enter');
    await page.getByText('Answered:').waitFor();
    await item.getByText('Agreed so far: key:ada.').waitFor();
    expect(await stateOf(id)).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(await page.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual(['Inbox']);

    await signInAs('operator');
    await item.locator('.message-client').getByText('stream 2 0').waitFor();
    await item.getByText('Agreed so far: key:ada.').waitFor();
    await expectAccessible(opened, 'inbox-asks');
    await page.getByRole('link', { name: 'For you' }).click();
    await item.getByRole('button', { name: 'Approve' }).waitFor();
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await item.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('link', { name: 'the task of demo' }).click();
    await page.getByText('chunk 2').first().waitFor();
  });

  test('a denial has the reason that was given, and the caller reads it', async () => {
    const { page } = opened;
    const { id } = await alice.send('hello', { immediately: false });
    await signInAs('carol');
    const item = page.getByRole('article', { name: 'Task of demo' });
    await item.getByLabel('Reason (optional)').fill('Too much');
    await item.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Nothing waits for you').waitFor();
    const { status } = await alice.get<{ status: object }>(`/tasks/${id}`);
    expect(status).toMatchObject({
      state: 'TASK_STATE_REJECTED',
      message: { parts: [{ text: 'key:carol has denied the call: Too much' }] },
    });
  });

  test('a caller who reads everything and answers questions begins with the questions for the caller', async () => {
    const { page } = opened;
    await alice.send('stream 2 0', { immediately: false });
    await signInAs('reviewer');
    await opened.goto('#/inbox');
    const item = page.getByRole('article', { name: 'Task of demo' });
    await page.getByText('Nothing waits for you').waitFor();
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await item.getByText('stream 2 0').first().waitFor();
    await signInAs('ada');
    await item.getByText('stream 2 0').waitFor();
  });

  test('a caller who only reads sees all tasks that wait', async () => {
    const { page } = opened;
    await signInAs('reader');
    await opened.goto('#/inbox');
    await page.getByText('The caller who is signed in may not decide.').first().waitFor();
    expect(await page.getByRole('link', { name: 'For you' }).count()).toBe(0);
  });
});

describe.skipIf(noBrowser !== undefined)('the inbox of a caller who is asked behind many other tasks', () => {
  test('shows what is for the caller, however many tasks of others wait', async () => {
    const storeUrl = `sqlite:${join(newFolder(), 'gateway.db')}`;
    await seedWaiting(storeUrl, 620);
    await using opened = await openConsole({ config: config.replace('memory:', storeUrl) });
    const { page, gateway } = opened;
    const alice = callsOf(`${gateway.url}/demo`, { 'x-api-key': keyOf('alice') });
    await alice.send('pay the bill', { immediately: false });
    await page.goto('about:blank');
    await page.goto(`${gateway.url}/console/#key=${keyOf('ada')}`);
    await page.getByText('pay the bill').waitFor();
  });
});
