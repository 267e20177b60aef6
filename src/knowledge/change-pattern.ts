import type { KGStatement, KnowledgeChange } from '../core/model/knowledge.ts';
import { typePredicates } from '../core/model/knowledge-terms.ts';

/** The changes that a subscription wants: all given fields must match. */
export interface ChangePattern {
  readonly subject?: string;
  readonly predicate?: string;
  /** Id of a resource. */
  readonly object?: string;
  /** The type of the subject. */
  readonly type?: string;
  /** A named graph; '' is the default graph; absent: any. */
  readonly graph?: string;
}

const fits = (wanted: string | undefined, given: string | undefined): boolean =>
  wanted === undefined || wanted === given;

/** Whether a statement matches a pattern, except for the type of its subject. */
const matches = (pattern: ChangePattern, { subject, predicate, object, graph }: KGStatement): boolean =>
  fits(pattern.subject, subject.id) &&
  fits(pattern.predicate, predicate.id) &&
  fits(pattern.object, object.id) &&
  fits(pattern.graph, graph ?? '');

/** The statement of a change, and those that it replaced. */
const statementsOf = ({ statement, replaced }: KnowledgeChange): readonly KGStatement[] =>
  replaced ? [statement, ...replaced] : [statement];

/** Whether one of the statements of a change matches, except for the type of its subject. */
export const concerns = (pattern: ChangePattern, change: KnowledgeChange): boolean =>
  statementsOf(change).some((statement) => matches(pattern, statement));

/** Entities that the changes state, or no longer state, to be of a type. */
export const calledInstances = (type: string, changes: readonly KnowledgeChange[]): Set<string> =>
  new Set(changes.flatMap(statementsOf).flatMap((statement) => instancesIn(type, statement)));

function instancesIn(type: string, { subject, predicate, object }: KGStatement): string[] {
  const called: string[] = [];
  if (subject.type === type || (object.id === type && typePredicates.has(predicate.id))) called.push(subject.id);
  if (object.id !== undefined && object.type === type) called.push(object.id);
  return called;
}
