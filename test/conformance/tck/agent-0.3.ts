import { setTimeout as delay } from 'node:timers/promises';
import {
  type AgentDefinition,
  type AgentRequest,
  artifact,
  defineAgent,
  type StreamResponse,
  status,
} from '../../../src/index.ts';

/**
 * The agent that the kit for A2A 0.3 expects: every task rests with a question, so that follow-ups and cancellations
 * succeed, but for those that the kit subscribes to, which stay alive.
 */

/** Milliseconds that a task to subscribe to stays alive: twice the time that the kit waits for an event of a stream. */
const outliveSubscription = 4_000;

async function* execute({ message, signal }: AgentRequest): AsyncGenerator<StreamResponse> {
  yield status('TASK_STATE_WORKING');
  if (message.messageId.startsWith('test-resubscribe-message-id')) {
    await delay(outliveSubscription, undefined, { signal });
    yield status('TASK_STATE_COMPLETED');
    return;
  }
  yield artifact({ content: message.parts });
  yield status('TASK_STATE_INPUT_REQUIRED', 'What next?');
}

const modes = ['text/plain', 'text', 'file', 'data'];

export const definition: AgentDefinition = {
  name: 'Conformance agent of 0.3',
  description: 'The agent that the official conformance kit for A2A 0.3 expects.',
  skills: [{ id: 'tck', name: 'Conformance kit', description: 'Keeps every task open.', tags: ['tck'] }],
  card: { defaultInputModes: modes, defaultOutputModes: modes },
  execute,
};

export default defineAgent(definition);
