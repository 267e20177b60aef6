import type { Message, StreamResponse, Task, TaskStatusUpdateEvent } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import type { Message as VaultMessage, Task as VaultTask } from '../../gen/agentvault-0.2/types.ts';
import { validators } from '../../gen/agentvault-0.2/validators.ts';
import { parseWith } from '../../wire/validate.ts';
import type { Codec } from '../kernel/codec.ts';
import type { Claim, Dialect } from '../kernel/dialect.ts';
import { methodTables, typesOf } from '../kernel/methods.ts';
import { card } from './card.ts';
import { encodeStreamError, errorStatuses, jsonRpcError } from './errors.ts';
import { losses } from './losses.ts';
import { decodeMessage, encodeMessage } from './messages.ts';
import { composed, methods } from './methods.ts';
import { createEncoder, type VaultEvent, VaultEvents, VaultReader } from './stream.ts';
import { decodeTask, encodeTask } from './tasks.ts';

/**
 * AgentVault's A2A profile 0.2: JSON-RPC, tasks only, a subscription by task id whose events are named and not
 * enveloped. Written for the real client (`agentvault` 0.2), which drops what its models do not accept, and accepting
 * what the profile's document says besides.
 */

const message: Codec<unknown, Message> = {
  decode: (wire) => decodeMessage(parseWith<VaultMessage>(validators.Message, wire)),
  encode: (v1, cx) => encodeMessage(v1, cx, ''),
};

const task: Codec<unknown, Task> = {
  decode: (wire) => decodeTask(parseWith<VaultTask>(validators.Task, wire)).value,
  encode: (v1, cx) => encodeTask(v1, cx),
};

/**
 * One event alone: `{ event, data }`, or a list of them where v1 says at once what AgentVault says in several; such a
 * list stands for what its last event tells.
 */
const event: Codec<unknown, StreamResponse> = {
  decode: (wire) => {
    const reader = new VaultReader();
    const read = (Array.isArray(wire) ? wire : [wire]).flatMap((one: unknown) => {
      if (!isObject(one) || typeof one.event !== 'string') {
        const description = 'must be task_status, task_message or task_artifact';
        throw A2AError.invalidParams(undefined, [{ field: 'event', description }]);
      }
      return reader.decode({ event: one.event, data: one.data });
    });
    const [last, before] = [read.at(-1), read.at(-2)];
    if (!last) throw new A2AError('invalidParams', 'There is no such event');
    const status = last.statusUpdate?.status;
    const said = before?.statusUpdate?.status.message;
    return status && said && !status.message
      ? { statusUpdate: { ...last.statusUpdate, status: { ...status, message: said } } as TaskStatusUpdateEvent }
      : last;
  },
  encode: (v1, cx) => {
    // A snapshot becomes what happened to the task, a message a status with it: neither has an event of its own.
    for (const name of ['task', 'message'] as const) if (v1[name]) cx.unreported?.add(name);
    const events: VaultEvent[] = new VaultEvents(cx).encode(v1, Date.now());
    return events.length === 1 ? events[0] : events;
  },
};

const jsonrpc: NonNullable<Dialect['jsonrpc']> = {
  ...methodTables(methods, composed),
  error: jsonRpcError,
  errorStatuses,
  filesByUrl: true,
  stream: {
    enveloped: false,
    error: (error) => [{ event: 'error', data: JSON.stringify(encodeStreamError(error)) }],
    // The real client does not see a JSON answer to a subscription, and breaks at an HTTP error.
    refusedAsStream: true,
  },
};

/** Without an id a task begins: in all other dialects with this method the caller chooses one. */
const begins = (method: string, params: unknown): boolean =>
  method === 'tasks/send' && isObject(params) && (params.id ?? undefined) === undefined && isPlain(params.message);

/** A message of a dialect whose messages have neither ids nor kinds. */
const isPlain = (sent: unknown): sent is Readonly<Record<string, unknown>> =>
  isObject(sent) && !('messageId' in sent) && !('kind' in sent);

const clientId = /^req-(?:init|send|get|cancel|sub)-/;
const clientRoles: ReadonlySet<unknown> = new Set(['assistant', 'system', 'tool']);

/** The marks of `tasks/send`: parts with `content`, roles of its own, or a webhook. */
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

export const agentVault: Dialect = {
  name: 'agentvault-0.2',
  versions: [],
  extensionHeaders: ['A2A-Extensions'],
  jsonrpc,
  card,
  // The profile names a webhook and not what it receives: what a subscriber would, event by event.
  push: { mediaType: 'application/json', body: { encoder: createEncoder } },
  types: typesOf(jsonrpc, card, { message, task, event }),
  losses,
  claim(method, params, id): Claim {
    if (hasShape(method, params)) return 2;
    return begins(method, params) || (typeof id === 'string' && clientId.test(id)) ? 1 : 0;
  },
};
