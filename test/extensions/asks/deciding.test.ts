import { beforeAll, beforeEach, expect, test } from 'vitest';
import { defineAgent } from '../../../src/agents/define.ts';
import { ask } from '../../../src/agents/events.ts';
import { newKey } from '../../../src/auth/hash.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import type { ListQuestionsResponse, Question, TaskDetails } from '../../../src/gen/admin-v1/types.ts';
import { callsOf } from '../../support/admin.ts';
import { silent } from '../../support/core.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';

/** People decide by the admin service about calls that policies put before them. */

const callers = {
  alice: ['tasks', 'questions'],
  ada: ['questions'],
  bob: ['questions', 'tasks'],
  carol: ['questions'],
  operator: ['admin'],
  auditor: ['admin:read'],
} as const;
const keys = Object.entries(callers).map(([name, scopes]) => ({ name, scopes, ...newKey() }));
/** Another credential of Ada. */
const clientSecret = newKey();
const keyOf = (name: string): string => keys.find((one) => one.name === name)?.key ?? '';

const asking = (word: string, people: object, more: object = {}) => ({
  name: `asks-${word}`,
  where: `has(messageMetadata.about) && messageMetadata.about == '${word}'`,
  ask: people,
  ...more,
});
const policies = [
  asking('one', { of: ['ada', 'carol'], delegate: 'bob' }, { reason: 'It costs money.' }),
  asking('two', { of: ['ada', 'carol'], quorum: 2 }),
  asking('self', { of: ['alice'], self: true }),
  asking('other', { of: ['alice', 'ada'] }),
  asking('late', { of: ['ada'], until: '1s' }),
  asking('let', { of: ['ada'], until: '1s', otherwise: 'allow' }),
  { ...asking('both', { of: ['ada'] }), name: 'first' },
  { ...asking('both', { of: ['carol', 'ada'] }), name: 'second' },
];

const got: string[] = [];
const lines: Record<string, unknown>[] = [];
const agent = defineAgent({ name: 'Buyer', description: 'Buys' }, ({ text }) => {
  got.push(text);
  return text === 'question' ? ask('Which?') : `bought ${text}`;
});
let gateway: Opened;
let by: Readonly<Record<keyof typeof callers, ReturnType<typeof callsOf>>>;
let alice: ReturnType<typeof callsOf>;

beforeAll(async () => {
  const note = (fields: object): void => void lines.push(fields as Record<string, unknown>);
  const apiKeys = keys.map(({ name, hash, scopes }) => ({ name, hash, scopes }));
  gateway = await openGateway(
    JSON.stringify({
      listen: { host: 'localhost', port: 0 },
      store: 'memory:',
      auth: { apiKeys, tokenEndpoint: { clients: [{ id: 'ada', hash: clientSecret.hash, scopes: ['questions'] }] } },
      policies,
    }),
    { agents: { buyer: agent }, logger: { ...silent, info: note, warn: note } },
  );
  by = Object.fromEntries(
    keys.map(({ name, key }) => [name, callsOf(gateway.url, { 'x-api-key': key })]),
  ) as unknown as typeof by;
  alice = callsOf(`${gateway.url}/buyer`, { 'x-api-key': keyOf('alice') });
});

beforeEach(() => {
  got.length = 0;
  lines.length = 0;
});

const hold = async (text: string): Promise<string> =>
  (await alice.send(text, { immediately: false, metadata: { about: text } })).id;
const answer = (who: keyof typeof callers, id: string, part: object, more: object = {}) =>
  by[who].post<TaskDetails>(`/admin/v1/questions/${id}:answer`, { parts: [part], ...more });
const taskOf = (id: string) => alice.get<Task>(`/tasks/${id}`);
const questionsOf = async (who: keyof typeof callers): Promise<Question[]> =>
  (await by[who].get<ListQuestionsResponse>('/admin/v1/questions')).questions ?? [];
const questionOf = async (who: keyof typeof callers, id: string): Promise<Question | undefined> =>
  (await questionsOf(who)).find(({ task }) => task.id === id);
const faultOf = (answered: Promise<unknown>) =>
  answered.then(
    () => undefined,
    ({ status, message }: Error & { status: number }) => [status, message] as const,
  );
