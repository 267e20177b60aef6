import { expect, it } from 'vitest';
import { processFamilies } from '../../src/metrics/process.ts';

it('the metrics of the process reports no event loop lag when there was no sample since the last report', async () => {
  await processFamilies();
  // At once, so that there is no sample in between.
  const [, again] = await Promise.all([processFamilies(), processFamilies()]);
  const lags = again.filter(({ name }) => name.startsWith('nodejs_eventloop_lag_'));
  expect(lags.length).toBeGreaterThan(3);
  const values = lags.flatMap(({ samples }) => samples.map(({ value }) => value));
  expect(values.filter((value) => !(value < 60))).toEqual([]);
});

it('the metrics of the process has the names that dashboards for prom-client ask for', async () => {
  const names = (await processFamilies()).map(({ name }) => name);
  const lags = ['', 'min_', 'max_', 'mean_', 'stddev_', 'p50_', 'p90_', 'p99_'];
  expect(names.sort()).toEqual(
    [
      ...['user_', 'system_', ''].map((kind) => `process_cpu_${kind}seconds_total`),
      ...['resident_memory', 'virtual_memory', 'heap'].map((kind) => `process_${kind}_bytes`),
      ...['process_start_time_seconds', 'process_open_fds', 'process_max_fds'],
      ...lags.map((kind) => `nodejs_eventloop_lag_${kind}seconds`),
      ...['total', 'used'].map((kind) => `nodejs_heap_size_${kind}_bytes`),
      ...['total', 'used', 'available'].map((kind) => `nodejs_heap_space_size_${kind}_bytes`),
      ...['nodejs_external_memory_bytes', 'nodejs_active_resources', 'nodejs_version_info'],
      'nodejs_gc_duration_seconds',
    ].sort(),
  );
});

it('the metrics of the process counts collections of garbage by their kind', async () => {
  await processFamilies();
  const collections = async () => {
    const gc = (await processFamilies()).find(({ name }) => name === 'nodejs_gc_duration_seconds');
    return gc?.samples.find(({ labels, suffix }) => labels.kind === 'minor' && suffix === '_count')?.value ?? 0;
  };
  const before = await collections();
  const litter = async (): Promise<number> => {
    Array.from({ length: 1_000_000 }, (_, at) => ({ at }));
    return collections();
  };
  await expect.poll(litter).toBeGreaterThan(before);
});
