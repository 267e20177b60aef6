import { defineAgent } from '../../src/agents/define.ts';
import { say } from '../../src/agents/events.ts';
import type { Agent } from '../../src/core/model/agent.ts';
import { openGateway } from '../support/gateway.ts';

export const required = 'urn:example:required';

/** Says which extensions were declared, in a text with a file name, for which A2A 0.3 has no place. */
const demanding = defineAgent({
  name: 'Demanding agent',
  description: 'Wants its extension declared',
  card: { capabilities: { extensions: [{ uri: required, required: true }] } },
  async *execute({ extensions }) {
    const parts = [{ text: extensions.join(' '), filename: 'a.txt' }];
    yield { message: { messageId: 'answer', role: 'ROLE_AGENT', parts } };
  },
});

const slow = defineAgent({
  name: 'Slow agent',
  description: 'Never answers',
  async *execute({ signal }) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    yield say('canceled');
  },
});

/** A gateway with the reference agent at the root, beside agents that clients must name. */
export const open = (settings = '') =>
  openGateway(`defaultAgent: demo\nagents: { demo: { kind: reference } }\n${settings}`, {
    agents: { demanding, slow } satisfies Record<string, Agent>,
  });
