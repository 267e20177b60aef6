import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { noBrowser, violationsOf } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';

const config = `
agents:
  demo: { kind: reference, knowledge: true }
  other: { kind: reference }
`;

/** Each generation, and each binding that a browser can speak. All pairs of them have a conversation in wire.test.ts. */
const combinations = [
  ['a2a-1.0', 'jsonrpc'],
  ['a2a-1.0', 'grpc-web'],
  ['a2a-0.3', 'rest'],
  ['a2a-0.3', 'connect'],
  ['a2a-0.2', 'jsonrpc'],
  ['a2a-0.1', 'jsonrpc'],
  ['agentvault-0.2', 'jsonrpc'],
] as const;

describe.skipIf(noBrowser !== undefined)('calls of the bench', () => {
  let opened: OpenedConsole;
  let page: Page;
  let answer: Locator;
  let bar: Locator;

  beforeAll(async () => {
    opened = await openConsole({ config });
    ({ page } = opened);
    // The answer to the latest call comes first.
    answer = page.getByRole('region', { name: 'Answer', exact: true }).getByRole('article').first();
    bar = page.getByRole('region', { name: 'Conversation' });
  }, consoleDeadline);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const choose = (label: string, value: string) => page.getByLabel(label, { exact: true }).selectOption(value);
  const frame = (): Locator => page.getByLabel(/^Request: first line/);
  /** Whether the dialect has an operation; chooses it. */
  const chooseOperation = async (name: string): Promise<boolean> => {
    const select = page.getByLabel('Method', { exact: true });
    const options = await select
      .locator('option')
      .evaluateAll((all) =>
        all.map((one) => [(one as { value?: string }).value ?? '', one.textContent ?? ''] as const),
      );
    const found = options.find(([value, label]) => value === name || label.includes(`(${name})`));
    if (!found) return false;
    await select.selectOption(found[0]);
    return true;
  };
  /** Sends, and waits for the whole answer. */
  const send = async (until = true): Promise<void> => {
    await button('Send').click();
    if (until) await answer.getByText(/^(Done|Failed)$/).waitFor();
  };
  const say = async (text: string, until = true): Promise<void> => {
    await page.getByLabel('Text', { exact: true }).fill(text);
    await send(until);
  };
  const waitForState = (state: string) => bar.getByText(state, { exact: true }).waitFor();

  beforeEach(async () => {
    await opened.goto('#/bench?agent=demo');
    await page.getByRole('combobox', { name: 'Agent', exact: true }).waitFor();
    for (const reset of ['Make it from the form', 'New conversation']) {
      if (await button(reset).isVisible()) await button(reset).click();
    }
    opened.problems.length = 0;
  });

  test.each(combinations)('the bench holds a whole conversation: %s over %s', async (dialect, binding) => {
    await opened.goto(`#/bench?agent=demo&dialect=${dialect}&binding=${binding}`);
    await say('ask');
    if (dialect === 'agentvault-0.2') {
      await chooseOperation('GetTask');
      await send();
    }
    await waitForState('Input required');
    await chooseOperation('SendMessage');
    await say('Ada');
    await chooseOperation('GetTask');
    await send();
    await waitForState('Completed');
    await answer.getByText('Hello, Ada').first().waitFor();
    if (await chooseOperation('ListTasks')) {
      await send();
      await answer.getByText('HTTP 200').waitFor();
    }
    const streams = await chooseOperation('SendStreamingMessage');
    if (!streams) await chooseOperation('SendMessage');
    await say('wait', !streams);
    if (streams) await waitForState('Working');
    await chooseOperation('SubscribeToTask');
    await send(false);
    await answer.getByText('Streaming').waitFor();
    await chooseOperation('CancelTask');
    await send();
    await chooseOperation('GetTask');
    await send();
    await waitForState('Canceled');
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(opened.problems).toEqual([]);
  });

  test('a stream is shown live, is stopped, and is resumed where it was by an edited frame', async () => {
    await chooseOperation('SendStreamingMessage');
    await say('stream 60 100', false);
    const frames = answer.getByRole('region', { name: 'Frames' });
    await frames.getByText(/^chunk 3$/).waitFor();
    await answer.getByRole('button', { name: 'Stop' }).click();
    await answer.getByText('Stopped').waitFor();
    await chooseOperation('SubscribeToTask');
    const [head = '', body = ''] = (await frame().inputValue()).split('\n\n');
    await frame().fill(`${head}\nLast-Event-ID: 4\n\n${body}`);
    await send(false);
    await waitForState('Completed');
    await answer.getByText('Done', { exact: true }).waitFor();
    await frames.getByText(/^chunk 60$/).waitFor();
    expect(await frames.getByText(/^chunk 1$/).count()).toBe(0);
    await opened.page.setViewportSize({ width: 1280, height: 1_150 });
    await opened.screenshot('try-stream');
    await opened.page.setViewportSize({ width: 1280, height: 800 });
    expect(await violationsOf(page)).toEqual([]);
    expect(opened.problems).toEqual([]);
  });

  test('the bench calls one task in several generations', async () => {
    await choose('Dialect', 'a2a-0.1');
    await say('ask');
    await waitForState('Input required');
    await choose('Dialect', 'a2a-0.3');
    await choose('Binding', 'grpc-web');
    await say('Grace');
    await waitForState('Completed');
    await answer.getByText('Hello, Grace').first().waitFor();
  });

  test('an edited frame is sent as it stands, and errors are explained', async () => {
    await frame().fill('POST /demo/as/a2a-1.0\nContent-Type: application/json\n\n{ "jsonrpc": "2.0", "id": 1, ');
    await send();
    await answer.getByText('PARSE_ERROR', { exact: true }).waitFor();
    await answer.getByText('In A2A 1.0: JSON-RPC -32700, HTTP 400, gRPC INVALID_ARGUMENT').waitFor();
    await frame().fill('hello');
    await send();
    await answer.getByText(/Not sent: The first line must be/).waitFor();
    await button('Make it from the form').click();
    await say('data');
    await answer.getByText('HTTP 200').waitFor();
    await chooseOperation('GetTask');
    await page.getByLabel('Id', { exact: true }).fill('none');
    await send();
    await answer.getByText('TASK_NOT_FOUND', { exact: true }).waitFor();
  });

  test('files are attached', async () => {
    const bytes = Buffer.from('col1,col2\n1,2\n');
    await page.getByLabel('Attach files').setInputFiles([
      { name: 'table.csv', mimeType: 'text/csv', buffer: bytes },
      { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') },
    ]);
    await expect.poll(() => frame().inputValue()).toContain('"note.txt"');
    expect(await frame().inputValue()).toContain(`"raw": "${bytes.toString('base64')}"`);
    await send();
    await waitForState('Completed');
    await answer.getByText('"note.txt"').first().waitFor();
  });

  test('what a dialect has no place for is listed before and after sending', async () => {
    await choose('Dialect', 'a2a-0.1');
    const parts = [{ text: 'data' }];
    const json = page.getByLabel('Request in A2A 1.x', { exact: true });
    await json.fill('{ "message": ');
    await page.getByText(/JSON/).last().waitFor();
    await json.fill(JSON.stringify({ message: { role: 'ROLE_USER', parts, extensions: ['urn:example:x'] } }));
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('data');
    await page.getByText('a2a-0.1 has no place for message.extensions').waitFor();
    await send();
    await answer.getByText(/^Dropped from the request.*message\.extensions/).waitFor();
  });

  test('the bench calls the services knowledge and admin', async () => {
    await choose('Dialect', 'knowledge-1.0');
    await page.getByLabel('Query', { exact: true }).fill('{ entities { totalCount } }');
    await send();
    await answer.getByText('totalCount').first().waitFor();
    for (const binding of ['jsonrpc', 'rest', 'connect', 'grpc-web']) {
      await opened.goto(
        `#/bench?agent=demo&dialect=admin-1.0&binding=${binding}&method=${binding === 'jsonrpc' ? 'admin/listAgents' : ''}&operation=ListAgents`,
      );
      await send();
      await answer.getByText('"reference"').first().waitFor();
    }
    expect(opened.problems).toEqual([]);
  });

  test('the bench copies a call as a command of curl, with the credential from the environment', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByLabel('Text', { exact: true }).fill('say hi');
    await button('Copy as curl').click();
    await button('Copied').waitFor();
    const command: string = await page.evaluate('navigator.clipboard.readText()');
    expect(command).toMatch(/^curl http.*\/demo\/as\/a2a-1\.0/);
    expect(command).toContain('"text": "say hi"');
    expect(command).toContain('"$A2A_API_KEY"');
    await frame().fill('no request');
    await button('Copy as curl').waitFor({ state: 'detached' });
  });

  test.each(['jsonrpc', 'rest'])('a frame over %s is shown in other dialects', async (binding) => {
    const { page, goto } = opened;
    await goto(`#/bench?agent=demo&binding=${binding}`);
    await page.getByLabel('Text', { exact: true }).fill('say three');
    await page.getByRole('button', { name: 'In other dialects' }).click();
    await page.getByRole('region', { name: 'a2a-0.3', exact: true }).getByText('say three').waitFor();
    expect(await page.getByRole('link', { name: 'Translate' }).getAttribute('aria-current')).toBe('page');
    await page.getByRole('link', { name: 'Call', exact: true }).click();
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('say three');
  });

  test('the frame of a call is sent again as it was', async () => {
    await say('say one');
    await answer.getByText('"one"').first().waitFor();
    await answer.getByRole('button', { name: 'Edit the frame' }).click();
    const id = /"messageId": "[^"]+"/.exec(await frame().inputValue())?.[0] ?? '';
    expect(id).not.toBe('');
    await send();
    await answer.getByText('"one"').first().waitFor();
    expect(await frame().inputValue()).toContain(id);
    const other = await opened.open('#/bench?agent=demo');
    await other.page.getByText('Nothing was sent yet').waitFor();
    await other[Symbol.asyncDispose]();
  });

  test('a stream goes on below the answers of later calls', async () => {
    await chooseOperation('SendStreamingMessage');
    await say('wait', false);
    await waitForState('Working');
    await chooseOperation('CancelTask');
    await button('Send').click();
    await page.getByRole('article', { name: 'Answer to CancelTask' }).getByText('Done', { exact: true }).waitFor();
    const stream = page.getByRole('article', { name: 'Answer to SendStreamingMessage' });
    await stream.getByText('Done', { exact: true }).waitFor();
    await stream.getByText('canceled', { exact: true }).first().waitFor();
    await chooseOperation('GetTask');
    await send();
    expect(await stream.count()).toBe(0);
  });

  test('the bench shows that it reads the agents', async () => {
    await using other = await opened.open('#/push');
    const held = Promise.withResolvers<void>();
    await other.page.route('**/agents', async (route) => {
      await held.promise;
      await route.continue();
    });
    await opened.goto('#/bench', other.page);
    await other.page.getByRole('region', { name: 'Answer', exact: true }).waitFor();
    const busy = (is: boolean) => other.page.locator(`article.page[aria-busy=${is}]`);
    expect(await busy(true).count()).toBe(1);
    held.resolve();
    await busy(false).waitFor();
  });

  test('calls of the bench works for a caller who may call one agent and nothing else', async () => {
    const { key, hash } = newKey();
    const settings = `
auth:
  anonymous: false
  apiKeys: [{ name: alice, hash: "${hash}", agents: [demo], scopes: [tasks] }]
${config}`;
    await using limited = await openConsole({ config: settings });
    await limited.page.getByRole('button', { name: 'Sign out' }).click();
    await limited.goto('#/bench');
    const dialog = limited.page.getByRole('dialog');
    await dialog.waitFor();
    await limited.page.keyboard.press('Escape');
    await limited.page.locator('article.page').getByRole('button', { name: 'Sign in' }).click();
    await dialog.getByLabel(/key/i).last().fill(key);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    const select = limited.page.getByRole('combobox', { name: 'Agent', exact: true });
    await select.waitFor();
    expect(await select.locator('option').allTextContents()).toEqual(['demo']);
    await limited.page.getByLabel('Text', { exact: true }).fill('say hi');
    await limited.page.getByRole('button', { name: 'Send', exact: true }).click();
    const region = limited.page.getByRole('region', { name: 'Answer', exact: true });
    await region.getByText('"hi"').first().waitFor();
    await limited.page.getByRole('button', { name: 'Sign out' }).click();
    await limited.page.getByText('Nothing was sent yet').waitFor();
    expect(await limited.page.getByText('"hi"').count()).toBe(0);
    expect(await limited.page.evaluate('sessionStorage.length')).toBe(0);
  });
});
