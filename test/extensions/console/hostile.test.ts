import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineAgent } from '../../../src/agents/define.ts';
import { ask } from '../../../src/agents/events.ts';
import type { AgentCard, Artifact, Part, StreamResponse } from '../../../src/core/model/a2a.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import { noBrowser } from '../../support/browser.ts';
import { consoleDeadline, type OpenedConsole, openConsole } from '../../support/console.ts';
import { adminHeaders } from '../../support/gateway.ts';

/** Everything that might become more than text, and that might hide or disguise other text. */
const words = [
  '<script>globalThis.hacked = 1</script>',
  '<img src="https://evil.example/x.png" onerror="globalThis.hacked = 1">',
  '<iframe src="data:text/html,<script>top.hacked = 1</script>"></iframe>',
  '</textarea></title><svg onload=globalThis.hacked=1>',
  'javascript:globalThis.hacked=1',
  '\u202egnp.exe\u202c \u2066x\u2069 zero\u200bwidth \u001b[31mred\u001b]8;;https://evil.example\u0007 {{constructor}}',
].join(' ');

const script = 'javascript:globalThis.hacked=1';
const picture = 'data:text/html,<script>globalThis.hacked=1</script>';

const parts: Part[] = [
  { text: words, metadata: { [words]: words }, filename: words, mediaType: words },
  { url: script, filename: words, mediaType: 'text/html' },
  { raw: Buffer.from(words).toString('base64'), filename: `../${words}`, mediaType: words },
  { data: { [words]: [words, { [words]: words }], __html: words } },
];

/** Ids of entities are IRIs. */
const entity = `urn:x:${encodeURIComponent(words)}`;

const card: Partial<AgentCard> = {
  name: words,
  description: words,
  version: words,
  documentationUrl: script,
  iconUrl: picture,
  provider: { organization: words, url: script },
  skills: [{ id: words, name: words, description: words, tags: [words], examples: [words] }],
  securitySchemes: { [words]: { httpAuthSecurityScheme: { scheme: words, description: words } } },
};

const artifactOf = (artifact: Artifact): StreamResponse => ({
  artifactUpdate: { taskId: '', contextId: '', artifact },
});

const evil = defineAgent({
  name: 'evil',
  description: 'says what it should not',
  card: card as never,
  async *execute({ text }) {
    const named = { artifactId: words, name: words, description: words, metadata: { [words]: words } };
    yield artifactOf({ ...named, parts });
    if (text === 'fail') throw new A2AError('agentError', words);
    const large = '\u202e<script>globalThis.hacked=1</script> '.repeat(140_000);
    if (text === 'huge') yield artifactOf({ artifactId: 'huge', parts: [{ text: large }] });
    else yield ask(parts);
  },
});

const config = `
auth: { anonymous: true }
agents:
  facts: { kind: reference, knowledge: true }
`;

/** Scripts of pages are texts here, since the types of these files are Node's. */
const harm = `(() => {
  const main = document.body;
  const acting = /[\\u0000-\\u0008\\u001b\\u200b\\u202a-\\u202e\\u2060\\u2066-\\u2069]/;
  const found = [];
  if ('hacked' in globalThis) found.push('a script ran');
  for (const element of main.querySelectorAll('script:not([src]), img, iframe, object, embed, svg[onload], [onerror], [onload]')) {
    found.push('element ' + element.outerHTML.slice(0, 80));
  }
  for (const link of main.querySelectorAll('a[href], area[href], use[href]')) {
    const href = link.getAttribute('href');
    if (!href.startsWith('#') && !href.startsWith('./') && !href.startsWith('../../')) found.push('link ' + href.slice(0, 80));
  }
  const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { parentElement: parent, data } = node;
    if (acting.test(data) && parent.closest('script, style') === null) {
      found.push('text in ' + parent.tagName + '.' + parent.className + ': ' + JSON.stringify(data.slice(0, 60)));
    }
  }
  for (const element of main.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      if (acting.test(value)) found.push('attribute ' + name + ' of ' + element.tagName + '.' + element.className);
    }
    if (element.tagName === 'TEXTAREA' && acting.test(element.value)) found.push('text to edit in ' + element.id);
  }
  return [...new Set(found)].slice(0, 10);
})()`;

