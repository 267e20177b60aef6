/** The tables of knowledge. Times are milliseconds since the epoch. Text that a caller chooses is stored escaped (`escapeText`). */

/** One row per space with changes. Locking it serialises the writers of the space. */
export interface KnowledgeSpaceTable {
  id: number;
  agent: string;
  tenant: string;
  /** Position of the last change. */
  last_seq: number;
  /** Position of the oldest change that has not expired. */
  first_seq: number;
  /** Absolute number of the next new term. Numbers are never reused. */
  next_term: number;
  /** Number of statements. */
  statements: number;
}

/**
 * A statement. Its terms are numbers, so that the table and its indexes are narrow: resources have positive numbers in
 * their space, literals negative ones.
 */
export interface KnowledgeStatementTable {
  space: number;
  s: number;
  p: number;
  o: number;
  /** 0 is the default graph. */
  g: number;
  /** Term of the subject's type. */
  subject_type: number | null;
  /** Term of the object's type, if the object is a resource. */
  object_type: number | null;
  /** The literal's datatype as given, if it would be shown differently. */
  given: string | null;
  certainty: number | null;
  /** JSON text. */
  provenance: string | null;
  at: number;
}

/** The change log. */
export interface KnowledgeChangeTable {
  space: number;
  seq: number;
  change_id: string;
  at: number;
  op: string;
  /** JSON text: the statement, and those that it replaced. */
  body: string;
  /** JSON text. */
  meta: string;
}
