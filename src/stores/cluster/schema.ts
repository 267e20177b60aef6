/** The tables of gateways that share a store. Only databases that many gateways can use have them. */

/** What one gateway asks another about a task. The row goes when its asker has the answer, or wants it no more. */
export interface QuestionTable {
  id: string;
  /** Who is to answer: an instance in `gateway`. */
  addressee: string;
  asker: string;
  /** The task's key. */
  key: string;
  /** JSON text; '' once it is answered. */
  body: string;
  /** JSON text. */
  answer: string | null;
  created_at: number;
  /** When the addressee took it up: nobody does so twice. */
  taken_at: number | null;
}

/** A gateway that is to be told when another one writes to a task. */
export interface FollowerTable {
  key: string;
  /** An instance in `gateway`, with which it goes. */
  instance: string;
}

/** Leases by name: what one gateway at a time does. */
export interface NamedLeaseTable {
  name: string;
  /** An instance in `gateway`; when it is not there any more, the lease is anybody's. */
  owner: string;
  until: number;
}

/** Buckets of requests: what each holds follows from when it will be full again. */
export interface RequestShareTable {
  key: string;
  /** When everything that was taken will have been regained: milliseconds with fractions. */
  regained: number;
  /** Milliseconds in which one request is regained. */
  each: number;
  /** What the last reservation was granted. */
  granted: number;
  /** When that was. */
  at: number;
}

export interface PeerTables {
  question: QuestionTable;
  follower: FollowerTable;
  named_lease: NamedLeaseTable;
  request_share: RequestShareTable;
}
