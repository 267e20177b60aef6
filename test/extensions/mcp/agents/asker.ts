import { artifact, defineAgent, status } from '../../../../src/index.ts';

/** Asks twice. */
export default defineAgent({
  name: 'Asker',
  description: 'Asks for two words.',
  async *execute({ text, task }) {
    const said = (task?.history ?? []).filter(({ role }) => role === 'ROLE_USER').length;
    if (said < 2) yield status('TASK_STATE_INPUT_REQUIRED', said === 0 ? 'The first?' : `After ${text}?`);
    else yield artifact({ name: 'words', content: `... and ${text}` });
  },
});
