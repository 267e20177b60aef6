import type { JSX } from 'preact';
import { hrefOf } from '../shell/router.ts';
import { Notice } from '../ui/index.ts';
import { type Chart, charts } from './charts.ts';
import { isFiring, linesOf, type Metrics } from './lines.ts';
import { conditionOf } from './summary.ts';

/** Returns the id of a chart in the page, and in addresses that lead to it. */
export const idOf = ({ title }: Chart): string => `chart-${title.toLowerCase().replace(/\W+/g, '-')}`;

/** The charts whose alerts would fire at the end of a range. */
export const firingIn = (metrics: Metrics): Chart[] =>
  charts.filter((chart) => isFiring(chart, linesOf(chart, metrics), metrics));

/** Alerts that would fire at the end of a range, each with a link to its chart. */
export function Alerts({ metrics }: { readonly metrics: Metrics }): JSX.Element | null {
  const firing = firingIn(metrics);
  if (firing.length === 0) return null;
  return (
    <Notice severity="warning">
      <p>These alerts would fire now.</p>
      <ul class="alerts">
        {firing.map((chart) => (
          <li key={chart.title}>
            <a href={hrefOf('metrics', [], { chart: idOf(chart) })}>{chart.alert?.name}</a> {chart.title}:{' '}
            {conditionOf(chart)}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
