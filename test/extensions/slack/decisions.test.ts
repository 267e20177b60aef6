import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { beforeAll, expect, test } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import { createGateway, type Gateway } from '../../../src/gateway/compose/gateway.ts';
import { callsOf } from '../../support/admin.ts';
import { silent } from '../../support/core.ts';
import { newFolder } from '../../support/folders.ts';
import { openGateway } from '../../support/gateway.ts';
import { afterTest, listenOn } from '../../support/peer.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { buttonsOf, type FakeSlack, post, signed, signingSecret, startSlack, textsOf } from '../../support/slack.ts';

/** Decisions in Slack about calls that wait for people, and answers to questions of agents. */

const keys = { alice: newKey(), bob: newKey(), carol: newKey() };

beforeAll(sharedPostgres);

const asking = fileURLToPath(new URL('../questions/agents/asking.ts', import.meta.url));

/** One of the people named must agree to each message to the agent. */
const asks = (ask: object = { of: ['bob', 'carol'] }) => ({ policies: [{ name: 'costs', ask }] });

const configOf = (slack: FakeSlack, settings: object = {}, more: object = {}) => ({
  listen: { host: 'localhost', port: 0 },
  store: 'memory:',
  defaultAgent: 'asking',
  agents: { asking: { kind: 'module', path: asking } },
  auth: { anonymous: false, apiKeys: Object.entries(keys).map(([name, { hash }]) => ({ name, hash })) },
  approvals: {
    slack: {
      webhook: slack.webhook,
      signingSecret,
      users: { U0ALICE: 'alice', U0BOB: 'bob', U0CAROL: 'key:carol' },
      ...more,
    },
  },
  ...settings,
});

interface Setup {
  readonly slack?: FakeSlack;
  /** More settings of Slack. */
  readonly more?: object;
}

/** A gateway with Slack, the calls of alice, and the events in its audit log. */
async function open(settings: object = {}, { slack: given, more }: Setup = {}) {
  const slack = given ?? (await startSlack());
  const audited: Record<string, unknown>[] = [];
  const warn = (fields: object): void => {
    if ('security' in fields) audited.push(fields as never);
  };
  const logger = { ...silent, warn, info: warn };
  const gateway = await openGateway(JSON.stringify(configOf(slack, settings, more)), { logger });
  const alice = callsOf(gateway.url, { 'x-api-key': keys.alice.key });
  return { gateway, slack, audited, ...usersOf(alice, slack) };
}

interface Told {
  readonly status: {
    readonly state: string;
    readonly message?: { readonly parts: readonly { readonly text: string }[] };
  };
  readonly history: readonly { readonly metadata?: object }[];
}

function usersOf(alice: ReturnType<typeof callsOf>, { receiver }: FakeSlack) {
  /** Resolves when the task has a state, as a push notification says. */
  const reaches = async (id: string, state: string): Promise<void> => {
    await receiver.until((all) =>
      all.some(
        ({ path, body }) =>
          path === '/push' && body.statusUpdate?.taskId === id && body.statusUpdate.status.state === state,
      ),
    );
  };
  return {
    alice,
    reaches,
    stateOf: async (id: string): Promise<string> => (await alice.get<Told>(`/tasks/${id}`)).status.state,
    async sent(text = 'plain: book it'): Promise<string> {
      const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
      const taskPushNotificationConfig = { url: `${receiver.url}/push` };
      const configuration = { returnImmediately: true, taskPushNotificationConfig };
      const { task } = await alice.post<{ task: { id: string } }>('/message:send', { message, configuration });
      return task.id;
    },
    /** The answer as the agent got it. */
    async answerIn(id: string): Promise<unknown> {
      await reaches(id, 'TASK_STATE_COMPLETED');
      const { status } = await alice.get<Told>(`/tasks/${id}`);
      return JSON.parse(status.message?.parts[0]?.text ?? '');
    },
  };
}

