import { defineAgent } from '../../../src/agents/define.ts';
import { artifact, status } from '../../../src/agents/events.ts';

/** Keeps what it gets for its task and for the context; asks once more if the message says so. */
export default defineAgent({
  name: 'Remembering',
  description: 'Counts what it gets',
  async *execute({ text, state }) {
    const before = (await state.context.get<number>('count')) ?? 0;
    await state.context.set('count', before + 1);
    await state.task.set('last', text);
    if (text === 'ask') yield status('TASK_STATE_INPUT_REQUIRED', 'And then?');
    else yield artifact({ content: `${before + 1}` });
  },
});
