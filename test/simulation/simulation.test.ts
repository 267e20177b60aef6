import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { paced } from '../support/pace.ts';
import { fixed } from './fixed.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

/** Milliseconds that a batch of seeds may take. */
const timeout = paced(600_000);

/** The number of new seeds in a run of the tests. */
const fresh = 0;

/** First of the fresh seeds: above the seeds of lists, and others in each run. */
const freshFrom = 1_000_000 + Number(process.env.TEST_SEED ?? 0) * 50;

/** Runs simulations in processes of their own, whose clock they replace. Returns the lines of their output. */
async function simulate(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const options = { env: { ...process.env, ...env }, timeout, maxBuffer: 64 * 1024 * 1024 };
  const running = promisify(execFile)(process.execPath, [main, ...args], options);
  const { stdout } = await running.catch((failed: { readonly stdout?: string; readonly message: string }) => {
    expect.fail(`npm run simulate -- ${args.join(' ')}\n${failed.stdout || failed.message}`);
  });
  return stdout.trimEnd().split('\n');
}

test('the invariants hold in the fixed simulations, and with new seeds', { timeout }, async () => {
  const seeds = ['--fixed', '--seeds', String(fresh), '--from', String(freshFrom), '--brief'];
  const said = await simulate([...seeds, '--jobs', String(availableParallelism())]);
  expect(said.at(-1)).toMatch(new RegExp(`^${fixed.length + fresh} seeds, 0 violations, [\\d.]+ virtual hours, `));
});

test('a seed has one trace: in another process, place and language, and after other seeds', { timeout }, async () => {
  const elsewhere = { TZ: 'Pacific/Chatham', LANG: 'tr_TR.UTF-8', HOME: '/nowhere' };
  const seeds = ['--digests', '--brief', '--list'];
  const [forwards, backwards, alone] = await Promise.all([
    simulate([...seeds, '3,6,7', '--jobs', '1']),
    simulate([...seeds, '7,6,3', '--jobs', '2'], elsewhere),
    simulate(['--brief', '--seed', '6'], elsewhere),
  ]);
  const digests = forwards.filter((line) => /^\d+ [0-9a-f]{64}$/.test(line));
  expect(new Set(digests.map((line) => line.split(' ')[1])).size).toBe(3);
  expect(backwards.slice(0, 3).toReversed()).toEqual(digests);
  expect(alone.at(-1)).toBe(digests[1]?.replace('6 ', 'trace '));
});
