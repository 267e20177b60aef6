/**
 * `npm run generate`: writes the code in `src/gen`, and the parts of the pages in `docs` that come from code. With `--check`,
 * it only compares. With other options, as `codegen/generate.ts` has them, it leaves the pages of `docs/reference` alone.
 */
import { runGenerate } from './generate.ts';
import { writeReference } from './reference/pages.ts';

try {
  const args = process.argv.slice(2);
  const output = { out: console.log, err: console.error };
  process.exitCode = await runGenerate(args, output);
  if (args.every((argument) => argument === '--check')) {
    const check = args.length > 0;
    const changed = writeReference(new URL('../docs/reference/', import.meta.url), check);
    for (const page of changed) console.log(`docs/reference/${page} ${check ? 'is not up to date' : 'changed'}`);
    if (check && changed.length > 0) process.exitCode = 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
