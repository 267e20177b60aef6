import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { npm } from './npm.ts';

const execute = promisify(execFile);

/** Installs a tarball into a folder of a user. */
export async function install(tarball: string, folder: string, signal: AbortSignal): Promise<void> {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await npm(folder, signal, 'install', '--prefer-offline', '--loglevel=error', tarball);
}

/** A program to try out. */
export interface Installation {
  /** Folder to run it in. */
  readonly folder: string;
  /** The program and its first arguments. Default: the command of the package that is installed in the folder. */
  readonly program?: readonly [file: string, ...args: string[]];
  /** The version that it must print. */
  readonly version: string;
}

/**
 * Uses the installed package as its first users do: asks the command for its version, serves the demo agent, and calls it
 * over two bindings.
 *
 * @throws Error when something is not as it should be
 */
export async function tryOut({ folder, version, ...rest }: Installation, signal: AbortSignal): Promise<void> {
  const installed = join(folder, 'node_modules', 'a2a-gateway', 'bin', 'a2a-gateway.js');
  const [file, ...first] = rest.program ?? [process.execPath, installed];
  const command = async (...args: string[]): Promise<string> =>
    (await execute(file, [...first, ...args], { cwd: folder, signal })).stdout;
  expect('its version', (await command('--version')).trim(), version);

  const args = [...first, 'serve', '--port', '0', '--store', 'memory:'];
  const served = spawn(file, args, { cwd: folder, signal, stdio: ['ignore', 'pipe', 'ignore'] });
  served.on('error', () => {});
  try {
    const url = await urlOf(served);
    for (const via of ['jsonrpc', 'grpc']) {
      expect(`a reply over ${via}`, (await command('send', url, 'say good day', '--via', via)).trim(), 'good day');
    }
  } finally {
    if (served.exitCode === null && served.signalCode === null) {
      served.kill();
      await once(served, 'close');
    }
  }
}

/** The first URL that a gateway prints. */
async function urlOf(served: ChildProcess): Promise<string> {
  if (served.stdout === null) throw new Error('the gateway has no output');
  for await (const line of createInterface({ input: served.stdout })) {
    const [url] = /https?:\/\/\S+:\d+/.exec(line) ?? [];
    if (url !== undefined) {
      served.stdout.resume();
      return url;
    }
  }
  throw new Error('the installed gateway ended without serving');
}

function expect(what: string, actual: string, expected: string): void {
  if (!actual.includes(expected)) throw new Error(`the installed package: ${what} is "${actual}", not "${expected}"`);
}
