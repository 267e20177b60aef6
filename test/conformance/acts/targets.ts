import { hashOf, shownHash } from '../../../src/auth/hash.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import type { Agent } from '../../../src/index.ts';
import { openGateway } from '../../support/gateway.ts';
import { sdkAgents } from '../../support/sdk-agents.ts';
import { suiteCache } from '../cache.ts';
import { startSample } from './agents/a2a-0.1.ts';
import { directAgent, plainAgent } from './agents/direct.ts';
import { behave } from './behaviors.ts';
import { installSamples } from './suite.ts';

/** The servers under test: gateways with an agent of their own, or in front of an agent of some generation. */

/** An agent that a gateway offers. */
type Offered = { readonly agent: Agent } | { readonly url: string; close(): Promise<void> };

export interface Target {
  readonly name: string;
  /** Whether it is an agent of an older generation of A2A, which cannot say everything. */
  readonly isBridged: boolean;
  /** @param samples a copy of the specification's repository. Default: that at GitHub */
  offer(samples?: string): Promise<Offered>;
}

/** An agent behind a server of an official SDK. */
const sdk = (name: string): Promise<Offered> => (sdkAgents[name] as (typeof sdkAgents)[string])(behave);

export const targets: readonly Target[] = [
  { name: 'direct', isBridged: false, offer: async () => ({ agent: directAgent() }) },
  { name: 'plain', isBridged: false, offer: async () => ({ agent: plainAgent() }) },
  { name: '1.0', isBridged: true, offer: () => sdk('sdk10-jsonrpc') },
  { name: '0.3', isBridged: true, offer: () => sdk('sdk03-jsonrpc') },
  { name: '0.2', isBridged: true, offer: () => sdk('sdk02-jsonrpc') },
  {
    name: '0.1',
    isBridged: true,
    offer: (samples) => startSample(installSamples(samples), suiteCache('bundles')),
  },
];

/** The clients that a gateway with authentication knows. */
const secrets = { runner: 'the secret of the runner', other: 'the secret of another user', limited: 'a small secret' };

type ClientName = keyof typeof secrets;

const hash = (name: ClientName): string => `"${shownHash(hashOf(secrets[name]))}"`;

const authentication = `
auth:
  anonymous: false
  failuresPerMinute: unlimited
  tokenEndpoint:
    clients:
      - { id: runner, hash: ${hash('runner')} }
      - { id: other, hash: ${hash('other')} }
      - { id: limited, hash: ${hash('limited')}, scopes: [metrics] }
`;

/** A gateway that runs, with the credentials of its callers. */
export interface Server {
  readonly origin: string;
  readonly hasAuthentication: boolean;
  /** Headers with a token of a client; none without authentication. */
  credentialsOf(client: ClientName): Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
}

/** Starts a gateway with the agent of a target. */
export async function openServer(target: Target, hasAuthentication: boolean, samples?: string): Promise<Server> {
  const offered = await target.offer(samples);
  const isOwn = 'agent' in offered;
  const upstreams = isOwn ? '' : `agents:\n  acts: { kind: upstream, url: "${offered.url}" }\n`;
  const common = 'listen: { host: localhost, port: 0 }\nstore: "memory:"\n';
  const text = `${common}${upstreams}${hasAuthentication ? authentication : ''}`;
  const config = { ...parseConfig(text, { file: '/acts.yaml' }), defaultAgent: 'acts' };
  const { origin, close } = await openGateway(config, isOwn ? { agents: { acts: offered.agent } } : {});
  return {
    origin,
    hasAuthentication,
    async credentialsOf(client) {
      if (!hasAuthentication) return {};
      const form = { grant_type: 'client_credentials', client_id: client, client_secret: secrets[client] };
      const answer = await fetch(`${origin}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
      const { access_token } = (await answer.json()) as { access_token: string };
      return { Authorization: `Bearer ${access_token}` };
    },
    async close() {
      await close();
      if (!isOwn) await offered.close();
    },
  };
}
