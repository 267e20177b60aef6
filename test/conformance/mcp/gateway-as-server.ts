import { fileURLToPath } from 'node:url';
import { openGateway } from '../../support/gateway.ts';
import type { Scenario } from './kit.ts';
import { startToolServer } from './tool-server.ts';

/** Prefix of the scenarios' tools. A tool server's id and the name of its tool are the tool's name here. */
const prefixes = ['test', 'json'] as const;

/**
 * Starts a gateway that offers what the server scenarios call: the tools of a tool server, which speaks the era of the client
 * that the scenario is.
 */
export async function startGatewayAsServer() {
  const tools = await startToolServer(prefixes);
  const toolAgent = (era: string) => ({
    kind: 'mcp',
    servers: Object.fromEntries(prefixes.map((prefix) => [prefix, { url: `${tools.url}/${era}/${prefix}` }])),
  });
  const work = { kind: 'module', path: fileURLToPath(new URL('work-agent.ts', import.meta.url)) };
  const agents = { modern: toolAgent('modern'), legacy: toolAgent('legacy'), work };
  const gateway = await openGateway(
    JSON.stringify({ listen: { host: 'localhost', port: 0 }, store: 'memory:', agents }),
  );
  const areListed = async (): Promise<boolean> => {
    const { agents } = (await (await fetch(`${gateway.origin}/readyz`)).json()) as {
      agents: Record<string, { state: string }>;
    };
    return Object.values(agents).every(({ state }) => state === 'ok');
  };
  while (!(await areListed())) await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    /** The endpoint for a scenario. */
    urlFor({ name, version }: Scenario): string {
      const era = version === '2026-07-28' ? 'modern' : 'legacy';
      return `${gateway.origin}/${name.startsWith('tasks-') ? 'work' : era}/mcp`;
    },
    async close() {
      await gateway.close();
      await tools.close();
    },
  };
}