const ephemeral = (text: unknown) => ({ response_type: 'ephemeral', replace_original: false, text });
const waits = 'TASK_STATE_AUTH_REQUIRED';

test('an ask comes with buttons, the click of a person whom it names releases the call, and the message says who', async () => {
  const { gateway, slack, alice, sent, stateOf, reaches, audited } = await open(asks());
  const id = await sent();
  const message = await slack.message();
  expect(message.text).toBe('policy costs: may the agent asking get a call of key:alice?');
  expect(textsOf(message)).toContain(
    '>plain: book it\nMay agree: <@U0BOB>, <@U0CAROL>. Without an answer it is denied.',
  );
  expect(buttonsOf(message)).toEqual({ Approve: expect.any(String), Deny: expect.any(String) });
  expect(await stateOf(id)).toBe(waits);
  const { status, body, outcome } = await slack.click(gateway.url, message, 'Approve', { user: 'U0BOB' });
  expect([status, body]).toEqual([200, '']);
  expect(outcome).toMatchObject({ replace_original: true, text: message.text });
  expect([buttonsOf(outcome), textsOf(outcome)]).toEqual([
    {},
    expect.stringContaining('Approved by <@U0BOB> (key:bob)'),
  ]);
  await reaches(id, 'TASK_STATE_INPUT_REQUIRED');
  const { history } = await alice.get<Told>(`/tasks/${id}`);
  expect(history.map(({ metadata }) => metadata)).toContainEqual(
    expect.objectContaining({ 'a2a-gateway/answer': expect.objectContaining({ by: 'key:bob', way: 'chat' }) }),
  );
  expect(audited).toContainEqual(expect.objectContaining({ security: 'ask.approved', principal: 'key:bob' }));
});

test('a denial rejects the task, and a later click of another person learns who was first', async () => {
  const { gateway, slack, sent, stateOf, audited } = await open(asks());
  const id = await sent();
  const message = await slack.message();
  const denied = await slack.click(gateway.url, message, 'Deny', { user: 'U0CAROL' });
  expect(textsOf(denied.outcome)).toContain('Denied by <@U0CAROL> (key:carol)');
  expect(await stateOf(id)).toBe('TASK_STATE_REJECTED');
  const late = await slack.click(gateway.url, message, 'Approve', { user: 'U0BOB' });
  expect([late.status, buttonsOf(late.outcome), textsOf(late.outcome)]).toEqual([
    ...[200, {}, expect.stringContaining('already, by key:carol')],
  ]);
  expect(audited.filter(({ security }) => /^ask\./.test(String(security)))).toHaveLength(1);
});

test('of two who must agree, the first leaves the buttons there, and a second click of the same person changes nothing', async () => {
  const { gateway, slack, sent, stateOf, reaches } = await open(asks({ of: ['bob', 'carol'], quorum: 2 }));
  const id = await sent();
  const message = await slack.message();
  const first = await slack.click(gateway.url, message, 'Approve', { user: 'U0BOB' });
  expect(buttonsOf(first.outcome)).toEqual(buttonsOf(message));
  expect(textsOf(first.outcome)).toContain('Agreed so far: key:bob');
  const again = await slack.click(gateway.url, first.outcome, 'Approve', { user: 'U0BOB' });
  expect(again.outcome).toEqual(ephemeral(expect.stringContaining('already')));
  expect(await stateOf(id)).toBe(waits);
  const second = await slack.click(gateway.url, first.outcome, 'Approve', { user: 'U0CAROL' });
  expect([buttonsOf(second.outcome), textsOf(second.outcome)]).toEqual([
    {},
    expect.stringMatching(/Approved by <@U0CAROL>/),
  ]);
  expect(textsOf(second.outcome)).not.toContain('so far');
  await reaches(id, 'TASK_STATE_INPUT_REQUIRED');
  // The question of the agent is the second message: the first agreement asked nobody anew.
  expect((await slack.message(1)).text).toBe('The agent asking asks key:alice a question.');
});

