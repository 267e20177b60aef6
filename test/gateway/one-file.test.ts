import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { outcomeOf, startCli } from '../support/cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-one-file-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a second gateway on the same SQLite file does not start, and starts when the first was killed', async () => {
  const serve = () => startCli(['serve', '--port', '0', '--store', `sqlite:${join(folder, 'gateway.db')}`]);
  const first = serve();
  await once(first.stdout as NonNullable<typeof first.stdout>, 'data');
  const second = await outcomeOf(serve());
  expect(second.code).toBe(1);
  expect(second.stderr).toContain(`a gateway is at work on it (process ${first.pid})`);
  const gone = once(first, 'exit');
  first.kill('SIGKILL');
  await gone;
  const third = serve();
  await once(third.stdout as NonNullable<typeof third.stdout>, 'data');
  const ended = once(third, 'exit');
  third.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
