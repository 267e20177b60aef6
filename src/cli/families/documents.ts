import { Argument, type Command } from 'commander';
import { completionScript, type Shell, shells } from '../completion.ts';
import { UsageError } from '../exit-code.ts';
import type { Output } from '../output.ts';
import { commandLike, example, lazy } from './options.ts';

/** Adds the commands that need no agent: `translate`, `types`, `completion` and `help`. */
export function addDocuments(program: Command, output: Output): void {
  addTranslate(program, output);
  addTypes(program, output);
  addCompletion(program, output);
  addHelp(program);
}

function addTranslate(program: Command, output: Output): void {
  program
    .command('translate')
    .description('convert a message, request, response, stream or card from one dialect to others')
    .argument('[file]', 'JSON, or an event stream (default: stdin)')
    .option('--from <dialect>', 'dialect of the document, such as agentvault-0.2, or auto', 'auto')
    .option('--to <dialect>', 'dialect to convert it to, such as a2a-1.0 (default: all others)')
    .option('--type <type>', 'message, task, event, card, request, params, response, result, stream or error')
    .option('--method <name>', 'method of params, a result or a stream, such as tasks/get')
    .option('--binding <binding>', 'binding of the document: jsonrpc, rest or grpc')
    .option('--explain', 'list the losses of the conversion on stderr')
    .option('--strict', 'fail if the conversion loses anything')
    .addHelpText('after', example('translate --to a2a-0.3 --explain task.json'))
    .action(lazy(() => import('../commands/translate.ts'), 'translate', output));
}

function addTypes(program: Command, output: Output): void {
  program
    .command('types')
    .description(
      'write TypeScript types, validators and tables of A2A into a project, and report changes that affect it',
    )
    .option('--out <folder>', 'folder to write to (default: a2a)')
    .option('--a2a <version>', 'version of A2A: 1.0, 1.1 or 0.3 (default: the version of the last run, else 1.0)')
    .option('--proto <file>', "a proto to use instead of A2A's own: a draft, a fork, or one with extensions")
    .option('--schema <file>', 'JSON Schema bundle of the proto (default: generated from the proto)')
    .option('--with <list>', 'parts to write, of zod, operations, ts-proto and connect (default: zod,operations)')
    .option(
      '--import-extension <end>',
      "how files import each other, .ts or .js (default: as the project's compiler allows)",
    )
    .option('--check', 'write nothing; fail if the folder is not up to date')
    .addHelpText('after', example('types', 'types --a2a 1.1 --with zod,operations,ts-proto', 'types --check'))
    .action(lazy(() => import('../commands/types.ts'), 'types', output));
}

function addCompletion(program: Command, output: Output): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and values in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', example('completion bash > ~/.local/share/bash-completion/completions/a2a-gateway'))
    .action(async (shell: Shell) => {
      const { createDialects } = await import('../../dialects/registry.ts');
      const { frameTypes } = await import('../../dialects/translate/index.ts');
      const dialects = createDialects().list.map(({ name }) => name);
      const values = { '--as': dialects, '--from': dialects, '--to': dialects, '--type': frameTypes };
      output.print(completionScript(shell, program, values));
    });
}

function addHelp(program: Command): void {
  program
    .command('help')
    .description('show the help of a command')
    .argument('[command...]', 'the command, such as task get')
    .addHelpText('after', example('help send', 'help task get'))
    .action((words: readonly string[]) => {
      let command = program;
      for (const word of words) {
        const found = command.commands.find((each) => each.name() === word);
        if (found === undefined) throw new UsageError(`unknown command '${word}'; ${commandLike(word, command)}`);
        command = found;
      }
      command.help();
    });
}
