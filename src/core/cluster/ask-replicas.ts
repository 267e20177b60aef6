import { unlessAborted } from '../model/timing.ts';
import type { Peers } from '../ports/peers.ts';
import type { ReplicaRecord } from '../ports/store.ts';
import { askReplica } from './replica-requests.ts';

/** Answers of the replicas to a question about themselves. */
export interface ReplicaAnswers<T> {
  readonly answers: readonly { readonly replica: string; readonly value: T }[];
  /** Ids of the replicas that did not answer in time, have just died, or are of a version that cannot answer. */
  readonly missing: readonly string[];
}

/** Asks every live replica, this one too. Rejects only if this replica itself cannot answer. */
export type AskReplicas = <T>(question: string, request: object) => Promise<ReplicaAnswers<T>>;

/** Milliseconds to wait for the answers of other replicas. */
const within = 2_000;

/**
 * @param own answers for this replica
 * @returns the function that asks all replicas. For a single replica it reads nothing from the store, and the answer has no
 *   replica id
 */
export function createAskReplicas(
  store: { readonly peers: Pick<Peers, 'shared' | 'forward'>; replicas(): Promise<readonly ReplicaRecord[]> },
  own: (question: string, request: object) => Promise<unknown>,
): AskReplicas {
  /** Replicas as last read from the store. */
  let known: readonly ReplicaRecord[] = [];
  return async <T>(question: string, request: object) => {
    const value = (await own(question, request)) as T;
    if (!store.peers.shared) return { answers: [{ replica: '', value }], missing: [] };
    const signal = AbortSignal.timeout(within);
    const isKnown = await unlessAborted(store.replicas(), signal).then(
      (read) => {
        known = read;
        return true;
      },
      () => false,
    );
    const others = known.filter(({ isThis }) => !isThis);
    const asked = { question, request };
    const replies = await Promise.allSettled(
      // Other replicas are reached through the store. Dead ones are missing as long as the store knows them.
      others.map(async ({ id, isAlive }) => {
        if (!isKnown || !isAlive) throw new Error('There is no way to the replica');
        return askReplica<T>(store.peers, id, asked, { within, signal });
      }),
    );
    const answers = [{ replica: known.find(({ isThis }) => isThis)?.id ?? '', value }];
    const missing: string[] = [];
    for (const [at, reply] of replies.entries()) {
      const { id } = others[at] as ReplicaRecord;
      if (reply.status === 'fulfilled') answers.push({ replica: id, value: reply.value });
      else missing.push(id);
    }
    return { answers, missing };
  };
}
