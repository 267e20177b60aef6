import { serveMcpStdio } from '../../extensions/mcp/server/stdio.ts';
import { packageVersion } from '../../gateway/compose/version.ts';
import type { Output } from '../output.ts';
import { createRemoteAgents } from '../remote-agents.ts';
import { connectOptions, type TargetOptions } from '../target.ts';

/** Default targets: the default address of a gateway. */
const defaultTargets = ['http://localhost:8080'];
/** Milliseconds between two reads of the agents' cards. */
const refreshEvery = 15_000;

/**
 * `a2a-gateway mcp`: serves the skills of agents as MCP tools over stdin and stdout, for programs that start their MCP
 * servers themselves. Unreachable targets are retried. Ends with stdin.
 */
export async function mcp(targets: readonly string[], options: TargetOptions, output: Output): Promise<void> {
  const note = (line: string): void => output.note(`note: ${line}`);
  const connection = await connectOptions(options, output);
  const agents = createRemoteAgents(targets.length > 0 ? targets : defaultTargets, connection, note);
  const { stdin, stdout } = process;
  const server = await serveMcpStdio({
    version: packageVersion(),
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
