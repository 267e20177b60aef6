import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** On Windows `npm` is a batch file, which needs a shell; its script runs without one. */
const script = process.platform === 'win32' ? process.env.npm_execpath : undefined;

/** Returns npm's environment: it must not use this project's settings as its own. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_(package|lifecycle|command|config_local)/.test(name),
  );
  return { ...Object.fromEntries(kept), npm_config_audit: 'false', npm_config_fund: 'false' };
}

/**
 * Runs npm to its end.
 *
 * @returns what it printed
 * @throws Error with all that it printed
 */
export async function npm(cwd: string, signal: AbortSignal, ...args: string[]): Promise<string> {
  const [program, ...before] = script === undefined ? ['npm'] : [process.execPath, script];
  try {
    return (await execute(program ?? 'npm', [...before, ...args], { cwd, signal, env: environment() })).stdout;
  } catch (error) {
    const said = Object.entries(error ?? {}).filter(([name]) => name === 'stdout' || name === 'stderr');
    throw new Error(`npm ${args.join(' ')} failed: ${said.map(([, text]) => text).join('\n')}`);
  }
}
