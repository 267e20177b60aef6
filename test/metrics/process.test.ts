import { expect, it } from 'vitest';
import { processFamilies } from '../../src/metrics/process.ts';

it('tells no lag of the event loop where it was not looked at since it was last told', async () => {
  await processFamilies();
  // At once: nobody has looked in between.
  const [, again] = await Promise.all([processFamilies(), processFamilies()]);
  const lags = again.filter(({ name }) => name.startsWith('nodejs_eventloop_lag_'));
  expect(lags.length).toBeGreaterThan(3);
  const values = lags.flatMap(({ samples }) => samples.map(({ value }) => value));
  expect(values.filter((value) => !(value < 60))).toEqual([]);
});
