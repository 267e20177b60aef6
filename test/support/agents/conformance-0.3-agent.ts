import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent, status } from '../../../src/agents/define.ts';

/** Twice the time that the kit waits for an event of a stream, in milliseconds. */
const outliveSubscription = 4_500;

const skill = {
  id: 'tck',
  name: 'Conformance kit',
  description: 'Lets every task wait for more.',
  tags: ['tck'],
  examples: ['Hello from TCK!'],
};

/**
 * The agent that the official conformance kit for A2A v0.3 (a2aproject/a2a-tck, tag 0.3.0.beta4) talks to: it sends
 * more messages to its tasks and cancels them, so that none may end. Serve it as the default agent.
 */
export default defineAgent({
  name: 'Conformance agent for A2A 0.3',
  description: 'The agent that the official conformance kit for A2A v0.3 expects.',
  skills: [skill],
  card: {
    // The kit tries files and data with agents alone that name them so.
    defaultInputModes: ['text', 'text/plain', 'file', 'data'],
    defaultOutputModes: ['text', 'text/plain'],
    provider: { organization: 'Example', url: 'https://example.com' },
    documentationUrl: 'https://example.com/docs',
  },
  async *execute({ message, signal }) {
    yield status('TASK_STATE_WORKING');
    if (message.messageId.startsWith('test-resubscribe-message-id'))
      await delay(outliveSubscription, undefined, { signal });
    yield status('TASK_STATE_INPUT_REQUIRED', 'What else?');
  },
});
