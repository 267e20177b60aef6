import { createHash, randomUUID } from 'node:crypto';
import { type Call, ownerOf } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { CallKey } from '../model/ids.ts';
import { isObject } from '../model/json.ts';
import { readStored, unreadable } from '../model/stored-form.ts';
import type { KnownCall } from '../ports/task-store.ts';

/** A call's idempotency key. A forwarded call carries the key that the first replica made. */
export function idempotencyKeyOf(call: Call): CallKey | undefined {
  const { forwardedKey, idempotencyKey: key } = call.context;
  if (forwardedKey || key === undefined) return forwardedKey;
  return { owner: ownerOf(call), key, digest: digestOf(call), nonce: randomUUID() };
}

/** Throws `idempotencyConflict` if the key was used with another request. */
export function requireSameRequest(known: KnownCall, { digest }: CallKey): void {
  if (known.digest !== digest) throw new A2AError('idempotencyConflict');
}

/** The error for a repeated call while the first call with the key is running, or its outcome is not known yet. */
export const firstCallRunning = (): A2AError =>
  new A2AError('unavailable', 'The first call with this idempotency key is still under way.', { retryAfter: 1 });

/** Digest of operation and request. The order of keys does not matter, because it may differ between bindings. */
function digestOf({ operation, request, context }: Call): string {
  return createHash('sha256')
    .update(operation)
    .update(JSON.stringify(sorted(context.semantics.tasksOnly ? withoutMessageId(request) : request)))
    .digest('base64url');
}

/** Dialects that know only tasks have no message ids: the gateway generated one for each call. */
function withoutMessageId(request: object): object {
  const { message } = request as { message?: object };
  return message ? { ...request, message: { ...message, messageId: '' } } : request;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => ({ [`.${key}`]: sorted(inner) }));
}

/** The error for a repeated call if the replica with the first call stopped, and the outcome of that call is not stored. */
export const outcomeUnknown = (): A2AError =>
  new A2AError(
    'unavailable',
    'The replica that got the first call with this idempotency key stopped before it stored what came of it: the agent may or may not have received the message. Look for its task, or send again with another key.',
  );

/** The version of stored answers that this program writes, and the newest one that it reads. */
const answerForm = 2;

/**
 * The stored answer of a call, as JSON:
 * - without `form`: written before answers had versions. `value` may also be the task of a message, which is read from the task's
 *   log today.
 * - 2: the answer of a call without a task.
 */
type CallAnswer = { readonly value: unknown } | { readonly error: Pick<A2AError, 'kind' | 'message' | 'metadata'> };

export function writeCallAnswer(answer: { readonly value: unknown } | { readonly error: A2AError }): string {
  const form = answerForm;
  if ('value' in answer) return JSON.stringify({ form, value: answer.value });
  const { kind, message, metadata } = answer.error;
  return JSON.stringify({ form, error: { kind, message, metadata } });
}

const answerTitle = 'The answer to the first call with this idempotency key';

/** @throws A2AError `unavailable` for an answer that cannot be read */
export function checkCallAnswer(text: string): CallAnswer {
  const answer = readStored<CallAnswer>(answerTitle, text, answerForm);
  if ('error' in answer ? isObject(answer.error) : 'value' in answer) return answer;
  throw unreadable(answerTitle, 'it has neither a value nor an error');
}

/** Returns the stored value, or throws the stored error. Throws `unavailable` for the form of a newer program. */
export function readCallAnswer<T>(text: string): T {
  const answer = checkCallAnswer(text);
  if ('error' in answer) throw A2AError.revive(answer.error);
  return answer.value as T;
}
