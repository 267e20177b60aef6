// In a project of your own: import { artifact, ask, defineAgent, progress } from 'a2a-gateway';
import { artifact, ask, defineAgent, progress } from '../src/index.ts';

/** Greets you by name, and asks for it when you do not say "I am NAME". */
export default defineAgent({
  name: 'Hello agent',
  description: 'Greets you by name.',
  skills: [
    { id: 'greet', name: 'Greet', description: 'Greets you by name.', tags: ['greeting'], examples: ['I am Ada'] },
  ],
  async *execute({ text, task }) {
    // A message to a task that this agent began can only be the answer to its question.
    const name = task ? text : /^I am (.+)$/.exec(text)?.[1];
    if (!name) {
      yield ask('What is your name?');
      return;
    }
    yield progress('Looking for the right words');
    yield artifact({ name: 'greeting', content: `Hello, ${name}!` });
    // The task is completed when the run ends.
  },
});
