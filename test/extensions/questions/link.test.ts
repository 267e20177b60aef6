import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import { createGateway } from '../../../src/gateway/compose/gateway.ts';
import { type Notification, type Receiver, startReceiver } from '../../push/receiver.ts';
import { callsOf } from '../../support/admin.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest, listenOn } from '../../support/peer.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { startReplica } from '../../support/replicas.ts';
import asking, { schema } from './agents/asking.ts';

/** The link that a webhook gets with a question, and what can be done with it. */

const ofAlice = newKey();
const agents = { asking: { kind: 'module', path: fileURLToPath(new URL('agents/asking.ts', import.meta.url)) } };

beforeAll(sharedPostgres);

async function until<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function receiver(...args: Parameters<typeof startReceiver>): Promise<Receiver> {
  const hook = await startReceiver(...args);
  afterTest(() => hook.close());
  return hook;
}

interface Setup {
  readonly hook?: Receiver;
  readonly webhook?: object;
  readonly remind?: string;
  readonly settings?: object;
}

const ofAliceWith = (limits: object) => ({
  anonymous: false,
  apiKeys: [{ name: 'alice', hash: ofAlice.hash, ...limits }],
});

const configOf = (hook: Receiver, settings: object, questions: object = {}, webhook: object = {}) => ({
  listen: { host: 'localhost', port: 0 },
  store: 'memory:',
  defaultAgent: 'asking',
  agents,
  auth: ofAliceWith({}),
  questions: { ...questions, webhook: { url: `${hook.url}/hook`, token: 'mine', ...webhook } },
  ...settings,
});

/** A gateway that needs credentials, with an agent that asks, the calls of alice, and the webhook that is notified. */
async function open({ hook: given, webhook, settings, ...questions }: Setup = {}) {
  const hook = given ?? (await receiver());
  const gateway = await openGateway(JSON.stringify(configOf(hook, settings ?? {}, questions, webhook)));
  afterTest(() => gateway.close());
  return { gateway, hook, ...usersOf(gateway.url, hook) };
}

/** Alice, who opens tasks, and what she and the webhook see of them. */
function usersOf(url: string, hook: Receiver) {
  const alice = callsOf(url, { 'x-api-key': ofAlice.key });
  const toldOf = async (id: string, event = 'question'): Promise<Notification['body']> => {
    const isIt = ({ body }: Notification): boolean => body.task === id && body.event === event;
    return (await hook.until((all) => all.some(isIt))).find(isIt)?.body;
  };
  return {
    alice,
    toldOf,
    async asked(text = '{}'): Promise<{ id: string; link: string }> {
      const { id } = await alice.send(text, { immediately: false });
      return { id, link: (await toldOf(id)).link };
    },
    /** The answer as the agent got it. */
    answerIn: (id: string): Promise<unknown> =>
      until(async () => {
        const task = await alice.get<{ status: { state: string; message?: { parts: { text: string }[] } } }>(
          `/tasks/${id}`,
        );
        const { state, message } = task.status;
        return state === 'TASK_STATE_COMPLETED' ? JSON.parse(message?.parts[0]?.text ?? '') : undefined;
      }),
  };
}

const postJson = (link: string, body: object): Promise<Response> =>
  fetch(link, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

const postForm = (link: string, fields: Record<string, string>): Promise<Response> =>
  fetch(link, { method: 'POST', body: new URLSearchParams(fields) });

const answer = { answer: { city: 'Bern' } };

test('a webhook gets a question with a link, the link answers it without credentials, and the webhook learns who answered', async () => {
  const { hook, alice, asked, answerIn, toldOf } = await open();
  const { id, link } = await asked();
  expect(hook.got[0]).toMatchObject({
    path: '/hook',
    headers: { 'content-type': 'application/json', 'x-a2a-notification-token': 'mine' },
    body: { event: 'question', task: id, agent: 'asking', question: { text: 'Where to?', schema } },
  });
  const page = await fetch(link);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('name="f0" required')]);
  const answered = await postForm(link, { f0: 'Bern', f1: '3', action: 'accept' });
  expect([answered.status, await answered.text()]).toEqual([200, expect.stringContaining('The answer was given')]);
  expect(await answerIn(id)).toEqual({ data: { city: 'Bern', nights: 3 } });
  expect(await toldOf(id, 'answered')).toMatchObject({ task: id, agent: 'asking', by: 'link', way: 'link' });
  const { history } = await alice.get<{ history: { metadata?: object }[] }>(`/tasks/${id}`);
  expect(history.at(-1)?.metadata).toEqual({ 'a2a-gateway/answer': { by: 'link', way: 'link' } });
});

