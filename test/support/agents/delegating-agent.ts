import { artifact, defineAgent } from '../../../src/agents/define.ts';

/** Passes on what it gets to the agent that the text begins with, and says what came of it. */
export default defineAgent({
  name: 'Delegating',
  description: 'Asks another agent',
  async *execute({ text, agent }) {
    const [name = '', ...words] = text.split(' ');
    const { state } = await agent(name).send(words.join(' '));
    yield artifact({ content: state ?? 'none' });
  },
});