test.each([
  ['the caller itself', 'U0ALICE', 'key:alice is not one of the people who decide about this call'],
  ['a Slack user who stands for no caller', 'U0EVE', 'The Slack user U0EVE stands for no caller of the gateway.'],
  ['a Slack user with the name of a member of every object', 'constructor', 'The Slack user constructor stands for'],
])('%s decides nothing, and learns why in a message that others do not see', async (_, user, text) => {
  const { gateway, slack, sent, stateOf, audited } = await open(asks());
  const id = await sent();
  const { status, outcome } = await slack.click(gateway.url, await slack.message(), 'Approve', { user });
  expect([status, outcome]).toEqual([200, ephemeral(expect.stringContaining(text))]);
  expect(await stateOf(id)).toBe(waits);
  expect(audited).toContainEqual(expect.objectContaining({ security: 'approval.refused' }));
});

test('a request that Slack did not sign decides nothing, and its refusal says nothing about the ask', async () => {
  const { gateway, slack, sent, stateOf, audited } = await open(asks());
  const id = await sent();
  const message = await slack.message();
  const now = Date.now();
  const forged = [
    { secret: 'another secret' },
    { at: now - 301_000 },
    { at: now + 302_000 },
    { tamper: (body: string) => body.replace('U0BOB', 'U0BOc') },
    { tamper: (body: string) => `${body}&payload=%7B%7D` },
  ];
  for (const options of forged) {
    const { status, body } = await slack.click(gateway.url, message, 'Approve', { user: 'U0BOB', ...options });
    const reason = expect.stringMatching(/^The request cannot be verified as a request of Slack: its signature is /);
    expect([status, JSON.parse(body)]).toEqual([
      401,
      { error: { code: 401, status: 'UNAUTHENTICATED', message: reason, details: expect.any(Array) } },
    ]);
    expect(body).not.toMatch(/asking|alice|costs/);
  }
  const bare = await post(gateway.url, { body: 'payload=%7B%7D', headers: {} });
  expect(bare.status).toBe(401);
  expect(await stateOf(id)).toBe(waits);
  const refused = audited.filter(({ security }) => security === 'approval.refused');
  expect(refused.map(({ reason }) => reason)).toEqual([
    'its signature is not that of the signing secret and the body',
    'its signature is more than five minutes old',
    'its signature is from the future',
    'its signature is not that of the signing secret and the body',
    'its signature is not that of the signing secret and the body',
    'it has no signature of Slack',
  ]);
  expect(JSON.stringify(refused)).not.toMatch(/U0BOB|payload/);
});

test('a request that is sent again decides once', async () => {
  const { gateway, slack, sent, audited } = await open(asks());
  await sent();
  const { click, ...request } = slack.request(await slack.message(), 'Deny', { user: 'U0BOB' });
  for (let times = 0; times < 3; times += 1) expect((await post(gateway.url, request)).status).toBe(200);
  const got = await slack.receiver.until((all) => all.filter(({ path }) => path === click).length === 3);
  const texts = got.filter(({ path }) => path === click).map(({ body }) => textsOf(body));
  expect(texts.filter((text) => text.includes('Denied by <@U0BOB>'))).toHaveLength(1);
  expect(texts.filter((text) => text.includes('by key:bob'))).toHaveLength(2);
  expect(audited.filter(({ security }) => security === 'ask.denied')).toHaveLength(1);
});

test('a button of another gateway, and one with another value, decide nothing', async () => {
  const { gateway, slack, sent, stateOf } = await open(asks());
  const id = await sent();
  const other = await open(asks());
  await other.sent();
  const [message, foreign] = [await slack.message(), await other.slack.message()];
  const sealed = buttonsOf(message).Approve ?? '';
  for (const value of [buttonsOf(foreign).Approve, `${sealed.slice(1)}`, '', 'x'.repeat(2_000)]) {
    const { outcome } = await slack.click(gateway.url, message, 'Approve', { user: 'U0BOB', value: value ?? '' });
    expect(outcome).toEqual(ephemeral('This button is not one of this gateway.'));
  }
  expect(await stateOf(id)).toBe(waits);
});

