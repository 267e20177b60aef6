import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { expectAccessible, sendText, soon } from '../../support/console-tasks.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';
import { serve } from '../../support/peer.ts';

const expectLoss = async (frame: Locator, field: string): Promise<void> => {
  const row = frame.locator('.json-row', { hasText: field });
  await expect.poll(() => row.innerText()).toContain('agentvault-0.2');
};

describe.skipIf(noBrowser !== undefined)('the Calls page', () => {
  let opened: OpenedConsole;
  let far: Opened;

  beforeAll(async () => {
    far = await openGateway('agents: { demo: { kind: reference } }');
    // An agent that resets every connection.
    const broken = await serve((req) => void req.socket.destroy());
    opened = await openConsole({
      config: `
auth: { anonymous: true }
agents:
  demo: { kind: reference }
  near: { kind: upstream, url: "${far.url}/demo/as/agentvault-0.2", dialect: agentvault-0.2, transport: jsonrpc }
  broken: { kind: upstream, url: "${broken}", dialect: a2a-0.3, transport: jsonrpc }
`,
    });
  }, consoleDeadline);

  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await far?.close();
  });

  beforeEach(() => {
    opened.problems.length = 0;
  });

  /** A call, which fails at the agent `broken`. Returns its status and its request id. */
  async function send(agent = 'broken', part: object = { text: 'hi' }): Promise<{ status: number; id: string }> {
    const response = await fetch(`${opened.gateway.url}/${agent}/message:send`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
      body: JSON.stringify({ message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [part] } }),
    });
    await response.text();
    return { status: response.status, id: response.headers.get('x-request-id') ?? '' };
  }

  test('a call appears while the list is open, and leads to its task, its agent and the calls of both', async () => {
    const { page, goto } = opened;
    await goto('#/calls?agent=demo');
    await page.getByText('Live', { exact: true }).waitFor();
    const { id } = await sendText(opened.gateway.url, 'stream 2');
    await goto(`#/calls?task=${id}`);
    await page.getByText('1 call', { exact: true }).waitFor();
    await page.getByRole('row').nth(1).getByRole('link').first().click();
    await page.getByRole('link', { name: id }).click();
    await page.getByRole('heading', { level: 1, name: /^Task / }).waitFor();
    await page.getByRole('link', { name: 'about this task' }).click();
    await page.getByText('1 call', { exact: true }).waitFor();
    await page.getByRole('cell').getByRole('link', { name: 'demo' }).click();
    await expect.poll(() => page.url(), soon).toContain('agent=demo');
    await goto('#/agents/demo');
    await page.getByRole('article').getByRole('link', { name: 'Calls' }).click();
    await page.getByRole('row').nth(1).waitFor();
    expect(page.url()).toContain('#/calls?agent=demo');
    expect(opened.problems).toEqual([]);
  });

  test('a time of the day shows the calls around it, and the address keeps all filters', async () => {
    const { page, goto } = opened;
    await send();
    await goto('#/calls');
    await page.getByRole('row').nth(1).waitFor();
    const before = new Date(Date.now() - 3_600_000);
    const clock = (at: Date): string => at.toTimeString().slice(0, 5);
    await page.getByLabel('Around').fill(clock(before));
    await page.getByText('No call passes these filters').waitFor();
    await page.getByLabel('Around').fill(clock(new Date()));
    await page.getByRole('row').nth(1).waitFor();
    await page.getByLabel('Search').fill('UPSTREAMun');
    await page.getByText('No call passes these filters').waitFor();
    await page.getByLabel('Search').fill('broken');
    await page.getByRole('row').nth(1).waitFor();
    await page.reload();
    await page.getByRole('row').nth(1).waitFor();
    expect(await page.getByLabel('Search').inputValue()).toBe('broken');
    await page.getByRole('button', { name: 'Remove filters' }).click();
    await expect.poll(() => page.url(), soon).toMatch(/#\/calls$/);
  });

  test('rows keep their places while the pointer is over them', async () => {
    const { page, goto } = opened;
    await goto('#/calls');
    await page.getByText('Live', { exact: true }).waitFor();
    const first = page.getByRole('row').nth(1);
    const text = await first.innerText();
    await first.hover();
    await sendText(opened.gateway.url, 'hello');
    await page.getByRole('button', { name: 'Show 1 new' }).waitFor();
    await expect.poll(() => first.innerText()).toBe(text);
  });

  test('the last failed call of an agent is one click away from its page and from the page of the call, as it was on the wire', async () => {
    const { page, goto } = opened;
    const { id, status } = await send('broken', { text: 'a message that fails' });
    await goto('#/agents/broken');
    await page.getByRole('link', { name: 'Last failed call' }).click();
    const client = page.getByRole('region', { name: 'Client', exact: true });
    await client.getByText('a message that fails').waitFor();
    await client.getByText(`HTTP/1.1 ${status}`).waitFor();
    await page.getByRole('region', { name: 'Agent', exact: true }).getByText('POST / HTTP/1.1').first().waitFor();
    await expectAccessible(opened, 'last failed calls');
    await goto(`#/calls/${id}`);
    await page.getByRole('link', { name: 'The failed call on the wire' }).click();
    await client.getByText('a message that fails').waitFor();
    expect(opened.problems).toEqual([]);
  });

  test('calls of an agent are recorded from its page, shown side by side with their losses, and the recording is stopped', async () => {
    const { page, goto } = opened;
    await goto('#/agents/near');
    await page.getByRole('button', { name: 'Record calls' }).click();
    const dialog = page.getByRole('dialog', { name: 'Record the next calls?' });
    await dialog.getByText('Calls of: agent near').waitFor();
    await dialog.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByText('No call was recorded yet').waitFor();
    await send('near', { text: 'stream 2', filename: 'lost.md' });
    await page.getByText('1 of 10 calls').waitFor();
    await page.getByRole('row').nth(1).getByRole('link').first().click();
    const wire = (name: string) => page.getByRole('region', { name, exact: true });
    await expect
      .poll(() => wire('request of client').innerText())
      .toMatch(/^POST \/near\/message:send HTTP\/1.1\n.*\n\n\{\n/s);
    await expect.poll(() => wire('request of attempt 1.1').innerText()).toContain('"method": "tasks/send"');
    await expectLoss(wire('Request in A2A 1.0'), 'filename');
    await expectAccessible(opened, 'recording');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await page.getByText(/ended now/).waitFor();
    await goto('#/calls');
    await page.getByText('Recordings (1)').click();
    await page.getByText('1 of 10 calls').waitFor();
    expect(opened.problems).toEqual([]);
  });

  test('replicas whose calls are missing are named', async () => {
    const { page, goto } = opened;
    await page.route('**/admin/v1/calls?*', async (request) => {
      const response = await request.fetch();
      await request.fulfill({ response, json: { ...(await response.json()), missingReplicas: ['host/far'] } });
    });
    await goto('#/calls?agent=broken');
    await page.getByText('These replicas did not answer, and what they know is missing: host/far.').waitFor();
    await page.unroute('**/admin/v1/calls?*');
  });

  test('calls are not recorded if the configuration hides their words, and the page says so', async () => {
    await using hiding = await openConsole({
      config: 'console: { content: false }\nagents: { demo: { kind: reference } }',
    });
    await hiding.goto('#/calls');
    await hiding.page.getByText('Calls are not recorded, since the configuration').waitFor();
    await hiding.goto('#/agents/demo');
    await hiding.page.getByRole('button', { name: 'Drain' }).waitFor();
    expect(await hiding.page.getByRole('button', { name: 'Record calls' }).count()).toBe(0);
  });

  test('the Calls page is accessible and fits, as a list and as one call', async () => {
    const { id } = await send();
    await opened.goto('#/calls?failed=true&error=upstreamUnreachable');
    await opened.page.getByRole('row').nth(1).waitFor();
    await expectAccessible(opened, 'calls');
    await opened.goto(`#/calls/${id}`);
    await opened.page.getByRole('alert').waitFor();
    await expectAccessible(opened, 'call');
  });
});
