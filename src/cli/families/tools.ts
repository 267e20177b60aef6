import type { Command } from 'commander';
import type { Output } from '../output.ts';
import { example, lazy, withAgent, withConnection } from './options.ts';

export function addTools(program: Command, output: Output): void {
  withAgent(program.command('mcp'))
    .description('serve the skills of agents as MCP tools over stdin and stdout, for editors and assistants')
    .argument(
      '[targets...]',
      'base URLs of agents, or of a gateway for all its agents (default: http://localhost:8080)',
    )
    .addHelpText('after', example('mcp http://localhost:8080'))
    .action(lazy(() => import('../commands/mcp.ts'), 'mcp', output));

  withConnection(program.command('tools'))
    .description('list the MCP tools of a gateway, or call one')
    .argument('<target>', 'base URL of a gateway, or of one of its agents')
    .argument('[name]', 'tool to call')
    .option('--args <json>', 'arguments of the tool, a JSON object')
    .option('--json', 'print JSON')
    .addHelpText('after', example(`tools http://localhost:8080 send_message --args '{"message":"hello"}'`))
    .action(lazy(() => import('../commands/tools.ts'), 'tools', output));
}
