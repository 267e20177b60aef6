import { expect, it } from 'vitest';
import { counter, gauge, histogram } from '../../src/metrics/family.ts';
import { mergeFamilies } from '../../src/metrics/merge.ts';
import { Histogram } from '../../src/metrics/series.ts';
import { prometheusText } from '../../src/metrics/text.ts';

/** The metrics of one of several processes. */
function familiesOf(calls: number, up: number) {
  const waits = new Histogram([1, 2]);
  waits.observe(calls);
  return [
    counter('calls', 'Calls.', [
      [{ agent: `of-${calls}` }, calls],
      [{ agent: 'both' }, calls],
    ]),
    gauge('tasks_live', 'Tasks.', calls),
    gauge('gateways', 'Gateways.', 3, 'highest'),
    gauge('store_up', 'Up.', up, 'lowest'),
    histogram('waits', 'Waits.', [[{}, waits]]),
  ];
}

it('in a sum of replicas counts, gauges and histograms are added; what is the same for all is not, and the worst counts', () => {
  const text = prometheusText.write(mergeFamilies([familiesOf(1, 1), familiesOf(2, 0)]));
  expect(text.split('\n').filter((line) => !line.startsWith('#'))).toEqual([
    'a2a_gateway_calls_total{agent="of-1"} 1',
    'a2a_gateway_calls_total{agent="both"} 3',
    'a2a_gateway_calls_total{agent="of-2"} 2',
    'a2a_gateway_tasks_live 3',
    'a2a_gateway_gateways 3',
    'a2a_gateway_store_up 0',
    'a2a_gateway_waits_bucket{le="1.0"} 1',
    'a2a_gateway_waits_bucket{le="2.0"} 2',
    'a2a_gateway_waits_bucket{le="+Inf"} 2',
    'a2a_gateway_waits_sum 3',
    'a2a_gateway_waits_count 2',
    '',
  ]);
});
