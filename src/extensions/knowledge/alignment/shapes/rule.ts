import { shortened } from '../../../../core/model/text.ts';
import type { Alignment } from '../../ports.ts';
import { PatchedOutcome } from '../outcome.ts';
import type { AlignmentRule, ProposedUpdate, Verdict } from '../rule.ts';
import { isAmong } from '../visibility.ts';
import { type Finding, isOf, isViolation, type Named, startShapesProcess } from './process.ts';

/**
 * Creates the rule that updates must conform to the shapes of a Turtle file. The rule can also validate existing
 * statements.
 *
 * @throws A2AError for unusable shapes
 */
export async function shapesRule(
  path: string,
): Promise<AlignmentRule & { readonly violationsOf: NonNullable<Alignment['faultsOf']>; close(): void }> {
  const { judge, close } = await startShapesProcess(path);
  return {
    name: 'shapes',
    close,
    async violationsOf(store, space, statements) {
      const findings = await judge(statements, new PatchedOutcome(store, space, []), new AbortController().signal);
      return verdictOf(findings.filter(isViolation), { patches: [] })?.details;
    },
    async verify(update) {
      const { patches, outcome, signal } = update;
      if (!(outcome instanceof PatchedOutcome)) return undefined;
      const changed = [...patches.map(({ statement }) => statement), ...(await outcome.removed())];
      return verdictOf(await judge(changed, outcome, signal), update);
    },
  };
}

/** Converts findings to a verdict: violations reject the update, warnings require a review, information is ignored. */
function verdictOf(
  findings: readonly Finding[],
  update: Pick<ProposedUpdate, 'patches' | 'hidden'>,
): Verdict | undefined {
  const violations = findings.filter(isViolation);
  const warnings = findings.filter((finding) => isOf(finding, 'Warning'));
  if (violations.length > 0) return { status: 'rejected', details: describeFindings(violations, update) };
  return warnings.length > 0 ? { status: 'pending', details: describeFindings(warnings, update) } : undefined;
}

const mostTold = 5;
const longestText = 200;

const isSame = (one: Named, other: Named): boolean => one.value === other.value && one.termType === other.termType;

/** Describes findings. Callers from whom statements are hidden see only terms that the update itself contains. */
function describeFindings(
  findings: readonly Finding[],
  { patches, hidden }: Pick<ProposedUpdate, 'patches' | 'hidden'>,
): string {
  const own = new Set(
    patches.flatMap(({ statement: { subject, object } }) => [subject.id, object.id, String(object.value)]),
  );
  const sentence = ({ message, path, focusNode, sourceConstraintComponent: component, value }: Finding): string => {
    const isOwn = (term: Named): boolean => hidden === undefined || own.has(term.value);
    const isNamed = path?.termType === 'NamedNode';
    const isShown = !isNamed || !isAmong(path.value, hidden?.predicates);
    if (!isOwn(focusNode) || !isShown) return 'a constraint on data that is hidden from the caller';
    const about = [shortened(focusNode.value, longestText), ...(isNamed ? [path.value] : [])].join(' ');
    const what = message.map((text) => text.value).join(' ') || component.value.replace(/^.*[#/]/s, '');
    const given = value && !isSame(value, focusNode) && isOwn(value) ? ` (${shortened(value.value, longestText)})` : '';
    return `${about}: ${shortened(what, longestText)}${given}`;
  };
  const sentences = [...new Set(findings.map(sentence))];
  const more = sentences.length - mostTold;
  return sentences.slice(0, mostTold).join('; ') + (more > 0 ? `; and ${more} more` : '');
}
