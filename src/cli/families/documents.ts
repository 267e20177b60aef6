import { Argument, type Command } from 'commander';
import { type Shell, shells } from '../completion.ts';
import type { Output } from '../output.ts';
import { example, lazy } from './options.ts';

/** Adds the commands that need no agent: `translate` and `completion`. */
export function addDocuments(program: Command, output: Output): void {
  program
    .command('translate')
    .description('convert a JSON document from one dialect to another')
    .argument('[file]', 'the document (default: stdin)')
    .requiredOption('--from <dialect>', 'dialect of the document, such as agentvault-0.2')
    .requiredOption('--to <dialect>', 'dialect to convert it to, such as a2a-1.0')
    .requiredOption('--type <type>', 'message, task, event, card, request or error')
    .option('--explain', 'list on stderr what the conversion loses')
    .option('--strict', 'fail if the conversion loses anything')
    .addHelpText('after', example('translate --from a2a-1.0 --to a2a-0.3 --type task --explain task.json'))
    .action(lazy(() => import('../commands/translate.ts'), 'translate', output));

  program
    .command('completion')
    .description('print a script that completes commands, options and values in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', example('completion bash > ~/.local/share/bash-completion/completions/a2a-gateway'))
    .action(async (shell: Shell) => {
      const { completion } = await import('../commands/completion.ts');
      completion(shell, program, output);
    });
}
