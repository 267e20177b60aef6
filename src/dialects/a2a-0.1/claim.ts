import { isObject } from '../../core/model/json.ts';
import type { Claim } from '../kernel/dialect.ts';

/** Members of tasks/send that no other dialect's clients send. */
const ownParams = ['sessionId', 'pushNotification', 'historyLength', 'acceptedOutputModes'] as const;

/** Whether a part has the type of A2A 0.1, could be of several dialects, or is of another one. */
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
 * How likely a request is of A2A 0.1. Only this dialect has `tasks/sendSubscribe` with a message, and these methods of push
 * notifications; the message and the other parameters decide about `tasks/send`.
 */
export function claim(method: string, params: unknown): Claim {
  if (method.startsWith('tasks/pushNotification/')) return 2;
  if (!isObject(params)) return 0;
  if (method === 'tasks/sendSubscribe') return params.message === undefined ? 0 : 2;
  if (method !== 'tasks/send' || 'webhookUrl' in params) return 0;
  const sign = messageSign(params.message);
  if (sign === 'foreign') return 0;
  const named = typeof params.id === 'string';
  if (ownParams.some((name) => name in params) || (sign === 'typed' && named)) return 2;
  // Without an id it is AgentVault's to begin a task, as far as its message can be.
  return named || sign === 'typed' ? 1 : 0;
}
