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
    await delay(1_000, undefined, { signal });
    yield artifact({ name: 'length', content: `${text}: ${JSON.stringify(message.metadata?.skillId)}` });
  },
});