test('where a workspace is named, another one decides nothing', async () => {
  const { gateway, slack, sent, stateOf, reaches } = await open(asks(), { more: { team: 'T0HOME' } });
  const id = await sent();
  const message = await slack.message();
  const other = await slack.click(gateway.url, message, 'Approve', { user: 'U0BOB', team: 'T0AWAY' });
  expect(other.outcome).toEqual(ephemeral('Decisions are not taken from this workspace.'));
  expect(await stateOf(id)).toBe(waits);
  await slack.click(gateway.url, message, 'Approve', { user: 'U0BOB' });
  await reaches(id, 'TASK_STATE_INPUT_REQUIRED');
});

test('an outcome is sent to Slack and to the server of the webhook alone', async () => {
  const { gateway, slack, sent, reaches } = await open(asks());
  const other = await startSlack();
  const id = await sent();
  const responseUrl = `${other.receiver.url}/actions/T0HOME/9`;
  const { click: _, ...request } = slack.request(await slack.message(), 'Approve', { user: 'U0BOB', responseUrl });
  expect((await post(gateway.url, request)).status).toBe(200);
  await reaches(id, 'TASK_STATE_INPUT_REQUIRED');
  expect(other.receiver.got).toEqual([]);
});

test('while Slack is down the message waits, and it arrives later, also after a restart of the gateway', async () => {
  const store = `sqlite:${join(newFolder(), 'a.db')}`;
  let isUp = false;
  const slack = await startSlack(() => (isUp ? 200 : 503));
  const first = await open({ ...asks(), store }, { slack });
  const id = await first.sent();
  await slack.message();
  await first.gateway.close();
  slack.receiver.got.length = 0;
  isUp = true;
  // Without the policy: what was asked before stays asked.
  const second = await open({ store }, { slack });
  const message = await slack.message();
  expect(await second.stateOf(id)).toBe(waits);
  await second.gateway.close();
  const third = await open({ store }, { slack });
  const { outcome } = await slack.click(third.gateway.url, message, 'Approve', { user: 'U0BOB' });
  expect(textsOf(outcome)).toContain('Approved by <@U0BOB>');
  await third.reaches(id, 'TASK_STATE_INPUT_REQUIRED');
});

test('the path of the webhook is a secret: the store has its origin, and the admin service hides it', async () => {
  const slack = await startSlack(() => 503);
  const { gateway, sent } = await open(asks(), { slack });
  await sent();
  await slack.message();
  const admin = callsOf(gateway.url);
  const shown = JSON.stringify([await admin.get('/admin/v1/deliveries'), await admin.get('/admin/v1/config')]);
  expect(shown).toContain(new URL(slack.webhook).host);
  expect(shown).not.toMatch(/secretOfTheWebhook|8f742231b10e8888/);
});

test('a task that was canceled is no longer asked about', async () => {
  const { gateway, slack, alice, sent } = await open(asks());
  const id = await sent();
  const message = await slack.message();
  await alice.post(`/tasks/${id}:cancel`, {});
  const { outcome } = await slack.click(gateway.url, message, 'Approve', { user: 'U0BOB' });
  expect(outcome).toMatchObject({ replace_original: true });
  expect(buttonsOf(outcome)).toEqual({});
});

