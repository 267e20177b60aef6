import { artifact, defineAgent } from '../../../src/agents/define.ts';

/** Can nothing that is optional: no streams, no webhooks, no extended card. */
export default defineAgent({
  name: 'Frugal agent',
  description: 'Answers, and no more than that.',
  card: { capabilities: { streaming: false, pushNotifications: false } },
  async *execute({ text }) {
    yield artifact({ content: text || 'nothing' });
  },
});
