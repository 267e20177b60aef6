import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { watchForHangUps } from '../../../src/cli/process-events.ts';
import { outcomeOf, printed, startCli } from '../../support/cli.ts';
import { newFolder } from '../../support/folders.ts';
import { afterTest } from '../../support/peer.ts';
import { caller } from './support.ts';

/** SIGHUP, sent to a gateway in a process of its own. */

const text = (name: string): string => `store: "memory:"\nagents: { ${name}: { kind: reference } }\n`;

/** Lines of the log, as they come. */
function logOf(child: ReturnType<typeof startCli>): () => Record<string, unknown>[] {
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  return () =>
    log
      .split('\n')
      .filter((each) => each.startsWith('{'))
      .map((each) => JSON.parse(each) as Record<string, unknown>);
}

it('SIGHUP has the file read again; a bad one is refused with a line that says where it is wrong', async () => {
  const folder = newFolder();
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, text('first'));
  const child = startCli(['serve', '--config', file, '--port', '0']);
  const lines = logOf(child);
  const said = (message: string) => expect.poll(() => lines().filter(({ msg }) => msg === message).length);
  const [, url = ''] = /(http:\/\/localhost:\d+)/.exec(await printed(child, /Ctrl-C/)) ?? [];
  const stream = await caller(url).stream('stream 200 10');
  await stream.until('chunk 1');

  writeFileSync(file, text('second'));
  child.kill('SIGHUP');
  await said('configuration reloaded').toBe(1);
  expect((await caller(url).send('hello', '/second')).status).toBe(200);
  expect((await caller(url).send('hello', '/first')).status).toBe(404);

  writeFileSync(file, 'store: "memory:"\nagents: { third: { kind: nonsense } }\n');
  child.kill('SIGHUP');
  await said('configuration refused; the previous one stays active').toBe(1);
  const [refused] = lines().filter(({ msg }) => String(msg).includes('refused'));
  expect(refused).toMatchObject({ file, problem: expect.stringMatching(/gateway\.yaml:2: agents\.third\.kind: /) });
  expect((await caller(url).send('hello', '/second')).status).toBe(200);
  // A stream of an agent that was removed goes on until its run has ended.
  expect(await stream.over).toContain('chunk 200');

  const ended = outcomeOf(child);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

it('a gateway without a file says so on SIGHUP, and nothing happens', async () => {
  const child = startCli(['serve', '--port', '0', '--store', 'memory:']);
  const lines = logOf(child);
  const [, url = ''] = /(http:\/\/localhost:\d+)/.exec(await printed(child, /Ctrl-C/)) ?? [];
  child.kill('SIGHUP');
  await expect.poll(lines).toMatchObject([{ msg: 'SIGHUP ignored: without --config there is no file to reload' }]);
  expect((await caller(url).send('hello')).status).toBe(200);
});

it('SIGHUP means another thing where the terminal is gone that the program was started in', async () => {
  const told: string[] = [];
  let there = true;
  const before = process.listeners('SIGHUP');
  const forget = watchForHangUps(
    { onReload: async () => void told.push('reload'), onTerminalGone: () => void told.push('gone') },
    (descriptor) => descriptor === 2 && there,
  );
  const [listener] = process.listeners('SIGHUP').filter((each) => !before.includes(each));
  expect(listener).toBeDefined();
  if (!listener) return;
  afterTest(() => process.off('SIGHUP', listener));
  listener('SIGHUP');
  there = false;
  listener('SIGHUP');
  forget();
  listener('SIGHUP');
  expect(told).toEqual(['reload', 'gone']);
});
