import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigWatcher } from '../../src/cli/watch-config.ts';
import { type Config, loadConfig } from '../../src/config/index.ts';
import { outcomeOf, printed, startCli } from '../support/cli.ts';
import { newFolder } from '../support/folders.ts';
import { afterTest } from '../support/peer.ts';

let folder = '';
beforeEach(() => {
  folder = newFolder();
});

const write = (name: string, text: string): string => {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};
const agents = (...names: readonly string[]): string =>
  `store: "memory:"\nwatch: true\nagents:\n${names.map((name) => `  ${name}: { kind: reference }\n`).join('')}`;

interface Watching {
  /** The agents of each configuration that was used; of a refused one, its problem. */
  readonly seen: string[][];
  readonly warnings: object[];
}

/** Watches a configuration as `serve` does, by a virtual clock. */
async function watching(file: string): Promise<Watching> {
  const seen: string[][] = [];
  const warnings: object[] = [];
  let config: Config = await loadConfig(file);
  const use = async (): Promise<boolean> => {
    try {
      config = await loadConfig(file);
      seen.push([...config.agents.keys()]);
      return true;
    } catch (thrown) {
      seen.push([(thrown as Error).message]);
      return false;
    }
  };
  const onChanged = (): Promise<boolean> => {
    const used = use();
    using = used;
    return used;
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  afterTest(() => vi.useRealTimers());
  const logger = { warn: (fields: object) => void warnings.push(fields) };
  const watcher = new ConfigWatcher(file, { config: () => config, onChanged, logger });
  afterTest(() => watcher.stop());
  return { seen, warnings };
}

/** Settles when the latest configuration is read. */
let using: Promise<unknown> | undefined;

/** Lets virtual milliseconds pass, and what is being read be read. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 100) {
    await vi.advanceTimersByTimeAsync(100);
    await new Promise((resolve) => setImmediate(resolve));
    await using;
  }
}

/** Lets time pass until something holds, for a virtual minute at most. */
async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 600 && !isSo(); i += 1) await pass(100);
  expect(isSo()).toBe(true);
}

const latest = ({ seen }: Watching): string => (seen.at(-1) ?? []).join();

it('a watched configuration is read again when its file is written, replaced, or gets a neighbour in agents.d', async () => {
  const file = write('gateway.yaml', agents('one'));
  const watched = await watching(file);
  // Of another size: the clock of some file systems stands still for some milliseconds.
  write('gateway.yaml', agents('second'));
  await until(() => latest(watched) === 'second');
  expect(watched.seen).toEqual([['second']]);
  renameSync(write('gateway.yaml~', agents('three')), file);
  await until(() => latest(watched) === 'three');
  write('agents.d/more.yaml', 'four: { kind: reference }\n');
  await until(() => latest(watched) === 'three,four');
  write('agents.d/more.yaml', 'five: { kind: reference }\n');
  await until(() => latest(watched) === 'three,five');
  rmSync(join(folder, 'agents.d/more.yaml'));
  await until(() => latest(watched) === 'three');
});

