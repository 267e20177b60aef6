import { artifact, defineAgent, status } from '../../../src/agents/define.ts';
import { createReferenceAgent } from '../../../src/agents/reference.ts';
import type { Agent } from '../../../src/core/model/agent.ts';

/** The reference agent with one more command: `listen` works until the next message of its task, which it echoes. */
export function listeningAgent(): Agent {
  const reference = createReferenceAgent();
  const listening = defineAgent(
    { name: 'Listening', description: 'Echoes the next message' },
    async function* (request) {
      yield status('TASK_STATE_WORKING');
      for await (const { parts } of request.messages) {
        yield artifact({ artifactId: 'artifact-1', name: 'echo', content: parts });
        yield status('TASK_STATE_COMPLETED');
        return;
      }
    },
  );
  return {
    ...reference,
    execute: (request, context) => {
      const listens = request.message.parts[0]?.text === 'listen';
      return (listens ? listening : reference).execute(request, context);
    },
  };
}
