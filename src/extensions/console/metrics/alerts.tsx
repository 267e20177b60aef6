import type { JSX } from 'preact';
import { hrefOf } from '../shell/router.ts';
import { Notice } from '../ui/index.ts';
import { type Chart, charts, unitOf } from './charts.ts';
import { firingAlerts, linesOf, type Metrics } from './lines.ts';
import { conditionOf, formatValue } from './summary.ts';

/** The id of a chart in the page, and in addresses that lead to it. */
export const idOf = ({ title }: Chart): string => `chart-${title.toLowerCase().replace(/\W+/g, '-')}`;

/** Names of the metrics that alerts are about. */
export const alertMetrics: readonly string[] = charts.flatMap(({ alerts, lines }) =>
  alerts ? lines.map(({ metric }) => metric) : [],
);

/** Which alerts would fire at the end of a range, each with a link to its chart. */
export function Alerts({ metrics }: { readonly metrics: Metrics }): JSX.Element | null {
  const firing = charts.flatMap((chart) =>
    firingAlerts(chart, linesOf(chart, metrics), metrics).map((alert) => [alert, chart] as const),
  );
  if (firing.length === 0) return null;
  return (
    <Notice severity="warning">
      <p>These alerts would fire now.</p>
      <ul class="alerts">
        {firing.map(([alert, chart]) => (
          <li key={alert.name}>
            <a href={hrefOf('metrics', [], { chart: idOf(chart) })}>{alert.name}</a> {chart.title}:{' '}
            {conditionOf(alert, (value) => formatValue(value, unitOf(chart)))}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
