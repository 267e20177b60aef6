import { artifact, ask, defineAgent } from '../../../../src/index.ts';

/** Repeats its prompt, in place of a language model; for `ask` and `fail` it asks or fails. */
export default defineAgent({
  name: 'Model',
  description: 'Repeats what it is told.',
  async *execute({ text, message }) {
    if (text === 'fail') throw new Error('out of order');
    if (text === 'ask') yield ask('What?');
    else {
      const texts = message.parts.map((part) => part.text);
      const wishes = message.metadata?.['a2a-gateway/sampling'];
      yield artifact({ name: 'said', content: JSON.stringify({ texts, wishes }) });
    }
  },
});
