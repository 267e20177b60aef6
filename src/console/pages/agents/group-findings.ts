import type { CardFinding } from '../../../gen/admin-v1/types.ts';

/** Findings of the same kind, with the fields that they are about. */
export interface FindingGroup {
  readonly severity: string;
  readonly message: string;
  readonly section: string;
  /** Fields, each with the dialects in whose cards it is so. */
  readonly fields: readonly { readonly field: string; readonly dialects: readonly string[] }[];
}

const order = ['error', 'warning', 'note'];

/** Findings that differ in their places alone stand together; the worst ones come first. */
export function groupFindings(findings: readonly CardFinding[]): FindingGroup[] {
  const groups = Map.groupBy(findings, ({ severity, message, section }) => [severity, message, section].join('\n'));
  return [...groups.values()]
    .map((group) => {
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
    })
    .sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}