it('a watched configuration is read again when a mounted ConfigMap is replaced, which renames a symbolic link to a folder', async () => {
  write('..first/gateway.yaml', agents('one'));
  symlinkSync('..first', join(folder, '..data'));
  symlinkSync('..data/gateway.yaml', join(folder, 'gateway.yaml'));
  const watched = await watching(join(folder, 'gateway.yaml'));
  write('..second/gateway.yaml', agents('two'));
  symlinkSync('..second', join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
  rmSync(join(folder, '..first'), { recursive: true });
  await until(() => latest(watched) === 'two');
  expect(watched.seen).toEqual([['two']]);
});

it('a watched configuration is read again when a file changes that it names, and when one is added that it misses', async () => {
  write('agent.mjs', 'export default 1;');
  const named = `store: "memory:"\nagents: { own: { kind: module, path: ./agent.mjs } }\n`;
  const file = write('gateway.yaml', named);
  const watched = await watching(file);
  write('agent.mjs', 'export default 22;');
  await until(() => latest(watched) === 'own');
  write('gateway.yaml', named.replace('agent.mjs', 'later.mjs'));
  await until(() => latest(watched).includes('cannot read'));
  write('gateway.yaml', named.replace('agent.mjs', 'agents.d/../later.mjs'));
  write('later.mjs', 'export default 3;');
  await until(() => latest(watched) === 'own');
});

it('a watched configuration is not read again for other files beside it, such as the database', async () => {
  const watched = await watching(write('gateway.yaml', agents('one')));
  for (let i = 0; i < 20; i += 1) {
    write('gateway.db-wal', String(i));
    await pass(500);
  }
  expect(watched.seen).toEqual([]);
  write('gateway.yaml', agents('two'));
  await until(() => latest(watched) === 'two');
  expect(watched.seen).toEqual([['two']]);
});

describe('a configuration that is written slowly', () => {
  const whole = `${agents('one', 'two')}limits: { answer: 40s }\n`;
  const parts = whole.split(/(?<=\n)/);

  it.each([800, 1_900])(
    'a configuration that is written slowly is taken whole, where its writer pauses for %i ms after each line',
    async (pause) => {
      const file = write('gateway.yaml', whole);
      const watched = await watching(file);
      const next = whole.replace('40s', '50s');
      for (let lines = 0; lines <= parts.length; lines += 1) {
        write(
          'gateway.yaml',
          next
            .split(/(?<=\n)/)
            .slice(0, lines)
            .join(''),
        );
        await pass(pause);
      }
      await until(() => watched.seen.length > 0);
      expect(watched.seen).toEqual([['one', 'two']]);
    },
  );

  it.each([
    ['an agent', whole.replace('  two: { kind: reference }\n', ''), 'agents.two'],
    ['all after its first lines', parts.slice(0, 4).join(''), 'agents.two'],
    ['a section', whole.replace(/limits.*\n/, ''), 'limits'],
    ['the end of a line', whole.replace(' }\n', '\n').replace('40s', '4s').slice(0, -1), 'the end of '],
    [
      'a part of a text',
      whole.replace('reference }\nlimits', 'reference }\nlimits').replace('"memory:"', '"memory"'),
      'store',
    ],
  ])(
    'a configuration that is written slowly is not taken while it lacks %s, also where its writer pauses for nine seconds',
    async (_, half, lost) => {
      const watched = await watching(write('gateway.yaml', whole));
      write('gateway.yaml', half);
      await pass(9_000);
      expect(watched.seen).toEqual([]);
      expect(watched.warnings).toEqual([
        {
          file: join(folder, 'gateway.yaml'),
          lost: expect.arrayContaining([expect.stringContaining(lost)]),
          seconds: 10,
        },
      ]);
      write('gateway.yaml', `${whole}# done\n`);
      await until(() => watched.seen.length > 0);
      expect(watched.seen).toEqual([['one', 'two']]);
    },
  );

  it('a configuration that is written slowly is taken without an agent when it has not changed for ten seconds', async () => {
    const watched = await watching(write('gateway.yaml', whole));
    write('gateway.yaml', agents('one'));
    await until(() => watched.seen.length > 0);
    expect(watched.seen).toEqual([['one']]);
    expect(watched.warnings).toEqual([expect.objectContaining({ lost: ['agents.two', 'limits'] })]);
  });

  it('a configuration that is written slowly is waited for where a file of agents.d is removed or cut', async () => {
    write('agents.d/more.yaml', 'two: { kind: reference }\nthree: { kind: reference }\n');
    const watched = await watching(write('gateway.yaml', agents('one')));
    write('agents.d/more.yaml', 'two: { kind: reference }\n');
    await pass(9_000);
    rmSync(join(folder, 'agents.d/more.yaml'));
    await pass(9_000);
    expect(watched.seen).toEqual([]);
    write('agents.d/more.yaml', 'two: { kind: reference }\nthree: { kind: reference }\n\n');
    await until(() => watched.seen.length > 0);
    expect(watched.seen).toEqual([['one', 'two', 'three']]);
  });
});

it('`watch: true` lets the gateway take a changed file, and go on with the former one where that is faulty', async () => {
  const file = write('gateway.yaml', agents('one'));
  const child = startCli(['serve', '--config', file, '--port', '0']);
  const [, url = ''] = /(http:\/\/localhost:\d+)/.exec(await printed(child, /Ctrl-C/)) ?? [];
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const cardOf = async (name: string) => (await fetch(`${url}/${name}/.well-known/agent-card.json`)).status;
  write('gateway.yaml', agents('one', 'two'));
  await expect.poll(() => cardOf('two')).toBe(200);
  write('gateway.yaml', agents('one', 'two', 'admin'));
  await expect
    .poll(() => log)
    .toMatch(/gateway\.yaml:6: agents\.admin: .*configuration refused; the previous one stays/);
  expect(await cardOf('two')).toBe(200);
  expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/a2a_gateway_reloads_total{result="refused"} 1/);
  write('gateway.yaml', agents('one', 'two', 'three'));
  await expect.poll(() => cardOf('three')).toBe(200);
  const ended = outcomeOf(child);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});
