import { newId } from '../../../../core/model/ids.ts';
import { unreadable } from '../../../../core/model/stored-form.ts';
import type { Transaction } from '../../../../stores/database.ts';
import { escapeText } from '../../../../stores/text.ts';
import type { AppliedUpdate, ChangeMeta } from '../../model/graph.ts';
import type { KnowledgePatch, KnowledgeSpace } from '../../model/knowledge.ts';
import type { KnowledgeChangeTable, StatementRow } from '../rows.ts';
import { spaceKey } from '../spaces.ts';
import { type TermRow, TermSet } from '../terms.ts';
import type { WriteStatement, WritingStatements } from './statements.ts';
import { type Difference, type Draft, draftOf, type PatchEffect, termsOfDraft, WorkingSet } from './working-set.ts';

/** Patches that are applied atomically. */
type Update = ReturnType<typeof updateOf>;

/**
 * Prepares an update.
 *
 * @throws A2AError `invalidParams` for text that no store can hold
 */
export const updateOf = (patches: readonly KnowledgePatch[], meta: ChangeMeta, expected: number | undefined) => ({
  drafts: patches.map(draftOf),
  meta: JSON.stringify(meta),
  expected,
});

/** The row of a space with changes. Locking it serializes the writers of the space. */
interface SpaceRow {
  readonly id: number;
  /** Position of the last change. */
  readonly last_seq: number;
  /** Absolute number of the next new term. Numbers are never reused. */
  readonly next_term: number;
  readonly statements: number;
}

type ChangeRow = Omit<KnowledgeChangeTable, 'space'>;

/** Outcomes of updates. An outcome is undefined if the space was not at the expected position. */
interface Applied {
  readonly outcomes: readonly (AppliedUpdate | undefined)[];
  /** Current number of statements in the space. */
  readonly statements: number;
}

/**
 * Applies updates in order in one transaction. It locks the space, so that log positions are assigned in the order in
 * which they become visible.
 */
export function* applyUpdates(
  statements: WritingStatements,
  space: KnowledgeSpace,
  updates: readonly Update[],
  now: number,
): Transaction<Applied> {
  const { id, last_seq, next_term, statements: counted } = yield* lock(statements, space);
  const terms = new TermSet(next_term);
  const drafts = updates.flatMap((update) => update.drafts);
  const set = yield* load(statements, id, drafts, terms);

  const changes: ChangeRow[] = [];
  const outcomes = updates.map(({ drafts, meta, expected }): AppliedUpdate | undefined => {
    if (expected !== undefined && expected !== last_seq + changes.length) return undefined;
    const applied = set.apply(drafts, now, (draft, effect) => {
      changes.push(changeOf(draft, effect, { seq: last_seq + changes.length + 1, at: now, meta }));
    });
    return { ...applied, position: last_seq + changes.length };
  });

  const difference = set.difference();
  yield* write(statements, id, difference, terms);
  if (changes.length > 0) {
    yield statements.log({ space: id, rows: JSON.stringify(changes) });
    yield statements.moveSpace({
      space: id,
      last: last_seq + changes.length,
      next: terms.next,
      statements: counted + difference.grown,
    });
  }
  return { outcomes, statements: counted + difference.grown };
}

const changeOf = (
  { op }: Draft,
  { statement, replaced }: PatchEffect,
  { seq, at, meta }: Pick<ChangeRow, 'seq' | 'at' | 'meta'>,
): ChangeRow => ({
  seq,
  change_id: newId(at),
  at,
  op,
  body: JSON.stringify(replaced.length > 0 ? { statement, replaced } : { statement }),
  meta,
});

const spaceNumbers = ['id', 'last_seq', 'next_term', 'statements'] as const;

function* lock(statements: WritingStatements, { agent, tenant }: KnowledgeSpace): Transaction<SpaceRow> {
  const key = { agent: escapeText(agent), tenant: escapeText(tenant) };
  for (;;) {
    const [row] = (yield statements.lockSpace(key)) as SpaceRow[];
    if (row && spaceNumbers.every((name) => Number.isSafeInteger(row[name]))) return row;
    if (row) throw unreadable(`The knowledge of ${agent}`, 'the row of its space is damaged');
    yield statements.makeSpace(key);
  }
}

/** Runs an SQL statement for some rows. Does nothing if there are none. */
function* runFor<Row>(statement: WriteStatement, space: number, rows: readonly unknown[]): Transaction<readonly Row[]> {
  return rows.length === 0 ? [] : ((yield statement({ space, rows: JSON.stringify(rows) })) as readonly Row[]);
}

