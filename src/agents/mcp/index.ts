import type { SendMessageRequest, StreamResponse } from '../../core/model/a2a.ts';
import type { Agent, AgentContext, AgentDescription, AgentHealth } from '../../core/model/agent.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Tracing } from '../../core/telemetry/tracing.ts';
import { clientTls } from '../../net/client-tls.ts';
import { createHttpClient, type HttpClient } from '../../net/http-client.ts';
import { createOutboundAuth, type OutboundAuth } from '../../net/outbound-auth.ts';
import type { OutboundAuthSettings } from '../../net/outbound-settings.ts';
import type { ToolServerSettings } from '../../net/tool-server-settings.ts';
import { ArgumentChecks } from './arguments.ts';
import { runToolCall, type ToolCallDeps } from './call.ts';
import { describeTools } from './card.ts';
import { type NamedServer, toolFilter } from './route.ts';
import type { ToolServer } from './tool-server.ts';

/** What an agent of tools is made of. */
export interface McpOptions {
  /** Name of the agent in this gateway. */
  readonly name: string;
  /** By the ids that callers name them by. */
  readonly servers: ReadonlyMap<string, ToolServerSettings>;
  /** What the servers know the gateway's version by. */
  readonly version: string;
  readonly logger: Logger;
  /** Makes a span of each call of a tool. Absent: none. */
  readonly tracing?: Tracing | undefined;
}

/**
 * An agent that calls tools of MCP servers: AgentVault's proxy pattern 1.0.0, for every dialect and binding. A message
 * whose first data part says which tool is called becomes a task; its result comes back as a data part.
 *
 * @throws A2AError `unavailable` when a file of a server's credentials cannot be read
 */
export async function createMcpAgent(options: McpOptions): Promise<Agent> {
  const { servers, logger, name, version, tracing } = options;
  const made = await Promise.all(
    [...servers].map(async ([id, settings]): Promise<[string, NamedServer]> => {
      const server = await makeServer(id, settings, { agent: name, version, logger });
      return [id, { id, server, allowed: toolFilter(settings.allow, settings.deny) }];
    }),
  );
  return new McpAgent(name, new Map(made), logger, tracing);
}

class McpAgent implements Agent {
  readonly #name: string;
  readonly #servers: ReadonlyMap<string, NamedServer>;
  readonly #deps: ToolCallDeps;
  #described: { readonly tools: readonly unknown[]; readonly description: AgentDescription } | undefined;

  constructor(name: string, servers: ReadonlyMap<string, NamedServer>, logger: Logger, tracing?: Tracing) {
    this.#name = name;
    this.#servers = servers;
    this.#deps = {
      servers,
      ...(tracing && { tracing }),
      checks: new ArgumentChecks(logger),
      onInternal: (err, { requestId: request, taskId: task, principal }) =>
        logger.error({ agent: name, request, task, principal: principal.id, err }, 'a call of a tool failed'),
    };
  }

  get card(): AgentDescription {
    const tools = [...this.#servers.values()].map(({ server }) => server.tools);
    const former = this.#described;
    if (former && tools.every((list, index) => list === former.tools[index])) return former.description;
    const description = describeTools(this.#name, this.#servers);
    this.#described = { tools, description };
    return description;
  }

  open(): void {
    for (const { server } of this.#servers.values()) server.open();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map(({ server }) => server.close()));
  }

  health(): AgentHealth {
    const all = [...this.#servers.values()].map(({ id, server }) => ({ id, ...server.health }));
    const worst = (['unreachable', 'connecting'] as const).find((state) => all.some((one) => one.state === state));
    const facts = all.map(({ id, state, reason }) => [`server ${id}`, reason ? `${state}: ${reason}` : state]);
    return { ...Object.fromEntries(facts), state: worst ?? 'ok' };
  }

  execute(request: SendMessageRequest, context: AgentContext): AsyncIterable<StreamResponse> {
    return runToolCall(request, context, this.#deps);
  }
}

interface ServerDeps {
  /** The agent that the server is of. */
  readonly agent: string;
  readonly version: string;
  readonly logger: Logger;
}

type Make<S> = (settings: S, name: string, deps: ServerDeps) => Promise<ToolServer>;

/** A pool of connections to a server, and what it is shown of the gateway. */
async function reach(
  { url, auth }: { readonly url: string; readonly auth: OutboundAuthSettings | undefined },
  logger: Logger,
): Promise<{ http: HttpClient; auth: OutboundAuth }> {
  const { origin } = new URL(url);
  const tls = await clientTls(auth);
  const http = createHttpClient(tls && { tls, tlsOrigin: origin });
  return { http, auth: createOutboundAuth(auth, { origin, http, logger }) };
}

/** How a server of each type is made. The SDK is loaded for those alone that need it: it is large. */
const types: { readonly [T in ToolServerSettings['type']]: Make<Extract<ToolServerSettings, { type: T }>> } = {
  http: async (settings, name, { version, logger }) => {
    const [{ connectHttp }, { SessionServer }, { PerCallerServer }, net] = await Promise.all([
      import('./session/connect.ts'),
      import('./session/session-server.ts'),
      import('./session/caller-servers.ts'),
      reach(settings, logger),
    ]);
    const common = { name, connect: connectHttp(settings, net), timeout: settings.timeout, version, logger };
    const onClose = (): void => net.http.close();
    if (settings.auth?.type !== 'forward') return new SessionServer({ ...common, onClose });
    return new PerCallerServer((facts) => new SessionServer({ ...common, facts }), onClose);
  },
  stdio: async (settings, name, { version, logger }) => {
    const [{ connectProcess }, { SessionServer }] = await Promise.all([
      import('./session/connect.ts'),
      import('./session/session-server.ts'),
    ]);
    const connect = connectProcess(settings, logger, name);
    return new SessionServer({ name, connect, timeout: settings.timeout, version, logger });
  },
  'method-per-tool': async (settings, _, { logger }) => {
    const [{ MethodServer }, net] = await Promise.all([import('./method-server.ts'), reach(settings, logger)]);
    return new MethodServer(settings, net);
  },
};

/** Makes what talks to a server. Nothing is opened yet. Rejects when a file of its credentials cannot be read. */
export function makeServer(id: string, settings: ToolServerSettings, deps: ServerDeps): Promise<ToolServer> {
  const make = types[settings.type] as Make<ToolServerSettings>;
  return make(settings, `${deps.agent}.${id}`, deps);
}
