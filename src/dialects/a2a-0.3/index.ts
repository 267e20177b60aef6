import type { Dialect } from '../kernel/dialect.ts';
import { errorCodec } from '../kernel/errors.ts';
import { card } from './card.ts';
import { dialectOf } from './compose.ts';
import { createMethods } from './methods.ts';
import { grpc, rest } from './protobuf/faces.ts';
import { software } from './protobuf/software.ts';

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
