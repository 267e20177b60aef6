import type { Task } from '../../core/model/a2a.ts';
import { isObject } from '../../core/model/json.ts';
import { losses } from '../../gen/dialects/agentvault-0.2.ts';
import type { Claim, Dialect } from '../kernel/dialect.ts';
import { heldAsWorking } from '../kernel/held-as-working.ts';
import { namelessMessage } from '../kernel/metadata.ts';
import { methodTables, readAs, typesOf } from '../kernel/methods.ts';
import { card } from './card.ts';
import { codecs, read } from './codecs.ts';
import { encodeStreamError, error, errorStatuses } from './errors.ts';
import { tables } from './mapping.ts';
import { composed, methods, taskResult } from './methods.ts';
import { createEncoder, event } from './stream.ts';

/**
 * AgentVault's A2A profile 0.2: JSON-RPC, tasks only, a subscription by task id whose events are named and without an
 * envelope. Written for the real client (`agentvault` 0.2), which drops data that its models do not accept; further
 * forms in the profile's document are accepted.
 */

const jsonrpc: NonNullable<Dialect['jsonrpc']> = {
  ...methodTables(methods, composed),
  tables,
  error,
  errorStatuses,
  filesByUrl: true,
  stream: {
    enveloped: false,
    error: (thrown) => [{ event: 'error', data: JSON.stringify(encodeStreamError(thrown)) }],
    // The real client ignores a JSON response to a subscription, and breaks at an HTTP error.
    refusedAsStream: true,
  },
};

/** Whether a request without an id begins a task: in all other dialects with this method the caller chooses one. */
const begins = (method: string, params: unknown): boolean =>
  method === 'tasks/send' && isObject(params) && (params.id ?? undefined) === undefined && isPlain(params.message);

/** A message of a dialect whose messages have neither ids nor kinds. */
const isPlain = (sent: unknown): sent is Readonly<Record<string, unknown>> =>
  isObject(sent) && !('messageId' in sent) && !('kind' in sent);

const clientId = /^req-(?:init|send|get|cancel|sub)-/;
const clientRoles: ReadonlySet<unknown> = new Set(['assistant', 'system', 'tool']);

/**
 * Whether a request has the marks of AgentVault's `tasks/send`: parts with `content`, roles of its own, or a webhook.
 */
function hasShape(method: string, params: unknown): boolean {
  if (!isObject(params)) return false;
  if (method === 'tasks/sendSubscribe') return params.message === undefined;
  if (method !== 'tasks/send') return false;
  const { message: sent } = params;
  if (!isPlain(sent)) return false;
  if ('webhookUrl' in params || clientRoles.has(sent.role)) return true;
  const parts: readonly unknown[] = Array.isArray(sent.parts) ? sent.parts : [];
  return parts.some((part) => isObject(part) && 'type' in part && ('content' in part || 'url' in part));
}

export const agentVault: Dialect = heldAsWorking({
  name: 'agentvault-0.2',
  versions: [],
  extensionHeaders: ['A2A-Extensions'],
  jsonrpc,
  card,
  // The profile names a webhook but not its body: it receives the events of a subscriber, one by one.
  push: { mediaType: 'application/json', body: { encoder: createEncoder } },
  types: typesOf(jsonrpc, card, {
    message: namelessMessage(readAs(read, 'Message', codecs.message)),
    task: {
      decode: (wire, cx) => taskResult.decode(wire, cx).value,
      encode: (value, cx) => taskResult.encode({ value: value as Task }, cx),
    },
    event,
  }),
  losses: { ...losses, request: [...losses.request, 'method'], error: [] },
  claim(method, params, id): Claim {
    if (hasShape(method, params)) return 2;
    return begins(method, params) || (typeof id === 'string' && clientId.test(id)) ? 1 : 0;
  },
});
