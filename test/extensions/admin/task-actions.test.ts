import { beforeAll, beforeEach, expect, test } from 'vitest';
import { newKey } from '../../../src/auth/hash.ts';
import type { GatewaySettings } from '../../../src/gateway/compose/settings.ts';
import type {
  FindTasksResponse,
  ListQuestionsResponse,
  TaskDetails,
  TaskLogEvent,
  TaskSummary,
} from '../../../src/gen/admin-v1/types.ts';
import { callsOf } from '../../support/admin.ts';
import { silent } from '../../support/core.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';

const ofAlice = newKey();
const ofOperator = newKey();
const auth = {
  apiKeys: [
    { name: 'alice', hash: ofAlice.hash },
    { name: 'operator', hash: ofOperator.hash, scopes: ['admin', 'tasks'] },
  ],
};

const lines: object[] = [];
const logged = (fields: object): void => void lines.push(fields);
let gateway: Opened;
let alice: ReturnType<typeof callsOf>;
let operator: ReturnType<typeof callsOf>;

beforeAll(async () => {
  const settings = JSON.stringify({
    listen: { host: 'localhost', port: 0 },
    store: 'memory:',
    auth,
    defaultAgent: 'demo',
    agents: { demo: { kind: 'reference' } },
  });
  gateway = await openGateway(settings, { logger: { ...silent, info: logged, warn: logged } });
  alice = callsOf(gateway.url, { 'x-api-key': ofAlice.key });
  operator = callsOf(gateway.url, { 'x-api-key': ofOperator.key });
});
beforeEach(() => {
  lines.length = 0;
});

const inState = async (id: string, state: string): Promise<TaskSummary> => {
  for (;;) {
    const { tasks = [] } = await operator.get<FindTasksResponse>(`/admin/v1/tasks?id=${id}`);
    const task = tasks.find((one) => one.state === `TASK_STATE_${state}`);
    if (task) return task;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

const audited = (): object[] => lines.filter((line) => 'security' in line);

test('StopTask cancels a task of another caller, and the audit log names both', async () => {
  const { id } = await alice.send('wait');
  const { key } = await inState(id, 'WORKING');
  const details = await operator.post<TaskDetails>(`/admin/v1/tasks/${key}:stop`, {});
  expect(details.summary).toMatchObject({ state: 'TASK_STATE_CANCELED', principal: 'key:alice', replica: '' });
  expect(details.task).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
  expect(audited()).toMatchObject([
    { security: 'admin.action', operation: 'StopTask', principal: 'key:operator', owner: 'key:alice', subject: key },
  ]);
  await expect(operator.post(`/admin/v1/tasks/${key}:stop`, {})).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('canceled'),
  });
  expect(audited().at(-1)).toMatchObject({ owner: 'key:alice', reason: 'Failed: taskNotCancelable' });
});

test('StopTask knows no task that does not exist', async () => {
  await expect(operator.post('/admin/v1/tasks/none:stop', {})).rejects.toMatchObject({ status: 404 });
});

test('AnswerTask sends a message in the name of the caller, who sees it and the answer', async () => {
  const { id } = await alice.send('ask');
  const { key } = await inState(id, 'INPUT_REQUIRED');
  const answered = await operator.post<TaskDetails>(`/admin/v1/tasks/${key}:answer`, { parts: [{ text: 'Ada' }] });
  expect(answered.summary).toMatchObject({ key, principal: 'key:alice' });
  await inState(id, 'COMPLETED');
  const task = await alice.get<{ history: { role: string; parts: object[] }[] }>(`/tasks/${id}`);
  expect(task.history).toContainEqual(expect.objectContaining({ role: 'ROLE_USER', parts: [{ text: 'Ada' }] }));
  expect(audited()[0]).toMatchObject({
    security: 'admin.action',
    operation: 'AnswerTask',
    principal: 'key:operator',
    owner: 'key:alice',
  });
  await expect(operator.post(`/admin/v1/tasks/${key}:answer`, { parts: [{ text: 'more' }] })).rejects.toMatchObject({
    status: 400,
  });
});

