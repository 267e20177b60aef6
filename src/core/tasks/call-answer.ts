import { A2AError } from '../model/errors.ts';

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
