import type { KGStatement, KnowledgeChange } from '../core/model/knowledge.ts';
import { typePredicates } from '../core/model/knowledge-terms.ts';

/** Which changes somebody wants to be told of: all that is given must fit. */
export interface ChangePattern {
  readonly subject?: string;
  readonly predicate?: string;
  /** Id of a resource. */
  readonly object?: string;
  /** What the subject must be an instance of. */
  readonly type?: string;
  /** A named graph; '' is the default graph; absent: any. */
  readonly graph?: string;
}

const fits = (wanted: string | undefined, given: string | undefined): boolean =>
  wanted === undefined || wanted === given;

/** Whether a statement fits a pattern, the type of its subject left aside. */
const matches = (pattern: ChangePattern, { subject, predicate, object, graph }: KGStatement): boolean =>
  fits(pattern.subject, subject.id) &&
  fits(pattern.predicate, predicate.id) &&
  fits(pattern.object, object.id) &&
  fits(pattern.graph, graph ?? '');

/** What a change states, and what it took away or wrote over. */
const statementsOf = ({ statement, replaced }: KnowledgeChange): readonly KGStatement[] =>
  replaced ? [statement, ...replaced] : [statement];

/** Whether what a change states fits, or what it took away or wrote over. The type of the subject is left aside. */
export const concerns = (pattern: ChangePattern, change: KnowledgeChange): boolean =>
  statementsOf(change).some((statement) => matches(pattern, statement));

/** What changes call an instance of a type, or no longer do. */
export const calledInstances = (type: string, changes: readonly KnowledgeChange[]): Set<string> =>
  new Set(changes.flatMap(statementsOf).flatMap((statement) => instancesIn(type, statement)));

function instancesIn(type: string, { subject, predicate, object }: KGStatement): string[] {
  const called: string[] = [];
  if (subject.type === type || (object.id === type && typePredicates.has(predicate.id))) called.push(subject.id);
  if (object.id !== undefined && object.type === type) called.push(object.id);
  return called;
}
