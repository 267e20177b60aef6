import type { Agent, AgentDescription, AskGateway } from '../../../core/model/agent.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import type { Tracing } from '../../../core/telemetry/tracing.ts';
import { gatewayAt } from '../../../net/ask-gateway.ts';
import type { ToolServerSettings } from '../../../net/tool-server-settings.ts';
import { resumeToolCall, runToolCall } from './call.ts';
import { describeTools } from './card.ts';
import { shortened } from './failures.ts';
import { callerOf, cancelAtServer, createArgumentCheck, type ToolCallDeps } from './follow.ts';
import { openNet } from './net.ts';
import { type NamedServer, skillFor, toolFilter } from './route.ts';
import { createHeldCalls } from './running-call.ts';
import type { ToolServer } from './tool-server.ts';

/** Options of an agent that calls tools of MCP servers. */
export interface McpOptions {
  /** Name of the agent in this gateway. */
  readonly name: string;
  /** Servers by id. Callers use these ids. */
  readonly servers: ReadonlyMap<string, ToolServerSettings>;
  /** Version of the gateway, which is sent to servers. */
  readonly version: string;
  readonly logger: Logger;
  /** Creates a span for each tool call. Absent: no spans. */
  readonly tracing?: Tracing | undefined;
}

/**
 * Creates an agent that calls tools of MCP servers (AgentVault's proxy pattern 1.0.0), in every dialect and binding.
 * The first data part of a message names the tool. Each message becomes a task whose result is a data part.
 *
 * @throws A2AError `unavailable` if a file with a server's credentials cannot be read
 */
export async function createMcpAgent(options: McpOptions): Promise<Agent> {
  const { name, logger, tracing } = options;
  const closing = new AbortController();
  const servers = await createServers(options, closing.signal);
  const deps: ToolCallDeps = {
    servers,
    held: createHeldCalls(),
    answering: new Set(),
    ...(tracing && { tracing }),
    check: createArgumentCheck(logger),
    onInternalError: (err, { requestId: request, taskId: task, principal }) =>
      logger.error({ agent: name, request, task, principal: principal.id, err }, 'MCP tool call failed'),
  };
  let described: { readonly tools: readonly unknown[]; readonly card: AgentDescription } | undefined;
  return {
    get card() {
      const tools = servers.map(({ server }) => server.tools);
      if (!described?.tools.every((list, at) => list === tools[at])) {
        described = { tools, card: describeTools(name, servers) };
      }
      return described.card;
    },
    open() {
      for (const { server } of servers) server.open();
    },
    async cancel(_, context) {
      deps.held.end(context.key, 'The task was canceled');
      await cancelAtServer(context, servers);
    },
    async close() {
      deps.held.close();
      closing.abort();
      await Promise.all(servers.map(({ server }) => server.close()));
    },
    health: () => healthOf(servers),
    skillOf: (message, context) => skillFor(message, servers, context.signal, callerOf(context)),
    gateways: () => servers.flatMap(({ gateway = [] }) => gateway),
    execute: (request, context) => runToolCall(request, context, deps),
    resume: (_, context, unanswered) => resumeToolCall(context, unanswered, deps),
  };
}

/** Returns the health of an agent: the worst state among its servers, and the state of each server. */
function healthOf(servers: readonly NamedServer[]): ReturnType<NonNullable<Agent['health']>> {
  const all = servers.map(({ id, server }) => ({ id, ...server.health }));
  const worst = (['unreachable', 'connecting'] as const).find((state) => all.some((one) => one.state === state));
  const facts = all.map(({ id, state, reason }) => [`server ${id}`, reason ? `${state}: ${reason}` : state]);
  for (const { id, problems } of all)
    if (problems) facts.push([`server ${id} problems`, shortened(problems.join('; '))]);
  return { ...Object.fromEntries(facts), state: worst ?? 'ok' };
}

function createServers(options: McpOptions, closing: AbortSignal): Promise<NamedServer[]> {
  const { name, servers, logger } = options;
  return Promise.all(
    [...servers].map(async ([id, settings]) => {
      const server = await createServer(`${name}.${id}`, settings, options);
      const gateway = settings.path ? await gatewayOf(settings, logger, closing) : undefined;
      return { ...settings, id, server, gateway, allowed: toolFilter(settings.allow, settings.deny) };
    }),
  );
}

/**
 * Returns a function that finds out whether the server is a gateway, using separate connections. A server that is a
 * program has no HTTP pages to ask.
 */
async function gatewayOf(settings: ToolServerSettings, logger: Logger, closing: AbortSignal): Promise<AskGateway> {
  if (settings.type === 'stdio') return async () => undefined;
  const { auth } = settings;
  const url = new URL(settings.url);
  const { http } = await openNet({ url: url.href, auth: auth?.type === 'mtls' ? auth : undefined }, logger);
  closing.addEventListener('abort', () => http.close(), { once: true });
  return gatewayAt(http, () => url, closing);
}

/**
 * Creates the client of a server without connecting. Loads the MCP SDK, which is large, only for servers that need it.
 * Rejects if a file with the server's credentials cannot be read.
 */
async function createServer(
  name: string,
  settings: ToolServerSettings,
  { version, logger }: McpOptions,
): Promise<ToolServer> {
  const { type, timeout, taskTimeout, roots } = settings;
  if (type === 'method-per-tool') {
    const [{ MethodServer }, net] = await Promise.all([import('./method-server.ts'), openNet(settings, logger)]);
    return new MethodServer(settings, net);
  }
  const [{ connectHttp, connectProcess }, { SessionServer }, { createPerCallerServer }] = await Promise.all([
    import('./session/connect.ts'),
    import('./session/session-server.ts'),
    import('./session/caller-servers.ts'),
  ]);
  const sampling = settings.sampling !== undefined;
  const options = { name, timeout, taskTimeout, version, logger, roots, sampling };
  if (type === 'stdio') return new SessionServer({ ...options, connect: connectProcess(settings, logger, name) });
  const { auth } = settings;
  const net =
    auth?.type === 'oauth2Discovery'
      ? await (await import('./session/authorization.ts')).openAuthorizedNet({ ...auth, url: settings.url })
      : await openNet({ ...settings, auth }, logger);
  const connect = connectHttp(settings, net);
  const onClose = (): void => net.http.close();
  if (auth?.type !== 'forward') return new SessionServer({ ...options, connect, onClose });
  return createPerCallerServer((facts) => new SessionServer({ ...options, connect, facts }), onClose);
}
