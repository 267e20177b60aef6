import type { Term } from 'n3';
import type { ProposedUpdate } from '../rule.ts';
import { isAmong } from '../visibility.ts';

/** One result of a validation (SHACL 3.6.2), as far as it is told. */
export interface Finding {
  readonly message: readonly Pick<Term, 'value'>[];
  readonly path: Term | null;
  readonly focusNode: Term;
  readonly severity: Pick<Term, 'value'>;
  readonly sourceConstraintComponent: Pick<Term, 'value'>;
  readonly value: Term | null;
}

const mostTold = 5;
const longestText = 200;

const shorten = (text: string): string => (text.length > longestText ? `${text.slice(0, longestText)}…` : text);

const localName = (iri: string): string => iri.slice(Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/')) + 1);

/** Findings for people. Who may not see everything is told of nothing but what is in the update. */
export function describeFindings(
  findings: readonly Finding[],
  { patches, hidden }: Pick<ProposedUpdate, 'patches' | 'hidden'>,
): string {
  const own = new Set(
    patches.flatMap(({ statement: { subject, object } }) => [subject.id, object.id, String(object.value)]),
  );
  const sentence = ({ message, path, focusNode, sourceConstraintComponent: component, value }: Finding): string => {
    const isOwn = (term: Term): boolean => hidden === undefined || own.has(term.value);
    const isNamed = path?.termType === 'NamedNode';
    const isShown = !isNamed || !isAmong(path.value, hidden?.predicates);
    if (!isOwn(focusNode) || !isShown) return 'a constraint on what this caller may not see';
    const about = [shorten(focusNode.value), ...(isNamed ? [path.value] : [])].join(' ');
    const what = message.map((text) => text.value).join(' ') || localName(component.value);
    const given = value && value !== focusNode && isOwn(value) ? ` (${shorten(value.value)})` : '';
    return `${about}: ${shorten(what)}${given}`;
  };
  const sentences = [...new Set(findings.map(sentence))];
  const more = sentences.length - mostTold;
  return sentences.slice(0, mostTold).join('; ') + (more > 0 ? `; and ${more} more` : '');
}
