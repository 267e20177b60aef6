import { isObject } from '../../core/model/json.ts';
import { losses as cardLosses } from '../../gen/dialects/a2a-0.3-card.ts';
import { losses } from '../../gen/dialects/a2a-php-0.3.ts';
import type { Claim, Dialect } from '../kernel/dialect.ts';
import { atRoot, methodTables, readAs, typesOf } from '../kernel/methods.ts';
import type { JsonRpcBinding } from '../kernel/wire.ts';
import { card } from './card.ts';
import { codecs } from './codecs.ts';
import { error, errorStatuses, stream, unauthenticated } from './errors.ts';
import { tables } from './mapping.ts';
import { local, methods } from './methods.ts';
import { read } from './read.ts';

/**
 * A2A 0.3 over JSON-RPC in the variation of the PHP SDK (`a2a-php`): with methods of its own, task ids chosen by
 * callers, named events, one push configuration for each task, and alternative spellings of almost everything. Written
 * for its real clients and tested against its real server; further forms in its document are accepted.
 */

const jsonrpc: JsonRpcBinding = {
  ...methodTables(methods),
  tables,
  local,
  error,
  errorStatuses,
  unauthenticated,
  stream,
};

/** Methods of this dialect alone. */
const own: ReadonlySet<string> = new Set(['get_agent_card', 'ping']);

/** Whether a message has the form of A2A 0.2 or later, which no other client of tasks/send uses. */
function hasKind(message: unknown): boolean {
  if (!isObject(message)) return false;
  if ('kind' in message || 'messageId' in message) return true;
  return Array.isArray(message.parts) && message.parts.some((part) => isObject(part) && 'kind' in part);
}

/**
 * Returns how likely a request comes from the PHP SDK.
 *
 * `from` is named in its document and in no version of A2A, and its client always sends it. If another client sends it
 * too, the answers are still in the shapes of A2A 0.3, with event names that its readers ignore; an unknown task id
 * creates a task instead of an error.
 */
function claim(method: string, params: unknown): Claim {
  if (own.has(method)) return 2;
  if (!isObject(params)) return 0;
  if (method === 'tasks/send') return hasKind(params.message) ? 2 : 0;
  const sends = method === 'message/send' || method === 'message/stream';
  return sends && typeof params.from === 'string' ? 2 : 0;
}

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
