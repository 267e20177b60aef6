import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { GatewayError } from '../../gateway/error.ts';
import { callGateway } from '../../gateway/fetch.ts';
import { useRead } from '../../gateway/hooks.ts';
import { callerKey, signingIn } from '../../shell/session.ts';
import { Button, Notice, Page, Time } from '../../ui/index.ts';
import { ChartPanel } from './chart.tsx';
import { type Chart, type ChartGroup, charts, groups, unitOf } from './charts.ts';
import { History } from './history.ts';
import './metrics.css';
import { conditionOf, formatValue, metAlerts } from './summary.ts';

/** Seconds between two readings. */
const interval = 5;
const deadline = 10_000;

/** What was read in this tab, by the caller that it was read for. It outlives the page, but not the tab. */
let recorded = { key: '', history: new History(charts, interval) };

/** The history for the present caller. */
function currentHistory(): History {
  const key = callerKey.peek();
  if (recorded.key !== key) recorded = { key, history: new History(charts, interval) };
  return recorded.history;
}

export default function MetricsPage(): JSX.Element {
  const history = currentHistory();
  const cursor = useSignal<number | undefined>(undefined);
  const { value, error, busy, reload } = useRead(
    async (signal) => {
      const response = await callGateway('/metrics', {
        signal: AbortSignal.any([signal, AbortSignal.timeout(deadline)]),
        needed: false,
      });
      history.add(await response.text(), Date.now() / 1_000);
      return history.times.length;
    },
    { every: interval * 1_000 },
  );
  // The number of times stays the same once an hour is full, so readings are counted by the last time.
  const reading = value === undefined ? 0 : (history.times.at(-1) ?? 0);
  const refused = error instanceof GatewayError && [401, 403].includes(error.status);
  return (
    <Page title="Metrics" busy={busy && reading === 0} error={refused ? undefined : error} onRetry={reload}>
      {refused && <Refused />}
      {reading > 0 && (
        <>
          <Overview history={history} />
          {groups.map((group) => (
            <Group key={group.title} group={group} history={history} reading={reading} cursor={cursor} />
          ))}
        </>
      )}
    </Page>
  );
}

const Refused = (): JSX.Element => (
  <Notice severity="warning" action={<Button onClick={() => (signingIn.value = true)}>Sign in</Button>}>
    The metrics need the scope <code>metrics</code>, which a key has only where its <code>scopes</code> name it. Without
    a credential they are for callers on the gateway's machine.
  </Notice>
);

/** Which conditions of alerts are met now. */
function Overview({ history }: { readonly history: History }): JSX.Element {
  const met = charts.flatMap((chart) =>
    metAlerts(chart, history.lines(chart.id)).map((alert) => ({
      alert,
      chart,
      condition: conditionOf(alert, (value) => formatValue(value, unitOf(chart))),
    })),
  );
  const since = history.times[0];
  return (
    <div class="metrics-overview">
      {met.length === 0 ? (
        <Notice severity="ok">No alert condition is met.</Notice>
      ) : (
        <Notice severity="warning">
          <p>These alert conditions are met now. An alert fires when its condition lasts for the stated time.</p>
          <ul class="metrics-met">
            {met.map(({ alert, chart, condition }) => (
              <li key={alert.name}>
                <button type="button" class="link" onClick={() => show(chart.id)}>
                  {alert.name}
                </button>{' '}
                {chart.title}: {condition}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <p class="muted">
        The values are those of the replica that answers. While this tab is visible, they are read every {interval}{' '}
        seconds; the first reading was <Time at={since === undefined ? undefined : since * 1_000} />, and one hour is
        kept. Dashed lines are the thresholds of <code>examples/alerts.yml</code>.
      </p>
    </div>
  );
}

function show(chart: string): void {
  const panel = document.getElementById(`chart-${chart}`);
  panel?.scrollIntoView({ block: 'center' });
  panel?.focus({ preventScroll: true });
}

interface GroupProps {
  readonly group: ChartGroup;
  readonly history: History;
  readonly reading: number;
  readonly cursor: ReturnType<typeof useSignal<number | undefined>>;
}

function Group({ group, history, reading, cursor }: GroupProps): JSX.Element {
  // Rates need two readings: until then a chart without lines may still get some.
  const settled = history.times.length > 2;
  const isShown = ({ id }: Chart): boolean => !settled || history.lines(id).length > 0;
  const shown = group.charts.filter(isShown);
  const empty = group.charts.filter((chart) => !isShown(chart));
  return (
    <section aria-label={group.title}>
      <h2 class="section-title">{group.title}</h2>
      <div class="charts">
        {shown.map((chart) => (
          <ChartPanel key={chart.id} chart={chart} history={history} reading={reading} cursor={cursor} />
        ))}
      </div>
      {empty.length > 0 && (
        <p class="muted charts-empty">No values so far: {empty.map(({ title }) => title).join(', ')}.</p>
      )}
    </section>
  );
}
