import { expect, test } from 'vitest';
import { Repetitions } from '../../../../src/agents/upstream/turn/repetitions.ts';
import type { Message, StreamResponse, Task } from '../../../../src/core/model/a2a.ts';
import { fold } from '../../../../src/core/model/fold.ts';
import { contentIdAt } from '../../../../src/core/model/ids.ts';

const ids = { taskId: 't', contextId: 'c' };
const timestamp = '2027-01-01T00:00:00.000Z';
const ha = (messageId: string): StreamResponse => {
  const message: Message = { messageId, role: 'ROLE_AGENT', parts: [{ text: 'ha' }] };
  return { statusUpdate: { ...ids, status: { state: 'TASK_STATE_WORKING', timestamp, message } } };
};

/** Reads streams of a task one after another. Returns the ids of the messages in it. */
function read(streams: readonly { readonly events: readonly StreamResponse[]; readonly resumed: boolean }[]): string[] {
  let known: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } };
  const repetitions = new Repetitions();
  for (const { events, resumed } of streams) {
    repetitions.begin();
    for (const event of events) {
      const { statusUpdate } = repetitions.named(known, event, resumed);
      if (!statusUpdate) continue;
      const fresh = repetitions.newStatus(known, statusUpdate, { continues: true, resumed, opening: false });
      if (fresh) known = fold(known, fresh);
    }
  }
  return [...(known.history ?? []), ...(known.status.message ? [known.status.message] : [])].map(
    ({ messageId }) => messageId,
  );
}

test('what the agent says in a new turn is no repetition of an earlier turn, in a dialect whose messages have no ids', () => {
  const stream = { events: [ha(contentIdAt('h', 0)), ha(contentIdAt('h', 1))], resumed: false };
  expect(new Set(read([stream, stream])).size).toBe(4);
});

test('messages whose ids an agent has left out are told apart by their place in the stream', () => {
  const stream = { events: [ha(contentIdAt('h')), ha(contentIdAt('h'))], resumed: false };
  expect(read([stream])).toEqual([contentIdAt('h', 0), contentIdAt('h', 1)]);
});
