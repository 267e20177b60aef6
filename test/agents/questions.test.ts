import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/model/json.ts';
import { answerOf } from '../../src/core/model/question.ts';
import { type AgentRequest, artifact, ask, data } from '../../src/index.ts';
import { type TestAnswer, testAgent } from '../../src/testing/index.ts';

/** Questions with a JSON Schema: what their answers may be, and what the agent gets of them. */

const schema = {
  type: 'object',
  properties: { seats: { type: 'integer', minimum: 1 }, window: { type: 'boolean' } },
  required: ['seats'],
  additionalProperties: false,
} as const;

const asks = (wantedSchema: JsonObject | undefined) => ({
  name: 'Booking',
  description: 'Books seats',
  async *execute({ task, answer }: AgentRequest) {
    if (!task) yield ask('How many seats?', wantedSchema && { schema: wantedSchema });
    else yield artifact({ content: data(answer) });
  },
});

const answered = ({ task }: TestAnswer) => task?.artifacts?.[0]?.parts[0]?.data;

it.each([
  [{ data: { seats: 0 } }, 'answer.seats: must be >= 1'],
  [{ data: { window: true } }, 'answer.seats: is required'],
  [{ data: { seats: 1, colour: 'red' } }, 'answer.colour: is not asked for'],
  [{ text: 'many' }, 'answer.seats: must be integer'],
])(
  'an answer to a question with a schema is refused, before the agent sees it, with the field: %j',
  async (part, expected) => {
    await using tester = await testAgent(asks(schema));
    const taskId = (await tester.send('book')).task?.id ?? '';
    await expect(tester.send([part], { taskId })).rejects.toThrow(`Invalid parameters: ${expected}`);
    const task = await tester.get(taskId);
    expect([task.status.state, task.history?.length]).toEqual(['TASK_STATE_INPUT_REQUIRED', 1]);
    expect(answered(await tester.send('2', { taskId }))).toMatchObject({ action: 'accept', value: { seats: 2 } });
  },
);

it('an answer to a question with a schema is not judged by a schema that cannot be used', async () => {
  await using tester = await testAgent(asks({ type: 'object', $ref: 'https://example.com/schema' }));
  const taskId = (await tester.send('book')).task?.id ?? '';
  expect(answered(await tester.send([data({ seats: 'x' })], { taskId }))).toMatchObject({ value: { seats: 'x' } });
});

it('an answer to a question with a schema may decline, also where no answer fits the schema', async () => {
  const impossible = { type: 'object', properties: { seats: false }, required: ['seats'] };
  await using tester = await testAgent(asks(impossible));
  const taskId = (await tester.send('book')).task?.id ?? '';
  await expect(tester.send([data({ seats: 1 })], { taskId })).rejects.toThrow('answer.seats: boolean schema is false');
  expect(answered(await tester.send([data({ action: 'cancel' })], { taskId }))).toEqual({ action: 'cancel' });
});

it('an answer to a question with a schema may decline', async () => {
  await using tester = await testAgent(asks(schema));
  const taskId = (await tester.send('book')).task?.id ?? '';
  expect(answered(await tester.send([data({ action: 'decline' })], { taskId }))).toEqual({ action: 'decline' });
});

describe('a text as an answer', () => {
  const read = (text: string, wantedSchema: object) => answerOf({ parts: [{ text }] }, wantedSchema as never);

  it.each([
    ['3', { type: 'integer' }, 3],
    [' Yes ', { type: 'boolean' }, true],
    ['', { type: 'number' }, ''],
    ['MEDIUM', { enum: ['small', 'medium'] }, 'medium'],
    ['Large one', { oneOf: [{ const: 'l', title: 'large one' }] }, 'l'],
    ['["a"]', { type: 'array' }, ['a']],
    ['{"seats":1,"window":false}', schema, { seats: 1, window: false }],
    ['4', schema, { seats: 4 }],
  ])('the text %j answers the schema %j', (text, wantedSchema, value) => {
    expect(read(text, wantedSchema)).toMatchObject({ action: 'accept', value });
  });

  it('a text is the answer itself if the schema wants a text, whatever it is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(read(text, { type: 'string' })).toMatchObject({ value: text });
      }),
    );
  });
});
