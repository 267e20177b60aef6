import { beforeAll, expect, test } from 'vitest';
import { defineAgent } from '../../../src/agents/define.ts';
import { newKey } from '../../../src/auth/hash.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import { type Receiver, startReceiver } from '../../push/receiver.ts';
import { callsOf } from '../../support/admin.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';

/** The webhook of questions gets calls that wait for people, with a link for each of them. */

const keys = Object.fromEntries(['alice', 'ada', 'carol', 'bob'].map((name) => [name, newKey()]));
const asking = (word: string, ask: object) => ({
  name: word,
  where: `has(messageMetadata.about) && messageMetadata.about == '${word}'`,
  ask,
  reason: 'It costs money.',
});
const policies = [
  asking('two', { of: ['ada', 'carol', 'alice'], quorum: 2, delegate: 'bob' }),
  asking('short', { of: ['ada'], until: '1s' }),
];
const buyer = defineAgent({ name: 'Buyer', description: 'Buys' }, ({ text }) => `bought ${text}`);

let hook: Receiver;
let gateway: Opened;
let alice: ReturnType<typeof callsOf>;

const configOf = (names: readonly string[] = Object.keys(keys)) => ({
  listen: { host: 'localhost', port: gateway?.port ?? 0 },
  store: 'memory:',
  auth: { apiKeys: names.map((name) => ({ name, hash: keys[name]?.hash })) },
  questions: { remind: '50ms', deadline: '1ms', for: 'carol', webhook: { url: `${hook.url}/hook` } },
  policies,
});

beforeAll(async () => {
  hook = await startReceiver();
  gateway = await openGateway(JSON.stringify(configOf()), { agents: { buyer } });
  alice = callsOf(`${gateway.url}/buyer`, { 'x-api-key': keys.alice?.key ?? '' });
  return () => hook.close();
});

// biome-ignore lint/suspicious/noExplicitAny: what comes is what the test looks into
const told = async (id: string, isIt: (body: any) => boolean): Promise<any> =>
  (await hook.until((all) => all.some(({ body }) => body.task === id && isIt(body)))).find(
    ({ body }) => body.task === id && isIt(body),
  )?.body;
const hold = async (about: string, text = '<b>pay</b>') => {
  const { id } = await alice.send(text, { immediately: false, metadata: { about } });
  const body = await told(id, ({ event }) => event === 'question');
  return { id, body, links: body.links as Readonly<Record<string, string>> };
};
const post = (link = '', fields: Record<string, string>): Promise<Response> =>
  fetch(link, { method: 'POST', body: new URLSearchParams(fields), headers: { accept: 'application/json' } });
const statusOf = async (id: string): Promise<{ state: string; message?: { parts: { text: string }[] } }> =>
  (await alice.get<{ status: { state: string } }>(`/tasks/${id}`)).status;
const endOf = async (id: string): Promise<string> => (await alice.endOf(id)).state;

test('each person who may decide has a link of one person, and the settings of questions are not those of calls', async () => {
  const { body, links, id } = await hold('two');
  expect(Object.keys(links)).toEqual(['key:ada', 'key:carol', 'key:bob']);
  expect(new Set(Object.values(links)).size).toBe(3);
  expect(body).toMatchObject({
    question: { by: 'policy two', asks: [{ of: ['ada', 'carol', 'alice'], delegate: 'bob', quorum: 2, given: [] }] },
  });
  expect([body.link, body.question.for]).toEqual([undefined, undefined]);
  expect(await told(id, ({ reminder }) => reminder)).toMatchObject({ event: 'question', links });
  expect((await statusOf(id)).state).toBe('TASK_STATE_AUTH_REQUIRED');
});

