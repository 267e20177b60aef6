import type { IncomingMessage } from 'node:http';
import { shared } from '../../core/model/timing.ts';
import type { AgentDocument, RefusedExchange } from '../../transports/http/exchange.ts';
import type { Module, ModuleHttp, ModuleServer } from '../module.ts';
import type { McpEndpoint } from './server/endpoint.ts';
import { refuse } from './server/refusal.ts';

/** Path of the endpoint, below an agent's base path and at the root. */
const path = '/mcp';

/**
 * The module for agents as MCP tools and for MCP tools as agents. The endpoint is loaded at the first request to it,
 * and the MCP SDK, which is large, for the first agent that calls tools.
 */
export const mcp: Module = {
  name: 'mcp',
  agents: {
    mcp: async ({ servers }, deps) => {
      const { createMcpAgent } = await import('./client/index.ts');
      return createMcpAgent({ ...deps, servers });
    },
  },
  open: () => ({ http: serveMcp }),
};

function serveMcp(server: ModuleServer): ModuleHttp {
  const { active, http } = server;
  const resourceMetadata = (req: IncomingMessage, base: string) => server.resourceMetadata(req, base + path);
  let opened: McpEndpoint | undefined;
  const open = shared(async () => {
    const { McpEndpoint } = await import('./server/endpoint.ts');
    const limits = active.select('limits');
    const retention = active.select('retention');
    opened = new McpEndpoint({
      ...server,
      resourceMetadata,
      limits,
      retention,
      refusalFor: (...asked) => active.snapshot.parts.refusalFor(...asked, 'mcp'),
    });
    return opened;
  });
  const endpoint = async (): Promise<McpEndpoint> => opened ?? open();
  const isMcp = (exchange: Pick<RefusedExchange, 'path' | 'pinned'>): boolean =>
    exchange.path === path && !exchange.pinned;
  return {
    names: ['mcp'],
    bindingOf: (below) => (below === path ? { name: 'mcp' } : undefined),
    segments: [path.slice(1)],
    handle: (exchange) => isMcp(exchange) && endpoint().then((endpoint) => endpoint.serve(exchange)),
    refuse: (refused, error) => {
      if (!isMcp(refused)) return false;
      // Answered at once: a client that has closed its side of the connection receives nothing later.
      refuse(refused, error, {
        meters: http.meters,
        origins: active.snapshot.config.listen.cors,
        resourceMetadata,
      });
      return Promise.resolve();
    },
    document: serverCard(server),
    applyConfig: () => opened?.checkCards(),
    close: async () => opened?.close(),
  };
}

/** Returns the server card of one agent, or of all agents. */
const serverCard = ({ active, agents, urlOf, version }: ModuleServer): AgentDocument => ({
  path: `${path}/server-card`,
  mediaType: 'application/mcp-server-card+json',
  async serve({ req, res, base, agent: name = '' }, isPublic) {
    const { sendServerCard } = await import('./server/server-card.ts');
    const isOne = base !== '' || agents.forHost(req.headers.host ?? '') !== undefined;
    const card = isOne ? agents.get(name)?.card : undefined;
    const agent = card && { name, card };
    const { auth } = active.snapshot.config;
    sendServerCard(req, res, { url: urlOf(req, base + path), version, agent, auth, isPublic });
  },
});
