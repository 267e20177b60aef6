import type { KGStatement, KnowledgePatch, PatchOp } from '../../../../core/model/knowledge.ts';
import { escapeText } from '../../../../stores/text.ts';
import { resource, type Term, termOf } from '../../model/terms.ts';
import { givenType } from '../rows.ts';

/** A patch prepared for application. */
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

/** The statement without unknown members. */
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

/** Throws `invalidParams` for text that no store can hold. */
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

/** All terms of a draft. */
export function termsOfDraft({ s, p, o, g, subjectType, objectType }: Draft): Term[] {
  const terms = [s, p, o];
  for (const term of [g, subjectType, objectType]) if (term) terms.push(term);
  return terms;
}
