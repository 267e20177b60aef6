import type { Command } from 'commander';
import type { CommandLine } from '../command.ts';

/** Adds the command that runs guards on cases. */
export function addGuard(program: Command, { example, action }: CommandLine): void {
  program
    .command('guard')
    .description('work with guards')
    .command('test')
    .description('have the guards of a configuration judge the cases of a file; fails where one is judged otherwise')
    .argument('<file>', 'cases (YAML)')
    .option('--config <file>', 'configuration with the guards (default: the one that the cases name, or gateway.yaml)')
    .addHelpText('after', example('guard test guards.test.yaml'))
    .action(action(() => import('./cases.ts'), 'guardTest'));
}
