import type {
  KnowledgeChange,
  StatementPattern,
  StoredStatement,
} from '../../../../src/extensions/knowledge/model/graph.ts';
import type {
  KGStatement,
  KnowledgePatch,
  KnowledgeSpace,
  LiteralValue,
} from '../../../../src/extensions/knowledge/model/knowledge.ts';
import type { KnowledgeStore } from '../../../../src/extensions/knowledge/store/port.ts';

/** A database for one test. */
export interface KnowledgeDatabase {
  /** Absent: no other process can open it. */
  readonly url?: string | undefined;
  open(instance?: string): Promise<KnowledgeStore>;
}

/** A kind of database that the suites of knowledge run on. */
export interface KnowledgeKind {
  readonly name: string;
  database(): Promise<KnowledgeDatabase>;
  /** Number of tries of a property. Default 40. */
  readonly runs?: number;
  /** Whether agents of one tenant share one graph. */
  readonly agentsShare?: true;
}

export const space: KnowledgeSpace = { agent: 'facts', tenant: '' };

/** An object: a literal where it is no text that begins with `ex:`. */
const objectOf = (object: LiteralValue): KGStatement['object'] =>
  typeof object === 'string' && object.startsWith('ex:') ? { id: object } : { value: object };

/** A statement with ids that begin with `ex:`. */
export const say = (s: string, p: string, o: LiteralValue, more: Partial<KGStatement> = {}): KGStatement => ({
  subject: { id: `ex:${s}` },
  predicate: { id: `ex:${p}` },
  object: objectOf(o),
  ...more,
});

export const add = (statement: KGStatement): KnowledgePatch => ({ op: 'add', statement });
export const remove = (statement: KGStatement): KnowledgePatch => ({ op: 'remove', statement });
export const replace = (statement: KGStatement): KnowledgePatch => ({ op: 'replace', statement });

/** Everything that fits, read in pages. */
export async function findAll(
  knowledge: KnowledgeStore,
  pattern: StatementPattern = {},
  { size = 1_000, at = space }: { size?: number; at?: KnowledgeSpace } = {},
): Promise<StoredStatement[]> {
  const found: StoredStatement[] = [];
  for (let after = ''; ; ) {
    const { items, endCursor, hasMore } = await knowledge.find(at, pattern, { first: size, after });
    found.push(...items);
    if (!hasMore) return found;
    after = endCursor;
  }
}

/** Statements without their times, in an order of their own. */
export const graphOf = (statements: readonly (KGStatement & { at?: number })[]): string[] =>
  statements.map(({ at: _, ...statement }) => JSON.stringify(sorted(statement))).toSorted();

/** The value with the keys of all objects in order. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

/** The whole log of a space. */
export async function logOf(knowledge: KnowledgeStore, at: KnowledgeSpace = space): Promise<KnowledgeChange[]> {
  const log: KnowledgeChange[] = [];
  for (;;) {
    const next = await knowledge.changes(at, log.at(-1)?.position ?? 0, 100);
    if (next.length === 0) return log;
    log.push(...next);
  }
}

/** Patches that undo a change. */
export function inverseOf({ op, statement, replaced = [] }: KnowledgeChange): KnowledgePatch[] {
  if (op === 'remove') return [add(statement)];
  return [remove(statement), ...replaced.map(add)];
}