test('a question without a schema is answered with a text, and one with a schema may be declined', async () => {
  const { asked, answerIn } = await open();
  const plain = await asked('plain: what?');
  expect(await (await fetch(plain.link)).text()).not.toContain('Decline');
  await postForm(plain.link, { answer: 'This.\r\nThat.' });
  expect(await answerIn(plain.id)).toEqual({ text: 'This.\nThat.' });
  const { id, link } = await asked();
  expect(await (await fetch(link)).text()).toContain('value="decline" formnovalidate');
  await postForm(link, { action: 'decline' });
  expect(await answerIn(id)).toEqual({ data: { action: 'decline' } });
});

test('a question for a named caller is answered in the name of that caller', async () => {
  const { asked, toldOf } = await open();
  const { id, link } = await asked(JSON.stringify({ for: 'key:bob' }));
  await postJson(link, answer);
  expect(await toldOf(id, 'answered')).toMatchObject({ by: 'key:bob', way: 'link' });
});

test('of two answers in the same moment one is given, and the link answers nothing afterwards', async () => {
  const { asked, answerIn } = await open();
  const { id, link } = await asked();
  const answers = await Promise.all(['Bern', 'Rome'].map((city) => postJson(link, { answer: { city } })));
  expect(answers.map((each) => each.status).toSorted()).toEqual([200, 409]);
  const winner = answers[0]?.status === 200 ? 'Bern' : 'Rome';
  expect(await answerIn(id)).toEqual({ data: { city: winner } });
  for (const again of [await postJson(link, answer), await fetch(link, { headers: { accept: 'application/json' } })]) {
    expect([again.status, await again.json()]).toEqual([
      409,
      { error: { code: 409, status: 'ABORTED', message: 'The question was answered already, by link.' } },
    ]);
  }
});

test('an answer that the schema refuses names the field, on the page and in JSON, and the link still answers', async () => {
  const { asked, answerIn } = await open();
  const { id, link } = await asked();
  const page = await postForm(link, { f0: 'B', f1: '<12>' });
  const text = await page.text();
  expect(page.status).toBe(400);
  expect(text).toMatch(/for="f0".*role="alert">must NOT have fewer than 2 characters<.*value="B"/);
  expect(text).toMatch(/for="f1".*role="alert">must be integer<.*value="&lt;12&gt;"/);
  const json = await postJson(link, { answer: { nights: 12 } });
  expect([json.status, await json.json()]).toMatchObject([
    400,
    { error: { details: [{}, { fieldViolations: [{ field: 'answer.city' }, { field: 'answer.nights' }] }] } },
  ]);
  for (const body of [{}, { answer: null, action: 'decline' }]) await postJson(link, body);
  await postJson(link, answer);
  expect(await answerIn(id)).toEqual({ data: { action: 'decline' } });
});

