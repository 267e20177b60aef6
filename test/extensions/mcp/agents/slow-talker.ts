import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent, say } from '../../../../src/index.ts';

/** Thinks for a while before its first word, which is a direct message. */
export default defineAgent({
  name: 'Slow talker',
  description: 'Says nothing for a second.',
  async *execute({ text, signal }) {
    await delay(1_000, undefined, { signal });
    yield say(`You said: ${text}`);
  },
});
