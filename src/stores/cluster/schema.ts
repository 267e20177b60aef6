/** The tables of replicas that share a store. They exist only in databases that several replicas can use. */

/** A call that one replica forwards to another. The row is deleted when the asker has the answer, or gives up. */
export interface QuestionTable {
  id: string;
  /** The replica that answers: an instance in `gateway`. */
  addressee: string;
  asker: string;
  /** The task's key. */
  key: string;
  /** JSON text; '' once it is answered. */
  body: string;
  /** JSON text. */
  answer: string | null;
  created_at: number;
  /** When the addressee claimed it: only once. */
  taken_at: number | null;
}

/** A replica that is notified when another one writes to the task. */
export interface FollowerTable {
  key: string;
  /** An instance in `gateway`; the row is deleted with it. */
  instance: string;
}

/** Leases by name, for jobs that one replica at a time does. */
export interface NamedLeaseTable {
  name: string;
  /** An instance in `gateway`; the lease is free when that is gone. */
  owner: string;
  until: number;
}

/** Token buckets of the request limits, each as the time at which it will be full again. */
export interface RequestShareTable {
  key: string;
  /** When the bucket will be full again: milliseconds with fractions. */
  regained: number;
  /** Milliseconds per request. */
  each: number;
  /** Requests granted to the last reservation. */
  granted: number;
  /** Time of the last reservation. */
  at: number;
}

export interface PeerTables {
  question: QuestionTable;
  follower: FollowerTable;
  named_lease: NamedLeaseTable;
  request_share: RequestShareTable;
}
