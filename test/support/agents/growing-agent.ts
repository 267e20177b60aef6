import { artifact, defineAgent, status } from '../../../src/agents/define.ts';

/** Writes one artifact over two turns, and asks in between. */
export default defineAgent({
  name: 'Growing agent',
  description: 'Goes on where it stopped.',
  async *execute({ task }) {
    const artifactId = 'grown';
    if (task) {
      yield artifact({ artifactId, content: ' and more', append: true });
      yield artifact({ artifactId, content: ' and all', append: true, lastChunk: true });
      yield status('TASK_STATE_COMPLETED', 'That was all.');
      return;
    }
    yield status('TASK_STATE_WORKING');
    yield artifact({ artifactId, name: 'grown', content: 'some' });
    yield status('TASK_STATE_INPUT_REQUIRED', 'Go on?');
  },
});
