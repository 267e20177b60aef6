import { setTimeout as delay } from 'node:timers/promises';
import { artifact, defineAgent, status } from '../../../../src/index.ts';

/** Does not stream, and asks before it works. */
export default defineAgent({
  name: 'Quiet',
  description: 'Tells of its work when it is asked.',
  skills: [
    { id: 'measure.length', name: 'Measure', description: 'Measures.', tags: ['x'], examples: ['How long is it?'] },
    { id: 'measure/length', name: 'Measure too', description: 'Measures as well.', tags: ['x'] },
    { id: 'send_message', name: 'Post', description: 'Sends letters.', tags: ['x'] },
    { id: `${'long-'.repeat(20)}name`, name: 'Long', description: 'Has a long name.', tags: ['x'] },
  ],
  card: { capabilities: { streaming: false } },
  async *execute({ text, task, message, signal }) {
    if (!task && text === 'ask') {
      yield status('TASK_STATE_INPUT_REQUIRED', 'How long?');
      return;
    }
    yield status('TASK_STATE_WORKING', 'measuring');
    // In steps: a machine that stood still for a second does not skip them.
    for (let i = 0; i < 20; i += 1) await delay(50, undefined, { signal });
    yield artifact({ name: 'length', content: `${text}: ${JSON.stringify(message.metadata?.skillId)}` });
  },
});