test('the owner, the one whom a question is for, and callers with the scope admin answer by a button, and others do not', async () => {
  const slack = await startSlack();
  const { hash } = keys.carol;
  const auth = {
    anonymous: false,
    apiKeys: [
      { name: 'alice', hash: keys.alice.hash },
      { name: 'bob', hash: keys.bob.hash },
      { name: 'carol', hash, scopes: ['admin'] },
    ],
  };
  const { gateway, sent, answerIn, audited } = await open({ auth }, { slack });
  const schema = { type: 'object', properties: { go: { type: 'boolean' } }, required: ['go'] };
  const question = async (more: object = {}) => {
    const at = slack.messages().length;
    const id = await sent(JSON.stringify({ schema, ...more }));
    return { id, message: await slack.message(at) };
  };
  const own = await question();
  expect(buttonsOf(own.message)).toEqual({ yes: expect.any(String), no: expect.any(String) });
  const refused = await slack.click(gateway.url, own.message, 'yes', { user: 'U0BOB' });
  expect(refused.outcome).toEqual(ephemeral('key:bob may not answer this question'));
  const { outcome } = await slack.click(gateway.url, own.message, 'yes');
  expect([buttonsOf(outcome), textsOf(outcome)]).toEqual([
    {},
    expect.stringContaining('Answered yes by <@U0ALICE> (key:alice)'),
  ]);
  expect(await answerIn(own.id)).toEqual({ data: { go: true } });
  const late = await slack.click(gateway.url, own.message, 'no');
  expect(textsOf(late.outcome)).toContain('The question was answered already, by key:alice');
  const bobs = await question({ for: 'bob' });
  expect(textsOf(bobs.message)).toContain('May answer, too: <@U0BOB>');
  await slack.click(gateway.url, bobs.message, 'no', { user: 'U0BOB' });
  expect(await answerIn(bobs.id)).toEqual({ data: { go: false } });
  const carols = await question();
  await slack.click(gateway.url, carols.message, 'no', { user: 'U0CAROL' });
  expect(await answerIn(carols.id)).toEqual({ data: { go: false } });
  expect(audited).toContainEqual(
    expect.objectContaining({ security: 'question.answered', principal: 'key:carol', reason: 'Answered by chat' }),
  );
});

test('a question without choices has the link that answers it, or says how to answer it by command', async () => {
  const slack = await startSlack();
  const plain = await open({}, { slack });
  const id = await plain.sent('plain: where to?');
  const first = await slack.message();
  expect(buttonsOf(first)).toEqual({});
  expect(textsOf(first)).toContain(`a2a-gateway task answer TARGET ${id} TEXT`);
  const linked = await open({ questions: { webhook: { url: `${slack.receiver.url}/hook` } } }, { slack });
  await linked.sent('plain: where to?');
  const [, link] = /<(http[^|]+)\|Answer it>/.exec(textsOf(await slack.message(1))) ?? [];
  expect((await fetch(link ?? '')).status).toBe(200);
});

test('a question that still waits is asked again as a reminder', async () => {
  const { slack, sent } = await open({ questions: { remind: '1ms' } });
  await sent('plain: where to?');
  await slack.receiver.until(() => slack.messages().some(({ text }) => text.startsWith('Reminder: ')));
  expect(slack.messages().map(({ text }) => text)).toEqual([
    'The agent asking asks key:alice a question.',
    'Reminder: The agent asking asks key:alice a question.',
  ]);
});

test('without the section, the path is unknown, and a reload turns it on', async () => {
  const slack = await startSlack();
  const { gateway } = await open({ approvals: {} }, { slack });
  const request = signed('payload=%7B%7D');
  const asAlice = { ...request, headers: { ...request.headers, 'x-api-key': keys.alice.key } };
  expect((await post(gateway.url, asAlice)).status).toBe(404);
  const listen = { host: 'localhost', port: gateway.port };
  await gateway.gateway.reload(parseConfig(JSON.stringify({ ...configOf(slack), listen }), { file: '/gateway.yaml' }));
  expect((await post(gateway.url, request)).status).toBe(200);
  const get = await fetch(`${gateway.url}/approvals/slack`);
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
});

