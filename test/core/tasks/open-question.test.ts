import { expect, test } from 'vitest';
import { artifact, ask } from '../../../src/agents/events.ts';
import type { StreamResponse } from '../../../src/core/model/a2a.ts';
import type { LoggedEvent } from '../../../src/core/model/call.ts';
import { answerKey, questionKey } from '../../../src/core/model/question.ts';
import { readAnswerer, readQuestion } from '../../../src/core/tasks/open-question.ts';

const answer: StreamResponse = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'two' }] } };
const piece = artifact({ content: 'a' });

/** The question that is open at the end of a log. */
function openIn(...log: StreamResponse[]) {
  const logged = log.map((event, i): LoggedEvent => ({ seq: i + 1, at: 0, generation: i, event, json: '' }));
  const events = async (_key: string, after: number, limit: number) => logged.slice(after, after + limit);
  return readQuestion({ events }, { key: 'task', seq: log.length });
}

test('a question is open until a message answers it, whatever its agent adds before or afterwards', async () => {
  expect(await openIn(ask('How many?'))).toMatchObject({ text: 'How many?', seq: 1, generation: 0 });
  expect(await openIn(ask('How many?'), piece)).toMatchObject({ text: 'How many?', seq: 1, generation: 1 });
  expect(await openIn(ask('How many?'), answer)).toBeUndefined();
  expect(await openIn(ask('How many?'), answer, piece)).toBeUndefined();
});

test('facts of a question that are not of their type are left out, and so are those that the gateway does not know', async () => {
  const facts = {
    by: 5,
    until: 'soon',
    remind: {},
    for: ['alice'],
    otherwise: 'cancel',
    schema: [],
    round: 'x',
    seq: 9,
  };
  const asked = ask('How many?');
  const message = asked.statusUpdate?.status.message;
  if (message) message.metadata = { [questionKey]: { ...facts, name: 'rooms' } };
  expect(await openIn(asked)).toEqual({ text: 'How many?', name: 'rooms', seq: 1, generation: 0 });
});

test('a person who has denied a call counts as its answerer, also where the task was read before', async () => {
  const message = {
    messageId: 'n',
    role: 'ROLE_AGENT' as const,
    parts: [],
    metadata: { [answerKey]: { by: 'ada', way: 'link' } },
  };
  const status = { state: 'TASK_STATE_REJECTED' as const, message };
  const log = [ask('May it?'), { statusUpdate: { taskId: 't', contextId: 'c', status } }].map(
    (event, i): LoggedEvent => ({ seq: i + 1, at: 0, generation: i, event, json: '' }),
  );
  const events = async (_key: string, after: number, limit: number) => log.slice(after, after + limit);
  const store = { events, latestTurn: async () => 1 };
  for (const seq of [1, 2]) expect(await readAnswerer(store, { key: 't', seq })).toEqual({ by: 'ada', way: 'link' });
});
