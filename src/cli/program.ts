import { Command, InvalidArgumentError, Option } from 'commander';
import { bindings } from '../client/bindings.ts';
import { packageVersion } from '../gateway/compose/version.ts';
import { knowledgeFormats } from '../knowledge/rdf/formats.ts';
import type { Output } from './output.ts';
import { stateWords } from './render.ts';

/** Loads the module of a command when the command runs. */
const lazy =
  <K extends string>(
    load: () => Promise<Readonly<Record<K, (...args: never[]) => unknown>>>,
    name: K,
    output: Output,
  ) =>
  async (...args: readonly unknown[]): Promise<void> => {
    const run = (await load())[name] as (...args: readonly unknown[]) => unknown;
    // Commander's last argument is its own description of the command.
    await run(...args.slice(0, -1), output);
  };

const number =
  (what: string, pattern: RegExp) =>
  (from: number, to: number) =>
  (text: string): number => {
    const value = pattern.test(text) ? Number(text) : Number.NaN;
    if (value >= from && value <= to) return value;
    throw new InvalidArgumentError(`Expected ${what} from ${from} to ${to}.`);
  };
const integer = number('an integer', /^\d+$/);
const fraction = number('a number', /\S/)(0, 1);

const repeated = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

const withCredentials = (command: Command): Command =>
  command
    .option('--api-key <key>', 'API key (default: $A2A_API_KEY)')
    .option('--bearer <token>', 'bearer token (default: $A2A_BEARER)');

/** The options of every command that speaks A2A to a target. */
const withAgent = (command: Command): Command =>
  withCredentials(
    command
      .addOption(new Option('--via <binding>', 'binding to use').choices(bindings.map(({ name }) => name)))
      .option('--as <dialect>', 'dialect (protocol version) to use, such as a2a-1.0'),
  );

/** The same for commands with one target that print the answer. */
const withTarget = (command: Command): Command =>
  withAgent(command).option('--json', 'print JSON').argument('<target>', "the agent's base URL or the URL of its card");

const example = (...lines: readonly string[]): string =>
  `\nExample:${lines.map((line) => `\n  $ a2a-gateway ${line}`).join('')}`;

/** The command line. Parsing it runs the command. */
export function createProgram(output: Output): Command {
  const program = new Command('a2a-gateway')
    .description('Connects any A2A client to any A2A agent: every dialect, every binding, one port.')
    .version(packageVersion())
    .option('--verbose', 'print stack traces of errors')
    .showHelpAfterError(false)
    .helpCommand(false);

  program
    .command('serve')
    .description('run the gateway; without a configuration file it serves the reference agent')
    .addOption(new Option('--config <file>', 'configuration file (YAML)').conflicts('upstream'))
    .option('--upstream <url>', 'serve this agent, of any dialect, instead of the reference agent')
    .option('--host <host>', 'host name or address to listen on (default: localhost)')
    .option('--port <port>', 'port to listen on, 0 for any (default: 8080)', integer(0, 65_535))
    .option('--store <store>', 'memory:, sqlite:PATH or postgres://… (default: sqlite:./data/gateway.db)')
    .addHelpText(
      'after',
      example('serve --config gateway.yaml --port 9000', 'serve --upstream https://agents.example.com/weather'),
    )
    .action(lazy(() => import('./commands/serve.ts'), 'serve', output));

  program
    .command('config')
    .description('work with configuration files')
    .command('check')
    .description('validate a configuration and print what it would serve')
    .argument('<file>', 'configuration file (YAML)')
    .addHelpText('after', example('config check gateway.yaml'))
    .action(lazy(() => import('./commands/config-check.ts'), 'configCheck', output));

  program
    .command('keys')
    .description('make API keys')
    .command('new')
    .description('print a new API key and the line to add to the configuration; the key is not stored')
    .argument('[name]', 'name of the caller')
    .addHelpText('after', example('keys new alice'))
    .action(lazy(() => import('./commands/keys.ts'), 'newApiKey', output));

  withTarget(program.command('send'))
    .description('send a message and print the answer')
    .argument('[text]', 'text of the message; - reads it from stdin')
    .option('--stream', 'print the answer while it arrives')
    .option('--task <id>', 'continue this task')
    .option('--context <id>', 'send the message in this context')
    .option('--file <path>', 'attach a file (may be repeated)', repeated)
    .option('--data <json>', 'attach data (may be repeated)', repeated)
    .option('--no-wait', 'do not wait for the task to end')
    .addHelpText('after', example("send http://localhost:8080 'stream 5' --stream"))
    .action(lazy(() => import('./commands/send.ts'), 'send', output));

  withTarget(program.command('call'))
    .description('call any operation of A2A with a request in JSON, and print the answer')
    .argument('<operation>', 'name of the operation, such as GetTask')
    .argument('[request]', 'the request; - reads it from stdin', '{}')
    .addHelpText('after', example(`call http://localhost:8080 ListTasks '{"pageSize":5}'`))
    .action(lazy(() => import('./commands/call.ts'), 'call', output));

  const task = program.command('task').description('show, list, cancel and follow tasks');
  for (const [name, description] of [
    ['get', 'show a task'],
    ['cancel', 'cancel a task'],
    ['watch', 'follow a task to its end'],
  ] as const) {
    withTarget(task.command(name))
      .description(description)
      .argument('<id>', "the task's id")
      .addHelpText('after', example(`task ${name} http://localhost:8080 0198c5f4-7d3e-7a61-9a4e-3d1f0c2b5e77`))
      .action(lazy(() => import('./commands/task.ts'), name, output));
  }
  withTarget(task.command('list'))
    .description('list tasks, newest first')
    .addOption(new Option('--state <state>', 'only tasks in this state').choices(stateWords))
    .option('--context <id>', 'only tasks of this context')
    .option('--limit <n>', 'maximum number of tasks', integer(1, 100_000), 50)
    .addHelpText('after', example('task list http://localhost:8080 --state working'))
    .action(lazy(() => import('./commands/task.ts'), 'list', output));

  withTarget(program.command('card'))
    .description("show an agent's card, of any dialect, and the bindings that it lists")
    .option('--jwks <place>', 'URL or file of the keys; fails unless one of them has signed the card')
    .addHelpText(
      'after',
      example(
        'card http://localhost:8080',
        'card https://agents.example.com --jwks https://agents.example.com/.well-known/jwks.json',
      ),
    )
    .action(lazy(() => import('./commands/card.ts'), 'card', output));

  withTarget(program.command('doctor'))
    .description('probe every dialect and binding of an agent, and report what works and why not; sends no message')
    .addHelpText('after', example('doctor http://localhost:8080'))
    .action(lazy(() => import('./commands/doctor.ts'), 'doctor', output));

  withAgent(program.command('mcp'))
    .description('serve the skills of agents as MCP tools over stdin and stdout, for editors and assistants')
    .argument(
      '[targets...]',
      'base URLs of agents, or of a gateway for all its agents (default: http://localhost:8080)',
    )
    .addHelpText('after', example('mcp http://localhost:8080'))
    .action(lazy(() => import('./commands/mcp.ts'), 'mcp', output));

  withCredentials(program.command('tools'))
    .description('list the MCP tools of a gateway, or call one')
    .argument('<target>', 'base URL of a gateway, or of one of its agents')
    .argument('[name]', 'tool to call')
    .option('--args <json>', 'arguments of the tool, a JSON object')
    .option('--json', 'print JSON')
    .addHelpText('after', example(`tools http://localhost:8080 send_message --args '{"message":"hello"}'`))
    .action(lazy(() => import('./commands/tools.ts'), 'tools', output));

  addKnowledge(program, output);

  const push = program.command('push').description('list and retry push notifications that were not delivered');
  const withStore = (command: Command): Command =>
    command
      .option('--config <file>', 'configuration file (YAML) with the URL of the store')
      .option('--store <store>', 'sqlite:PATH or postgres://… (default: sqlite:./data/gateway.db)');
  withStore(push.command('list'))
    .description('list dead letters, and notifications that wait for a retry')
    .option('--limit <n>', 'maximum number of each', integer(1, 100_000), 100)
    .option('--json', 'print JSON')
    .addHelpText('after', example('push list --config gateway.yaml'))
    .action(lazy(() => import('./commands/push.ts'), 'list', output));
  withStore(push.command('retry'))
    .description('retry in order, beginning with the first dead letter; gateways may be running')
    .argument('[task]', 'only notifications of this task')
    .addHelpText('after', example('push retry --config gateway.yaml'))
    .action(lazy(() => import('./commands/push.ts'), 'retry', output));

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
    .action(lazy(() => import('./commands/translate.ts'), 'translate', output));

  return program;
}

