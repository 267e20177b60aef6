import { lineOf, type Plan } from './plan.ts';
import type { Outcome } from './simulate.ts';

/** Violations that are shown, and characters of each. */
const shown = { violations: 10, characters: 400 } as const;

/** The plan of a seed that failed, and what was violated. */
export function report(plan: Plan, { violations, digest, ms, counts }: Outcome): string {
  const facts = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  const lines = [
    `seed ${plan.seed}: ${violations.length} violations; ${plan.size} gateways, ${plan.clients} clients, ${(ms / 1_000).toFixed(0)} virtual seconds, trace ${digest}`,
    `  ${facts.join(', ')}`,
    ...plan.blows.map((blow) => `  ${lineOf(blow)}`),
    ...violations
      .slice(0, shown.violations)
      .map(({ check, what, task }) => `  - ${check}: ${task ? `task ${task.id} of ${task.agent} ` : ''}${what}`)
      .map((line) => line.slice(0, shown.characters)),
  ];
  if (violations.length > shown.violations) lines.push(`  - and ${violations.length - shown.violations} more`);
  return lines.join('\n');
}
