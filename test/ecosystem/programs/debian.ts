import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Command, run } from '../processes.ts';
import { cacheFolder, type Place, type Source } from './program.ts';

/**
 * Unpacks a package of Debian, with those of its dependencies that the machine lacks, into a folder of its own. Nothing is
 * installed: apt keeps its lists and packages in that folder too, so that it needs no rights, and the machine stays as it is.
 *
 * @param file the program's path in the package, such as `usr/sbin/nginx`
 */
export const debianPackage =
  (name: string, file: string): Source =>
  async (command): Promise<Place> => {
    const folder = cacheFolder(`debian-${name}`);
    const path = join(folder, 'bin', basename(file));
    if (!existsSync(path)) {
      await checkApt(command);
      const root = join(folder, 'root');
      await unpack(name, folder, root, command);
      writeStarter(path, root, file);
    }
    return { path, from: 'apt' };
  };

async function checkApt(command: Command): Promise<void> {
  const output = await run(command, 'apt-get', '--version').catch(() => undefined);
  if (output === undefined) throw new Error('the machine is no Debian: it has no apt-get');
}

/** Downloads a package and unpacks it. */
async function unpack(name: string, folder: string, root: string, command: Command): Promise<void> {
  const archives = join(folder, 'archives');
  for (const each of [root, join(archives, 'partial')]) mkdirSync(each, { recursive: true });
  const options = [...(await ownLists(command)), '-o', `Dir::Cache::archives=${archives}`];
  const wanted = ['--yes', '--no-install-recommends', '--reinstall', '--download-only', name];
  await run(command, 'apt-get', ...options, 'install', ...wanted);
  for (const archive of globSync('*.deb', { cwd: archives })) {
    await run(command, 'dpkg-deb', '--extract', join(archives, archive), root);
  }
}

let updated: Promise<readonly string[]> | undefined;

/** Options by which apt uses lists of packages of its own, which are brought up to date once in a run. */
function ownLists(command: Command): Promise<readonly string[]> {
  const state = cacheFolder('debian-lists');
  const lists = join(state, 'lists');
  const cache = join(state, 'cache');
  for (const folder of [join(lists, 'partial'), cache]) mkdirSync(folder, { recursive: true });
  const options = [
    'Debug::NoLocking=1',
    'APT::Sandbox::User=root',
    `Dir::State::lists=${lists}`,
    `Dir::Cache=${cache}`,
  ];
  const args = options.flatMap((option) => ['-o', option]);
  updated ??= run(command, 'apt-get', ...args, 'update').then(() => args);
  return updated;
}

/** Writes a script that starts the program with the libraries that came with it. */
function writeStarter(path: string, root: string, file: string): void {
  const libraries = globSync(['usr/lib/*-linux-gnu*', 'lib/*-linux-gnu*'], { cwd: root }).map((each) =>
    join(root, each),
  );
  mkdirSync(dirname(path), { recursive: true });
  const lines = [
    '#!/bin/sh',
    `LD_LIBRARY_PATH="${libraries.join(':')}\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"`,
    'export LD_LIBRARY_PATH',
    `exec "${join(root, file)}" "$@"`,
  ];
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o755 });
}
