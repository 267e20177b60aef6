import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';

const file = (name: string): string => fileURLToPath(new URL(`../../support/tls/${name}`, import.meta.url));

describe.skipIf(noBrowser !== undefined)('the console over TLS, where browsers choose HTTP/2', () => {
  let opened: OpenedConsole;
  beforeAll(async () => {
    const tls = `{ cert: ${file('server.pem')}, key: ${file('server.key')} }`;
    const config = `listen: { host: localhost, port: 0, tls: ${tls} }\nagents: { demo: { kind: reference } }`;
    // The browser does not know who signed the certificate.
    opened = await openConsole({ config, browser: { ignoreHTTPSErrors: true } });
  }, consoleDeadline);
  afterAll(() => opened?.[Symbol.asyncDispose]());

  test('the console over TLS, where browsers choose HTTP/2 loads, and follows a task live', async () => {
    const { page, goto, problems } = opened;
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'stream 60 50' }] };
    const send = { message, configuration: { returnImmediately: true } };
    const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
    const init = { method: 'POST', headers, body: JSON.stringify(send) };
    const { task } = await page.evaluate<{ task: { id: string } }>(
      `fetch('/message:send', ${JSON.stringify(init)}).then((response) => response.json())`,
    );
    await goto(`#/tasks/${task.id}`);
    const state = page.getByRole('heading', { level: 1 }).locator('..');
    await state.getByText('Working').waitFor();
    await state.getByText('Completed').waitFor();
    await page.getByText('60 parts', { exact: true }).waitFor();
    // Without requests that the page gave up before they were answered, which have no protocol.
    const protocols = await page.evaluate<string[]>(
      `performance.getEntriesByType('navigation').concat(performance.getEntriesByType('resource'))
        .filter((one) => one.responseStatus > 0).map((one) => one.nextHopProtocol)`,
    );
    expect(new Set(protocols)).toEqual(new Set(['h2']));
    expect(problems).toEqual([]);
  });
});
