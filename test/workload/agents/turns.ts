import { setTimeout as delay } from 'node:timers/promises';
import { artifact, defineAgent, status } from '../../../src/agents/define.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import type { NoteExecution } from './executions.ts';

/** One run of an agent, as the agent itself has written it down. */
export interface TurnRun {
  readonly agent: string;
  readonly taskId: string;
  /** The gateway's process. */
  readonly pid: number;
  /** Times: milliseconds since the epoch. `until` is undefined where the run has not ended, or its process has died. */
  readonly from: number;
  until: number | undefined;
  /** Nonces of the artifacts that the agent has handed over. */
  readonly said: string[];
}

/** Notes that a run begins. Returns its record, and what notes its end. */
export type NoteRun = (what: Pick<TurnRun, 'agent' | 'taskId'>) => { readonly run: TurnRun; readonly end: () => void };

/** Names of these agents: one that is not started again, one that is, and one that takes no message while it works. */
export const turnAgents: readonly string[] = ['turns', 'turnsagain', 'turnsalone'];

/**
 * An agent that is sent messages while it works. `work MS` works for MS milliseconds and says the execution's nonce in an artifact;
 * `ask MS` asks then; `take MS` takes the next message into its turn, and says a nonce for it too. It ends no task: it returns.
 */
export function defineTurns(name: string, noteExecution: NoteExecution, noteRun: NoteRun): Agent {
  const agent = defineAgent({
    name,
    description: 'Works on several messages of a task.',
    restart: name === 'turnsagain',
    async *execute({ message, text, taskId, signal, messages }) {
      const nonce = noteExecution(message, { agent: name, taskId, how: 'execute' });
      const { run, end } = noteRun({ agent: name, taskId });
      try {
        const [command, ms = '0'] = text.split(' ');
        yield status('TASK_STATE_WORKING');
        await delay(Number(ms), undefined, { signal });
        yield artifact({ artifactId: nonce, content: nonce });
        run.said.push(nonce);
        if (command === 'ask') yield status('TASK_STATE_INPUT_REQUIRED', 'And then?');
        if (command !== 'take') return;
        for await (const next of messages) {
          const taken = noteExecution(next, { agent: name, taskId, how: 'execute' });
          await delay(Number(ms), undefined, { signal });
          yield artifact({ artifactId: taken, content: taken });
          run.said.push(taken);
          return;
        }
      } finally {
        end();
      }
    },
  });
  return name === 'turnsalone' ? { ...agent, whileRunning: 'refuse' } : agent;
}
