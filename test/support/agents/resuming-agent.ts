import { artifact, defineAgent, status } from '../../../src/agents/define.ts';

/** Works until it is canceled, and takes up its work when the gateway comes back. */
export default defineAgent({
  name: 'Resuming agent',
  description: 'Takes up its work after a restart.',
  async *execute({ signal }) {
    yield status('TASK_STATE_WORKING');
    yield artifact({ artifactId: 'before', content: 'begun' });
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  },
  async *resume(task) {
    yield artifact({ artifactId: 'after', content: `resumed ${task.artifacts?.length ?? 0}` });
    yield status('TASK_STATE_COMPLETED');
  },
});
