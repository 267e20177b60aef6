import { isObject } from '../../core/model/json.ts';
import type { Claim } from '../kernel/dialect.ts';

/** Methods of this dialect alone. */
const own: ReadonlySet<string> = new Set(['get_agent_card', 'ping']);

/** Whether a message is written as from A2A 0.2 on, which no other client of tasks/send does. */
function hasKind(message: unknown): boolean {
  if (!isObject(message)) return false;
  if ('kind' in message || 'messageId' in message) return true;
  return Array.isArray(message.parts) && message.parts.some((part) => isObject(part) && 'kind' in part);
}

/**
 * How surely a request is the PHP SDK's.
 *
 * `from` is named in its document and in no version of A2A, and its client always sends it. Should another client send it
 * all the same, the answers are still in the shapes of A2A 0.3, with event names that its readers do not look at; an
 * unknown task id makes a task instead of an error.
 */
export function claim(method: string, params: unknown): Claim {
  if (own.has(method)) return 2;
  if (!isObject(params)) return 0;
  if (method === 'tasks/send') return hasKind(params.message) ? 2 : 0;
  const sends = method === 'message/send' || method === 'message/stream';
  return sends && typeof params.from === 'string' ? 2 : 0;
}
