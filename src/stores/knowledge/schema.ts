import type { Generated } from 'kysely';

/**
 * The tables of the knowledge store as Kysely types. Terms are numbered per space, so that statements and their indexes
 * are narrow: resources have positive numbers, literals negative ones.
 */

/** One row per space with changes. Locking it serialises the writers of the space. */
export interface KnowledgeSpaceTable {
  id: Generated<number>;
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

export interface KnowledgeTables {
  knowledge_space: KnowledgeSpaceTable;
  knowledge_change: KnowledgeChangeTable;
}
