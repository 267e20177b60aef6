import type { ChangeMeta, KGStatement, KnowledgePatch, PatchOp } from '../../core/knowledge.ts';
import { resource, type Term, termOf } from '../../core/knowledge-terms.ts';
import { escapeText } from '../text.ts';
import { givenType } from './rows.ts';

/** A patch made ready to be applied. */
export interface Draft {
  readonly op: PatchOp;
  /** As it is logged. */
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

/** What of an update's circumstances a statement itself remembers. */
const origins = ['sourceAgentId', 'taskId', 'sessionId', 'justification'] as const;

/** Where a statement comes from: what it says itself counts more than the update that it came with. */
function provenanceOf({ provenance }: KGStatement, meta: ChangeMeta): KGStatement['provenance'] {
  const all: Record<string, unknown> = {};
  for (const name of origins) if (meta[name] !== undefined) all[name] = meta[name];
  if (provenance) Object.assign(all, provenance);
  return provenance || Object.keys(all).length > 0 ? all : undefined;
}

/** The statement with what belongs to it, and nothing else. */
function cleaned(
  { subject, predicate, object, graph, certainty }: KGStatement,
  p: KGStatement['provenance'],
): KGStatement {
  const type = object.type ? { type: object.type } : {};
  return {
    subject: subject.type ? { id: subject.id, type: subject.type } : { id: subject.id },
    predicate: { id: predicate.id },
    object: object.id === undefined ? { value: object.value ?? '', ...type } : { id: object.id, ...type },
    ...(graph && { graph }),
    ...(typeof certainty === 'number' && { certainty }),
    ...(p && { provenance: p }),
  };
}

/** Throws `invalidParams` for what no store can hold. */
export function draftOf({ op, statement: asked }: KnowledgePatch, meta: ChangeMeta): Draft {
  const provenance = op === 'remove' ? asked.provenance : provenanceOf(asked, meta);
  const statement = cleaned(asked, provenance);
  const { subject, object, graph, certainty } = statement;
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

/** All terms of a draft. */
export function termsOf({ s, p, o, g, subjectType, objectType }: Draft): Term[] {
  const terms = [s, p, o];
  for (const term of [g, subjectType, objectType]) if (term) terms.push(term);
  return terms;
}