const endOf = (id: string) => alice.endOf(id);
const decisions = () =>
  lines.flatMap(({ security, principal, owner, subject, reason }) =>
    String(security).startsWith('ask.') ? [[security, principal, owner, subject, reason]] : [],
  );

test('a call is listed for those whom it asks and for operators, with its text, and no one else', async () => {
  const id = await hold('one');
  const question = await questionOf('ada', id);
  expect(question).toMatchObject({
    by: 'policy asks-one',
    message: 'one',
    asks: [{ by: 'policy asks-one', of: ['ada', 'carol'], delegate: 'bob', quorum: 1, reason: 'It costs money.' }],
    task: { principal: 'key:alice', agent: 'buyer', state: 'TASK_STATE_AUTH_REQUIRED' },
  });
  for (const who of ['carol', 'bob', 'operator', 'auditor'] as const)
    expect(await questionOf(who, id)).toEqual(question);
  expect(await questionOf('alice', id)).toBeUndefined();
  expect(await questionOf('carol', await hold('other'))).toBeUndefined();
});

test('one of several people releases the call, which its agent gets once, and others learn who was first', async () => {
  const id = await hold('one');
  expect(got).toEqual([]);
  await answer('ada', id, { text: 'Yes' });
  expect((await endOf(id)).state).toBe('TASK_STATE_COMPLETED');
  expect(got).toEqual(['one']);
  expect(await faultOf(answer('carol', id, { text: 'approve' }))).toEqual([409, expect.stringContaining('key:ada')]);
  expect(decisions()).toEqual([['ask.approved', 'key:ada', 'key:alice', id, 'Approved by delegate']]);
});

test('a delegate decides in place of those who are asked', async () => {
  const id = await hold('one');
  await answer('bob', id, { data: { decision: 'approve' } });
  expect((await endOf(id)).state).toBe('TASK_STATE_COMPLETED');
});

