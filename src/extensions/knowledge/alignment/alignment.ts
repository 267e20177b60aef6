import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { A2AError } from '../../../core/model/errors.ts';
import { isObject } from '../../../core/model/json.ts';
import { unlessAborted } from '../../../core/model/timing.ts';
import type { AlignmentConfig } from '../../../gen/settings.ts';
import type { Alignment, Judgement, Proposal } from '../ports.ts';
import { builtinRules } from './builtin-rules.ts';
import { createKeyQueue } from './key-queue.ts';
import { PatchedOutcome } from './outcome.ts';
import { type AlignmentRule, type ProposedUpdate, TooMuchToJudge, type Verdict } from './rule.ts';
import { hiddenFrom } from './visibility.ts';

/** Maximum attempts to apply an update that conflicts with concurrent updates. */
const mostAttempts = 20;
/** Maximum milliseconds between two attempts. */
const longestWait = 50;

/** Texts of statuses as the extension defines them (section 4.2). */
const statusTexts = {
  verified: 'Verified',
  pending: 'Pending Review',
  rejected: 'Rejected - Constraint Violation',
} as const satisfies Record<Judgement['status'], string>;

/**
 * Creates the alignment of an agent's knowledge. A verdict that depends on the graph is applied only if the graph has
 * not changed since the rules began to read it; otherwise the update is judged again. This prevents two updates from
 * both being applied if each is valid alone but they are invalid together.
 *
 * @throws A2AError that says what is wrong with the shapes or rules
 */
export async function createAlignment(settings: AlignmentConfig = {}): Promise<Alignment> {
  // Rules that need only the update come first.
  const rules = builtinRules(settings);
  const { shapes: path, rules: module } = settings;
  const shapes = path === undefined ? undefined : await (await import('./shapes/rule.ts')).shapesRule(path);
  if (shapes) rules.push(shapes);
  if (module !== undefined) rules.push(...(await moduleRules(module)));
  return { ...alignWith(rules, settings), ...(shapes && { faultsOf: shapes.violationsOf, close: shapes.close }) };
}

/** Creates an alignment with given rules. */
export function alignWith(rules: readonly AlignmentRule[], settings: AlignmentConfig = {}): Alignment {
  const readsOutcome = rules.some((rule) => rule.readsOutcome ?? true);
  const takeTurns = createKeyQueue();

  const judgeOnce = async (proposal: Proposal): Promise<Judgement | undefined> => {
    const { store, space, patches, recorded, meta, principal, metadata = {}, signal } = proposal;
    const expected = readsOutcome ? (await store.extent(space)).last : undefined;
    const outcome = new PatchedOutcome(store, space, patches);
    const hidden = hiddenFrom(settings.protected, principal);
    const update = { space, patches, principal, meta, metadata, outcome, signal, ...(hidden && { hidden }) };
    const { status, details } = await verify(rules, update);
    const judged = { status, verificationStatus: statusTexts[status], verificationDetails: details };
    if (status === 'rejected') return judged;
    const marked = status === 'pending' ? { ...meta, verification: { status: statusTexts.pending, details } } : meta;
    signal.throwIfAborted();
    const applied = await store.apply(space, recorded, marked, expected === undefined ? {} : { expected });
    return applied && { ...judged, applied };
  };

  const judge = async (proposal: Proposal): Promise<Judgement> => {
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const pause = Math.random() * Math.min(longestWait, 2 ** attempt);
      if (attempt > 0) await wait(pause, undefined, { signal: proposal.signal });
      const judgement = await judgeOnce(proposal);
      if (judgement) return judgement;
    }
    throw new A2AError('knowledgeUpdate', 'The knowledge graph changed during every attempt; try again later', {
      retryAfter: 1,
    });
  };

  return {
    hiddenFrom: (principal) => hiddenFrom(settings.protected, principal),
    async apply(proposal) {
      const { space, signal } = proposal;
      const key = JSON.stringify([space.agent, space.tenant]);
      // Updates of this replica are serialized, so that they conflict only with updates of other replicas.
      const judgement = readsOutcome ? takeTurns(key, signal, () => judge(proposal)) : judge(proposal);
      return judgement.catch((thrown: unknown) => {
        throw A2AError.from(thrown);
      });
    },
  };
}

const statuses: readonly unknown[] = ['verified', 'pending', 'rejected', 'forbidden'] satisfies Verdict['status'][];

/** Runs one rule. Rejects as soon as the signal aborts. */
async function verifyOne(rule: AlignmentRule, update: ProposedUpdate): Promise<Verdict> {
  const { signal } = update;
  const run = async () => rule.verify(update);
  try {
    signal.throwIfAborted();
    const verdict = await unlessAborted(run(), signal);
    if (verdict === undefined || statuses.includes(verdict?.status)) return verdict ?? { status: 'verified' };
    throw new TypeError(`the rule ${rule.name} returned something that is not a verdict`);
  } catch (thrown) {
    if (thrown instanceof TooMuchToJudge) return { status: 'rejected', details: thrown.message };
    throw A2AError.from(thrown);
  }
}

/**
 * Runs rules in order; the first rejection decides.
 *
 * @throws A2AError `alignmentViolation` if a rule forbids the update, and the errors of rules
 */
async function verify(
  rules: readonly AlignmentRule[],
  update: ProposedUpdate,
): Promise<{ readonly status: Judgement['status']; readonly details: string }> {
  const doubts: string[] = [];
  for (const rule of rules) {
    const verdict = await verifyOne(rule, update);
    const { name } = rule;
    const details = verdict.details ? `${name}: ${verdict.details}` : name;
    if (verdict.status === 'rejected') return { status: 'rejected', details };
    if (verdict.status === 'forbidden') throw new A2AError('alignmentViolation', details, { metadata: { rule: name } });
    if (verdict.status === 'pending') doubts.push(details);
  }
  if (doubts.length > 0) return { status: 'pending', details: doubts.join('; ') };
  const names = rules.map(({ name }) => name).join(', ');
  return { status: 'verified', details: names === '' ? 'no rules are configured' : `verified by: ${names}` };
}

/**
 * Loads the default export of a rules module: a rule, a list of rules, or a function, which becomes a rule. The module
 * is JavaScript, or TypeScript with erasable syntax.
 *
 * @param path absolute path of the module
 * @throws A2AError that says what is wrong with the module
 */
async function moduleRules(path: string): Promise<AlignmentRule[]> {
  const loaded: { default?: unknown } = await import(pathToFileURL(path).href).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new A2AError('internal', `The rules ${path} cannot be loaded: ${why}`, { cause });
  });
  const exported: unknown[] = Array.isArray(loaded.default) ? loaded.default : [loaded.default];
  const rules = exported.map((one) =>
    typeof one === 'function' ? { name: one.name || 'rules', verify: one as AlignmentRule['verify'] } : one,
  );
  if (rules.every(isRule) && rules.length > 0) return rules;
  throw new A2AError(
    'internal',
    `The rules ${path} must export by default a rule, { name, verify }, or a list of them.`,
  );
}

const isRule = (given: unknown): given is AlignmentRule =>
  isObject(given) && typeof given.name === 'string' && typeof given.verify === 'function';
