/**
 * `npm run spec:update`: takes in a new version of the A2A proto, and reports what that means. docs/reference/spec-updates.md describes
 * the command; `update/update.ts` does the work.
 */
import { fileURLToPath } from 'node:url';
import { installTools } from '../scripts/tools.ts';
import { runCommand } from './update/command.ts';

if (import.meta.main) {
  installTools('codegen');
  const root = fileURLToPath(new URL('..', import.meta.url));
  const args = process.argv.slice(2);
  process.exitCode = await runCommand(args, root, { out: console.log, err: console.error });
}