test('opening a link answers nothing, and other methods are refused', async () => {
  const { alice, asked } = await open();
  const { id, link } = await asked();
  const head = await fetch(link, { method: 'HEAD' });
  const json = await fetch(`${link}?answer=Bern&action=accept`, { headers: { accept: 'application/json' } });
  expect([head.status, await head.text(), await json.json()]).toEqual([
    ...[200, '', { agent: 'asking', question: { text: 'Where to?', schema } }],
  ]);
  const put = await fetch(link, { method: 'PUT' });
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  const plain = await fetch(link, { method: 'POST', body: 'city=Bern', headers: { 'content-type': 'text/plain' } });
  expect(plain.status).toBe(400);
  expect(await alice.get(`/tasks/${id}`)).toMatchObject({ status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
});

test('a link that was changed, or is of another gateway, leads to nothing, as that of a deleted task', async () => {
  const { alice, asked } = await open();
  const { link, id } = await asked();
  const others = await (await open()).asked();
  const [origin, token] = [new URL(link).origin, link.split('/').at(-1) ?? ''];
  const changed = `${token.slice(0, 20)}${token[20] === 'A' ? 'B' : 'A'}${token.slice(21)}`;
  for (const path of [changed, token.slice(1), `${token}A`, others.link.split('/').at(-1)]) {
    const found = await fetch(`${origin}/questions/${path}`, {
      method: 'POST',
      body: new URLSearchParams({ f0: 'Bern' }),
    });
    expect([found.status, await found.text()]).toEqual([404, expect.stringContaining('No such question')]);
  }
  expect(await alice.get(`/tasks/${id}`)).toMatchObject({ status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
});

test('a link of a question that its owner answered says so, and one of a task that is over takes no answer', async () => {
  const { alice, asked, answerIn, toldOf } = await open();
  const [answered, canceled] = [await asked(), await asked()];
  await alice.send('Bern', { taskId: answered.id });
  await answerIn(answered.id);
  const used = await postJson(answered.link, answer);
  expect([used.status, await used.text()]).toEqual([409, expect.stringContaining('by the caller to whom the task')]);
  expect(await toldOf(answered.id, 'answered')).toMatchObject({ by: 'key:alice', way: 'message' });
  await alice.post(`/tasks/${canceled.id}:cancel`, {});
  const over = await postJson(canceled.link, answer);
  expect([over.status, await over.text()]).toEqual([410, expect.stringContaining('The task is over')]);
  expect(await toldOf(canceled.id, 'ended')).toMatchObject({ state: 'TASK_STATE_CANCELED' });
});

test('a link takes no answer after the time of its question, or its own', async () => {
  const { asked } = await open();
  const past = await asked(JSON.stringify({ until: '2020-01-01T00:00:00Z' }));
  const late = await postJson(past.link, answer);
  expect([late.status, await late.text()]).toEqual([410, expect.stringContaining('is over')]);
  const short = await (await open({ webhook: { links: '1ms' } })).asked();
  expect((await fetch(short.link)).status).toBe(410);
});

test('what an agent asks is text on the page, and the page loads, frames, caches and refers to nothing', async () => {
  const { asked } = await open();
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'{{7*7}}</textarea>`;
  const named = {
    type: 'object',
    properties: { [hostile]: { title: hostile, description: hostile, enum: [hostile] } },
  };
  const { link } = await asked(JSON.stringify({ schema: named, by: hostile, until: hostile }));
  const text = await (await fetch(link)).text();
  expect(text).not.toMatch(/<(script|img)|<\/textarea>/);
  expect(text.match(/&lt;script&gt;alert\(1\)/g)?.length).toBeGreaterThan(5);
  const { headers } = await fetch((await asked(`plain${hostile}`)).link);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    ),
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  });
});

test('callers neither see the webhook for questions, nor can replace or delete it', async () => {
  const { alice, asked, toldOf } = await open({ settings: { limits: { webhooks: { perTask: 1 } } } });
  const { id } = await asked();
  const configs = `/tasks/${id}/pushNotificationConfigs`;
  const own = 'a2a-gateway%2Fquestions';
  await alice.post(configs, { id: 'mine', url: 'https://hooks.example.com/' });
  expect(await alice.get(configs)).toMatchObject({ configs: [{ id: 'mine' }] });
  expect((await alice.request(`${configs}/${own}`)).status).toBe(404);
  await alice.request(`${configs}/${own}`, { method: 'DELETE' });
  const replaced = alice.post(configs, { id: 'a2a-gateway/questions', url: 'https://hooks.example.com/' });
  await expect(replaced).rejects.toThrow('must not begin with a2a-gateway/');
  await alice.send('Bern', { taskId: id });
  expect(await toldOf(id, 'answered')).toMatchObject({ by: 'key:alice' });
});

test('a question is delivered after a restart, and its link answers it', async () => {
  const folder = newFolder();
  let isUp = false;
  const hook = await receiver(() => (isUp ? 204 : 503));
  const settings = { store: `sqlite:${join(folder, 'a.db')}` };
  const first = await open({ hook, settings });
  const { id } = await first.alice.send('{}', { immediately: false });
  await hook.until((all) => all.length > 0);
  const undelivered = (): Promise<object | undefined> =>
    callsOf(first.gateway.url)
      .get<{ deliveries?: object[] }>('/admin/v1/deliveries')
      .then(({ deliveries = [] }) => deliveries[0]);
  expect(await until(undelivered)).toMatchObject({ taskId: id, receiver: hook.url, reason: 'HTTP 503' });
  await first.gateway.close();
  hook.got.length = 0;
  isUp = true;
  const { toldOf, answerIn } = await open({ hook, settings });
  const { link } = await toldOf(id);
  expect((await postJson(link, answer)).status).toBe(200);
  expect(await answerIn(id)).toEqual({ data: { city: 'Bern' } });
});

test('a question that was asked before there was a webhook is delivered when the gateway starts with one', async () => {
  const folder = newFolder();
  const settings = { store: `sqlite:${join(folder, 'a.db')}` };
  const first = await open({ settings: { ...settings, questions: {} } });
  const { id } = await first.alice.send('{}', { immediately: false });
  await first.gateway.close();
  const { toldOf, answerIn } = await open({ hook: first.hook, settings });
  expect((await postJson((await toldOf(id)).link, answer)).status).toBe(200);
  expect(await answerIn(id)).toEqual({ data: { city: 'Bern' } });
  expect(first.hook.got[0]?.body).toMatchObject({ event: 'question', task: id });
});

test.each<[string, object, RegExp]>([
  ['a policy refuses', { policies: [{ name: 'shut', deny: 'operation == "SendMessage"', reason: 'Shut' }] }, /Shut/],
  ['a policy allows others alone', { policies: [{ name: 'bob', allow: 'caller.id == "key:bob"' }] }, /policy/],
  ['the key was removed', { auth: { anonymous: false, apiKeys: [] } }, /no rights that the gateway knows/],
  ['the key may only read', { auth: ofAliceWith({ scopes: ['tasks:read'] }) }, /lacks the scope tasks/],
  ['the key is for other agents', { auth: ofAliceWith({ agents: ['other'] }) }, /may not call the agent asking/],
])('a link takes no answer that its owner could not give: %s', async (_, change, reason) => {
  const hook = await receiver();
  const settings = { agents: { ...agents, other: { kind: 'reference' } } };
  const { gateway, asked, answerIn } = await open({ hook, settings });
  const { id, link } = await asked();
  const config = (changed: object) =>
    parseConfig(
      JSON.stringify({
        ...configOf(hook, { ...settings, ...changed }),
        listen: { host: 'localhost', port: gateway.port },
      }),
      {
        file: '/gateway.yaml',
      },
    );
  await gateway.gateway.reload(config(change));
  const refused = await postJson(link, answer);
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringMatching(reason)]);
  await gateway.gateway.reload(config({}));
  expect((await postJson(link, answer)).status).toBe(200);
  expect(await answerIn(id)).toEqual({ data: { city: 'Bern' } });
});

