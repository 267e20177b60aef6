import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { paced } from '../../support/pace.ts';

const child = fileURLToPath(new URL('garbage-child.ts', import.meta.url));

/** Bytes of deleted members that only a full collection frees, after 20,000 members of about 2 KiB. */
async function garbageOf(structure: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', child, structure], {
    timeout: paced(60_000),
  });
  return Number(stdout);
}

const mebibyte = 1024 * 1024;

test.for(['TransientMap', 'LinkedList'])('deleted members of a %s do not outlive young collections', async (name) => {
  expect(await garbageOf(name)).toBeLessThan(mebibyte);
});

// The reason for both classes. Where this fails with a newer Node, it may no longer need them.
test.for(['Map', 'Set'])('deleted members of a %s wait for a full collection', async (name) => {
  expect(await garbageOf(name)).toBeGreaterThan(4 * mebibyte);
});
