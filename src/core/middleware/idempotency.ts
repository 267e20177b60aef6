import type { Operation } from '../../gen/operations.ts';
import { type Call, type Invoke, isStream, type Reply } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import type { CallKey } from '../model/ids.ts';
import type { KnownCall, TaskStore } from '../ports/task-store.ts';
import {
  firstCallRunning,
  idempotencyKeyOf,
  readCallAnswer,
  requireSameRequest,
  writeCallAnswer,
} from '../tasks/idempotency-key.ts';

/** Milliseconds between two checks of a call that another replica carries out. */
const pollInterval = 250;
/** Milliseconds between two attempts to free a key while the store is unreachable: from, to. */
const retryDelay = [100, 2_000] as const;

export interface IdempotencyDeps {
  readonly store: Pick<TaskStore, 'claimCall' | 'answerCall' | 'releaseCall'>;
  /** The operation table: operations that only read need no key. */
  readonly operations: readonly Operation[];
  /** Names of operations that store the key themselves, together with their writes. */
  readonly keyed: ReadonlySet<string>;
  /** Milliseconds that one answer may take. */
  readonly answer: number;
}

/**
 * Middleware: a call with a known `Idempotency-Key` of the same principal and agent gets the first call's answer. It
 * serves operations that are safe to repeat, such as a cancellation or an update of knowledge: a key whose call has no
 * certain outcome is freed. The key of a message is stored with the task's log instead (send.ts). A second call waits
 * while the first is in progress; another request under the same key is refused.
 */
export function idempotent(deps: IdempotencyDeps): (next: Invoke) => Invoke {
  const claiming = new Set<string>();
  for (const { name, reads, streaming } of deps.operations) {
    if (!reads && !streaming && !deps.keyed.has(name)) claiming.add(name);
  }
  /** Calls of this replica, by their nonces: a call is added before its key is claimed. */
  const running = new Map<string, Promise<void>>();
  return (next) => async (call) => {
    if (call.context.idempotencyKey === undefined || !claiming.has(call.operation)) return next(call);
    const key = idempotencyKeyOf(call) as CallKey;
    const ended = Promise.withResolvers<void>();
    running.set(key.nonce, ended.promise);
    try {
      const answer = await firstAnswer(deps, key, running, call.context.signal);
      return answer === undefined ? await carryOut(deps, next, call, key) : { value: readCallAnswer(answer) };
    } finally {
      running.delete(key.nonce);
      ended.resolve();
    }
  };
}

/** Waits for the answer of the first call; undefined where this call got the key. */
async function firstAnswer(
  deps: IdempotencyDeps,
  key: CallKey,
  running: ReadonlyMap<string, Promise<void>>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const until = Date.now() + deps.answer;
  for (let instead: string | undefined; ; ) {
    const known = await claim(deps, key, instead);
    if (!known) return undefined;
    requireSameRequest(known, key);
    if (known.answer !== undefined) return known.answer;
    const here = running.get(known.nonce);
    if (!here && known.replica !== 'other') {
      // Its replica died, or never learned that it had claimed the key.
      instead = known.nonce;
      continue;
    }
    if (Date.now() >= until || signal.aborted) throw firstCallRunning();
    await Promise.race([here, new Promise((resolve) => setTimeout(resolve, pollInterval))]);
  }
}

/** Claims the key. When the outcome is unknown because the store became unreachable, frees it as soon as possible. */
async function claim(deps: IdempotencyDeps, key: CallKey, instead: string | undefined): Promise<KnownCall | undefined> {
  try {
    return await deps.store.claimCall(key, instead);
  } catch (thrown) {
    release(deps, key);
    throw thrown;
  }
}

async function carryOut(deps: IdempotencyDeps, next: Invoke, call: Call, key: CallKey): Promise<Reply> {
  try {
    const reply = await next(call);
    if (!isStream(reply)) await deps.store.answerCall(key, writeCallAnswer({ value: reply.value }));
    return reply;
  } catch (thrown) {
    release(deps, key);
    throw thrown;
  }
}

/** Frees the key now or, while the store is unreachable, in the background as soon as it is back. */
function release({ store, answer }: IdempotencyDeps, key: CallKey): void {
  const until = Date.now() + answer;
  const attempt = async (delay: number): Promise<void> => {
    try {
      await store.releaseCall(key);
    } catch (thrown) {
      if (A2AError.from(thrown).kind !== 'unavailable' || Date.now() > until) return;
      await new Promise<void>((resolve) => setTimeout(resolve, delay).unref());
      await attempt(Math.min(delay * 2, retryDelay[1]));
    }
  };
  void attempt(retryDelay[0]);
}
