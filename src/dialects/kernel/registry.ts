import type { Api } from '../../gen/api.ts';
import { api as knowledgeApi } from '../../gen/knowledge-v1/index.ts';
import { a2a01 } from '../a2a-0.1/index.ts';
import { a2a02 } from '../a2a-0.2/index.ts';
import { a2a03 } from '../a2a-0.3/index.ts';
import { type V1Version, v1Dialect } from '../a2a-1.0/index.ts';
import { a2aPhp03 } from '../a2a-php-0.3/index.ts';
import { agentVault } from '../agentvault-0.2/index.ts';
import { bindingsOf } from './bindings.ts';
import type { Dialect } from './dialect.ts';
import { type Dialects, dialectsOf } from './lookup.ts';
import type { WireProtocol } from './wire.ts';

/** The versions of A2A 1.x, which are served as they are: each is one row. */
const v1Versions = (api: Api): V1Version[] => [
  { name: 'a2a-1.0', versions: ['1.0'], api, card: { paths: ['/.well-known/agent-card.json'] } },
];

/** The other dialects: one row and one folder each. */
const legacyDialects: readonly Dialect[] = [a2a03, a2a02, a2a01, agentVault, a2aPhp03];

/**
 * The knowledge graph extension (version 1.0, draft of April 2025): its methods are called in the same way whatever
 * generation a caller speaks. Over JSON-RPC they are `knowledge/query` and so on (section 4).
 */
const knowledge: WireProtocol = {
  name: 'knowledge-1.0',
  versions: [],
  extensionHeaders: ['A2A-Extensions'],
  ...bindingsOf(knowledgeApi, {
    methodName: ({ rpc }) => `knowledge/${rpc.charAt(0).toLowerCase()}${rpc.slice(1)}`,
    mediaType: 'application/json',
    atOnce: true,
    // Section 4.3: a subscription that cannot be established is refused with a status that says so.
    refusalStatuses: new Set([400, 404, 422, 501]),
  }),
};

/** The extensions that are served with every dialect: one row each. */
export const extensions: readonly WireProtocol[] = [knowledge];

/** All dialects of this version of the gateway over `api`, the generated A2A 1.0. */
export const createDialects = (api: Api): Dialects =>
  dialectsOf([...v1Versions(api).map(v1Dialect), ...legacyDialects], extensions);
