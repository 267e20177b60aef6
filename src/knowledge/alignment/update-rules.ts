import type { JsonObject } from '../../core/model/json.ts';
import type { AlignmentRule, ProposedUpdate, Verdict } from './rule.ts';
import type { AlignmentSettings } from './settings.ts';

/** Rules about an update and its statements alone. */

const rejected = (details: string): Verdict => ({ status: 'rejected', details });

/** Rejects the first added statement that the check complains about. */
function firstStated(
  { patches }: ProposedUpdate,
  complaint: (statement: ProposedUpdate['patches'][number]['statement']) => string | undefined,
): Verdict | undefined {
  for (const [index, { op, statement }] of patches.entries()) {
    const said = op === 'remove' ? undefined : complaint(statement);
    if (said !== undefined) return rejected(`mutations[${index}].statement: ${said}`);
  }
  return undefined;
}

const demandCertainty = (least: number): AlignmentRule => ({
  name: 'minCertainty',
  readsOutcome: false,
  verify: (update) =>
    firstStated(update, ({ certainty = 1 }) =>
      certainty < least ? `its certainty, ${certainty}, is less than ${least}` : undefined,
    ),
});

const isSaid = (value: unknown): boolean =>
  value !== undefined && value !== null && (typeof value !== 'string' || value.trim() !== '');

function missing(provenance: JsonObject | undefined, keys: readonly string[]): string | undefined {
  if (provenance === undefined || Object.keys(provenance).length === 0) return 'it has no provenance';
  const key = keys.find((name) => !Object.hasOwn(provenance, name) || !isSaid(provenance[name]));
  return key === undefined ? undefined : `its provenance has no ${key}`;
}

const demandProvenance = (keys: readonly string[]): AlignmentRule => ({
  name: 'requireProvenance',
  readsOutcome: false,
  verify: (update) => firstStated(update, ({ provenance }) => missing(provenance, keys)),
});

const demandJustification: AlignmentRule = {
  name: 'requireJustification',
  readsOutcome: false,
  verify: ({ meta }) => (isSaid(meta.justification) ? undefined : rejected('the update has no justification')),
};

/** The rules of these settings. */
export function updateRules(settings: AlignmentSettings): AlignmentRule[] {
  const { requireJustification, requireProvenance, minCertainty } = settings;
  const rules: AlignmentRule[] = [];
  if (requireJustification) rules.push(demandJustification);
  if (requireProvenance === true) rules.push(demandProvenance([]));
  else if (requireProvenance) rules.push(demandProvenance(requireProvenance));
  if (minCertainty !== undefined && minCertainty > 0) rules.push(demandCertainty(minCertainty));
  return rules;
}
