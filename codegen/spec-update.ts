/**
 * `npm run spec:update`: adopts a new version of the A2A proto and reports the consequences. The command is documented
 * in docs/reference/spec-updates.md, and implemented in `update/update.ts`.
 */
import { fileURLToPath } from 'node:url';
import { toolCache } from './project-types/tool-cache.ts';
import { runCommand } from './update/command.ts';

if (import.meta.main) {
  await toolCache('compile');
  const root = fileURLToPath(new URL('..', import.meta.url));
  const args = process.argv.slice(2);
  process.exitCode = await runCommand(args, root, { out: console.log, err: console.error, progress: console.error });
}
