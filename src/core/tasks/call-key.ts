import { createHash, randomUUID } from 'node:crypto';
import { type Call, type CallKey, ownerOf } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { KnownCall } from '../ports/task-store.ts';

/** The idempotency key that a call brings, if any. One that another gateway forwarded has it already. */
export function keyOf(call: Call): CallKey | undefined {
  const { forwardedKey, idempotencyKey: key } = call.context;
  if (forwardedKey || key === undefined) return forwardedKey;
  return { owner: ownerOf(call), key, digest: digestOf(call), nonce: randomUUID() };
}

/** Throws `idempotencyConflict` where the key was used with another request. */
export function requireSameRequest(known: KnownCall, { digest }: CallKey): void {
  if (known.digest !== digest) throw new A2AError('idempotencyConflict');
}

/** The first call with the key goes on, or nobody knows yet what became of it. */
export const underWay = (): A2AError =>
  new A2AError('unavailable', 'The first call with this idempotency key is still under way.', { retryAfter: 1 });

/** Of the operation and the request, whatever the order of its keys: the same call may come by another binding. */
function digestOf({ operation, request, context }: Call): string {
  return createHash('sha256')
    .update(operation)
    .update(JSON.stringify(sorted(context.implied.tasksOnly ? withoutMessageId(request) : request)))
    .digest('base64url');
}

/** Callers that know only tasks give their messages no ids: each call's was made up on its way in. */
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
