import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

/** Milliseconds that a batch of seeds may take on a machine that is busy with other things. */
const timeout = 600_000;

/** Seeds that run with the tests, from 1 on. */
const seeds = 20;

/** Runs simulations in a process of their own, whose clock they replace. Returns the last line. */
async function simulate(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const options = { env: { ...process.env, ...env }, timeout, maxBuffer: 64 * 1024 * 1024 };
  const running = promisify(execFile)(process.execPath, [main, ...args], options);
  const { stdout } = await running.catch((failed: { readonly stdout?: string; readonly message: string }) => {
    expect.fail(failed.stdout || failed.message);
  });
  return stdout.trimEnd().split('\n').at(-1) ?? '';
}

test.concurrent('the invariants hold in the fixed seeds', { timeout }, async () => {
  const said = await simulate(['--seeds', String(seeds)]);
  expect(said).toMatch(new RegExp(`^${seeds} seeds, 0 violations, [\\d.]+ virtual hours$`));
});

test.concurrent('a seed has one trace, in another process, place and language too', { timeout }, async () => {
  const elsewhere = { TZ: 'Pacific/Chatham', LANG: 'tr_TR.UTF-8', HOME: '/nowhere' };
  const [one, other] = await Promise.all([simulate(['--seed', '3']), simulate(['--seed', '3'], elsewhere)]);
  expect(one).toMatch(/^trace [0-9a-f]{64}$/);
  expect(other).toBe(one);
});

test.concurrent('another seed has another trace', { timeout }, async () => {
  const [one, other] = await Promise.all([simulate(['--seed', '6']), simulate(['--seed', '7'])]);
  expect(other).not.toBe(one);
});