const format = (help: string): Option => new Option('--format <format>', help).choices(knowledgeFormats);

const withContext = (command: Command): Command =>
  command
    .option('--task <id>', 'task that the call belongs to')
    .option('--session <id>', 'session that the call belongs to');

/** Adds `knowledge` and its subcommands. */
function addKnowledge(program: Command, output: Output): void {
  const knowledge = program
    .command('knowledge')
    .description('query, update and follow the knowledge graph of an agent');
  const load = () => import('./commands/knowledge.ts');
  const files = () => import('./commands/knowledge-files.ts');

  withContext(withTarget(knowledge.command('query')))
    .description('run a query and print the data')
    .argument('<query>', 'the query; - reads it from stdin')
    .option('--language <name>', 'language of the query (default: graphql)')
    .option('--variables <json>', 'variables of the query')
    .option('--certainty <n>', 'minimum certainty of statements, from 0 to 1', fraction)
    .option('--max-age <duration>', 'maximum age of statements, such as 1h')
    .addHelpText('after', example(`knowledge query http://localhost:8080/facts '{ statements { totalCount } }'`))
    .action(lazy(load, 'query', output));

  withContext(withTarget(knowledge.command('update')))
    .description('propose changes and print the outcome')
    .argument('[file]', 'JSON list of changes; - reads stdin', '-')
    .option('--source <id>', 'agent that proposes the changes')
    .option('--justification <text>', 'reason for the changes')
    .addHelpText(
      'after',
      example('knowledge update http://localhost:8080/facts changes.json --justification "Measured"'),
    )
    .action(lazy(load, 'update', output));

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
    .action(lazy(load, 'watch', output));

  withTarget(knowledge.command('import'))
    .description('add the statements of a file: N-Quads, N-Triples, Turtle, TriG, or JSON Lines')
    .argument('<file>', 'the file; - reads stdin')
    .addOption(format('format of the file (default: by its extension)'))
    .option('--graph <id>', 'named graph for statements without one')
    .option('--source <id>', 'agent that the statements come from')
    .option('--justification <text>', 'reason for the statements')
    .addHelpText('after', example('knowledge import http://localhost:8080/facts facts.ttl'))
    .action(lazy(files, 'importFile', output));

  withTarget(knowledge.command('export'))
    .description('print all statements')
    .addOption(format('output format (default: nquads); only jsonl has certainty and provenance'))
    .option('--graph <id>', 'only statements of this named graph; an empty string is the default graph')
    .addHelpText('after', example('knowledge export http://localhost:8080/facts > facts.nq'))
    .action(lazy(files, 'exportAll', output));
}
