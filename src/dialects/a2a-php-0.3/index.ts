import { losses as cardLosses } from '../../gen/dialects/a2a-0.3-card.ts';
import { losses } from '../../gen/dialects/a2a-php-0.3.ts';
import type { Dialect } from '../kernel/dialect.ts';
import { atRoot, methodTables, readAs, typesOf } from '../kernel/methods.ts';
import type { JsonRpcBinding } from '../kernel/wire.ts';
import { card } from './card.ts';
import { claim } from './claim.ts';
import { codecs } from './codecs.ts';
import { error, errorStatuses, stream, unauthenticated } from './errors.ts';
import { local, methods } from './methods.ts';
import { read } from './read.ts';

/**
 * A2A 0.3 over JSON-RPC as the PHP SDK (`a2a-php`) speaks it: with methods of its own, task ids chosen by callers, named
 * events, one push configuration for each task, and other spellings accepted of almost everything. Written for its real
 * clients and held against its real server; what its document says besides is accepted.
 */

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
  types: typesOf(jsonrpc, card, {
    message: readAs(read, 'Message', codecs.message),
    task: readAs(read, 'Task', codecs.task),
    event: atRoot(codecs.event),
  }),
  losses: { ...losses, ...cardLosses, error: [] },
  claim,
};
