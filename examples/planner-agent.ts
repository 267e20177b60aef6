// In a project of your own: import { artifact, defineAgent, … } from 'a2a-gateway';
import { artifact, defineAgent, isWaiting, passedOn, passOn, progress } from '../src/index.ts';

/** Asks two agents, whatever version of A2A they speak, and passes on what they ask. */
export default defineAgent({
  name: 'Planner',
  description: 'Asks two agents the same, and joins their answers.',
  async *execute({ text, message, agent, task, state }) {
    const asked = passedOn(task);
    const answers = (await state.task.get<string[]>('answers')) ?? [];
    for (const name of ['hello', 'elder'].slice(answers.length)) {
      yield progress(`asking ${name}`);
      const content = asked?.agent === name ? message : ((await state.task.get<string>('wish')) ?? text);
      const answer = await agent(name).send(content, asked?.agent === name ? { taskId: asked.taskId } : {});
      if (isWaiting(answer)) {
        if (!task) await state.task.set('wish', text);
        yield passOn(answer);
        return;
      }
      answers.push(`${name}: ${answer.text}`);
      await state.task.set('answers', answers);
    }
    yield artifact({ name: 'plan', content: answers.join('\n') });
  },
  restart: true,
});
