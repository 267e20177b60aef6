import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { A2AError } from '../../core/model/errors.ts';
import type { AppliedUpdate, KnowledgeSpace } from '../../core/model/knowledge.ts';
import type { Alignment, Judgement, Proposal } from '../ports.ts';
import { createKeyQueue } from './key-queue.ts';
import { PatchedOutcome } from './outcome.ts';
import { hiddenFrom, protection } from './protection.ts';
import type { AlignmentRule } from './rule.ts';
import type { AlignmentSettings } from './settings.ts';
import type { ShapesRule } from './shapes/rule.ts';
import { updateRules } from './update-rules.ts';
import { type Verification, verify } from './verify.ts';

/** Attempts of an update that conflicts with concurrent ones. */
const mostAttempts = 20;
/** Milliseconds between two attempts at most. */
const longestWait = 50;

/** Statuses in the terms of the extension (section 4.2). */
const statusTexts = {
  verified: 'Verified',
  pending: 'Pending Review',
  rejected: 'Rejected - Constraint Violation',
} as const satisfies Record<Verification['status'], string>;

/** The configured rules in order: those that need nothing but the update come first. */
async function rulesOf(settings: AlignmentSettings): Promise<Rules> {
  const rules: AlignmentRule[] = [];
  let shapes: ShapesRule | undefined;
  if (settings.protected) rules.push(protection(settings.protected));
  rules.push(...updateRules(settings));
  if (settings.shapes !== undefined) {
    const { shapesRule } = await import('./shapes/rule.ts');
    shapes = await shapesRule(settings.shapes);
    rules.push(shapes);
  }
  if (settings.rules !== undefined) rules.push(...(await moduleRules(settings.rules)));
  return { rules, shapes };
}

interface Rules {
  readonly rules: readonly AlignmentRule[];
  readonly shapes: ShapesRule | undefined;
}

/** Limits on the work that one update may cause. */
export interface AlignmentBounds {
  /** Statements that may be read. An update that needs more is rejected. Default 20,000. */
  readonly statements?: number;
}

/**
 * Creates the alignment of an agent's knowledge. A verdict that depends on the graph is applied only if the graph has
 * not changed since its rules began to read; otherwise the update is judged again. So two updates that are each valid
 * alone are not both applied if they are invalid together.
 *
 * Rejects with an A2AError that says what is wrong with shapes or rules.
 */
export async function createAlignment(
  settings: AlignmentSettings = {},
  bounds: AlignmentBounds = {},
): Promise<Alignment> {
  const { rules, shapes } = await rulesOf(settings);
  const alignment = alignWith(rules, settings, bounds);
  return shapes ? { ...alignment, faultsOf: shapes.violationsOf } : alignment;
}

/** Creates an alignment with given rules. */
export function alignWith(
  rules: readonly AlignmentRule[],
  settings: AlignmentSettings = {},
  { statements }: AlignmentBounds = {},
): Alignment {
  const looks = rules.some(({ readsOutcome = true }) => readsOutcome);
  const takeTurns = createKeyQueue();

  const judge = async (proposal: Proposal, expected?: number): Promise<Judgement | undefined> => {
    const { store, space, patches, recorded, meta, principal, metadata = {}, signal } = proposal;
    const outcome = new PatchedOutcome(store, space, patches, statements);
    const hidden = hiddenFrom(settings.protected, principal);
    const said = { space, patches, principal, meta, metadata, outcome, signal, ...(hidden && { hidden }) };
    const { status, details } = await verify(rules, said);
    const judged = { status, verificationStatus: statusTexts[status], verificationDetails: details };
    if (status === 'rejected') return judged;
    const marked = status === 'pending' ? { ...meta, verification: { status: statusTexts.pending, details } } : meta;
    signal.throwIfAborted();
    const applied: AppliedUpdate | undefined =
      expected === undefined
        ? await store.apply(space, recorded, marked)
        : await store.apply(space, recorded, marked, { expected });
    return applied && { ...judged, applied };
  };

  const judgeAnew = async (proposal: Proposal): Promise<Judgement> => {
    const { store, space, signal } = proposal;
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      if (attempt > 0) await wait(Math.random() * Math.min(longestWait, 2 ** attempt), undefined, { signal });
      const { last } = await store.extent(space);
      const judgement = await judge(proposal, last);
      if (judgement) return judgement;
    }
    throw new A2AError('knowledgeUpdate', 'The knowledge graph changed during every attempt; try again later', {
      retryAfter: 1,
    });
  };

  const applyOne = async (proposal: Proposal): Promise<Judgement> => {
    // Updates of this gateway are serialised, so that they conflict only with those of other replicas.
    if (looks) return takeTurns(spaceKey(proposal.space), proposal.signal, () => judgeAnew(proposal));
    const judgement = await judge(proposal);
    if (!judgement) throw new TypeError('an update that expects nothing was not applied');
    return judgement;
  };

  return {
    hiddenFrom: (principal) => hiddenFrom(settings.protected, principal),
    apply: (proposal) =>
      applyOne(proposal).catch((thrown: unknown) => {
        throw A2AError.from(thrown);
      }),
  };
}

const spaceKey = ({ agent, tenant }: KnowledgeSpace): string => JSON.stringify([agent, tenant]);

/**
 * Loads the rules that a module exports by default: a rule, a list of rules, or a function, which becomes a rule.
 * JavaScript, or TypeScript with erasable syntax. Rejects with an A2AError that says what is wrong with the file.
 *
 * @param path absolute
 */
async function moduleRules(path: string): Promise<AlignmentRule[]> {
  const loaded: { default?: unknown } = await import(pathToFileURL(path).href).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new A2AError('internal', `The rules ${path} cannot be loaded: ${why}`, { cause });
  });
  const given = Array.isArray(loaded.default) ? loaded.default : [loaded.default];
  const rules = given.map(ruleFrom);
  if (rules.every((rule) => rule !== undefined) && rules.length > 0) return rules;
  throw new A2AError(
    'internal',
    `The rules ${path} must export by default a rule, { name, verify }, or a list of them.`,
  );
}

function ruleFrom(given: unknown): AlignmentRule | undefined {
  if (typeof given === 'function') return { name: given.name || 'rules', verify: given as AlignmentRule['verify'] };
  return isRule(given) ? given : undefined;
}

const isRule = (given: unknown): given is AlignmentRule =>
  typeof given === 'object' &&
  given !== null &&
  'name' in given &&
  typeof given.name === 'string' &&
  'verify' in given &&
  typeof given.verify === 'function';
