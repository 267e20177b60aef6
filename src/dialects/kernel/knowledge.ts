import type { Api } from '../../gen/api.ts';
import { bindingsOf } from './bindings.ts';
import type { WireProtocol } from './wire.ts';

/**
 * The knowledge graph extension (version 1.0, draft of April 2025): its methods are called in the same way whatever
 * generation a caller speaks. Over JSON-RPC they are `knowledge/query` and so on (section 4).
 */
export const knowledgeProtocol = (api: Api): WireProtocol => ({
  name: 'knowledge-1.0',
  versions: [],
  extensionHeaders: ['A2A-Extensions'],
  ...bindingsOf(api, {
    methodName: ({ rpc }) => `knowledge/${rpc.charAt(0).toLowerCase()}${rpc.slice(1)}`,
    mediaType: 'application/json',
    atOnce: true,
    // Section 4.3: a subscription that cannot be established is refused with a status that says so.
    refusalStatuses: new Set([400, 404, 422, 501]),
  }),
});
