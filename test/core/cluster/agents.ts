import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { artifact, defineAgent, status, textOf } from '../../../src/agents/define.ts';
import type { Agent, AgentContext } from '../../../src/core/model/agent.ts';

/** Counts of the runs of an agent. */
export interface Runs {
  begun: number;
  aborted: number;
}

/**
 * An agent that counts to N, MS milliseconds apart, for the text `N MS`, and may be restarted. For a task that existed
 * before, it says which state the task had.
 */
export function counter(runs: Runs = { begun: 0, aborted: 0 }): Agent {
  return defineAgent({
    name: 'Counter',
    description: 'Counts',
    restart: true,
    async *execute({ message, task, signal, taskId }) {
      runs.begun += 1;
      signal.addEventListener('abort', () => {
        runs.aborted += 1;
      });
      if (!task) yield status('TASK_STATE_SUBMITTED');
      yield status('TASK_STATE_WORKING');
      const text = textOf(message);
      if (text === 'ask') {
        yield status('TASK_STATE_INPUT_REQUIRED', 'how many?');
        return;
      }
      const [count = 0, ms = 0] = text.split(' ').map(Number);
      for (let i = 1; i <= count; i += 1) {
        await delay(ms, undefined, { signal });
        yield artifact({ artifactId: `${taskId}-count`, content: `chunk ${i}`, append: i > 1 });
      }
      yield status('TASK_STATE_COMPLETED', task ? `after ${task.status.state}` : 'from the beginning');
    },
  });
}

/** Agents that keep how far they have come, before they say so: one resumes, the other is restarted. */
export function keepers(): Record<string, Agent> {
  async function* keep({ state, signal }: AgentContext) {
    const found = [(await state.task.get<number>('n')) ?? 0, (await state.context.get<number>('n')) ?? 0];
    if (found[0] !== 0) {
      yield artifact({ content: `found ${found.join(' and ')}` });
      return;
    }
    for (let n = 1; n <= 1_000; n += 1) {
      await state.task.set('n', n);
      await state.context.set('n', n);
      yield status('TASK_STATE_WORKING', `kept ${n}`);
      await delay(20, undefined, { signal });
    }
  }
  const described = { description: 'Keeps a number', execute: keep };
  return {
    resuming: defineAgent({ ...described, name: 'Resuming', resume: (_task, context) => keep(context) }),
    restarted: defineAgent({ ...described, name: 'Restarted', restart: true }),
  };
}

/**
 * Agents that call others, and wait at a place until their process is killed. `planner` asks `worker` twice and says which
 * processes answered; `circle` calls itself for as long as it may.
 */
export function callers(): Record<string, Agent> {
  /** Works, and waits where it has to, unless it is the second time: that is durable before the agent is seen to work. */
  async function* work({ state, signal }: AgentContext, waits: boolean) {
    const isFirst = waits && !(await state.task.get('restarted'));
    if (isFirst) await state.task.set('restarted', true);
    yield status('TASK_STATE_WORKING');
    if (isFirst && !signal.aborted) await once(signal, 'abort');
  }
  const described = { description: 'Calls others, or is called', restart: true };
  return {
    planner: defineAgent({ ...described, name: 'Planner' }, async ({ agent }) => {
      const answers = [await agent('worker').send('quick'), await agent('worker').send('slow')];
      return artifact({ content: answers.map(({ text }) => text).join() });
    }),
    worker: defineAgent({
      ...described,
      name: 'Worker',
      async *execute(context) {
        yield* work(context, context.text === 'slow');
        yield artifact({ content: `${context.text} by ${process.pid}` });
      },
    }),
    circle: defineAgent({
      ...described,
      name: 'Circle',
      async *execute(context) {
        yield* work(context, context.hops === 4);
        const said = context.agent('circle').send('again');
        yield artifact({
          content: await said.then(
            ({ text }) => text,
            ({ message }: Error) => message,
          ),
        });
      },
    }),
  };
}
