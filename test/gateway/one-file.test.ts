import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { backup, DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { outcomeOf, printed, startCli } from '../support/cli.ts';
import { newFolder } from '../support/folders.ts';
import { inProcess } from '../support/in-process.ts';
import { paced } from '../support/pace.ts';

// Several gateways start here one after another, on machines that may be busy.
vi.setConfig({ testTimeout: paced(60_000) });

const gatewayProgram = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const folder = newFolder();

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
  'a gateway that was killed does not block the next one, even if its process is not reaped',
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

test('the reference agent does what it was working on again when its gateway was killed', async () => {
  const store = `sqlite:${join(folder, 'stream.db')}`;
  const start = async () => {
    const child = startCli(['serve', '--port', '0', '--store', store]);
    const [, url = ''] = /listening on (\S+)/.exec(await printed(child, /Ctrl-C/)) ?? [];
    return { child, url };
  };
  const first = await start();
  const sent = await inProcess(['send', first.url, 'stream 12 60', '--no-wait', '--json']);
  const { task } = JSON.parse(sent.stdout) as { task: { id: string } };
  const gone = once(first.child, 'exit');
  first.child.kill('SIGKILL');
  await gone;
  const second = await start();
  const { code, stdout } = await inProcess(['task', 'watch', second.url, task.id]);
  expect(code).toBe(0);
  for (let at = 1; at <= 12; at += 1) expect(stdout).toContain(`chunk ${at}\n`);
});
