import type { Hidden, KnowledgeSpace } from '../core/model/knowledge.ts';
import type { ReadBudget } from '../core/model/memory.ts';
import type { KnowledgeLog, KnowledgeReader } from '../core/ports/knowledge-store.ts';

/** Whom a query or a subscription is put to, and on whose behalf. */
export interface QueryContext {
  readonly space: KnowledgeSpace;
  readonly reader: KnowledgeReader;
  /** Absent: what changes cannot be told, and nobody can subscribe. */
  readonly log?: KnowledgeLog;
  /** What the caller may not see. Absent: nothing. */
  readonly hidden?: Hidden;
  /** Id of the caller: of whoever else changed something, callers are told what these say of themselves. */
  readonly principal?: string;
  /** Room in memory for what is read. Absent: any number of bytes. */
  readonly room?: ReadBudget;
  /** Ends it: what it aborts with is thrown, as an A2AError. */
  readonly signal: AbortSignal;
}
