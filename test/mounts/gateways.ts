import { defineAgent } from '../../src/agents/define.ts';
import { artifact, say } from '../../src/agents/events.ts';
import { createReferenceAgent } from '../../src/agents/reference.ts';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import { createGateway, type Gateway } from '../../src/gateway/compose/gateway.ts';
import type { GatewaySettings } from '../../src/gateway/compose/settings.ts';
import { silent } from '../support/core.ts';
import { afterTest } from '../support/peer.ts';
import { Changes } from '../support/until.ts';

/** A gateway for servers of other libraries: callers have keys, and agents of each kind. */

export const key = 'key-of-ada-0123456789abcdef';
export const required = 'urn:example:required';

const demanding = defineAgent({
  name: 'Demanding agent',
  description: 'Wants its extension declared',
  card: { capabilities: { extensions: [{ uri: required, required: true }] } },
  async *execute({ extensions }) {
    const parts = [{ text: extensions.join(' '), filename: 'a.txt' }];
    yield { message: { messageId: 'answer', role: 'ROLE_AGENT', parts } };
  },
});

/** Counts of the runs of the slow agent. */
export const slowCalls = { begun: 0, aborted: 0 };
/** Changes of these numbers. */
export const slowChanges = new Changes();

const slow = defineAgent({
  name: 'Slow agent',
  description: 'Never answers',
  async *execute({ signal }) {
    slowCalls.begun += 1;
    slowChanges.happened();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    slowCalls.aborted += 1;
    slowChanges.happened();
    yield say('canceled');
  },
});

const flood = defineAgent({
  name: 'Flood',
  description: 'Answers with more than a connection holds, and does not end',
  async *execute({ signal }) {
    for (let i = 0; i < 400; i += 1) yield artifact({ artifactId: 'a', content: 'x'.repeat(65_536), append: i > 0 });
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  },
});

const whoami = defineAgent({
  name: 'Who am I',
  description: 'Says who calls',
  execute: ({ principal, tenant }) => `${principal.id} ${tenant}`,
});

export const settings: GatewaySettings = {
  store: 'memory:',
  logger: silent,
  preview: ['a2a-1.1'],
  defaultAgent: 'demo',
  agents: { demo: createReferenceAgent(), demanding, flood, slow, whoami },
  auth: {
    anonymous: false,
    apiKeys: [{ name: 'ada', hash: shownHash(hashOf(key)), scopes: ['tasks', 'knowledge', 'admin:read'] }],
  },
};

/** A gateway that is closed after the test. */
export function makeGateway(more: Partial<GatewaySettings> = {}): Gateway {
  const gateway = createGateway({ ...settings, ...more });
  afterTest(() => gateway.close({ drainMs: 0 }));
  return gateway;
}

export async function startGateway(more: Partial<GatewaySettings> = {}): Promise<Gateway> {
  const gateway = makeGateway(more);
  await gateway.start();
  return gateway;
}

export const message = (text: string) => ({
  messageId: crypto.randomUUID(),
  role: 'ROLE_USER' as const,
  parts: [{ text }],
});
