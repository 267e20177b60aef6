import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['node_modules', 'dist', 'test/bench'],
    globalSetup: ['scripts/postgres-links.ts', 'test/support/site-folder.ts'],
    setupFiles: ['test/support/set-up.ts'],
    // Files of tests share processes, and the modules that these have loaded: loading took longer than testing.
    isolate: false,
    // Much of what tests do is waiting, for sockets, databases and processes that they start. Short deadlines are among
    // it, which pass before their time where too many share a core.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    restoreMocks: true,
  },
});
