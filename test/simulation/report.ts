import type { Blow, Plan } from './plan.ts';
import type { Shrunk } from './shrink.ts';
import type { Outcome } from './simulate.ts';

/** Violations that are shown, and characters of each. */
const shown = { violations: 10, characters: 400 } as const;

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(3)} s`;

/** A blow in a line that a person can read. */
function readable({ at, what, ...rest }: Blow): string {
  const words = Object.entries(rest).map(([name, value]) => {
    if (name === 'ms') return `for ${seconds(value)}`;
    if (name === 'skew') return `by ${seconds(value)}`;
    if (name === 'replica') return `of gateway-${value}`;
    if (name === 'committed') return value ? 'at its next commit' : '';
    return `${name} ${value}`;
  });
  return [seconds(at).padStart(12), what, ...words.filter((word) => word !== '')].join(' ');
}

function scheduleOf({ blows, retention }: Plan): string[] {
  const kept = retention === undefined ? [] : [`  tasks at rest are kept for ${seconds(retention)}`];
  return [...kept, ...blows.map((blow) => `  ${readable(blow)}`)];
}

const sizeOf = ({ size, clients, probes = 0, followed = [], callers = [], ms, blows }: Plan): string =>
  `${size} gateways, ${clients + probes + followed.length + callers.length} clients, ${blows.length} blows, ${seconds(ms)}`;

/** The smaller plan that a search has found, how to run it, and the line that makes it a regression test. */
export function reportShrunk(plan: Plan, { plan: smallest, tries }: Shrunk): string {
  const json = JSON.stringify(smallest);
  return [
    `  shrunk in ${tries} simulations from ${sizeOf(plan)} to ${sizeOf(smallest)}:`,
    ...scheduleOf(smallest),
    `  npm run simulate -- --plan '${json}'`,
    `  for regressions.ts: { job: { plan: ${json} }, showed: '…' },`,
  ].join('\n');
}

/** The plan of a seed that failed, and what was violated. */
export function report(plan: Plan, { violations, digest, ms, counts }: Outcome): string {
  const facts = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  const lines = [
    `seed ${plan.seed}: ${violations.length} violations; ${plan.size} gateways, ${plan.clients} clients, ${(ms / 1_000).toFixed(0)} virtual seconds, trace ${digest}`,
    `  ${facts.join(', ')}`,
    ...scheduleOf(plan),
    ...violations
      .slice(0, shown.violations)
      .map(({ check, what, task }) => `  - ${check}: ${task ? `task ${task.id} of ${task.agent} ` : ''}${what}`)
      .map((line) => line.slice(0, shown.characters)),
  ];
  if (violations.length > shown.violations) lines.push(`  - and ${violations.length - shown.violations} more`);
  return lines.join('\n');
}
