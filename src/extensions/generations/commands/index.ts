import type { Command } from 'commander';
import type { CommandLine } from '../../command.ts';

/** Adds the command that lists who speaks which generation of A2A. */
export function addGenerations(program: Command, { withGateway, example, action }: CommandLine): void {
  withGateway(program.command('generations'))
    .description(
      'list who calls which agent in which generation of A2A, what is lost, and what the end of one would refuse',
    )
    .option('--generation <name>', 'only this generation, such as a2a-0.3')
    .option('--caller <id>', 'only this caller, such as key:alice')
    .option('--agent <name>', 'only this agent')
    .option('--markdown', 'print a report for each caller, to be sent to its owner')
    .addHelpText(
      'after',
      example('generations', 'generations https://agents.example.com --caller key:alice --markdown'),
    )
    .action(action(() => import('./list.ts'), 'list'));
}
