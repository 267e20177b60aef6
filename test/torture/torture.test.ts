import { expect, it } from 'vitest';
import { report, runOf } from './report.ts';
import { type TortureOptions, torture } from './run.ts';

/** `npm run torture` does the same for longer, with more kinds of attacks. */
it('a fleet loses nothing while gateways are killed and paused and the database is restarted', {
  timeout: 240_000,
}, async () => {
  const seed = Math.floor(Math.random() * 1_000_000);
  const troubles = ['kill', 'pause', 'database'] as const;
  const options: TortureOptions = { seed, seconds: 14, clients: 8, troubles };
  const outcome = await torture(options);
  if (outcome.violations.length > 0) expect.fail(report(outcome, options));
  expect(outcome.counts, runOf(options)).toMatchObject({ 'gateways paused': 1, 'database restarts': 1 });
  expect(outcome.counts['gateways killed'], runOf(options)).toBeGreaterThan(0);
});
