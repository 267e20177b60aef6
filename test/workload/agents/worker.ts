import { setTimeout as delay } from 'node:timers/promises';
import { artifact, defineAgent, say, status } from '../../../src/agents/define.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import type { NoteExecution } from './executions.ts';

/**
 * An agent with a side effect: it writes each execution down before it says anything. For `work BEFORE AFTER` it says
 * nothing for BEFORE milliseconds, works for AFTER more, and then tells the execution's nonce in an artifact; for
 * `reply BEFORE` it tells the nonce in a direct message; for `ask` it asks for more. For 0 ms the event loop does not turn.
 */
export function defineWorker(agent: string, restart: boolean, noteExecution: NoteExecution): Agent {
  return defineAgent({
    name: agent,
    description: 'Writes down what it does.',
    restart,
    async *execute({ message, text, taskId, signal }) {
      const nonce = noteExecution(message, { agent, taskId, how: 'execute' });
      const [command, before = '0', after = '0'] = text.split(' ');
      if (before !== '0') await delay(Number(before), undefined, { signal });
      if (command === 'reply') {
        yield say(nonce);
        return;
      }
      yield status('TASK_STATE_WORKING');
      if (after !== '0') await delay(Number(after), undefined, { signal });
      if (command === 'ask') yield status('TASK_STATE_INPUT_REQUIRED', nonce);
      else {
        yield artifact({ artifactId: nonce, content: nonce });
        yield status('TASK_STATE_COMPLETED');
      }
    },
  });
}