test.each([
  [[], 'parts'],
  [[{ text: 'a', url: 'http://b' }], 'parts[0]'],
  [[{ text: 'a' }, { words: 'b' }], 'parts[1]'],
])('AnswerTask refuses %j and names the field', async (parts, field) => {
  const { id } = await alice.send('ask');
  const { key } = await inState(id, 'INPUT_REQUIRED');
  await expect(operator.post(`/admin/v1/tasks/${key}:answer`, { parts })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(field),
  });
});

test('questions are listed with their text, and answered once', async () => {
  const { id } = await alice.send('ask');
  const { key } = await inState(id, 'INPUT_REQUIRED');
  const listed = await operator.get<ListQuestionsResponse>('/admin/v1/questions?agent=demo');
  const question = listed.questions?.find(({ task }) => task.key === key);
  expect(question).toMatchObject({ task: { id, principal: 'key:alice' }, text: expect.any(String) });
  const { generation } = question ?? {};
  const answer = (text: string) =>
    operator.post(`/admin/v1/questions/${key}:answer`, { parts: [{ text }], generation }).then(
      () => 'answered',
      (error: Error) => error.message,
    );
  const answers = await Promise.all([answer('Ada'), answer('Bob')]);
  expect(answers.sort((a) => (a === 'answered' ? -1 : 1))).toEqual([
    'answered',
    expect.stringContaining('answered already, by key:operator'),
  ]);
  await inState(id, 'COMPLETED');
  const task = await alice.get<{ history: { metadata?: object }[] }>(`/tasks/${id}`);
  const given = { 'a2a-gateway/answer': { by: 'key:operator', way: 'admin' } };
  expect(task.history.filter(({ metadata }) => metadata)).toEqual([expect.objectContaining({ metadata: given })]);
  const later = await operator.get<ListQuestionsResponse>('/admin/v1/questions');
  expect(later.questions?.some((each) => each.task.key === key)).not.toBe(true);
});

test('questions that the owner answers first are not answered again', async () => {
  const { id } = await alice.send('ask');
  const { key } = await inState(id, 'INPUT_REQUIRED');
  await alice.send('Ada', { taskId: id });
  await expect(operator.post(`/admin/v1/questions/${key}:answer`, { parts: [{ text: 'Bob' }] })).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('answered already, by the caller who owns the task'),
  });
});

test('questions get the answer of another caller only before the owner answers, in whatever dialect and however close', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { id } = await alice.send('ask');
    const { key } = await inState(id, 'INPUT_REQUIRED');
    const message = { messageId: 'm', taskId: id, role: 'user', parts: [{ kind: 'text', text: 'Cyd' }] };
    const ways = [
      () => operator.post(`/admin/v1/questions/${key}:answer`, { parts: [{ text: 'Ada' }] }),
      () => alice.send('Bob', { taskId: id }),
      () => alice.post('/as/a2a-0.3', { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } }),
    ];
    // Another one is the first in each round.
    const inOrder = [...ways.slice(round % 3), ...ways.slice(0, round % 3)].map((answer) => answer());
    const answers = await Promise.allSettled(inOrder);
    const byOperator = answers[(3 - (round % 3)) % 3];
    await inState(id, 'COMPLETED');
    const { history } = await alice.get<{ history: { role: string; parts: { text: string }[] }[] }>(`/tasks/${id}`);
    const [, first] = history.filter(({ role }) => role === 'ROLE_USER').map(({ parts }) => parts[0]?.text);
    if (first === 'Ada') expect(byOperator?.status).toBe('fulfilled');
    else {
      const message = expect.stringContaining('answered already, by the caller who owns the task');
      expect(byOperator).toMatchObject({ status: 'rejected', reason: { status: 409, message } });
    }
  }
});

