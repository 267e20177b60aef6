import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Family, Sample } from './family.ts';

/** Milliseconds in which the event loop is looked at the first time. */
const firstSample = 30;

/** Seconds that the event loop seems to lag where it was not looked at since it was last read, and no number there is. */
const unknownLag = 1e9;

/** One for all gateways of a process: what it measures is the process's. */
let collecting: Promise<Registry> | undefined;

/** Loaded, and begun with, when somebody asks for the first time: until then it costs nothing. */
async function collect(): Promise<Registry> {
  const { default: client } = await import('prom-client');
  const registry = new client.Registry();
  client.collectDefaultMetrics({ register: registry });
  await delay(firstSample);
  return registry;
}

/** Sums of gauges that are there one by one, named like counters: `promtool check metrics` objects to them. */
const isMisnamed = ({ name, type }: { readonly name: string; readonly type: unknown }): boolean =>
  name.endsWith('_total') && String(type) !== 'counter';

/** What prom-client gathers of any Node process: memory, processor time, event loop, garbage collection. */
export async function processFamilies(): Promise<Family[]> {
  collecting ??= collect();
  const registry = await collecting;
  const metrics = await registry.getMetricsAsJSON();
  return metrics
    .filter((each) => !isMisnamed(each))
    .map(({ name, help, type, values }): Family => {
      const known = name.startsWith('nodejs_eventloop_lag_')
        ? values.filter(({ value }) => value < unknownLag)
        : values;
      const samples = known.map(({ labels, value, ...rest }): Sample => {
        const metricName = 'metricName' in rest ? rest.metricName : undefined;
        const suffix = (typeof metricName === 'string' ? metricName.slice(name.length) : '') as NonNullable<
          Sample['suffix']
        >;
        const texts = Object.entries(labels).map(([label, text]): [string, string] => [label, String(text)]);
        return { labels: Object.fromEntries(texts), value, ...((suffix as string) !== '' && { suffix }) };
      });
      return { name, help, type: String(type) as Family['type'], samples };
    });
}
