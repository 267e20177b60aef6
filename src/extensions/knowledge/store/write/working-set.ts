import { escapeText } from '../../../../stores/text.ts';
import type { AppliedUpdate } from '../../model/graph.ts';
import type { KGStatement, KnowledgePatch, PatchOp } from '../../model/knowledge.ts';
import { resource, type Term, termOf } from '../../model/terms.ts';
import { formerStatement, givenType, rowKey, type StatementRow, typesIn } from '../rows.ts';
import type { TermSet } from '../terms.ts';

/** A patch prepared for application. */
export interface Draft {
  readonly op: PatchOp;
  /** The statement as it is logged. */
  readonly statement: KGStatement;
  readonly s: Term;
  readonly p: Term;
  readonly o: Term;
  /** Undefined: the default graph. */
  readonly g: Term | undefined;
  readonly subjectType: Term | undefined;
  readonly objectType: Term | undefined;
  readonly given: string | null;
  readonly certainty: number | null;
  /** JSON text. */
  readonly provenance: string | null;
}

/** Returns the statement without unknown members. */
function cleaned({ subject, predicate, object, graph, certainty, provenance }: KGStatement): KGStatement {
  const type = object.type ? { type: object.type } : {};
  return {
    subject: subject.type ? { id: subject.id, type: subject.type } : { id: subject.id },
    predicate: { id: predicate.id },
    object: object.id === undefined ? { value: object.value ?? '', ...type } : { id: object.id, ...type },
    ...(graph && { graph }),
    ...(typeof certainty === 'number' && { certainty }),
    ...(provenance && { provenance }),
  };
}

/**
 * Prepares a patch.
 *
 * @throws A2AError `invalidParams` for text that no store can hold
 */
export function draftOf({ op, statement: requested }: KnowledgePatch): Draft {
  const statement = cleaned(requested);
  const { subject, object, graph, certainty, provenance } = statement;
  const o = termOf(object);
  const given = object.id === undefined ? givenType(o, object.type) : null;
  return {
    op,
    statement,
    s: resource(subject.id),
    p: resource(statement.predicate.id),
    o,
    g: graph === undefined ? undefined : resource(graph),
    subjectType: subject.type === undefined ? undefined : resource(subject.type),
    objectType: object.id === undefined || object.type === undefined ? undefined : resource(object.type),
    given: given === null ? null : escapeText(given),
    certainty: certainty ?? null,
    provenance: provenance ? JSON.stringify(provenance) : null,
  };
}

export function termsOfDraft({ s, p, o, g, subjectType, objectType }: Draft): Term[] {
  const terms = [s, p, o];
  for (const term of [g, subjectType, objectType]) if (term) terms.push(term);
  return terms;
}

export interface PatchEffect extends Pick<AppliedUpdate, 'added' | 'removed' | 'renewed'> {
  /** The statement as it is logged. */
  readonly statement: KGStatement;
  readonly replaced: readonly KGStatement[];
}

/** Rows to write so that the database matches the working set. */
export interface Difference {
  readonly written: readonly StatementRow[];
  readonly deleted: readonly StatementRow[];
  /** Previous rows whose terms may no longer be used. */
  readonly left: readonly StatementRow[];
  /** Changes in the number of statements that state a type of an entity. */
  readonly types: readonly TypeUse[];
  /** Change in the number of statements. */
  readonly grown: number;
}

interface TypeUse {
  readonly type: number;
  readonly entity: number;
  uses: number;
}

const groupKey = ({ s, p, g }: Pick<StatementRow, 's' | 'p' | 'g'>): string => `${s},${p},${g}`;

const sameButForTime = (one: StatementRow, other: StatementRow): boolean =>
  one.subject_type === other.subject_type &&
  one.object_type === other.object_type &&
  one.given === other.given &&
  one.certainty === other.certainty &&
  one.provenance === other.provenance;

/** The statements that some patches affect, in memory. Patches are applied to it in order. */
export class WorkingSet {
  readonly #terms: TermSet;
  readonly #before = new Map<string, StatementRow>();
  readonly #rows = new Map<string, StatementRow>();
  /** Keys of rows, by subject, predicate and graph. */
  readonly #groups = new Map<string, Set<string>>();
  readonly #touched = new Set<string>();

  constructor(terms: TermSet) {
    this.#terms = terms;
  }

