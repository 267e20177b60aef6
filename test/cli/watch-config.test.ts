import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { watchConfig } from '../../src/cli/watch-config.ts';
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

/** Watches a configuration as `serve` does, and returns the agents of each one that was used; a refused one is its problem. */
async function watching(file: string): Promise<string[][]> {
  const seen: string[][] = [];
  let latest: Config = await loadConfig(file);
  const onChanged = async (): Promise<boolean> => {
    try {
      latest = await loadConfig(file, {}, { again: true });
      seen.push([...latest.agents.keys()]);
      return true;
    } catch (thrown) {
      seen.push([(thrown as Error).message]);
      return false;
    }
  };
  afterTest(watchConfig(file, () => latest, onChanged));
  return seen;
}

describe('a watched configuration', () => {
  it('is read again when its file is written, replaced, or gets a neighbour in agents.d', async () => {
    const file = write('gateway.yaml', agents('one'));
    const seen = await watching(file);
    // Of another size: the clock of some file systems stands still for some milliseconds.
    write('gateway.yaml', agents('second'));
    await expect.poll(() => seen).toEqual([['second']]);
    renameSync(write('gateway.yaml~', agents('three')), file);
    await expect.poll(() => seen.at(-1)).toEqual(['three']);
    write('agents.d/more.yaml', 'four: { kind: reference }');
    await expect.poll(() => seen.at(-1)).toEqual(['three', 'four']);
    write('agents.d/more.yaml', 'five: { kind: reference }');
    await expect.poll(() => seen.at(-1)).toEqual(['three', 'five']);
    rmSync(join(folder, 'agents.d/more.yaml'));
    await expect.poll(() => seen.at(-1)).toEqual(['three']);
  });

  it('is read again when a mounted ConfigMap is replaced, which renames a symbolic link to a folder', async () => {
    write('..first/gateway.yaml', agents('one'));
    symlinkSync('..first', join(folder, '..data'));
    symlinkSync('..data/gateway.yaml', join(folder, 'gateway.yaml'));
    const seen = await watching(join(folder, 'gateway.yaml'));
    write('..second/gateway.yaml', agents('two'));
    symlinkSync('..second', join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    rmSync(join(folder, '..first'), { recursive: true });
    await expect.poll(() => seen).toEqual([['two']]);
  });

  it('is read again when a file changes that it names, and when one is added that it misses', async () => {
    write('agent.mjs', 'export default 1;');
    const named = `store: "memory:"\nagents: { own: { kind: module, path: ./agent.mjs } }\n`;
    const file = write('gateway.yaml', named);
    const seen = await watching(file);
    write('agent.mjs', 'export default 22;');
    await expect.poll(() => seen).toEqual([['own']]);
    write('gateway.yaml', named.replace('agent.mjs', 'later.mjs'));
    await expect.poll(() => seen.at(-1)).toEqual([expect.stringContaining('cannot read')]);
    write('gateway.yaml', named.replace('agent.mjs', 'agents.d/../later.mjs'));
    write('later.mjs', 'export default 3;');
    await expect.poll(() => seen.at(-1)).toEqual(['own']);
  });

  it('is not read again for other files beside it, such as the database', async () => {
    const seen = await watching(write('gateway.yaml', agents('one')));
    for (let i = 0; i < 20; i += 1) {
      write('gateway.db-wal', String(i));
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    write('gateway.yaml', agents('two'));
    await expect.poll(() => seen).toEqual([['two']]);
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
  write('gateway.yaml', agents('one', 'admin'));
  await expect
    .poll(() => log)
    .toMatch(/gateway\.yaml:5: agents\.admin: .*configuration refused; the previous one stays/);
  expect(await cardOf('two')).toBe(200);
  expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/a2a_gateway_reloads_total{result="refused"} 1/);
  write('gateway.yaml', agents('one'));
  await expect.poll(() => cardOf('two')).toBe(404);
  const ended = outcomeOf(child);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});
