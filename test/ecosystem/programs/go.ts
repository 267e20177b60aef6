import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, run } from '../processes.ts';
import { cacheFolder, type Source } from './program.ts';

/** @throws Error that says so where there is no Go */
export async function checkGo(command: Command): Promise<string> {
  const output = await run(command, 'go', 'version').catch(() => undefined);
  if (output === undefined) throw new Error('Go is not installed');
  return output;
}

/**
 * Builds a program in Go from the module proxy, with the settings of Go in the environment (`GOPROXY`, `GOFLAGS`).
 *
 * @param path of the program's package, such as `helm.sh/helm/v3/cmd/helm`
 */
export const goProgram =
  (path: string, version: string): Source =>
  async (command) => {
    const name = /[^/]+?(?=(\/v\d+)?$)/.exec(path)?.[0] ?? path;
    const folder = cacheFolder(`${name}-${version}`);
    const file = join(folder, process.platform === 'win32' ? `${name}.exe` : name);
    if (!existsSync(file)) {
      await checkGo(command);
      // Outside of the checkout, and one package at a time: tests may be running at the same time.
      const env = Object.assign({ GOBIN: folder }, command.env);
      await run({ ...command, cwd: folder, env }, 'go', 'install', '-p', '1', `${path}@${version}`);
    }
    return { path: file, from: 'Go module proxy' };
  };
