import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { artifact, defineAgent, status } from '../../../src/agents/define.ts';
import type { Task } from '../../../src/core/model/a2a.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { openGateway } from '../gateway.ts';

/** One of several copies of an agent, behind a gateway of its own. */
export interface StartedCopy {
  readonly url: string;
  /** Texts that it received. */
  readonly texts: string[];
  /** Lets its tasks end that wait. */
  release(): void;
  close(): Promise<void>;
}

/** Starts a copy that says its name: at once, after a question (`ask`), when released (`wait`, `mute`), or in chunks (`chunks`). */
export async function startCopy(name: string, settings = ''): Promise<StartedCopy> {
  const texts: string[] = [];
  let released = Promise.withResolvers<void>();
  const release = (): void => {
    released.resolve();
    released = Promise.withResolvers();
  };
  const agent: Agent = defineAgent({
    name: 'Copy',
    description: name,
    async *execute({ text, taskId, signal }) {
      texts.push(text);
      if (text === 'ask') {
        yield status('TASK_STATE_INPUT_REQUIRED', 'What?');
        return;
      }
      if (text !== 'mute') yield status('TASK_STATE_WORKING');
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      if (text === 'wait' || text === 'mute') await Promise.race([released.promise, aborted]);
      for (let i = 1; text === 'chunks'; i += 1) {
        yield artifact({ artifactId: `${taskId}-chunks`, content: `${i}`, append: i > 1 });
        await delay(20, undefined, { signal });
      }
      yield artifact({ artifactId: `${taskId}-name`, content: name });
      yield status('TASK_STATE_COMPLETED');
    },
  });
  const { url, close } = await openGateway(`agents: { own: { kind: reference } }\n${settings}`, {
    agents: { copy: agent },
  });
  return { url: `${url}/copy`, texts, release, close };
}

/** The copy that a task has come to its end at. */
export const nameIn = (task: Task | undefined): string | undefined => task?.artifacts?.at(-1)?.parts[0]?.text;

/** Resolves when this many copies of the agent `far` can be called, as far as its gateway knows. */
export async function answering(origin: string, count: number): Promise<void> {
  const copies = async () => {
    const ready = (await (await fetch(`${origin}/readyz`)).json()) as { agents: { far: { copies: string } } };
    return ready.agents.far.copies;
  };
  await expect.poll(copies).toMatch(new RegExp(`^${count} of `));
}
