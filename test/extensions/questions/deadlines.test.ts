import { beforeEach, expect, test, vi } from 'vitest';
import { defineAgent } from '../../../src/agents/define.ts';
import { type AskOptions, ask, data, isWaiting, passedOn, passOn } from '../../../src/agents/events.ts';
import type { QuestionsSettings } from '../../../src/gen/settings.ts';
import { type AgentTester, type TestAnswer, testAgent } from '../../../src/testing/index.ts';

// The clock stands still until the test moves it: no deadline passes before its time, however slow the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
const pass = (milliseconds: number): unknown => vi.setSystemTime(Date.now() + milliseconds);

/** An agent that asks once, and repeats the answer that it got. */
const asking = (options?: AskOptions) =>
  defineAgent({ name: 'Asking', description: 'Asks' }, ({ answer, message }) => {
    if (answer?.action === 'accept') return JSON.stringify([answer.value, message.metadata]);
    return answer ? answer.action : ask('How many?', options);
  });

const settings = (questions: QuestionsSettings) => ({ settings: { questions } });

/** Sends a message, to which the agent asks. */
async function asked(tester: AgentTester): Promise<string> {
  const { task, state } = await tester.send('go');
  expect(state).toBe('TASK_STATE_INPUT_REQUIRED');
  return task?.id ?? '';
}

/** The task once it is over, which it is when its deadline has passed. */
async function over(tester: AgentTester, id: string, deadline = 10_000): Promise<TestAnswer> {
  pass(deadline);
  return vi.waitFor(async () => {
    const answer = await tester.wait(id);
    expect(answer.state).not.toBe('TASK_STATE_INPUT_REQUIRED');
    return answer;
  });
}

const audited = ({ log }: AgentTester): object[] =>
  log.flatMap(({ fields }) =>
    'security' in fields && String(fields.security).startsWith('question.') ? [fields] : [],
  );

test('a question without an answer in time fails its task, which says so', async () => {
  await using tester = await testAgent(asking({ deadline: '300ms' }));
  const id = await asked(tester);
  const { state, text } = await over(tester, id);
  expect([state, text]).toEqual(['TASK_STATE_FAILED', expect.stringMatching(/^No one answered the question before 2/)]);
  expect(audited(tester)).toEqual([
    expect.objectContaining({ security: 'question.failed', agent: 'tested', owner: 'tester', subject: id }),
  ]);
});

test('the deadline and the default answer of the configuration are those of every question', async () => {
  await using tester = await testAgent(
    asking(),
    settings({ deadline: '300ms', otherwise: { answer: { action: 'accept', content: 3 } } }),
  );
  const id = await asked(tester);
  const { status } = await tester.get(id);
  expect(status.message?.metadata?.['a2a-gateway/question']).toMatchObject({ until: expect.any(String) });
  const { state, text } = await over(tester, id);
  expect(state).toBe('TASK_STATE_COMPLETED');
  expect(JSON.parse(text)).toEqual([3, { 'a2a-gateway/answer': { by: 'a2a-gateway', way: 'deadline' } }]);
  expect(audited(tester)).toEqual([
    expect.objectContaining({
      security: 'question.answered',
      principal: 'a2a-gateway',
      reason: 'Answered by deadline',
    }),
  ]);
});

test('a default answer that does not follow the schema fails the task, which names the field', async () => {
  const schema = { type: 'object', properties: { guests: { type: 'integer' } }, required: ['guests'] };
  await using tester = await testAgent(
    asking({ schema, deadline: '200ms', otherwise: { answer: { guests: 'many' } } }),
  );
  const { state, text } = await over(tester, await asked(tester));
  expect([state, text]).toEqual([
    'TASK_STATE_FAILED',
    expect.stringContaining('The default answer was not accepted: answer.guests must be integer'),
  ]);
});

test('an answer in time goes to the agent, and its deadline passes without effect', async () => {
  await using tester = await testAgent(asking({ deadline: '700ms' }));
  const id = await asked(tester);
  const unanswered = await asked(tester);
  const { state, text } = await tester.send({ parts: [data(4)] }, { taskId: id });
  expect([state, JSON.parse(text)[0]]).toEqual(['TASK_STATE_COMPLETED', 4]);
  expect(audited(tester)).toEqual([
    expect.objectContaining({ security: 'question.answered', principal: 'tester', reason: 'Answered by message' }),
  ]);
  await over(tester, unanswered);
  expect((await tester.get(id)).status.state).toBe('TASK_STATE_COMPLETED');
});

test('an answer after the deadline is refused, also before the task has failed', async () => {
  await using tester = await testAgent(asking({ deadline: '1ms' }));
  const { task } = await tester.send('go');
  pass(1);
  await expect(tester.send({ parts: [data(4)] }, { taskId: task?.id ?? '' })).rejects.toMatchObject({
    kind: 'unsupportedOperation',
  });
});

test('a deadline outlives the gateway: another one on the store acts on it', async () => {
  await using tester = await testAgent(asking({ deadline: '1500ms', otherwise: { answer: 'two' } }));
  const id = await asked(tester);
  await tester.restart();
  expect((await tester.get(id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const { state, text } = await over(tester, id);
  expect([state, JSON.parse(text)[0]]).toEqual(['TASK_STATE_COMPLETED', 'two']);
});

test('the default answer to a question that was passed on reaches the agent that asked it', async () => {
  const trip = defineAgent({ name: 'Trip', description: 'Asks the other' }, async ({ agent, message, task }) => {
    const from = passedOn(task);
    const answer = await agent('inner').send(from ? message : 'go', from);
    return isWaiting(answer) ? passOn(answer) : answer.text;
  });
  const inner = asking({ deadline: '1h', otherwise: { answer: 'two' } });
  await using tester = await testAgent(trip, { agents: { inner } });
  // The time of the question that was passed on ends five seconds before that of the other one.
  const { state, text } = await over(tester, await asked(tester), 3_600_000 - 5_000);
  expect([state, JSON.parse(text)[0]]).toEqual(['TASK_STATE_COMPLETED', 'two']);
});

test('the gateway reminds of a question once, and one without a deadline waits on', async () => {
  await using tester = await testAgent(asking(), {
    settings: { questions: { remind: '100ms' } },
  });
  const id = await asked(tester);
  pass(100);
  await vi.waitFor(() => expect(audited(tester)).toHaveLength(1));
  expect(audited(tester)).toEqual([expect.objectContaining({ security: 'question.reminded', subject: id })]);
  expect((await tester.get(id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
});
