import { ask, defineAgent } from '../../../src/index.ts';

/** Counts the messages of a task. */
export default defineAgent({
  name: 'counter',
  description: 'Counts the messages of a task.',
  async *execute({ state: { task: state } }) {
    const count = ((await state.get<number>('count')) ?? 0) + 1;
    await state.set('count', count);
    yield ask(`count ${count}`);
  },
});