/** Loads the terms and statements that the drafts refer to. */
function* load(
  { termsOf, termsWith, statementsOf, statementsBeside }: WritingStatements,
  space: number,
  drafts: readonly Draft[],
  terms: TermSet,
): Transaction<WorkingSet> {
  for (const row of yield* runFor<TermRow>(termsOf, space, terms.wanted(drafts.flatMap(termsOfDraft)))) terms.add(row);
  const set = new WorkingSet(terms);
  const quads: unknown[] = [];
  const groups: unknown[] = [];
  for (const draft of drafts) {
    const s = terms.find(draft.s);
    const p = terms.find(draft.p);
    const g = draft.g ? terms.find(draft.g) : 0;
    if (s === undefined || p === undefined || g === undefined) continue;
    const o = terms.find(draft.o);
    if (draft.op === 'replace') groups.push({ s, p, g });
    else if (o !== undefined) quads.push({ s, p, o, g });
  }
  const found = yield* runFor<StatementRow>(statementsOf, space, quads);
  const beside = yield* runFor<StatementRow>(statementsBeside, space, groups);
  const unknown = new Set<number>();
  for (const row of [...found, ...beside]) {
    set.load(row);
    for (const id of [row.o, row.subject_type, row.object_type]) if (id !== null && !terms.has(id)) unknown.add(id);
  }
  const ids = [...unknown].map((id) => ({ id }));
  for (const row of yield* runFor<TermRow>(termsWith, space, ids)) terms.add(row);
  return set;
}

const idsIn = ({ s, p, o, g, subject_type, object_type }: StatementRow): number[] =>
  [s, p, o, g, subject_type, object_type].filter((id) => id !== null && id !== 0) as number[];

function* write(
  statements: WritingStatements,
  space: number,
  { written, deleted, types, left }: Difference,
  terms: TermSet,
): Transaction<void> {
  const used = new Set(written.flatMap(idsIn));
  const unused = new Set(left.flatMap(idsIn).filter((id) => !used.has(id)));
  const rows = [
    [statements.makeTerms, terms.newRows(used)],
    [statements.putStatements, written],
    [statements.deleteStatements, deleted.map(({ s, p, o, g }) => ({ s, p, o, g }))],
    [statements.countTypes, types],
    [statements.dropTypes, types.filter(({ uses }) => uses < 0)],
    [statements.dropTerms, [...unused].map((id) => ({ id }))],
  ] as const;
  for (const [statement, each] of rows) yield* runFor(statement, space, each);
}

/** Maximum patches per transaction, so that a transaction does not block the event loop or the database for long. */
const batchPatches = 1_000;

interface Queued extends Pick<PromiseWithResolvers<AppliedUpdate | undefined>, 'resolve' | 'reject'> {
  readonly update: Update;
}

interface SpaceQueue {
  readonly waiting: Queued[];
  readonly drained: Promise<void>;
}

/** Commits updates of one space in one transaction. */
type Commit = (space: KnowledgeSpace, updates: readonly Update[]) => Promise<Applied>;

/**
 * Creates a queue with group commit, as for tasks: updates of a space that arrive during a transaction share the next
 * one. Each update is applied entirely or not at all, in order of arrival.
 */
export function createUpdateQueue(commit: Commit, isGeneral: (error: unknown) => boolean) {
  const queues = new Map<string, SpaceQueue>();

  /** Queues an update. The update is durable once the promise resolves. */
  function push(space: KnowledgeSpace, update: Update): Promise<AppliedUpdate | undefined> {
    return new Promise((resolve, reject) => {
      const queued = { update, resolve, reject };
      const key = spaceKey(space);
      const queue = queues.get(key);
      if (queue) queue.waiting.push(queued);
      else {
        const waiting = [queued];
        queues.set(key, { waiting, drained: drain(key, space, waiting) });
      }
    });
  }

  /** Resolves when all queues are empty. */
  async function idle(): Promise<void> {
    while (queues.size > 0) await Promise.all([...queues.values()].map(({ drained }) => drained));
  }

  async function drain(key: string, space: KnowledgeSpace, waiting: Queued[]): Promise<void> {
    while (waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      await settle(space, takeBatch(waiting));
    }
    queues.delete(key);
  }

  /** Never rejects. */
  async function settle(space: KnowledgeSpace, batch: readonly Queued[]): Promise<void> {
    try {
      const updates = batch.map(({ update }) => update);
      const { outcomes } = await commit(space, updates);
      for (const [i, { resolve }] of batch.entries()) resolve(outcomes[i]);
    } catch (error) {
      if (batch.length === 1 || isGeneral(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // One of the updates cannot be stored: apply each separately, so that the others are not affected.
      for (const queued of batch) await settle(space, [queued]);
    }
  }

  return { push, idle };
}

/** Removes the updates of the next transaction from the queue. */
function takeBatch(waiting: Queued[]): Queued[] {
  let patches = 0;
  const end = waiting.findIndex(({ update }, i) => {
    patches += update.drafts.length;
    return i > 0 && patches > batchPatches;
  });
  return waiting.splice(0, end < 0 ? waiting.length : end);
}
