/** A call that a replica forwards to the replica that owns the task. */
export interface ForwardedRequest {
  /** The task's key. */
  readonly key: string;
  /** The call as JSON text that only the core reads. */
  readonly body: string;
}

/** Tokens of a shared bucket that were granted to this replica. */
export interface BucketGrant {
  /** Number of granted requests, 0 or more. */
  readonly granted: number;
  /** Milliseconds until the bucket has a token again; 0 if some were granted. */
  readonly wait: number;
}

/** The replicas on one store. The store is the truth; notifications only save polling. Rejects as TaskStore does. */
export interface Peers {
  /** False: this gateway is the only one on the store, and every lease and token is granted. */
  readonly shared: boolean;
  /** Whether a replica runs a version that does not check the generation that a message expects, as last read. */
  readonly hasOlderReplica: boolean;
  /**
   * Calls `listener` with the key and last position of a followed task that another replica has written to; without a
   * key when notifications may have been lost: follow again. Only for shared stores; one listener.
   */
  onTaskWritten(listener: (key?: string, seq?: number) => void): void;
  /**
   * Subscribes to notifications about tasks. Resolves with the keys of those that are being written at the moment: try them
   * again.
   */
  follow(keys: readonly string[]): Promise<string[]>;
  /** Ends `follow`. */
  unfollow(keys: readonly string[]): Promise<void>;
  /** Calls `listener` when another replica has shut down: its tasks may be taken over. At most one listener. */
  onReplicaLeft(listener: () => void): void;
  /** Returns the other live replica that holds the task's lease. Undefined: none does, or this one does. */
  leaseHolderOf(key: string): Promise<string | undefined>;
  /** Returns the tasks whose lease another replica holds, dead or alive. One query. */
  takenOver(keys: readonly string[]): Promise<string[]>;
  /**
   * Forwards a call to the task's owner. Resolves with its answer, JSON text. Rejects with `unavailable` when the owner
   * was not reached, or with the signal's reason: then the call may have been carried out.
   */
  forward(replica: string, request: ForwardedRequest, signal: AbortSignal): Promise<string>;
  /** Answers the calls that other replicas forward; the handler must not reject. At most one. */
  onForwarded(handler: (request: ForwardedRequest) => Promise<string>): void;
  /** Takes or renews a lease, by the database's clock. Resolves with whether this replica holds it. */
  lease(name: string, ms: number): Promise<boolean>;
  /** Takes `want` tokens or fewer out of a bucket that replicas share. It holds `perMinute` and refills evenly. */
  reserve(key: string, want: number, perMinute: number): Promise<BucketGrant>;
}
