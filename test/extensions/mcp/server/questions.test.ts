import { expect, it } from 'vitest';
import { ask } from '../../../../src/agents/events.ts';
import type { TaskState } from '../../../../src/core/model/a2a.ts';
import type { QuestionFacts } from '../../../../src/core/model/question.ts';
import { answerPartsOf, elicitationOf, inputRequestsOf } from '../../../../src/extensions/mcp/server/questions.ts';

const everything = { form: true, url: true };

function asking(facts?: QuestionFacts, state: TaskState = 'TASK_STATE_INPUT_REQUIRED', urls: string[] = []) {
  const { status } = ask(['How?', ...urls.map((url) => ({ url }))], facts).statusUpdate ?? expect.fail();
  return { status: { ...status, state } };
}
const form = (properties: object, required?: string[]) => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'How?',
    requestedSchema: { type: 'object', properties, ...(required && { required }) },
  },
});
const accept = (content: object) => ({ action: 'accept', content });

it('a question as elicitation without a schema asks for a text, which becomes the text of the answer', () => {
  const task = asking();
  expect(inputRequestsOf(task, everything)).toEqual({ answer: form({ answer: { type: 'string' } }, ['answer']) });
  expect(answerPartsOf(task, { answer: accept({ answer: 'so' }) })).toEqual([{ text: 'so' }]);
});

it('a question as elicitation keeps the name and the simple properties of its schema', () => {
  const properties = {
    name: { type: 'string', title: 'Name', minLength: 1 },
    age: { type: 'integer', minimum: 0, default: 3 },
    colors: { type: 'array', items: { type: 'string', enum: ['red', 'blue'] } },
    size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
    sure: { type: 'boolean' },
  };
  const task = asking({ name: 'who', schema: { type: 'object', properties, required: ['name'] } });
  expect(inputRequestsOf(task, everything)).toEqual({ who: form(properties, ['name']) });
  const data = { name: 'Ada', age: 36, colors: ['red'], sure: true };
  expect(answerPartsOf(task, { who: accept({ ...data, action: 'decline' }) })).toEqual([{ data }]);
});

it('a question as elicitation asks as text for what no form of MCP holds', () => {
  const at = { type: 'object', properties: { x: { type: 'number' } }, description: 'Where.' };
  const schema = {
    type: 'object',
    properties: { at, tags: { type: 'array' }, code: { type: 'string', format: 'ipv4', pattern: '^1' } },
  };
  const task = asking({ schema });
  expect(inputRequestsOf(task, everything)).toEqual({
    answer: form({
      at: { type: 'string', description: 'Where. As JSON.' },
      tags: { type: 'string', description: 'As JSON.' },
      code: { type: 'string' },
    }),
  });
  expect(answerPartsOf(task, { answer: accept({ at: '{"x":1}', tags: '["a"]', code: '127.0.0.1' }) })).toEqual([
    { data: { at: { x: 1 }, tags: ['a'], code: '127.0.0.1' } },
  ]);
});

it('a question as elicitation for one value has one property', () => {
  const task = asking({ schema: { type: 'integer', maximum: 9 } });
  expect(inputRequestsOf(task, everything)).toEqual({
    answer: form({ answer: { type: 'integer', maximum: 9 } }, ['answer']),
  });
  expect(answerPartsOf(task, { answer: accept({ answer: 7 }) })).toEqual([{ data: 7 }]);
});

it('a question as elicitation for several forms is as many requests, each of which has to be answered', () => {
  const name = { type: 'object', description: 'Who?', properties: { name: { type: 'string' } }, required: ['name'] };
  const age = { type: 'object', properties: { age: { type: 'integer' } } };
  const task = asking({ schema: { type: 'object', properties: { who: name, age }, required: ['who', 'age'] } });
  const asked = inputRequestsOf(task, everything);
  expect(asked?.who?.params).toMatchObject({ message: 'Who?', requestedSchema: { required: ['name'] } });
  expect(asked?.age).toEqual(form({ age: { type: 'integer' } }));
  const who = accept({ name: 'Ada' });
  expect(answerPartsOf(task, { who })).toBeUndefined();
  expect(answerPartsOf(task, { who, age: { action: 'cancel' } })).toEqual([{ data: { action: 'cancel' } }]);
  expect(answerPartsOf(task, { who, age: accept({ age: 36 }), more: 1 })).toEqual([
    { data: { who: { name: 'Ada' }, age: { age: 36 } } },
  ]);
});

it('a question as elicitation of a task that requires authorization asks to visit its URLs', () => {
  const [first, second] = ['https://example.com/1', 'https://example.com/2'];
  const task = asking({ name: 'login' }, 'TASK_STATE_AUTH_REQUIRED', [first, second]);
  expect(inputRequestsOf(task, everything, 'Again. ')).toEqual({
    login: { method: 'elicitation/create', params: { mode: 'url', message: 'Again. How?', url: first } },
    'login-2': { method: 'elicitation/create', params: { mode: 'url', message: 'Again. How?', url: second } },
  });
  expect(answerPartsOf(task, { login: { action: 'accept' }, 'login-2': { action: 'accept' } })).toEqual([
    { data: { action: 'accept' } },
  ]);
});

it.each([
  ['a number', 12345],
  ['an unknown action', { action: 'burn' }],
  ['a response with another name', undefined],
])('a question as elicitation is not answered by %s', (_, response) => {
  expect(answerPartsOf(asking({ name: 'who' }), { who: response, other: accept({}) })).toBeUndefined();
});

it('a question as elicitation is asked only of clients that take it', () => {
  const visit = asking(undefined, 'TASK_STATE_AUTH_REQUIRED', ['https://example.com']);
  expect(inputRequestsOf(asking(), elicitationOf({ elicitation: { url: {} } }))).toBeUndefined();
  expect(inputRequestsOf(visit, elicitationOf({ elicitation: {} }))).toBeUndefined();
  expect(inputRequestsOf(asking(), elicitationOf({ sampling: {} }))).toBeUndefined();
  expect(inputRequestsOf(asking(undefined, 'TASK_STATE_AUTH_REQUIRED'), everything)).toBeUndefined();
  expect(inputRequestsOf(asking(undefined, 'TASK_STATE_COMPLETED'), everything)).toBeUndefined();
});