test('requests are bounded in size and in number, and other interactions of Slack are taken and mean nothing', async () => {
  const { gateway } = await open({ limits: { requestsPerMinute: 4 } });
  for (const payload of ['{"type":"view_closed"}', '{"type":"block_actions","actions":[7]}', '[]']) {
    expect((await post(gateway.url, signed(`payload=${payload}`))).status).toBe(200);
  }
  expect((await post(gateway.url, signed('x'.repeat(256 * 1024 + 1)))).status).toBe(413);
  expect((await post(gateway.url, signed('payload=1'))).status).toBe(429);
});

/** A gateway without a listener, whose calls wait for people. */
async function mounted(slack: FakeSlack): Promise<Gateway> {
  const outbound = { allow: [new URL(slack.webhook).host] };
  const { listen: _, ...config } = configOf(slack, { ...asks(), outbound });
  const gateway = createGateway(parseConfig(JSON.stringify(config), { file: '/gateway.yaml' }), { logger: silent });
  afterTest(() => gateway.close({ drainMs: 0 }));
  await gateway.start();
  return gateway;
}

test('a gateway that is part of an app takes decisions, by fetch and without a listener', async () => {
  const slack = await startSlack();
  const gateway = await mounted(slack);
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': keys.alice.key };
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'plain: book it' }] };
  const body = JSON.stringify({ message, configuration: { returnImmediately: true } });
  await gateway.fetch(new Request('http://app.example/message:send', { method: 'POST', headers, body }));
  const { click, ...request } = slack.request(await slack.message(), 'Approve', { user: 'U0BOB' });
  const answer = await gateway.fetch(new Request('http://app.example/approvals/slack', { method: 'POST', ...request }));
  expect([answer.status, textsOf(await slack.outcomeOf(click))]).toEqual([200, expect.stringContaining('Approved by')]);
});

test('a gateway in an Express app takes decisions, with a parser of forms before it that keeps the bytes', async () => {
  const slack = await startSlack();
  const gateway = await mounted(slack);
  const app = express();
  app.use(express.urlencoded({ verify: (req, _res, bytes) => void Object.assign(req, { rawBody: bytes }) }));
  app.use(gateway.middleware);
  const { origin, close } = await listenOn(createServer(app));
  afterTest(close);
  await usersOf(callsOf(origin, { 'x-api-key': keys.alice.key }), slack).sent();
  const { outcome } = await slack.click(origin, await slack.message(), 'Approve', { user: 'U0BOB' });
  expect(textsOf(outcome)).toContain('Approved by <@U0BOB>');
});

test('of clicks of two people at two replicas in one moment, one decides', async () => {
  const url = await (await sharedPostgres()).migrated();
  const slack = await startSlack();
  const [first, second] = [
    await open({ ...asks(), store: url }, { slack }),
    await open({ ...asks(), store: url }, { slack }),
  ];
  const id = await first.sent();
  const message = await slack.message();
  const clicks = await Promise.all([
    slack.click(first.gateway.url, message, 'Approve', { user: 'U0BOB' }),
    slack.click(second.gateway.url, message, 'Deny', { user: 'U0CAROL' }),
  ]);
  const texts = clicks.map(({ outcome }) => textsOf(outcome));
  const [winner] = ['Approved by <@U0BOB>', 'Denied by <@U0CAROL>'].filter((text) =>
    texts.some((one) => one.includes(text)),
  );
  const isApproved = winner?.startsWith('Approved');
  expect(texts.filter((text) => /Approved by|Denied by/.test(text))).toHaveLength(1);
  expect(texts.filter((text) => text.includes(`already, by key:${isApproved ? 'bob' : 'carol'}`))).toHaveLength(1);
  await second.reaches(id, isApproved ? 'TASK_STATE_INPUT_REQUIRED' : 'TASK_STATE_REJECTED');
  expect(slack.messages().filter(({ text }) => text.startsWith('policy'))).toHaveLength(1);
});
