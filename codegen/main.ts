/**
 * `npm run generate`: writes the code in `src/gen`, and the generated parts of the pages in `docs`. With `--check`,
 * only compares. With other options (see `codegen/generate.ts`), leaves the output of `scripts/reference` unchanged.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runGenerate } from './generate.ts';
import { toolCache } from './project-types/tool-cache.ts';

try {
  await toolCache('compile');
  const args = process.argv.slice(2);
  const output = { out: console.log, err: console.error };
  process.exitCode = await runGenerate(args, output);
  if (args.every((argument) => argument === '--check')) {
    // A separate process, since it loads the gateway, which imports the code just written.
    const reference = fileURLToPath(new URL('../scripts/reference/main.ts', import.meta.url));
    const { status } = spawnSync(process.execPath, [reference, ...args], { stdio: 'inherit', timeout: 120_000 });
    if (status !== 0) process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
