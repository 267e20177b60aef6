import { A2AError } from '../../core/model/errors.ts';
import type { Peers } from '../../core/ports/peers.ts';

/** The peers of a gateway that has its store to itself: there are none, and every lease and reservation is granted. */
export const singleNode: Peers = {
  shared: false,
  hasOlderReplica: false,
  onTaskWritten: () => undefined,
  follow: async () => [],
  unfollow: async () => undefined,
  onReplicaLeft: () => undefined,
  leaseHolderOf: async () => undefined,
  takenOver: async () => [],
  forward: async () => {
    throw new A2AError('unavailable', 'No other replica uses this store.');
  },
  onForwarded: () => undefined,
  lease: async () => true,
  reserve: async (_key, want) => ({ granted: want, wait: 0 }),
};
