import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { bindings } from '../client/bindings.ts';
import type { CardCommandOptions } from './commands/card.ts';
import type { PushListOptions, PushOptions } from './commands/push.ts';
import type { SendCommandOptions } from './commands/send.ts';
import type { ServeOptions } from './commands/serve.ts';
import type { ListOptions } from './commands/task.ts';
import type { ToolsOptions } from './commands/tools.ts';
import type { TranslateOptions } from './commands/translate.ts';
import { addKnowledge } from './knowledge-program.ts';
import type { Output } from './output.ts';
import { stateWords } from './render.ts';
import type { TargetOptions } from './target.ts';

/** Every command is loaded when it runs, so that none pays for the others. */

const integer =
  (from: number, to: number) =>
  (text: string): number => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= from && number <= to) return number;
    throw new InvalidArgumentError(`Expected an integer from ${from} to ${to}.`);
  };

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
      .option('--as <dialect>', 'generation of the protocol to speak, such as a2a-1.0'),
  );

/** The same of one that prints what it is told. */
const withTarget = (command: Command): Command => withAgent(command).option('--json', 'print JSON');

const example = (line: string): string => `\nExample:\n  $ a2a-gateway ${line}`;

const targetHelp = "the agent's base URL or the URL of its card";

/** The command line. Parsing it runs the command. */
export function createProgram(output: Output): Command {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const program = new Command('a2a-gateway')
    .description('Any A2A client reaches any A2A agent: every generation of the protocol, every binding, one port.')
    .version(version)
    .option('--verbose', 'show where errors come from')
    .showHelpAfterError(false)
    .helpCommand(false);

  program
    .command('serve')
    .description('run the gateway; without a configuration file it serves the reference agent')
    .addOption(new Option('--config <file>', 'configuration file (YAML)').conflicts('upstream'))
    .option('--upstream <url>', 'serve this agent, of any generation, instead of the reference agent')
    .option('--host <host>', 'host name or address to listen on (default: localhost)')
    .option('--port <port>', 'port to listen on, 0 for any (default: 8080)', integer(0, 65_535))
    .option('--store <store>', 'memory:, sqlite:PATH or postgres://… (default: sqlite:./data/gateway.db)')
    .addHelpText(
      'after',
      `${example('serve --config gateway.yaml --port 9000')}\n  $ a2a-gateway serve --upstream https://agents.example.com/weather`,
    )
    .action(async (options: ServeOptions) => (await import('./commands/serve.ts')).serve(options, output));

  program
    .command('config')
    .description('work with configuration files')
    .command('check')
    .description('validate a configuration and print what it would serve')
    .argument('<file>', 'configuration file (YAML)')
    .addHelpText('after', example('config check gateway.yaml'))
    .action(async (file: string) => (await import('./commands/config-check.ts')).configCheck(file, output));

  program
    .command('keys')
    .description('make API keys')
    .command('new')
    .description('print a new API key, once, and the line to put in the configuration')
    .argument('[name]', 'whose key it is')
    .addHelpText('after', example('keys new alice'))
    .action(async (name: string | undefined) => (await import('./commands/keys.ts')).newApiKey(name, output));

  withTarget(program.command('send'))
    .description('send a message and print the answer')
    .argument('<target>', targetHelp)
    .argument('[text]', 'what to say; - reads it from stdin')
    .option('--stream', 'print the answer as it comes')
    .option('--task <id>', 'continue this task')
    .option('--context <id>', 'speak in this context')
    .option('--file <path>', 'attach a file (may be repeated)', repeated)
    .option('--data <json>', 'attach data (may be repeated)', repeated)
    .option('--no-wait', 'do not wait for the task to end')
    .addHelpText('after', example("send http://localhost:8080 'stream 5' --stream"))
    .action(async (target: string, text: string | undefined, options: SendCommandOptions) =>
      (await import('./commands/send.ts')).send(target, text, options, output),
    );

  const task = program.command('task').description('look at tasks and steer them');
  for (const [name, description] of [
    ['get', 'show a task'],
    ['cancel', 'cancel a task'],
    ['watch', 'follow a task to its end'],
  ] as const) {
    withTarget(task.command(name))
      .description(description)
      .argument('<target>', targetHelp)
      .argument('<id>', "the task's id")
      .addHelpText('after', example(`task ${name} http://localhost:8080 0198c5f4-7d3e-7a61-9a4e-3d1f0c2b5e77`))
      .action(async (target: string, id: string, options: TargetOptions) =>
        (await import('./commands/task.ts'))[name](target, id, options, output),
      );
  }
  withTarget(task.command('list'))
    .description('list tasks, the newest first')
    .argument('<target>', targetHelp)
    .addOption(new Option('--state <state>', 'only tasks in this state').choices(stateWords))
    .option('--context <id>', 'only tasks of this context')
    .option('--limit <n>', 'at most so many', integer(1, 100_000), 50)
    .addHelpText('after', example('task list http://localhost:8080 --state working'))
    .action(async (target: string, options: ListOptions) =>
      (await import('./commands/task.ts')).list(target, options, output),
    );

  withTarget(program.command('card'))
    .description("show an agent's card, of any generation, and what the agent speaks")
    .argument('<target>', targetHelp)
    .option('--jwks <place>', 'URL or file of the keys that must have signed the card')
    .addHelpText(
      'after',
      `${example('card http://localhost:8080')}\n  $ a2a-gateway card https://agents.example.com --jwks https://agents.example.com/.well-known/jwks.json`,
    )
    .action(async (target: string, options: CardCommandOptions) =>
      (await import('./commands/card.ts')).card(target, options, output),
    );

  withTarget(program.command('doctor'))
    .description('find out what an agent speaks, what works, what does not, and why; sends it no message')
    .argument('<target>', targetHelp)
    .addHelpText('after', example('doctor http://localhost:8080'))
    .action(async (target: string, options: TargetOptions) =>
      (await import('./commands/doctor.ts')).doctor(target, options, output),
    );

  withAgent(program.command('mcp'))
    .description('offer the skills of agents as tools of MCP, over stdin and stdout, to editors and assistants')
    .argument(
      '[targets...]',
      "agents' base URLs, or that of a gateway for all its agents (default: http://localhost:8080)",
    )
    .addHelpText('after', example('mcp http://localhost:8080'))
    .action(async (targets: readonly string[], options: TargetOptions) =>
      (await import('./commands/mcp.ts')).mcp(targets, options, output),
    );

  withCredentials(program.command('tools'))
    .description('list the tools that a gateway makes of its agents, or call one')
    .argument('<target>', 'base URL of a gateway, or of one of its agents')
    .argument('[name]', 'the tool to call')
    .option('--args <json>', 'its arguments')
    .option('--json', 'print JSON')
    .addHelpText('after', example(`tools http://localhost:8080 send_message --args '{"message":"hello"}'`))
    .action(async (target: string, name: string | undefined, options: ToolsOptions) =>
      (await import('./commands/tools.ts')).tools(target, name, options, output),
    );

  addKnowledge(program, { withTarget, integer, example, targetHelp }, output);

  const push = program.command('push').description('push notifications that do not arrive');
  const withStore = (command: Command): Command =>
    command
      .option('--config <file>', 'configuration file (YAML) that names the store')
      .option('--store <store>', 'sqlite:PATH or postgres://… (default: sqlite:./data/gateway.db)');
  withStore(push.command('list'))
    .description('list those that were given up, and those that wait to be tried again')
    .option('--limit <n>', 'at most so many of each', integer(1, 100_000), 100)
    .option('--json', 'print JSON')
    .addHelpText('after', example('push list --config gateway.yaml'))
    .action(async (options: PushListOptions) => (await import('./commands/push.ts')).list(options, output));
  withStore(push.command('retry'))
    .description('try them again: from the first one on that was given up, also while a gateway is running')
    .argument('[task]', 'only those of the task with this id')
    .addHelpText('after', example('push retry --config gateway.yaml'))
    .action(async (task: string | undefined, options: PushOptions) =>
      (await import('./commands/push.ts')).retry(task, options, output),
    );

  program
    .command('translate')
    .description('convert one JSON document of one generation of the protocol to another')
    .argument('[file]', 'the document; stdin without it')
    .requiredOption('--from <dialect>', 'generation that the document is of, such as agentvault-0.2')
    .requiredOption('--to <dialect>', 'generation to convert it to, such as a2a-1.0')
    .requiredOption('--type <type>', 'message, task, event, card, request or error')
    .option('--explain', 'list on stderr what the other generation cannot say')
    .option('--strict', 'refuse to convert when something would be lost')
    .addHelpText('after', example('translate --from a2a-1.0 --to a2a-0.3 --type task --explain task.json'))
    .action(async (file: string | undefined, options: TranslateOptions) =>
      (await import('./commands/translate.ts')).translate(file, options, output),
    );

  return program;
}
