import { fileURLToPath } from 'node:url';
import { parseConfig } from '../../../src/config/parse.ts';
import type { Logger } from '../../../src/core/ports/logger.ts';
import { silent } from '../core.ts';
import { openGateway } from '../gateway.ts';

/** A gateway with one agent of tools, named `tools`, at its root and beside others. */
export interface ToolGateway {
  readonly origin: string;
  /** Returns the agent's report about its servers in `/readyz`. */
  health(): Promise<Record<string, string>>;
  /** Resolves as soon as every server is there. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface ToolGatewayOptions {
  /** The `servers` of the agent, as the file says them in JSON; left out: none. */
  readonly servers?: object;
  readonly env?: Record<string, string>;
  readonly logger?: Logger;
  /** Default: in memory. */
  readonly store?: string;
  /** More agents, by name. */
  readonly agents?: object;
}

/** Starts a gateway over a store in memory on a loopback port of its own. */
export async function startTools(options: ToolGatewayOptions): Promise<ToolGateway> {
  const { servers, env = {}, logger = silent, agents, store = 'memory:' } = options;
  const tools = { kind: 'mcp', ...(servers && { servers }) };
  const text = JSON.stringify({
    listen: { host: 'localhost', port: 0 },
    store,
    defaultAgent: 'tools',
    agents: { tools, ...agents },
  });
  const config = parseConfig(text, { file: fileURLToPath(new URL('gateway.yaml', import.meta.url)), env });
  const { url: origin, close } = await openGateway(config, { logger });
  const health = async (): Promise<Record<string, string>> => {
    const response = await fetch(`${origin}/readyz`);
    const { agents: all } = (await response.json()) as { agents: Record<string, Record<string, string>> };
    return all.tools ?? {};
  };
  return {
    origin,
    health,
    async ready() {
      while ((await health()).state !== 'ok') await new Promise((resolve) => setTimeout(resolve, 10));
    },
    close,
  };
}
