import type { Message, Task } from '../../core/model/a2a.ts';
import { losses as plainLosses } from '../a2a-0.3/losses.ts';
import type { Codec } from '../kernel/codec.ts';
import type { Dialect } from '../kernel/dialect.ts';
import { methodTables } from '../kernel/methods.ts';
import { typesOf } from '../kernel/request.ts';
import type { JsonRpcBinding } from '../kernel/wire.ts';
import { card } from './card.ts';
import { claim } from './claim.ts';
import { error, errorStatuses, stream, unauthenticated } from './errors.ts';
import { decodeMessage, decodeTask, encodeMessage, encodeTask } from './messages.ts';
import { local, methods } from './methods.ts';
import { read } from './read.ts';
import { eventCodec } from './stream.ts';

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

const jsonrpc: JsonRpcBinding = {
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
