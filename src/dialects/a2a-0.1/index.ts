import { isObject } from '../../core/model/json.ts';
import { losses } from '../../gen/dialects/a2a-0.1.ts';
import type { Claim, Dialect } from '../kernel/dialect.ts';
import { errorFrames, jsonRpcErrorStatuses } from '../kernel/errors.ts';
import { heldAsWorking } from '../kernel/held-as-working.ts';
import { namelessMessage } from '../kernel/metadata.ts';
import { methodTables, readAs, typesOf } from '../kernel/methods.ts';
import { card } from './card.ts';
import { codecs, read } from './codecs.ts';
import { error } from './errors.ts';
import { tables } from './mapping.ts';
import { composed, methods } from './methods.ts';
import { taskCodec } from './names.ts';
import { event } from './stream.ts';

/**
 * Google's A2A 0.1 of April 2025: JSON-RPC, tasks only, ids chosen by the client, artifacts by position. Written for
 * the clients of its own samples (Python with pydantic, JavaScript); it also accepts the further forms in the document.
 */

const jsonrpc: NonNullable<Dialect['jsonrpc']> = {
  ...methodTables(methods, composed),
  tables,
  error,
  errorStatuses: jsonRpcErrorStatuses,
  stream: {
    enveloped: true,
    // The JavaScript client cannot read an event with any line other than `data:`, not even a comment before it.
    withoutIds: true,
    error: errorFrames(error),
    // The Python client treats any other response to a streaming call as a broken connection and drops the error, and
    // the JavaScript client reads only events from a response with HTTP 200.
    refusedAsStream: true,
  },
};

/** Members of tasks/send that no other dialect's clients send. */
const ownParams = ['sessionId', 'pushNotification', 'historyLength', 'acceptedOutputModes'] as const;

/** Whether a part has the type of A2A 0.1, may belong to several dialects, or belongs to another one. */
type PartSign = 'typed' | 'bare' | 'foreign';

function signOf(part: unknown): PartSign {
  if (!isObject(part) || 'kind' in part || 'content' in part || 'url' in part) return 'foreign';
  const { type } = part;
  if (typeof type === 'string') return type in part ? 'typed' : 'foreign';
  return 'text' in part || 'file' in part || 'data' in part ? 'bare' : 'foreign';
}

/** Messages of A2A 0.1 have neither ids nor kinds, and roles of their own. */
function messageSign(message: unknown): PartSign {
  if (!isObject(message) || 'kind' in message || 'messageId' in message) return 'foreign';
  if (message.role !== 'user' && message.role !== 'agent') return 'foreign';
  if (!Array.isArray(message.parts)) return 'foreign';
  const signs = new Set(message.parts.map(signOf));
  if (signs.has('foreign')) return 'foreign';
  return signs.has('typed') ? 'typed' : 'bare';
}

/**
 * Returns how likely a request belongs to A2A 0.1. Only this dialect has `tasks/sendSubscribe` with a message, and these methods
 * of push notifications; for `tasks/send` the message and the other parameters decide.
 */
function claim(method: string, params: unknown): Claim {
  if (method.startsWith('tasks/pushNotification/')) return 2;
  if (!isObject(params)) return 0;
  if (method === 'tasks/sendSubscribe') return params.message === undefined ? 0 : 2;
  if (method !== 'tasks/send' || 'webhookUrl' in params) return 0;
  const sign = messageSign(params.message);
  if (sign === 'foreign') return 0;
  const named = typeof params.id === 'string';
  if (ownParams.some((name) => name in params) || (sign === 'typed' && named)) return 2;
  // Without an id it begins a task of AgentVault, if its message can be AgentVault's.
  return named || sign === 'typed' ? 1 : 0;
}

export const a2a01: Dialect = heldAsWorking({
  name: 'a2a-0.1',
  versions: [],
  callersName: true,
  extensionHeaders: ['A2A-Extensions'],
  jsonrpc,
  card,
  push: { mediaType: 'application/json', body: 'task' },
  types: typesOf(jsonrpc, card, {
    message: namelessMessage(readAs(read, 'Message', codecs.message)),
    task: taskCodec,
    event,
  }),
  losses: { ...losses, error: [] },
  claim,
});
