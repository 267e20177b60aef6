import { expect, it } from 'vitest';
import type { Message } from '../../../src/core/model/a2a.ts';
import { heldMessage } from '../../../src/core/model/ask.ts';
import { TurnMessages } from '../../../src/core/tasks/turn-messages.ts';
import { TurnQueue, type WaitingTurn } from '../../../src/core/tasks/turn-queue.ts';

const held = {
  asks: [{ by: 'policy pay', of: ['boss'], quorum: 1, self: false, wait: 1_000, otherwise: 'deny' as const }],
  parts: {},
  extensions: [],
  hops: 0,
};

const waiting = (seq: number, message: Message): WaitingTurn => ({
  seq,
  id: message.messageId,
  message,
  bytes: 0,
  follow: () => expect.fail('its turn began'),
  discard: () => undefined,
});

const said = (messageId: string): Message => ({ messageId, role: 'ROLE_USER', parts: [{ text: messageId }] });

it('an agent takes no answer that waits for people, also where it comes while the agent takes the message after it', async () => {
  const queue = new TurnQueue();
  queue.add(waiting(3, said('plain')), false);
  const run = {
    aborted: undefined,
    isOver: false,
    seq: 1,
    after: 0,
    bytes: 0,
    root: '',
    abort: () => {},
    fail: () => {},
  };
  const live = {
    runs: [run],
    queue,
    log: { state: 'TASK_STATE_INPUT_REQUIRED' },
    journal: {
      latest: async () => {
        if (queue.waiting.length === 1) queue.add(waiting(4, heldMessage(said('answer'), held)), true);
        return { status: { state: 'TASK_STATE_INPUT_REQUIRED' } };
      },
      written: async () => undefined,
    },
    end: () => undefined,
  };
  const messages = new TurnMessages(run, { taskId: 't', contextId: 'c' });
  let taken: string | undefined;
  void messages
    .take(
      () => live as never,
      () => 0,
    )
    .next()
    .then(({ value }) => {
      taken = (value as Message | undefined)?.messageId;
    });
  for (let turns = 0; turns < 5; turns += 1) await new Promise<void>((resolve) => setImmediate(resolve));
  expect(taken).toBeUndefined();
  expect(queue.waiting.map(({ id }) => id)).toEqual(['answer', 'plain']);
});
