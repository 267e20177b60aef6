import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Source } from './program.ts';

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

/**
 * Takes the program that the environment names, or that the machine has in PATH or where Debian puts servers.
 *
 * @param variable of the environment, such as `NATS_SERVER`
 */
export const ofMachine =
  (name: string, variable?: string): Source =>
  async () => {
    const named = variable === undefined ? undefined : process.env[variable];
    if (named !== undefined) return { path: named, from: variable as string };
    const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
    const path = folders.map((folder) => join(folder, name)).find(isProgram);
    if (path === undefined) throw new Error('the machine has none');
    return { path, from: 'the machine' };
  };