  /** Adds a row from the database. */
  load(row: StatementRow): void {
    const key = rowKey(row);
    if (this.#before.has(key)) return;
    this.#before.set(key, row);
    this.#put(key, row);
  }

  /** Applies the patches of an update. Calls `onEffect` with those that change something. */
  apply(
    drafts: readonly Draft[],
    at: number,
    onEffect: (draft: Draft, effect: PatchEffect) => void,
  ): Omit<AppliedUpdate, 'position'> {
    const sum = { added: 0, removed: 0, renewed: 0 };
    const affected = new Set<string>();
    for (const draft of drafts) {
      const effect = this.#applyOne(draft, at);
      if (!effect) continue;
      sum.added += effect.added;
      sum.removed += effect.removed;
      sum.renewed += effect.renewed;
      affected.add(effect.statement.subject.id);
      onEffect(draft, effect);
    }
    return { ...sum, affectedIds: [...affected] };
  }

  #applyOne(draft: Draft, at: number): PatchEffect | undefined {
    if (draft.op === 'remove') return this.#remove(draft);
    const row = this.#rowOf(draft, at);
    const key = rowKey(row);
    const same = this.#rows.get(key);
    const olds = draft.op === 'replace' ? this.#groupOf(row) : same ? [same] : [];
    for (const old of olds) if (old !== same) this.#delete(rowKey(old), old);
    this.#write(key, row);
    const removed = olds.length - (same ? 1 : 0);
    const renewed = same && !sameButForTime(same, row) ? 1 : 0;
    if (same && removed === 0 && renewed === 0) return undefined;
    const replaced = olds.map((old) => formerStatement(old, this.#terms.get));
    return { added: same ? 0 : 1, removed, renewed, statement: draft.statement, replaced };
  }

  #remove({ s, p, o, g }: Draft): PatchEffect | undefined {
    const ids = [s, p, o].map((term) => this.#terms.find(term));
    const key = [...ids, g ? this.#terms.find(g) : 0].join(',');
    const row = this.#rows.get(key);
    if (!row) return undefined;
    this.#delete(key, row);
    return { added: 0, removed: 1, renewed: 0, statement: formerStatement(row, this.#terms.get), replaced: [] };
  }

  /** Returns the statements with the row's subject, predicate and graph. */
  #groupOf(row: StatementRow): StatementRow[] {
    return [...(this.#groups.get(groupKey(row)) ?? [])].flatMap((key) => this.#rows.get(key) ?? []);
  }

  difference(): Difference {
    const written: StatementRow[] = [];
    const deleted: StatementRow[] = [];
    const left: StatementRow[] = [];
    const types = new Map<string, TypeUse>();
    const count = (row: StatementRow, by: 1 | -1): void => {
      for (const [type, entity] of typesIn(row, this.#terms.isTypePredicate)) {
        const key = `${type},${entity}`;
        const use = types.get(key) ?? { type, entity, uses: 0 };
        use.uses += by;
        types.set(key, use);
      }
    };
    let grown = 0;
    for (const key of this.#touched) {
      const before = this.#before.get(key);
      const after = this.#rows.get(key);
      grown += (after ? 1 : 0) - (before ? 1 : 0);
      if (before) count(before, -1);
      if (before && !(after && sameButForTime(before, after))) left.push(before);
      if (after) count(after, 1);
      if (after) written.push(after);
      else if (before) deleted.push(before);
    }
    return { written, deleted, left, types: [...types.values()].filter(({ uses }) => uses !== 0), grown };
  }

  #rowOf({ s, p, o, g, subjectType, objectType, given, certainty, provenance }: Draft, at: number): StatementRow {
    const terms = this.#terms;
    return {
      s: terms.findOrMake(s),
      p: terms.findOrMake(p),
      o: terms.findOrMake(o),
      g: g ? terms.findOrMake(g) : 0,
      subject_type: subjectType ? terms.findOrMake(subjectType) : null,
      object_type: objectType ? terms.findOrMake(objectType) : null,
      given,
      certainty,
      provenance,
      at,
    };
  }

  #write(key: string, row: StatementRow): void {
    this.#touched.add(key);
    this.#put(key, row);
  }

  #put(key: string, row: StatementRow): void {
    this.#rows.set(key, row);
    const group = groupKey(row);
    const keys = this.#groups.get(group) ?? new Set();
    keys.add(key);
    this.#groups.set(group, keys);
  }

  #delete(key: string, row: StatementRow): void {
    this.#touched.add(key);
    this.#rows.delete(key);
    this.#groups.get(groupKey(row))?.delete(key);
  }
}
