/** What a gateway is asked by another about a task that it works on. */
export interface ForwardedRequest {
  /** The task's key. */
  readonly key: string;
  /** What is asked, as JSON text that only the core reads. */
  readonly body: string;
}

/** How much of a limit a gateway may use without asking again. */
export interface BucketGrant {
  /** Requests that are this gateway's now, 0 or more. */
  readonly granted: number;
  /** Milliseconds until one can be had again; 0 when some were granted. */
  readonly wait: number;
}

/**
 * The gateways on one store. Notifications make them quick; what is true is in the store. Every promise rejects with
 * A2AError `unavailable` when the database is away.
 */
export interface Peers {
  /** False: the store serves this gateway alone. Nobody is there to be asked, and whatever is asked for is granted. */
  readonly shared: boolean;
  /**
   * Calls `listener` with the key of a task that is followed, and the position of its last event, when another gateway
   * has written events of it; without a key when notifications may have been lost, and tasks are to be followed anew.
   * Only for shared stores; at most one listener.
   */
  onTaskWritten(listener: (key?: string, seq?: number) => void): void;
  /**
   * Lets other gateways tell this one when they write to these tasks. Nothing is missed by reading their logs once they
   * are followed.
   *
   * @returns those that could not be followed since they are being written to at this moment: try again
   */
  follow(keys: readonly string[]): Promise<string[]>;
  /** The opposite. */
  unfollow(keys: readonly string[]): Promise<void>;
  /** Calls `listener` when another gateway has taken its leave: what it left behind may be taken up. At most one. */
  onReplicaLeft(listener: () => void): void;
  /** The other gateway that works on the task and is alive. Undefined: none does, or this one does. */
  leaseHolderOf(key: string): Promise<string | undefined>;
  /** Those of the tasks that another gateway works on, whether it is alive or not. In one query. */
  takenOver(keys: readonly string[]): Promise<string[]>;
  /**
   * Asks a gateway about a task that it works on. Resolves with its answer, JSON text. Rejects with `unavailable` when
   * that gateway is dead or was never asked, and with the signal's reason when that aborts; the question may have been
   * answered all the same then.
   */
  forward(gateway: string, question: ForwardedRequest, signal: AbortSignal): Promise<string>;
  /** Who answers the questions of others; it must not reject. At most one. */
  onForwarded(answer: (question: ForwardedRequest) => Promise<string>): void;
  /**
   * Takes or prolongs a lease that one gateway at a time can have.
   *
   * @param ms for how long, by the database's clock
   * @returns whether it is this gateway's
   */
  lease(name: string, ms: number): Promise<boolean>;
  /**
   * Takes requests out of a bucket that all gateways share, which holds `perMinute` and fills evenly.
   *
   * @param want how many; fewer are granted when fewer are there
   */
  reserve(key: string, want: number, perMinute: number): Promise<BucketGrant>;
}
