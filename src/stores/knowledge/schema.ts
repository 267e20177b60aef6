import type { Generated } from 'kysely';

/**
 * The tables of knowledge, as Kysely sees them. Terms are numbered in each space, so that statements and their indexes
 * are narrow; resources have positive numbers, literals negative ones.
 */

/** One row for each space that was ever written to. Whoever holds its lock is the space's only writer. */
export interface KnowledgeSpaceTable {
  id: Generated<number>;
  agent: string;
  tenant: string;
  /** Position of the last change. */
  last_seq: number;
  /** Position of the oldest change that is kept. */
  first_seq: number;
  /** Number of the next new term, its sign aside. Numbers are never used twice. */
  next_term: number;
  /** How many statements there are. */
  statements: number;
}

/** What statements are made of. */
export interface KnowledgeTermTable {
  space: number;
  id: number;
  /** The text, or what stands for it where it is long. */
  key: string;
  /** '' of a resource, else the literal's datatype. */
  datatype: string;
  /** The text where it is long, else null. */
  body: string | null;
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
  /** Term of the object's type, where that is a resource. */
  object_type: number | null;
  /** The literal's datatype as it was given, where that is not how it would be written. */
  given: string | null;
  certainty: number | null;
  /** JSON text. */
  provenance: string | null;
  at: number;
}

/** What statements say, in one way or another, that entities are instances of. */
export interface KnowledgeTypeTable {
  space: number;
  type: number;
  entity: number;
  /** How often statements say so. */
  uses: number;
}

/** The change log. */
export interface KnowledgeChangeTable {
  space: number;
  seq: number;
  change_id: string;
  at: number;
  op: string;
  /** JSON text: the statement, and what it replaced. */
  body: string;
  /** JSON text. */
  meta: string;
}

export interface KnowledgeTables {
  knowledge_space: KnowledgeSpaceTable;
  knowledge_term: KnowledgeTermTable;
  knowledge_statement: KnowledgeStatementTable;
  knowledge_type: KnowledgeTypeTable;
  knowledge_change: KnowledgeChangeTable;
}