describe.skipIf(noBrowser !== undefined)('what a hostile agent says', () => {
  let opened: OpenedConsole;
  let page: Page;
  const tasks: Record<string, { id: string; contextId: string }> = {};
  const dialogs: string[] = [];
  let recording: string;

  beforeAll(async () => {
    opened = await openConsole({ config, agents: { evil } });
    ({ page } = opened);
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const begun = (await post('/admin/v1/recordings', { agent: 'evil' })) as { recording: { id: string } };
    recording = begun.recording.id;
    for (const text of ['wait', 'fail', 'huge']) tasks[text] = await sent('evil', text);
    await post(`/evil/tasks/${tasks.wait?.id}/pushNotificationConfigs`, {
      url: 'http://127.0.0.1:9/<script>globalThis.hacked=1</script>?javascript:1',
    });
    const statement = {
      subject: { id: entity, type: 'urn:evil' },
      predicate: { id: 'urn:says' },
      object: { value: words, type: 'http://www.w3.org/2001/XMLSchema#string' },
      certainty: 0.5,
      provenance: { sourceId: words, sourceType: words },
    };
    await post('/facts/knowledge:update', { mutations: [{ op: 'add', statement }], sourceAgentId: words });
  }, consoleDeadline);

  afterAll(() => opened?.[Symbol.asyncDispose]());

  async function post(path: string, body: object): Promise<unknown> {
    const response = await fetch(opened.gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...adminHeaders(opened.gateway.url) },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  async function sent(agent: string, text: string): Promise<{ id: string; contextId: string }> {
    const metadata = { [words]: words };
    const message = { messageId: words, role: 'ROLE_USER', parts: [{ text }, { text: words }], metadata };
    const { task } = (await post(`/${agent}/message:send`, { message, metadata })) as { task: never };
    return task;
  }

  const harmless = async (): Promise<void> => {
    expect(await page.evaluate(harm)).toEqual([]);
    expect(dialogs).toEqual([]);
    expect(opened.problems).toEqual([]);
  };
  const visit = async (hash: string): Promise<void> => {
    opened.problems.length = 0;
    await opened.goto(hash);
    await page.locator('article[aria-busy=false]').waitFor();
  };
  const idOf = (name: string): string => encodeURIComponent(tasks[name]?.id ?? '');

  const places: readonly (readonly [name: string, hash: () => string, shows: RegExp | undefined])[] = [
    ['agents', () => '#/agents', undefined],
    ['an agent', () => '#/agents/evil', /<script>/],
    ['cards of an agent', () => '#/agents/evil?card=a2a-1.0&card=a2a-0.1', /<script>/],
    ['callers', () => '#/gateway?view=callers', undefined],
    ['configuration', () => '#/gateway?view=configuration', undefined],
    ['tasks', () => '#/tasks', undefined],
    ['calls', () => '#/calls', undefined],
    ['recorded calls', () => `#/calls?recording=${recording}`, undefined],
    ['a task', () => `#/tasks/${idOf('wait')}`, /<script>/],
    ['a failed task', () => `#/tasks/${idOf('fail')}`, /<script>/],
    ['a large task', () => `#/tasks/${idOf('huge')}`, /<script>/],
    ['the inbox', () => '#/inbox', /<script>/],
    ['a context', () => `#/tasks?context=${encodeURIComponent(tasks.wait?.contextId ?? '')}`, undefined],
    ['push', () => '#/push', undefined],
    ['statements', () => '#/knowledge/facts', /<script>/],
    ['an entity of knowledge', () => `#/knowledge/facts?subject=${encodeURIComponent(entity)}`, /<script>/],
    ['metrics', () => '#/metrics', undefined],
  ];

  test.each(places)('what a hostile agent says is harmless text: %s', async (_, hash, shows) => {
    await visit(hash());
    if (shows) await page.getByText(shows).locator('visible=true').first().waitFor();
    await page.waitForTimeout(150);
    await harmless();
  });

  test.each(['wait', 'huge'])('what a hostile agent says is harmless text in a translation: %s', async (name) => {
    for (const view of ['Task', 'Event']) {
      await visit(`#/tasks/${idOf(name)}`);
      await page.getByRole('button', { name: view, exact: true }).click();
      await page
        .getByText(/<script>/)
        .locator('visible=true')
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'In other dialects' }).click();
      await page.getByRole('region', { name: 'a2a-0.3', exact: true }).waitFor();
      await harmless();
    }
  });

  test('what a hostile agent says is harmless text on the wire, however much it is', async () => {
    await visit(`#/calls?recording=${recording}`);
    const calls = page.getByRole('region', { name: 'Recorded calls, table' }).getByRole('row');
    for (const at of [2, 3, 4]) {
      await calls.nth(at).getByRole('link').first().click();
      await page.getByRole('region', { name: 'answer of client' }).getByText('<script>').first().waitFor();
      await page.getByRole('region', { name: 'request of client' }).getByText('U+202E').first().waitFor();
      expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(4000);
      await harmless();
    }
  });

  test.each(['a2a-1.0', 'a2a-0.3', 'a2a-0.1', 'agentvault-0.2'])(
    'what a hostile agent says is harmless text in a call: %s',
    async (dialect) => {
      await visit(`#/bench?agent=evil&dialect=${dialect}&operation=GetTask`);
      const answer = page.getByRole('region', { name: 'Answer', exact: true });
      for (const name of ['wait', 'fail', 'huge']) {
        await page.getByLabel('Id', { exact: true }).fill(tasks[name]?.id ?? '');
        await page.getByRole('button', { name: 'Send', exact: true }).click();
        await answer.getByText('Done', { exact: true }).waitFor();
        await answer
          .getByText(/<script>/)
          .first()
          .waitFor();
        await harmless();
      }
    },
  );

  test('what a hostile agent says is harmless text in a stream', async () => {
    await visit('#/bench?agent=evil&operation=SendStreamingMessage');
    await page.getByLabel('Text', { exact: true }).fill('wait');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const answer = page.getByRole('region', { name: 'Answer', exact: true });
    await answer.getByText('input required').first().waitFor();
    await answer.getByText('U+202E').first().waitFor();
    await harmless();
    await opened.screenshot('hostile-stream');
  });
});