test('a link takes no answer for anonymous callers where these are no longer admitted', async () => {
  const hook = await receiver();
  const open = { auth: { anonymous: true } };
  const gateway = await openGateway(JSON.stringify(configOf(hook, open)));
  afterTest(() => gateway.close());
  const { id } = await callsOf(gateway.url).send('{}', { immediately: false });
  const { link } = await usersOf(gateway.url, hook).toldOf(id);
  const closed = { ...configOf(hook, {}), listen: { host: 'localhost', port: gateway.port } };
  await gateway.gateway.reload(parseConfig(JSON.stringify(closed), { file: '/gateway.yaml' }));
  expect((await postJson(link, answer)).status).toBe(403);
});

test('a link answers at every replica, once, and each question is delivered once', async () => {
  const url = await (await sharedPostgres()).migrated();
  const hook = await receiver();
  const sections = {
    defaultAgent: 'asking',
    agents,
    questions: { webhook: { url: hook.url } },
    auth: { anonymous: false, apiKeys: [{ name: 'alice', hash: ofAlice.hash }] },
  };
  const config = Object.entries(sections).map(([name, section]) => `${name}: ${JSON.stringify(section)}\n`);
  const options = { config: config.join('') };
  const [one, other] = [await startReplica(url, 'one', options), await startReplica(url, 'other', options)];
  const { asked, answerIn } = usersOf(one.url, hook);
  const { id, link } = await asked();
  const there = link.replace(one.url, other.url);
  const answers = await Promise.all([postJson(there, answer), postJson(link, answer)]);
  expect(answers.map((each) => each.status).toSorted()).toEqual([200, 409]);
  expect(await answerIn(id)).toEqual({ data: { city: 'Bern' } });
  await hook.until((all) => all.some(({ body }) => body.event === 'answered'));
  expect(hook.got.map(({ body }) => body.event)).toEqual(['question', 'answered']);
});

