import type { Operation } from '../../gen/operations.ts';
import { type Call, type Invoke, isStream, type Reply } from '../model/call.ts';
import type { CallKey } from '../model/ids.ts';
import { steadyNow } from '../model/timing.ts';
import type { TaskStore } from '../ports/task-store.ts';
import {
  firstCallRunning,
  idempotencyKeyOf,
  readCallAnswer,
  requireSameRequest,
  writeCallAnswer,
} from '../tasks/idempotency-key.ts';
import { retryWhileUnavailable } from '../tasks/outage.ts';

/** Milliseconds between two checks of a call that another replica carries out. */
const pollInterval = 250;

export interface IdempotencyDeps {
  readonly store: Pick<TaskStore, 'claimCall' | 'answerCall' | 'releaseCall'>;
  /** Milliseconds that one answer may take, read for each call. */
  readonly answer: number;
  /**
   * Whether the gateway stores nothing for an agent, which receives the key itself. Default: it stores the keys of all agents.
   */
  readonly keepsNothing?: (agent: string) => boolean;
}

/**
 * Whether the middleware claims the key for calls of an operation: operations that only read need no key, and a stream
 * of messages cannot be recognized by its first message.
 *
 * @param keyed names of operations that store the key themselves, together with their writes
 */
export const claimsKey = (
  { name, reads, streaming, clientStreaming }: Operation,
  keyed: ReadonlySet<string>,
): boolean => !reads && !streaming && !clientStreaming && !keyed.has(name);

/**
 * Middleware: a call with a known `Idempotency-Key` of the same principal and agent gets the first call's answer, or
 * waits for it. For operations for which `claimsKey` holds, which are safe to repeat: a key whose call has no certain
 * outcome is freed. The key of a message is stored with the task's log instead (start-turn.ts). Another request under the
 * same key is refused.
 */
export function idempotent(deps: IdempotencyDeps): (next: Invoke) => Invoke {
  const { store, keepsNothing } = deps;
  /** Calls of this replica, by their nonces: a call is added before its key is claimed. */
  const running = new Map<string, Promise<void>>();

  /** Waits for the answer of the first call; undefined if this call got the key. */
  const firstAnswer = async (key: CallKey, signal: AbortSignal): Promise<string | undefined> => {
    const until = steadyNow() + deps.answer;
    for (let instead: string | undefined; ; ) {
      // If the store becomes unreachable, it is not known whether the key was claimed.
      const known = await orRelease(key, () => store.claimCall(key, instead));
      if (!known) return undefined;
      requireSameRequest(known, key);
      if (known.answer !== undefined) return known.answer;
      const here = running.get(known.nonce);
      if (!here && known.replica !== 'other') {
        // Its replica died, or never learned that it had claimed the key.
        instead = known.nonce;
        continue;
      }
      if (steadyNow() >= until || signal.aborted) throw firstCallRunning();
      await Promise.race([here, new Promise((resolve) => setTimeout(resolve, pollInterval))]);
    }
  };

  const carryOut = async (next: Invoke, call: Call, key: CallKey): Promise<Reply> => {
    const reply = await next(call);
    if (!isStream(reply)) await store.answerCall(key, writeCallAnswer({ value: reply.value }));
    return reply;
  };

  /** Runs `use`. If it fails, frees the key in the background, as soon as the store is reachable. */
  const orRelease = async <T>(key: CallKey, use: () => Promise<T>): Promise<T> => {
    try {
      return await use();
    } catch (thrown) {
      void retryWhileUnavailable(() => store.releaseCall(key), AbortSignal.timeout(deps.answer)).catch(() => undefined);
      throw thrown;
    }
  };

  const once = async (next: Invoke, call: Call): Promise<Reply> => {
    const key = idempotencyKeyOf(call) as CallKey;
    const ended = Promise.withResolvers<void>();
    running.set(key.nonce, ended.promise);
    try {
      const answer = await firstAnswer(key, call.context.signal);
      if (answer !== undefined) return { value: readCallAnswer(answer) };
      return await orRelease(key, () => carryOut(next, call, key));
    } finally {
      running.delete(key.nonce);
      ended.resolve();
    }
  };

  return (next) => (call) => {
    const { idempotencyKey, agent } = call.context;
    const needsNoClaim = idempotencyKey === undefined || keepsNothing?.(agent);
    return needsNoClaim ? next(call) : once(next, call);
  };
}
