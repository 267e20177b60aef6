import { type Command, Option } from 'commander';
import type { Output } from '../output.ts';
import { withGateway, withGatewayTarget } from './admin.ts';
import { example, integer, lazy } from './options.ts';

/** Adds the commands for operators of a gateway: `serve`, `init`, `config`, `policy`, `keys`, `backup` and `push`. */
export function addServing(program: Command, output: Output): void {
  for (const add of [addServe, addInit, addConfig, addPolicy, addKeys, addBackup, addPush]) add(program, output);
}

function addServe(program: Command, output: Output): void {
  program
    .command('serve')
    .description('run the gateway; without a configuration file it serves the reference agent')
    .addOption(new Option('--config <file>', 'configuration file (YAML)').conflicts(['upstream', 'agent', 'dev']))
    .addOption(
      new Option('--agent <file>', 'serve the agent of this JavaScript or TypeScript module').conflicts([
        'upstream',
        'dev',
      ]),
    )
    .addOption(
      new Option(
        '--dev <file>',
        'serve the agent of this module for development: reload it when it is saved, keep tasks in memory, log everything',
      ).conflicts('upstream'),
    )
    .option('--upstream <url>', 'serve this agent, which may speak any dialect, instead of the reference agent')
    .option('--host <host>', 'host name or address to listen on (default: localhost)')
    .option('--port <port>', 'port to listen on, 0 for any (default: 8080)', integer(0, 65_535))
    .option('--store <store>', 'memory:, sqlite:PATH or postgres://… (default: sqlite:./data/gateway.db)')
    .addOption(
      new Option(
        '--workers <n>',
        'number of processes that share the port, or auto for one per core; requires PostgreSQL (default: 1)',
      )
        .argParser((value) => (value === 'auto' ? 0 : integer(1, 1_024)(value)))
        .conflicts('dev'),
    )
    .addHelpText(
      'after',
      example(
        'serve --config gateway.yaml --port 9000',
        'serve --dev agent.ts',
        'serve --upstream https://agents.example.com/weather',
      ),
    )
    .action(lazy(() => import('../commands/serve.ts'), 'serve', output));
}

function addInit(program: Command, output: Output): void {
  program
    .command('init')
    .description('write a small project with an agent and its test; overwrites nothing')
    .argument('[folder]', 'folder to write the project to; created if it does not exist', '.')
    .option('--js', 'write JavaScript instead of TypeScript')
    .addHelpText('after', example('init my-agent'))
    .action(lazy(() => import('../commands/init.ts'), 'init', output));
}

function addConfig(program: Command, output: Output): void {
  program
    .command('config')
    .description('work with configuration files')
    .command('check')
    .description('validate a configuration and print a summary of it')
    .argument('<file>', 'configuration file (YAML)')
    .option('--strict', 'fail if there are warnings')
    .addHelpText('after', example('config check gateway.yaml', 'config check gateway.yaml --strict'))
    .action(lazy(() => import('../commands/config-check.ts'), 'configCheck', output));
}

function addPolicy(program: Command, output: Output): void {
  program
    .command('policy')
    .description('work with policies')
    .command('test')
    .description(
      'apply the policies of a configuration to the cases of a file; fails if a decision differs from the expected one',
    )
    .argument('<file>', 'cases (YAML)')
    .option(
      '--config <file>',
      'configuration with the policies (default: the file that the cases name, or gateway.yaml)',
    )
    .addHelpText('after', example('policy test policies.test.yaml'))
    .action(lazy(() => import('../commands/policy.ts'), 'policyTest', output));
}

function addKeys(program: Command, output: Output): void {
  program
    .command('keys')
    .description('create API keys')
    .command('new')
    .description('print a new API key and the line to add to the configuration; the key is not stored')
    .argument('[name]', 'name of the caller')
    .option('--json', 'print JSON: name, key and hash')
    .addHelpText('after', example('keys new alice'))
    .action(lazy(() => import('../commands/keys.ts'), 'newApiKey', output));
}

function addBackup(program: Command, output: Output): void {
  withGateway(program.command('backup'))
    .description("write a copy of a running gateway's SQLite database to a new file")
    .argument('<target>', 'base URL of the gateway')
    .argument('<file>', 'file to write; it must not exist')
    .addHelpText('after', example('backup http://localhost:8080 gateway-backup.db'))
    .action(lazy(() => import('../commands/backup.ts'), 'backup', output));
}

function addPush(program: Command, output: Output): void {
  const push = program.command('push').description('list and retry push notifications that were not delivered');
  withGatewayTarget(withGateway(push.command('list')))
    .description('list dead letters, and notifications that wait for a retry')
    .option('--task <id>', 'only notifications of this task')
    .option('--limit <n>', 'maximum number', integer(1, 100_000), 100)
    .addHelpText('after', example('push list', 'push list https://agents.example.com --api-key …'))
    .action(lazy(() => import('../commands/push.ts'), 'list', output));
  withGatewayTarget(withGateway(push.command('retry')))
    .description('retry in order, beginning with the first dead letter')
    .option('--task <id>', 'only notifications of this task')
    .addHelpText('after', example('push retry'))
    .action(lazy(() => import('../commands/push.ts'), 'retry', output));
}
