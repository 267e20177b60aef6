import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { paced } from '../../support/pace.ts';

const program = fileURLToPath(new URL('turns-program.ts', import.meta.url));

test('generated queries and shapes hold no turn of the event loop for long, and need no heap above 512 MiB', {
  timeout: paced(120_000),
}, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=512', program, '6'], {
    env: { ...process.env, NODE_OPTIONS: '' },
    timeout: paced(110_000),
  });
  const seen = JSON.parse(stdout);
  // The property is about calls that are answered, and such that are refused.
  expect(seen.queries).toBeGreaterThan(0);
  expect(seen.updates + seen.refusedUpdates).toBeGreaterThan(0);
});
