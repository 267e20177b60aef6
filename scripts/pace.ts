import { createHash } from 'node:crypto';
import { availableParallelism, loadavg } from 'node:os';

/** Milliseconds that `work` takes on a quiet machine of two cores of 2020, in the Node of this project. */
const referenceMs = 100;

/** More than this, and a test that hangs would be waited for too long. */
const most = 20;

/** A fixed piece of work, of the kinds that tests do most: texts, objects and hashes. */
function work(): string {
  const hash = createHash('sha256');
  for (let i = 0; i < 3_000; i += 1) {
    const value = { id: `task-${i}`, parts: Array.from({ length: 50 }, (_, n) => ({ text: `part ${n} of ${i}` })) };
    hash.update(JSON.stringify(JSON.parse(JSON.stringify(value))));
  }
  return hash.digest('hex');
}

/**
 * By how much this machine is slower at the moment than a quiet one, from 1: its time for a piece of work, or the load that
 * its cores have, whichever says more. Time limits of tests are multiplied by it; nothing is measured again later.
 */
export function measurePace(): number {
  const started = performance.now();
  work();
  const slowness = (performance.now() - started) / referenceMs;
  const [load = 0] = loadavg();
  return Math.min(most, Math.max(1, slowness, 1 + load / availableParallelism()));
}
