import { type Command, InvalidArgumentError, Option } from 'commander';
import { knowledgeFormats } from '../knowledge/rdf/formats.ts';
import type { QueryOptions, UpdateOptions, WatchOptions } from './commands/knowledge.ts';
import type { ExportOptions, ImportOptions } from './commands/knowledge-files.ts';
import type { Output } from './output.ts';

/** What the commands of a program share. */
export interface ProgramParts {
  readonly withTarget: (command: Command) => Command;
  readonly integer: (from: number, to: number) => (text: string) => number;
  readonly example: (line: string) => string;
  readonly targetHelp: string;
}

function certainty(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (number >= 0 && number <= 1) return number;
  throw new InvalidArgumentError('Expected a number from 0 to 1.');
}

const format = (help: string): Option => new Option('--format <format>', help).choices(knowledgeFormats);

const withContext = (command: Command): Command =>
  command.option('--task <id>', 'task that it belongs to').option('--session <id>', 'session that it belongs to');

/** Adds `knowledge` and what is below it. */
export function addKnowledge(
  program: Command,
  { withTarget, integer, example, targetHelp }: ProgramParts,
  output: Output,
): void {
  const knowledge = program.command('knowledge').description('ask, change and follow what an agent knows');
  const load = () => import('./commands/knowledge.ts');

  withContext(withTarget(knowledge.command('query')))
    .description('ask, and print the data')
    .argument('<target>', targetHelp)
    .argument('<query>', 'the query; - reads it from stdin')
    .option('--language <name>', 'language of the query (default: graphql)')
    .option('--variables <json>', 'variables of the query')
    .option('--certainty <n>', 'only statements that are as certain, from 0 to 1', certainty)
    .option('--max-age <duration>', 'only statements that are not older, such as 1h')
    .addHelpText('after', example(`knowledge query http://localhost:8080/facts '{ statements { totalCount } }'`))
    .action(async (target: string, text: string, options: QueryOptions) =>
      (await load()).query(target, text, options, output),
    );

  withContext(withTarget(knowledge.command('update')))
    .description('propose changes, and say what became of them')
    .argument('<target>', targetHelp)
    .argument('[file]', 'a JSON list of changes; stdin without it', '-')
    .option('--source <id>', 'the agent that proposes them')
    .option('--justification <text>', 'why they are proposed')
    .addHelpText(
      'after',
      example('knowledge update http://localhost:8080/facts changes.json --justification "Measured"'),
    )
    .action(async (target: string, file: string, options: UpdateOptions) =>
      (await load()).update(target, file, options, output),
    );

  withContext(withTarget(knowledge.command('watch')))
    .description('print changes as they are made')
    .argument('<target>', targetHelp)
    .argument('[query]', 'a subscription; without it, the options below say what is of interest')
    .option('--subject <id>', 'only statements about this')
    .option('--predicate <id>', 'only statements that say this')
    .option('--object <id>', 'only statements that lead to this')
    .option('--type <id>', 'only statements about instances of this')
    .option('--graph <id>', 'only statements in this named graph')
    .option('--language <name>', 'language of the query (default: graphql)')
    .option('--variables <json>', 'variables of the query')
    .option('--after <position>', 'begin with the changes after this one', integer(0, Number.MAX_SAFE_INTEGER))
    .addHelpText('after', example('knowledge watch http://localhost:8080/facts --predicate https://schema.org/name'))
    .action(async (target: string, text: string | undefined, options: WatchOptions) =>
      (await load()).watch(target, text, options, output),
    );

  withTarget(knowledge.command('import'))
    .description('add the statements of a file: N-Quads, N-Triples, Turtle, TriG, or lines of JSON')
    .argument('<target>', targetHelp)
    .argument('<file>', 'the file; - reads stdin')
    .addOption(format('what is in it, where its name does not tell'))
    .option('--graph <id>', 'named graph of statements that the file has in none')
    .option('--source <id>', 'the agent that they are from')
    .option('--justification <text>', 'why they are added')
    .addHelpText('after', example('knowledge import http://localhost:8080/facts facts.ttl'))
    .action(async (target: string, file: string, options: ImportOptions) =>
      (await import('./commands/knowledge-files.ts')).importFile(target, file, options, output),
    );

  withTarget(knowledge.command('export'))
    .description('print all statements')
    .argument('<target>', targetHelp)
    .addOption(format('what to write (default: nquads); jsonl alone has certainty and provenance'))
    .option('--graph <id>', 'only those in this named graph; the empty text is the default graph')
    .addHelpText('after', example('knowledge export http://localhost:8080/facts > facts.nq'))
    .action(async (target: string, options: ExportOptions) =>
      (await import('./commands/knowledge-files.ts')).exportAll(target, options, output),
    );
}
