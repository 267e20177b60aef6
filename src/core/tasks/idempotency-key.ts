import { createHash, randomUUID } from 'node:crypto';
import { type Call, ownerOf } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { CallKey } from '../model/ids.ts';
import type { KnownCall } from '../ports/task-store.ts';

/** The idempotency key that a call brings, if any. One that another gateway forwarded has it already. */
export function idempotencyKeyOf(call: Call): CallKey | undefined {
  const { forwardedKey, idempotencyKey: key } = call.context;
  if (forwardedKey || key === undefined) return forwardedKey;
  return { owner: ownerOf(call), key, digest: digestOf(call), nonce: randomUUID() };
}

/** Throws `idempotencyConflict` where the key was used with another request. */
export function requireSameRequest(known: KnownCall, { digest }: CallKey): void {
  if (known.digest !== digest) throw new A2AError('idempotencyConflict');
}

/** The first call with the key goes on, or nobody knows yet what became of it. */
export const firstCallRunning = (): A2AError =>
  new A2AError('unavailable', 'The first call with this idempotency key is still under way.', { retryAfter: 1 });

/** Of the operation and the request, whatever the order of its keys: the same call may come by another binding. */
function digestOf({ operation, request, context }: Call): string {
  return createHash('sha256')
    .update(operation)
    .update(JSON.stringify(sorted(context.semantics.tasksOnly ? withoutMessageId(request) : request)))
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

/** How a call ended that is answered by no task, as it is stored under its idempotency key. */
type CallAnswer =
  | { readonly value: unknown }
  | { readonly error: Pick<A2AError, 'kind' | 'message'> & { readonly metadata: Readonly<Record<string, string>> } };

/** The answer as JSON text. */
export function writeCallAnswer(ended: { readonly value: unknown } | { readonly error: A2AError }): string {
  if ('value' in ended) return JSON.stringify(ended satisfies CallAnswer);
  const { kind, message, metadata } = ended.error;
  return JSON.stringify({ error: { kind, message, metadata } } satisfies CallAnswer);
}

/** The value that was answered. Throws the error that was. */
export function readCallAnswer<T>(text: string): T {
  const answer = JSON.parse(text) as CallAnswer;
  if ('error' in answer) throw new A2AError(answer.error.kind, answer.error.message, answer.error);
  return answer.value as T;
}
