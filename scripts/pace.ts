import { createHash } from 'node:crypto';
import { availableParallelism, loadavg } from 'node:os';

/** Milliseconds that `work` takes on a quiet machine of two cores of 2020, in the Node of this project. */
const referenceMs = 100;

/** Upper limit, because a test that hangs would otherwise take too long to fail. */
const most = 20;

/** A fixed amount of the work that tests do most: strings, objects and hashes. */
function work(): string {
  const hash = createHash('sha256');
  for (let i = 0; i < 3_000; i += 1) {
    const value = { id: `task-${i}`, parts: Array.from({ length: 50 }, (_, n) => ({ text: `part ${n} of ${i}` })) };
    hash.update(JSON.stringify(JSON.parse(JSON.stringify(value))));
  }
  return hash.digest('hex');
}

/**
 * The factor by which this machine is currently slower than a quiet one, from 1: the larger one of its time for the
 * fixed work and the load of its cores. Time limits of tests are multiplied by it. It is measured only once.
 */
export function measurePace(): number {
  const started = performance.now();
  work();
  const slowness = (performance.now() - started) / referenceMs;
  const [load = 0] = loadavg();
  return Math.min(most, Math.max(1, slowness, 1 + load / availableParallelism()));
}