test('a task that asks nothing takes no answer', async () => {
  const { id } = await alice.send('hello');
  const { key } = await inState(id, 'COMPLETED');
  await expect(operator.post(`/admin/v1/questions/${key}:answer`, { parts: [{ text: 'Bob' }] })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('asks nothing'),
  });
});

test('a task whose caller has chosen its id is found by it, and has a key of its own', async () => {
  const id = 'chosen~1';
  const message = { role: 'user', parts: [{ type: 'text', text: 'ask' }] };
  const body = { jsonrpc: '2.0', id: 1, method: 'tasks/send', params: { id, message } };
  for (const { key } of [ofAlice, ofOperator]) {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const answer = await fetch(`${gateway.url}/as/a2a-0.1`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(await answer.json()).toMatchObject({ result: { id } });
  }
  const { tasks = [] } = await operator.get<FindTasksResponse>(`/admin/v1/tasks?id=${encodeURIComponent(id)}`);
  expect(tasks.map(({ principal }) => principal).sort()).toEqual(['key:alice', 'key:operator']);
  const [key = ''] = tasks.filter(({ principal }) => principal === 'key:alice').map((task) => task.key);
  const path = `/admin/v1/tasks/${encodeURIComponent(key)}`;
  expect(await operator.get(path)).toMatchObject({ summary: { id, key, dialect: 'a2a-0.1' }, task: { id } });
  const parts = [{ text: 'Ada', metadata: { mine: 1, 'a2a-gateway/a2a-0.1': { theirs: 2 } } }];
  await operator.post(`${path}:answer`, { parts });
  const { events } = await operator.get<{ events: TaskLogEvent[] }>(`${path}/events`);
  expect(JSON.stringify(events)).toContain('"parts":[{"text":"Ada","metadata":{"mine":1}}]');
  expect((await operator.get<TaskDetails>(path)).summary.dialect).toBe('a2a-0.1');
});

test('a request that is repeated with its Idempotency-Key sends one message', async () => {
  const { id } = await alice.send('ask');
  const { key } = await inState(id, 'INPUT_REQUIRED');
  const init = {
    method: 'POST',
    body: JSON.stringify({ parts: [{ text: 'Ada' }] }),
    headers: { 'idempotency-key': 'one answer' },
  };
  const answers = [];
  for (let i = 0; i < 2; i += 1) answers.push(await operator.request(`/admin/v1/tasks/${key}:answer`, init));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const { history } = await alice.get<{ history: { role: string }[] }>(`/tasks/${id}`);
  expect(history.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(2);
});

test('a task of an agent that is gone can be read, and not be changed', async () => {
  const { id } = await alice.send('ask');
  const { key } = await inState(id, 'INPUT_REQUIRED');
  const reload = (agents: NonNullable<GatewaySettings['agents']>) =>
    gateway.gateway.reload({ agents, store: 'memory:', listen: { host: 'localhost', port: 0 }, auth });
  await reload({ other: { kind: 'reference' } });
  expect((await operator.get<TaskDetails>(`/admin/v1/tasks/${key}`)).task).toMatchObject({ id });
  for (const path of [`/admin/v1/tasks/${key}:stop`, `/admin/v1/tasks/${key}:answer`]) {
    await expect(operator.post(path, { parts: [{ text: 'a' }] })).rejects.toMatchObject({
      message: expect.stringContaining('no longer configured'),
    });
  }
  expect(audited().at(-1)).toMatchObject({ agent: 'demo', owner: 'key:alice' });
  const follow = operator.stream<TaskLogEvent>(`/admin/v1/tasks/${key}:follow`);
  expect((await follow.next()).value?.event).toMatchObject({ position: 1 });
  await follow.return(undefined);
  await reload({ demo: { kind: 'upstream', url: 'http://127.0.0.1:1/agent-card.json', keep: 'none' } });
  await expect(operator.post(`/admin/v1/tasks/${key}:stop`, {})).rejects.toMatchObject({
    message: expect.stringContaining('keep: none'),
  });
});
