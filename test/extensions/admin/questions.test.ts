import { beforeAll, beforeEach, expect, test } from 'vitest';
import { defineAgent } from '../../../src/agents/define.ts';
import { type AskOptions, ask } from '../../../src/agents/events.ts';
import { newKey } from '../../../src/auth/hash.ts';
import type { ListQuestionsResponse, Question, TaskDetails } from '../../../src/gen/admin-v1/types.ts';
import { callsOf } from '../../support/admin.ts';
import { silent } from '../../support/core.ts';
import { type Opened, openGateway } from '../../support/gateway.ts';

/** Permission to see and answer a question: operators any, a delegate those that are for it, its owner by a message. */

const callers = { alice: undefined, support: ['questions'], other: ['questions'], operator: ['admin'] } as const;
const keys = Object.entries(callers).map(([name, scopes]) => ({ name, scopes, ...newKey() }));

const asks: Record<string, AskOptions> = {
  alone: {},
  delegated: { for: 'support', schema: { type: 'integer' }, deadline: '1h', otherwise: { answer: 2 } },
};
const asking = defineAgent({ name: 'Asking', description: 'Asks' }, ({ text, answer }) =>
  answer ? 'done' : ask('How many?', asks[text]),
);

const lines: object[] = [];
let gateway: Opened;
let by: Readonly<Record<keyof typeof callers, ReturnType<typeof callsOf>>>;

/** Alice, who calls the agent. */
let asker: ReturnType<typeof callsOf>;

beforeAll(async () => {
  const apiKeys = keys.map(({ name, hash, scopes }) => ({ name, hash, ...(scopes && { scopes }) }));
  gateway = await openGateway(
    JSON.stringify({ listen: { host: 'localhost', port: 0 }, store: 'memory:', auth: { apiKeys } }),
    {
      agents: { asking },
      logger: { ...silent, info: (fields) => void lines.push(fields), warn: (fields) => void lines.push(fields) },
    },
  );
  by = Object.fromEntries(keys.map(({ name, key }) => [name, callsOf(gateway.url, { 'x-api-key': key })])) as typeof by;
  asker = callsOf(`${gateway.url}/asking`, { 'x-api-key': keys[0]?.key ?? '' });
});
beforeEach(() => {
  lines.length = 0;
});

const questionsOf = async (calls: ReturnType<typeof callsOf>): Promise<Question[]> =>
  (await calls.get<ListQuestionsResponse>('/admin/v1/questions')).questions ?? [];
const idsOf = (questions: readonly Question[]): string[] => questions.map(({ task }) => task.id ?? '').sort();
const answer = (calls: ReturnType<typeof callsOf>, id: string, data: unknown) =>
  calls.post<TaskDetails>(`/admin/v1/questions/${id}:answer`, { parts: [{ data }] });

test('a delegate lists and answers the questions that are for it, and sees nothing else of their tasks', async () => {
  const alone = await asker.send('alone', { immediately: false });
  const { id } = await asker.send('delegated', { immediately: false });
  expect(idsOf(await questionsOf(by.operator))).toEqual([alone.id, id].sort());
  expect(await questionsOf(by.other)).toEqual([]);
  const [question, ...more] = await questionsOf(by.support);
  expect([question, more]).toEqual([
    expect.objectContaining({ text: 'How many?', for: 'support', until: expect.any(String), otherwise: { answer: 2 } }),
    [],
  ]);

  await expect(answer(by.support, id, 'many')).rejects.toMatchObject({ status: 400 });
  const details = await answer(by.support, id, 3);
  expect(Object.keys(details)).toEqual(['summary']);
  expect(lines).toContainEqual(
    expect.objectContaining({
      security: 'question.answered',
      principal: 'key:support',
      owner: 'key:alice',
      subject: id,
      reason: 'Answered by delegate',
    }),
  );
});

test('operators list the questions of one state, and a state in which no task waits is refused', async () => {
  const { id } = await asker.send('alone', { immediately: false });
  const list = (states: string) =>
    by.operator
      .get<ListQuestionsResponse>(`/admin/v1/questions?states=${states}`)
      .then(({ questions = [] }) => questions);
  expect(idsOf(await list('TASK_STATE_INPUT_REQUIRED'))).toContain(id);
  expect(await list('TASK_STATE_AUTH_REQUIRED')).toEqual([]);
  await expect(list('TASK_STATE_WORKING')).rejects.toMatchObject({ status: 400 });
});

test('a question for another caller is refused like one that does not exist', async () => {
  const { id } = await asker.send('alone', { immediately: false });
  const refusalOf = (key: string) =>
    answer(by.other, key, 3).then(
      () => undefined,
      ({ status, message }: Error & { status: number }) => [status, message.replaceAll(key, 'KEY')],
    );
  const unknown = await refusalOf('0197f000-0000-7000-8000-000000000000');
  expect(unknown?.[0]).toBe(404);
  expect(await refusalOf(id)).toEqual(unknown);
  await expect(by.other.get(`/admin/v1/tasks/${id}`)).rejects.toMatchObject({ status: 403 });
  await expect(by.alice.get('/admin/v1/questions')).rejects.toMatchObject({ status: 403 });
});

test('of two answers in the same moment one goes to the agent, and the other names the caller who was first', async () => {
  const { id } = await asker.send('delegated', { immediately: false });
  const outcomes = await Promise.allSettled([answer(by.support, id, 3), answer(by.operator, id, 4)]);
  const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  const first = lines.flatMap((line) =>
    'security' in line && line.security === 'question.answered' && 'principal' in line ? [line.principal] : [],
  );
  expect(first).toHaveLength(1);
  expect(refused).toEqual([expect.stringContaining(`answered already, by ${first[0]}`)]);
});
