/**
 * `npm run generate`: writes the code in `src/gen`, and the parts of the pages in `docs` that come from code. With `--check`,
 * it only compares. With other options, as `codegen/generate.ts` has them, it leaves alone what `scripts/reference` writes.
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
    // A program of its own, since it loads the gateway, which needs what was just written.
    const reference = fileURLToPath(new URL('../scripts/reference/main.ts', import.meta.url));
    const { status } = spawnSync(process.execPath, [reference, ...args], { stdio: 'inherit', timeout: 120_000 });
    if (status !== 0) process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
