import type { Command } from 'commander';
import { allDialects } from '../../client/index.ts';
import { completionScript, type Shell } from '../completion.ts';
import type { Output } from '../output.ts';

/** `a2a-gateway completion`: prints the script that completes the command in a shell. */
export function completion(shell: Shell, program: Command, output: Output): void {
  const dialects = allDialects().map(({ name }) => name);
  const types = ['message', 'task', 'event', 'card', 'request', 'error'];
  output.print(
    completionScript(shell, program, { '--as': dialects, '--from': dialects, '--to': dialects, '--type': types }),
  );
}
