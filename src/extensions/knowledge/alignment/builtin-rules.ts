import type { AlignmentConfig, ProtectionConfig } from '../../../gen/settings.ts';
import type { AlignmentRule, ProposedUpdate, Verdict } from './rule.ts';
import { mayWrite } from './visibility.ts';

/** Built-in rules, which read only the update and its statements. */

type Statement = ProposedUpdate['patches'][number]['statement'];

const rule = (name: string, verify: AlignmentRule['verify']): AlignmentRule => ({ name, readsOutcome: false, verify });

/** Returns a rejection that names the first added statement with a fault. */
function firstFault({ patches }: ProposedUpdate, faultOf: (statement: Statement) => string | undefined) {
  for (const [index, { op, statement }] of patches.entries()) {
    const fault = op === 'remove' ? undefined : faultOf(statement);
    if (fault !== undefined) return { status: 'rejected', details: `mutations[${index}].statement: ${fault}` } as const;
  }
  return undefined;
}

const isStated = (value: unknown): boolean =>
  value !== undefined && value !== null && (typeof value !== 'string' || value.trim() !== '');

function missingProvenance({ provenance = {} }: Statement, keys: readonly string[]): string | undefined {
  if (Object.keys(provenance).length === 0) return 'it has no provenance';
  const key = keys.find((name) => !Object.hasOwn(provenance, name) || !isStated(provenance[name]));
  return key === undefined ? undefined : `its provenance has no ${key}`;
}

/** Forbids changes to protected graphs and predicates by callers without write access. */
function protectedFault(settings: ProtectionConfig, { patches, principal }: ProposedUpdate): Verdict | undefined {
  for (const [index, { statement }] of patches.entries()) {
    const { predicate, graph = '' } = statement;
    const names = [
      ...(mayWrite(principal, settings.predicates, predicate.id) ? [] : [`the predicate ${predicate.id}`]),
      ...(mayWrite(principal, settings.graphs, graph)
        ? []
        : [graph === '' ? 'the default graph' : `the graph ${graph}`]),
    ];
    const details = `mutations[${index}]: ${names[0]} may not be changed by this caller`;
    if (names.length > 0) return { status: 'forbidden', details };
  }
  return undefined;
}

export function builtinRules(settings: AlignmentConfig): AlignmentRule[] {
  const { protected: protection, requireJustification, requireProvenance, minCertainty = 0 } = settings;
  const rules: AlignmentRule[] = [];
  if (protection) rules.push(rule('protected', (update) => protectedFault(protection, update)));
  if (requireJustification) {
    const rejected = { status: 'rejected', details: 'the update has no justification' } as const;
    rules.push(rule('requireJustification', ({ meta }) => (isStated(meta.justification) ? undefined : rejected)));
  }
  if (requireProvenance) {
    const keys = requireProvenance === true ? [] : requireProvenance;
    rules.push(rule('requireProvenance', (update) => firstFault(update, (added) => missingProvenance(added, keys))));
  }
  if (minCertainty > 0) {
    const faultOf = ({ certainty = 1 }: Statement) =>
      certainty < minCertainty ? `its certainty, ${certainty}, is less than ${minCertainty}` : undefined;
    rules.push(rule('minCertainty', (update) => firstFault(update, faultOf)));
  }
  return rules;
}
