import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { converse } from '../../src/net/process-channel.ts';
import { afterTest } from '../support/peer.ts';

it('an answer counts that came in time to a process that stood still until the deadline had passed', async () => {
  const program = `const { parentPort } = require('node:worker_threads');
    parentPort.on('message', ({ id }) => parentPort.postMessage({ answerTo: id, value: 'here' }));`;
  const other = new Worker(program, { eval: true });
  afterTest(() => other.terminate());
  const ask = converse(
    { on: other.on.bind(other), send: (message: object) => other.postMessage(message) } as never,
    {},
  );
  expect(await ask('begun?', undefined, Number.POSITIVE_INFINITY)).toBe('here');
  // From here on, timers that are due come before messages.
  await new Promise((resolve) => setImmediate(resolve));
  const asked = ask('there?', undefined, 100);
  for (const end = performance.now() + 1_000; performance.now() < end; );
  expect(await asked).toBe('here');
});
