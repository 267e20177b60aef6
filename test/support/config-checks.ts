import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Outcome } from './in-process.ts';
import { paced } from './pace.ts';

/**
 * Checks configurations by the command, all in one process, and not in that of the tests: it is looked at how Node itself
 * loads their modules.
 *
 * @param files paths of configurations, by any names
 * @returns what came of each, by the same names
 */
export async function checkConfigs(
  files: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, Outcome>>> {
  const script = `import { inProcess } from ${JSON.stringify(new URL('in-process.ts', import.meta.url).href)};
const outcomes = {};
for (const [name, file] of ${JSON.stringify(Object.entries(files))}) outcomes[name] = await inProcess(['config', 'check', file]);
console.log(JSON.stringify(outcomes));
process.exit();`;
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: paced(60_000) });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}
