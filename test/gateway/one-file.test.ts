import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { backup, DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { outcomeOf, startCli } from '../support/cli.ts';

const gatewayProgram = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-one-file-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a second gateway on the same SQLite file does not start, and starts when the first was killed', async () => {
  const serve = () => startCli(['serve', '--port', '0', '--store', `sqlite:${join(folder, 'gateway.db')}`]);
  const first = serve();
  await once(first.stdout as NonNullable<typeof first.stdout>, 'data');
  const second = await outcomeOf(serve());
  expect(second.code).toBe(1);
  expect(second.stderr).toContain(`another gateway is running on it (process ${first.pid})`);
  const gone = once(first, 'exit');
  first.kill('SIGKILL');
  await gone;
  const third = serve();
  await once(third.stdout as NonNullable<typeof third.stdout>, 'data');
  const ended = once(third, 'exit');
  third.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

test.runIf(existsSync('/proc/self/stat'))(
  'a gateway that was killed blocks nobody, though its process is not reaped',
  async () => {
    const store = `sqlite:${join(folder, 'unreaped.db')}`;
    // The shell becomes `sleep`, which never asks how its child ended.
    const words = [process.execPath, gatewayProgram, 'serve', '--port', '0', '--store', store].map(
      (word) => `'${word}'`,
    );
    const parent = spawn('sh', ['-c', `${words.join(' ')} & echo "pid $!"; exec sleep 600`]);
    let pid = 0;
    for await (const line of createInterface({ input: parent.stdout })) {
      pid ||= Number(/^pid (\d+)$/.exec(line)?.[1] ?? 0);
      if (pid > 0 && line.includes('http')) break;
    }
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /));
    const next = startCli(['serve', '--port', '0', '--store', store]);
    await once(next.stdout as NonNullable<typeof next.stdout>, 'data');
    const ended = once(next, 'exit');
    next.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    parent.kill('SIGKILL');
  },
);

test('a copy of the database of a gateway that is running can be served beside it', async () => {
  const original = join(folder, 'original.db');
  const copy = join(folder, 'copy.db');
  const first = startCli(['serve', '--port', '0', '--store', `sqlite:${original}`]);
  await once(first.stdout as NonNullable<typeof first.stdout>, 'data');
  const database = new DatabaseSync(original, { readOnly: true });
  await backup(database, copy);
  database.close();
  const second = startCli(['serve', '--port', '0', '--store', `sqlite:${copy}`]);
  const [started] = (await once(second.stdout as NonNullable<typeof second.stdout>, 'data')) as [Buffer];
  expect(String(started)).toContain('http');
  const ended = [once(first, 'exit'), once(second, 'exit')];
  for (const each of [first, second]) each.kill('SIGTERM');
  expect(await Promise.all(ended)).toEqual([
    [0, null],
    [0, null],
  ]);
});