test('a question that still waits is delivered again as a reminder, with the same link', async () => {
  const { hook, asked } = await open({ remind: '10ms' });
  const { id, link } = await asked();
  await hook.until((all) => all.length === 2);
  // Each is delivered by itself, so that either may be the first.
  const [again, first] = hook.got.map(({ body }) => body).toSorted((one) => (one.reminder ? -1 : 1));
  expect(again).toEqual({ ...first, reminder: true });
  expect(first).toMatchObject({ event: 'question', task: id, link });
  expect((await postJson(link, answer)).status).toBe(200);
  await hook.until((all) => all.some(({ body }) => body.event === 'answered'));
  expect(hook.got).toHaveLength(3);
});

test('requests for links are limited by network, valid or not', async () => {
  const { gateway } = await open({ settings: { limits: { requestsPerMinute: 2 } } });
  const statuses = [];
  for (let i = 0; i < 3; i += 1) statuses.push((await fetch(`${gateway.url}/questions/${'x'.repeat(100)}`)).status);
  expect(statuses).toEqual([404, 404, 429]);
});

test('a gateway that does not know its URL delivers questions without links, and warns of it when it starts', async () => {
  const hook = await receiver();
  const warned: string[] = [];
  const logger = { ...silent, warn: (_: object, text: string) => void warned.push(text) };
  const config = { store: 'memory:', questions: { webhook: { url: hook.url } } };
  const read = parseConfig(JSON.stringify(config), { file: '/gateway.yaml' });
  const gateway = createGateway(read, { logger, agents: { asking } });
  afterTest(() => gateway.close({ drainMs: 0 }));
  await gateway.start();
  expect(warned).toContainEqual(expect.stringContaining('questions are delivered without links: set listen.publicUrl'));
  const server = createServer((_, res) => res.end('of the app'));
  gateway.attach(server);
  const { port } = await listenOn(server);
  const origin = `http://127.0.0.1:${port}`;
  expect(await (await fetch(`${origin}/questions/42`)).text()).toBe('of the app');
  await callsOf(`${origin}/asking`).send('{}', { immediately: false });
  await hook.until((all) => all.length === 1);
  expect(Object.keys(hook.got[0]?.body)).toEqual(['event', 'task', 'key', 'agent', 'question']);
});