test('opening a link shows the call as text and decides nothing, and its buttons do', async () => {
  const { links, id } = await hold('two');
  const page = await (await fetch(`${links['key:ada']}?f0=approve`)).text();
  expect(page).toContain('&lt;b&gt;pay&lt;/b&gt;');
  expect(page).toContain('key:alice');
  expect(page).toContain('You decide as key:ada.');
  expect(page).toMatch(/<button name="f0" value="approve">Approve<.*\n<button name="f0" value="deny">Deny</);
  expect((await statusOf(id)).state).toBe('TASK_STATE_AUTH_REQUIRED');

  expect((await post(links['key:ada'], { f0: 'approve' })).status).toBe(200);
  const again = await told(id, ({ question }) => question?.asks[0].given.length === 1);
  expect(again).toMatchObject({ event: 'question', links, question: { asks: [{ given: [{ by: 'key:ada' }] }] } });
  const replayed = await post(links['key:ada'], { f0: 'approve' });
  expect([replayed.status, await replayed.text()]).toEqual([409, expect.stringContaining('by key:ada')]);
  expect((await statusOf(id)).state).toBe('TASK_STATE_AUTH_REQUIRED');

  expect((await post(links['key:bob'], { f0: 'approve', f1: '' })).status).toBe(200);
  expect(await endOf(id)).toBe('TASK_STATE_COMPLETED');
  expect(await told(id, ({ event }) => event === 'answered')).toMatchObject({ by: 'key:bob', way: 'link' });
  const late = await post(links['key:carol'], { f0: 'deny' });
  expect([late.status, await late.text()]).toEqual([409, expect.stringContaining('by key:bob')]);
});

test('a denial by a link has its reason, and the other links say who has denied', async () => {
  const { links, id } = await hold('two');
  const faulty = await post(links['key:carol'], { f1: 'Too much' });
  expect([faulty.status, await faulty.text()]).toEqual([400, expect.stringContaining('must be approve or deny')]);
  expect((await post(links['key:carol'], { f0: 'deny', f1: 'Too much' })).status).toBe(200);
  expect(await statusOf(id)).toMatchObject({
    state: 'TASK_STATE_REJECTED',
    message: { parts: [{ text: 'key:carol has denied the call: Too much' }] },
  });
  expect(await told(id, ({ event }) => event === 'ended')).toMatchObject({ by: 'key:carol', way: 'link' });
  const other = await post(links['key:ada'], { f0: 'approve' });
  expect([other.status, await other.text()]).toEqual([409, expect.stringContaining('by key:carol')]);
});

test('a link that was changed, that is for another call, or whose time is over decides nothing', async () => {
  const [one, other] = [await hold('two'), await hold('two')];
  const link = one.links['key:ada'] ?? '';
  const changed = `${link.slice(0, -30)}${link.at(-30) === 'A' ? 'B' : 'A'}${link.slice(-29)}`;
  expect((await post(changed, { f0: 'approve' })).status).toBe(404);
  expect((await post(link, { f0: 'approve' })).status).toBe(200);
  const { question } = await told(one.id, (body) => body.question?.asks[0].given.length === 1);
  expect(question.asks[0].given[0].by).toBe('key:ada');
  expect((await statusOf(other.id)).message?.parts[0]?.text).not.toContain('key:ada');

  const short = await hold('short');
  expect(await endOf(short.id)).toBe('TASK_STATE_REJECTED');
  const late = await post(short.links['key:ada'], { f0: 'approve' });
  expect([late.status, await late.text()]).toEqual([409, expect.stringContaining('by a2a-gateway')]);
});

test('the link of a person who is no longer a caller decides nothing, and others do', async () => {
  const { links, id } = await hold('two');
  const changed = { ...configOf(['alice', 'carol', 'bob']), policies: [] };
  await gateway.gateway.reload(parseConfig(JSON.stringify(changed), { file: '/gateway.yaml' }));
  expect((await post(links['key:ada'], { f0: 'deny' })).status).toBe(403);
  await post(links['key:carol'], { f0: 'approve' });
  await post(links['key:bob'], { f0: 'approve' });
  // The policy has asked before it was removed.
  expect(await endOf(id)).toBe('TASK_STATE_COMPLETED');
});