test('a scope alone gives no right to decide, and neither does the call', async () => {
  const id = await hold('other');
  for (const part of [{ text: 'approve' }, { text: 'deny' }]) {
    expect(await faultOf(answer('operator', id, part))).toEqual([403, expect.stringContaining('key:operator is not')]);
    expect((await faultOf(answer('alice', id, part)))?.[0]).toBe(404);
    expect((await faultOf(answer('carol', id, part)))?.[0]).toBe(404);
  }
  expect((await faultOf(by.operator.post(`/admin/v1/tasks/${id}:answer`, { parts: [{ text: 'approve' }] })))?.[0]).toBe(
    400,
  );
  for (const text of ['approve', 'hurry up'])
    expect(await faultOf(alice.send(text, { taskId: id }))).toEqual([
      400,
      expect.stringContaining('until people agree'),
    ]);
  expect((await taskOf(id)).status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  expect([got, decisions()]).toEqual([[], []]);
});

test('a caller agrees to its own call where the ask says so', async () => {
  const id = await hold('self');
  await answer('alice', id, { text: 'ok' });
  expect((await endOf(id)).state).toBe('TASK_STATE_COMPLETED');
});

test('a call waits until as many people agree as it needs, and each counts once', async () => {
  const id = await hold('two');
  const { generation = '' } = (await questionOf('carol', id)) ?? {};
  await answer('ada', id, { text: 'approve' });
  const given = [{ by: 'key:ada', way: 'delegate', at: expect.any(String) }];
  expect(await questionOf('carol', id)).toMatchObject({
    asks: [{ quorum: 2, given }],
    text: expect.stringContaining('key:ada'),
  });
  expect(await faultOf(answer('ada', id, { text: 'approve' }))).toEqual([409, expect.stringContaining('key:ada')]);
  expect(got).toEqual([]);
  // What is asked is the same, although the first agreement has changed the task.
  await answer('carol', id, { text: 'approve' }, { generation });
  expect((await endOf(id)).state).toBe('TASK_STATE_COMPLETED');
  expect(got).toEqual(['two']);
  expect(decisions().map(([event, who]) => [event, who])).toEqual([
    ['ask.approved', 'key:ada'],
    ['ask.approved', 'key:carol'],
  ]);
});

test('a person with two credentials of one name counts once', async () => {
  const id = await hold('two');
  await answer('ada', id, { text: 'approve' });
  const token = await fetch(`${gateway.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: 'ada', client_secret: clientSecret.key }),
  });
  const { access_token } = (await token.json()) as { access_token: string };
  const client = callsOf(gateway.url, { authorization: `Bearer ${access_token}` });
  const again = client.post(`/admin/v1/questions/${id}:answer`, { parts: [{ text: 'approve' }] });
  expect(await faultOf(again)).toEqual([409, expect.stringContaining('client:ada')]);
  expect([(await taskOf(id)).status.state, got]).toEqual(['TASK_STATE_AUTH_REQUIRED', []]);
});

test('a later message of a task waits too, and its decision is about it alone', async () => {
  const { id } = await alice.send('question', { immediately: false });
  await alice.send('one', { taskId: id, metadata: { about: 'one' } });
  const first = await questionOf('ada', id);
  expect(first).toMatchObject({ message: 'one', by: 'policy asks-one' });
  expect(got).toEqual(['question']);
  await answer('ada', id, { text: 'approve' }, { generation: first?.generation });
  expect((await endOf(id)).state).toBe('TASK_STATE_COMPLETED');
  expect(got).toEqual(['question', 'one']);
  expect(lines.filter(({ security }) => security === 'question.answered')).toEqual([]);
});

test('one agreement counts for every policy that names the person, and all policies must have theirs', async () => {
  const id = await hold('both');
  await answer('carol', id, { text: 'approve' });
  expect((await questionOf('ada', id))?.asks?.map(({ given = [] }) => given.length)).toEqual([0, 1]);
  await answer('ada', id, { text: 'approve' });
  expect((await endOf(id)).state).toBe('TASK_STATE_COMPLETED');
});

test('a denial of any one of them rejects the task, which says who and why, also after an agreement', async () => {
  const id = await hold('two');
  await answer('ada', id, { text: 'approve' });
  await answer('ada', id, { text: 'deny' }, {});
  const again = await hold('two');
  await answer('carol', again, { data: { decision: 'deny', reason: 'Too much' } });
  expect((await taskOf(id)).status).toMatchObject({
    state: 'TASK_STATE_REJECTED',
    message: { parts: [{ text: 'key:ada has denied the call' }] },
  });
  expect((await taskOf(again)).status.message?.parts).toEqual([{ text: 'key:carol has denied the call: Too much' }]);
  expect(await faultOf(answer('ada', again, { text: 'approve' }))).toEqual([409, expect.stringContaining('key:carol')]);
  expect(got).toEqual([]);
  expect(decisions().at(-1)).toEqual(['ask.denied', 'key:carol', 'key:alice', again, 'Denied by delegate']);
  expect(JSON.stringify(lines)).not.toContain('Too much');
});

test('what is no decision is refused with the field, and the generation of another question is', async () => {
  const id = await hold('one');
  expect(await faultOf(answer('ada', id, { text: 'maybe' }))).toEqual([
    400,
    expect.stringContaining('answer.decision: must be approve or deny'),
  ]);
  for (const generation of ['99', '0', 'x']) {
    expect((await faultOf(answer('ada', id, { text: 'yes' }, { generation })))?.[0]).toBe(400);
  }
  expect((await taskOf(id)).status.state).toBe('TASK_STATE_AUTH_REQUIRED');
});

test('a call without a decision in time is rejected, or its agent gets it, as its policy says', async () => {
  const [late, let_] = [await hold('late'), await hold('let')];
  const status = await endOf(late);
  expect(status).toMatchObject({ state: 'TASK_STATE_REJECTED' });
  expect(status.message?.parts[0]?.text).toMatch(/^Not enough people agreed before \d{4}-/);
  expect((await endOf(let_)).state).toBe('TASK_STATE_COMPLETED');
  expect(got).toEqual(['let']);
  expect(decisions().toSorted((one, other) => String(one[4]).localeCompare(String(other[4])))).toEqual([
    ['ask.expired', 'a2a-gateway', 'key:alice', let_, 'Approved by deadline'],
    ['ask.expired', 'a2a-gateway', 'key:alice', late, 'Denied by deadline'],
  ]);
});
