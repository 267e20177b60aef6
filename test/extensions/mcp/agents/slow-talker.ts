import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent, say } from '../../../../src/index.ts';

/** Thinks for a while before its first word, which is a direct message. */
export default defineAgent({
  name: 'Slow talker',
  description: 'Says nothing for a second.',
  async *execute({ text, signal }) {
    // In steps: a machine that stood still for a second does not skip them.
    for (let i = 0; i < 20; i += 1) await delay(50, undefined, { signal });
    yield say(`You said: ${text}`);
  },
});
