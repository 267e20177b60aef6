/** For vitest's `setupFiles` in the fast tier: a test that starts a process, by the code that it tests, fails. */
import processes from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

const starters = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'] as const;
for (const name of starters) {
  Object.assign(processes, {
    [name]: () => {
      throw new Error(`${name}: tests that start processes are not in the fast tier; scripts/tiers.ts says why`);
    },
  });
}
syncBuiltinESMExports();
