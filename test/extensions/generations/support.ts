import { newKey } from '../../../src/auth/hash.ts';
import { type Client, connect } from '../../../src/client/index.ts';
import type {
  GenerationUse,
  ListGenerationsRequest,
  ListGenerationsResponse,
} from '../../../src/gen/admin-v1/types.ts';
import type { OnWire } from '../../../src/net/wire-log.ts';
import { askAdmin } from '../../support/admin.ts';
import type { DialectBinding } from '../../support/conversations.ts';
import { type Opened, type OpenOptions, openGateway } from '../../support/gateway.ts';
import { afterTest } from '../../support/peer.ts';

/** Gateways that count calls of generations, and their callers. */

export const [alice, bob, operator] = [newKey(), newKey(), newKey()];
export const asOperator = { 'x-api-key': operator.key };

/** The configuration of a gateway with these callers and two agents. @param settings more of it, in YAML */
export const configured = (settings = ''): string => `
auth:
  anonymous: false
  apiKeys:
    - { name: alice, hash: "${alice.hash}" }
    - { name: bob, hash: "${bob.hash}" }
    - { name: operator, hash: "${operator.hash}", scopes: [admin, tasks] }
defaultAgent: demo
agents:
  demo: { kind: reference }
  other: { kind: reference }
${settings}`;

export const start = (settings = '', options: OpenOptions = {}): Promise<Opened> =>
  openGateway(configured(settings), options);

/** A client of the default agent, until the test is over. */
export async function clientOf(
  url: string,
  { as, via }: Pick<DialectBinding, 'as' | 'via'>,
  { apiKey = alice.key, onWire, agent = '' }: { apiKey?: string; onWire?: OnWire; agent?: string } = {},
): Promise<Client> {
  const client = await connect(`${url}${agent}/as/${as}`, {
    as,
    via,
    apiKey,
    direct: true,
    ...(onWire && { onWire }),
  });
  afterTest(() => client.close());
  return client;
}

export const generationsOf = (url: string, request: ListGenerationsRequest = {}): Promise<ListGenerationsResponse> =>
  askAdmin(url, 'ListGenerations', request, asOperator);

/** The counts of an entry, without their times. */
export const counted = ({ generation, principal, agent, binding, ...use }: GenerationUse) => ({
  who: [principal, agent, generation, binding].join(' '),
  calls: Number(use.calls ?? 0),
  newWork: Number(use.newWork ?? 0),
  wouldBeRefused: Number(use.wouldBeRefused ?? 0),
  refused: Number(use.refused ?? 0),
});
