import { card } from './a2a-0.3/card.ts';
import { dialectOf } from './a2a-0.3/compose.ts';
import { createMethods } from './a2a-0.3/methods.ts';
import { grpc, rest } from './a2a-0.3/protobuf/faces.ts';
import { software } from './a2a-0.3/protobuf/software.ts';
import type { Dialect } from './dialect.ts';
import { errorCodec } from './errors.ts';

/**
 * A2A 0.3, written for the clients and servers of the official SDKs (JavaScript 0.3.14, Python 0.3.26).
 */
export const a2a03: Dialect = {
  name: 'a2a-0.3',
  versions: ['0.3'],
  ...dialectOf({ methods: createMethods({ card, messageIds: true }), error: errorCodec(), card }),
  rest,
  grpc,
  software,
  namesOutputModes: true,
};
