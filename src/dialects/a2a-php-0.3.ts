import type { Message, Task } from '../gen/a2a-v1/types.ts';
import { losses as plainLosses } from './a2a-0.3/losses.ts';
import { card } from './a2a-php-0.3/card.ts';
import { claim } from './a2a-php-0.3/claim.ts';
import { error, errorStatuses, stream, unauthenticated } from './a2a-php-0.3/errors.ts';
import { decodeMessage, decodeTask, encodeMessage, encodeTask } from './a2a-php-0.3/messages.ts';
import { local, methods } from './a2a-php-0.3/methods.ts';
import { read } from './a2a-php-0.3/read.ts';
import { eventCodec } from './a2a-php-0.3/stream.ts';
import type { Codec, Dialect, JsonRpcFace } from './dialect.ts';
import { methodTables } from './methods.ts';
import { typesOf } from './request.ts';

/**
 * A2A 0.3 over JSON-RPC as the PHP SDK (`a2a-php`) speaks it: with methods of its own, task ids chosen by callers, named
 * events, one push configuration for each task, and other spellings accepted of almost everything. Written for its real
 * clients and held against its real server; what its document says besides is accepted.
 */

const message: Codec<unknown, Message> = {
  decode: (wire) => decodeMessage(read('Message', wire), ''),
  encode: (v1, cx) => encodeMessage(v1, cx, ''),
};

const task: Codec<unknown, Task> = {
  decode: (wire) => decodeTask(read('Task', wire)),
  encode: (v1, cx) => encodeTask(v1, cx),
};

const jsonrpc: JsonRpcFace = {
  ...methodTables(methods),
  local,
  error,
  errorStatuses,
  unauthenticated,
  stream,
};

export const a2aPhp03: Dialect = {
  name: 'a2a-php-0.3',
  versions: [],
  extensionHeaders: ['X-A2A-Extensions', 'A2A-Extensions'],
  jsonrpc,
  card,
  push: { mediaType: 'application/json', body: 'task' },
  types: typesOf(jsonrpc, card, { message, task, event: eventCodec }),
  losses: { ...plainLosses, request: [...(plainLosses.request ?? []), 'id'] },
  claim,
};
