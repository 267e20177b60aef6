import { validators } from '../gen/a2a-0.3/validators.ts';
import { cardShape } from './a2a-0.3/card.ts';
import { dialectOf } from './a2a-0.3/compose.ts';
import { errorCodec } from './a2a-0.3/errors.ts';
import { createMethods } from './a2a-0.3/methods.ts';
import type { CardShape, Dialect } from './dialect.ts';

/**
 * A2A 0.3 over JSON-RPC. Written for the clients and servers of the official SDKs (JavaScript 0.3.14, Python 0.3.26).
 */

const card: CardShape = cardShape({
  protocolVersion: '0.3.0',
  interfaceVersion: '0.3',
  // The first JavaScript client of 0.3 still looked for the older name.
  paths: ['/.well-known/agent-card.json', '/.well-known/agent.json'],
  validator: () => validators.AgentCard,
  schemes: new Set(['apiKey', 'http', 'oauth2', 'openIdConnect', 'mutualTLS'] as const),
  since03: true,
});

export const a2a03: Dialect = {
  name: 'a2a-0.3',
  versions: ['0.3'],
  ...dialectOf({ methods: createMethods({ card }), error: errorCodec(), card }),
};
