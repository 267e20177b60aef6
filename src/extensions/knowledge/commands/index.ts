import { type Command, Option } from 'commander';
import type { CommandLine } from '../../command.ts';
import { knowledgeFormats } from '../rdf/formats.ts';

const format = (help: string): Option => new Option('--format <format>', help).choices(knowledgeFormats);

const withContext = (command: Command): Command =>
  command
    .option('--task <id>', 'task that the call belongs to')
    .option('--session <id>', 'session that the call belongs to');

const graph = () => import('./graph.ts');
const files = () => import('./files.ts');

/** Adds the commands for the knowledge graph of an agent. */
export function addKnowledge(program: Command, line: CommandLine): void {
  const knowledge = program
    .command('knowledge')
    .description('query, update and follow the knowledge graph of an agent');
  for (const add of [addQuery, addUpdate, addWatch, addImport, addExport]) add(knowledge, line);
}

function addQuery(knowledge: Command, { withTarget, fraction, example, action }: CommandLine): void {
  withContext(withTarget(knowledge.command('query')))
    .description('run a query and print the data')
    .argument('<query>', 'the query; - reads it from stdin')
    .option('--language <name>', 'language of the query (default: graphql)')
    .option('--variables <json>', 'variables of the query')
    .option('--certainty <n>', 'minimum certainty of statements, from 0 to 1', fraction)
    .option('--max-age <duration>', 'maximum age of statements, such as 1h')
    .addHelpText('after', example(`knowledge query http://localhost:8080/facts '{ statements { totalCount } }'`))
    .action(action(graph, 'query'));
}

function addUpdate(knowledge: Command, { withTarget, example, action }: CommandLine): void {
  withContext(withTarget(knowledge.command('update')))
    .description('propose changes and print the outcome')
    .argument('[file]', 'JSON list of changes; - reads stdin', '-')
    .option('--source <id>', 'agent that proposes the changes')
    .option('--justification <text>', 'reason for the changes')
    .addHelpText(
      'after',
      example('knowledge update http://localhost:8080/facts changes.json --justification "Measured"'),
    )
    .action(action(graph, 'update'));
}

function addWatch(knowledge: Command, { withTarget, integer, example, action }: CommandLine): void {
  withContext(withTarget(knowledge.command('watch')))
    .description('print changes as they happen')
    .argument('[query]', 'subscription query (default: built from the options below)')
    .option('--subject <id>', 'only statements with this subject')
    .option('--predicate <id>', 'only statements with this predicate')
    .option('--object <id>', 'only statements with this object')
    .option('--type <id>', 'only statements about instances of this type')
    .option('--graph <id>', 'only statements in this named graph')
    .option('--language <name>', 'language of the query (default: graphql)')
    .option('--variables <json>', 'variables of the query')
    .option('--after <position>', 'begin after the change at this position', integer(0, Number.MAX_SAFE_INTEGER))
    .addHelpText('after', example('knowledge watch http://localhost:8080/facts --predicate https://schema.org/name'))
    .action(action(graph, 'watch'));
}

function addImport(knowledge: Command, { withTarget, example, action }: CommandLine): void {
  withTarget(knowledge.command('import'))
    .description('add the statements of a file: N-Quads, N-Triples, Turtle, TriG, or JSON Lines')
    .argument('<file>', 'the file; - reads stdin')
    .addOption(format('format of the file (default: by its extension)'))
    .option('--graph <id>', 'named graph for statements without one')
    .option('--source <id>', 'agent that the statements come from')
    .option('--justification <text>', 'reason for the statements')
    .addHelpText('after', example('knowledge import http://localhost:8080/facts facts.ttl'))
    .action(action(files, 'importFile'));
}

function addExport(knowledge: Command, { withTarget, example, action }: CommandLine): void {
  withTarget(knowledge.command('export'))
    .description('print all statements')
    .addOption(format('output format (default: nquads); only jsonl has certainty and provenance'))
    .option('--graph <id>', 'only statements of this named graph; an empty string is the default graph')
    .addHelpText('after', example('knowledge export http://localhost:8080/facts > facts.nq'))
    .action(action(files, 'exportAll'));
}
