import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { measurePace } from './scripts/pace.ts';
import { filesOf } from './scripts/tiers.ts';

/** The tiers to run, which `scripts/test.ts` selects; without them, all. */
const tiers = process.env.TEST_TIERS?.split(',');

/** Time limits are for tests that hang. `paced` (`test/support/pace.ts`) multiplies the others by it. */
const pace = measurePace();
process.env.TEST_PACE = String(pace);

/** Milliseconds for which `expect.poll` and `vi.waitFor` wait. */
const waitTimeout = 30_000 * pace;

/** Beginnings of the paths of short files that take long: most of their work is elsewhere. */
const long = [
  'cli/',
  'codegen/',
  'conformance/mcp/',
  'contract/',
  'extensions/console/operator',
  'gateway/spec-drill',
  'core/limits/answer-bytes',
  'core/limits/task-bytes',
  'matrix/',
  'package/',
  'readme/',
  'simulation/simulation',
  'site/browser',
  'torture/torture',
].map((path) => join(import.meta.dirname, 'test', path));

/** Vitest begins with the largest files. Long ones come before them, so that no core is idle while the last one runs. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => long.some((path) => moduleId.startsWith(path));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: tiers === undefined ? ['test/**/*.test.ts'] : filesOf(tiers, import.meta.dirname),
    exclude: ['node_modules', 'dist', 'test/bench'],
    globalSetup: ['scripts/postgres-links.ts', 'test/support/site-folder.ts'],
    setupFiles: [...(tiers?.join() === 'fast' ? ['test/support/no-processes.ts'] : []), 'test/support/set-up.ts'],
    // Files of tests share processes, and the modules that these have loaded: loading took longer than testing.
    isolate: false,
    // Much of what tests do is waiting, for sockets, databases and processes that they start: with one more than the cores,
    // a third of these was idle.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000 * pace,
    hookTimeout: 120_000 * pace,
    expect: { poll: { timeout: waitTimeout } },
    provide: { waitTimeout },
    restoreMocks: true,
  },
});
