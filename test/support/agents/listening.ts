import { createReferenceAgent } from '../../../src/agents/reference.ts';
import type { Agent, AgentContext } from '../../../src/core/model/agent.ts';

/**
 * The reference agent with one more command: `listen` works until the next message of its task comes, takes it into its turn, and
 * obeys it as the reference agent does.
 */
export function listeningAgent(): Agent {
  const reference = createReferenceAgent();
  return {
    ...reference,
    execute(request, context) {
      const listens = request.message.parts[0]?.text === 'listen';
      return listens ? obeyNext(reference, context) : reference.execute(request, context);
    },
  };
}

async function* obeyNext(reference: Agent, context: AgentContext): ReturnType<Agent['execute']> {
  const { taskId, contextId } = context;
  const status = { state: 'TASK_STATE_WORKING' } as const;
  yield { statusUpdate: { taskId, contextId, status } };
  for await (const message of context.messages) {
    const task = { id: taskId, contextId, status };
    yield* reference.execute({ message }, Object.assign(context, { task }));
    return;
  }
}
