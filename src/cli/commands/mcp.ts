import { serveMcpStdio } from '../../gateway/mcp/stdio.ts';
import type { Output } from '../output.ts';
import { RemoteAgents } from '../remote-agents.ts';
import { connectOptions, type TargetOptions } from '../target.ts';

/** Where agents are looked for when none are named: where the gateway listens by itself. */
const usual = ['http://localhost:8080'];
/** Milliseconds between two looks at what the agents can do. */
const refreshEvery = 15_000;

/**
 * `a2a-gateway mcp`: offers the skills of agents as tools of MCP over stdin and stdout, for programs that start their
 * servers of tools themselves. Targets that cannot be reached are tried again. Ends when stdin does.
 */
export async function mcp(targets: readonly string[], options: TargetOptions, output: Output): Promise<void> {
  const note = (line: string): void => output.note(`note: ${line}`);
  const agents = new RemoteAgents(targets.length > 0 ? targets : usual, connectOptions(options), note);
  const { stdin, stdout } = process;
  const server = await serveMcpStdio({
    offer: () => agents.offer(),
    stdin,
    stdout,
    onFailure: (error) => note(error.message),
  });
  const timer = setInterval(async () => {
    if (await agents.refresh()) server.changed();
  }, refreshEvery);
  await server.ended;
  clearInterval(timer);
  await agents.close();
}
