import { A2AError } from '../../core/model/errors.ts';
import { type AlignmentRule, type ProposedUpdate, TooMuchToJudge, type Verdict } from './rule.ts';

/** The verdict of all rules together. */
export interface Verification {
  readonly status: 'verified' | 'pending' | 'rejected';
  /** Which rule decided, and why. */
  readonly details: string;
}

const statuses: ReadonlySet<unknown> = new Set([
  'verified',
  'pending',
  'rejected',
  'forbidden',
] satisfies Verdict['status'][]);

/** Asks a rule; rejects when the signal aborts first. */
async function ask(rule: AlignmentRule, update: ProposedUpdate): Promise<Verdict> {
  const { signal } = update;
  const left = Promise.withResolvers<never>();
  const leave = (): void => left.reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  try {
    signal.throwIfAborted();
    const verdict = await Promise.race([rule.verify(update), left.promise]);
    if (verdict === undefined || statuses.has(verdict?.status)) return verdict ?? { status: 'verified' };
    throw new TypeError(`the rule ${rule.name} gave something that is no verdict`);
  } catch (thrown) {
    if (thrown instanceof TooMuchToJudge) return { status: 'rejected', details: thrown.message };
    throw A2AError.from(thrown);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/**
 * Asks rules one after the other; the first rejection decides. Rejects with `alignmentViolation` if a rule forbids the
 * update, and with any error of a rule.
 */
export async function verify(rules: readonly AlignmentRule[], update: ProposedUpdate): Promise<Verification> {
  const doubts: string[] = [];
  for (const rule of rules) {
    const { status, details } = await ask(rule, update);
    const said = details ? `${rule.name}: ${details}` : rule.name;
    if (status === 'rejected') return { status, details: said };
    if (status === 'forbidden') throw new A2AError('alignmentViolation', said, { metadata: { rule: rule.name } });
    if (status === 'pending') doubts.push(said);
  }
  if (doubts.length > 0) return { status: 'pending', details: doubts.join('; ') };
  const names = rules.map(({ name }) => name).join(', ');
  return { status: 'verified', details: names === '' ? 'no rules are configured' : `verified by: ${names}` };
}
