import type { CardFinding } from '../../gen/admin-v1/types.ts';

/**
 * Severity of a finding: `error`: clients cannot use the card or a part of it; `warning`: something is likely to be
 * wrong; `note`: worth knowing.
 */
export type Severity = 'error' | 'warning' | 'note';

const severities: readonly string[] = ['error', 'warning', 'note'] satisfies Severity[];

/** Sorts by severity, the worst first. */
export const inOrder = <T extends { readonly severity: string }>(all: readonly T[]): T[] =>
  all.toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity));

/** Findings of the same kind, with the fields that they are about. */
export interface FindingGroup {
  readonly severity: string;
  readonly message: string;
  readonly section: string;
  /** Fields, each with the dialects whose cards have the finding. */
  readonly fields: readonly { readonly field: string; readonly dialects: readonly string[] }[];
}

/** Groups findings that differ only in their fields; the worst ones come first. */
export function groupFindings(findings: readonly CardFinding[]): FindingGroup[] {
  const groups = Map.groupBy(findings, ({ severity, message, section }) => [severity, message, section].join('\n'));
  return inOrder(
    [...groups.values()].map((group) => {
      const [first] = group as [CardFinding, ...CardFinding[]];
      const fields = Map.groupBy(group, ({ field = '' }) => field);
      return {
        severity: first.severity,
        message: first.message,
        section: first.section ?? '',
        fields: Array.from(fields, ([field, places]) => ({
          field,
          dialects: places.flatMap(({ dialect }) => dialect || []),
        })),
      };
    }),
  );
}
