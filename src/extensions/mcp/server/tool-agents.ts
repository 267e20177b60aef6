import { type Call, type CallContext, type Invoke, maxHops } from '../../../core/model/call.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { mayCall, type Principal, tenantOf } from '../../../core/model/principal.ts';
import { withSignal } from '../../../core/model/timing.ts';
import type { AgentDirectory } from '../../../core/ports/agent-directory.ts';
import { traceOf } from '../../../core/telemetry/trace-context.ts';
import type { Dialect } from '../../../dialects/kernel/dialect.ts';
import { newNotes } from '../../../transports/http/call-head.ts';
import type { Exchange } from '../../../transports/http/exchange.ts';
import type { Files } from '../../../transports/http/files.ts';
import { contextOf } from '../../../transports/http/headers.ts';
import type { ExposedAgent, InvokeContext } from './exposed-agent.ts';
import type { Offer } from './server.ts';

type RefusalFor = (principal: Principal, agent: string, operation: string, skill: string) => A2AError | undefined;

export interface AgentToolsOptions {
  readonly agents: AgentDirectory;
  /** Dialect of tool calls. */
  readonly dialect: Dialect;
  readonly invoke: Invoke;
  /** Returns why a caller may not call something, which is then hidden from it. Absent: everything is shown. */
  readonly refusalFor?: RefusalFor | undefined;
  /** Undefined if no files are served. */
  readonly files: Files | undefined;
}

/** Returns the agents that the caller may call: the agent that the path or host names, or all agents. */
export function offerOf(exchange: Exchange, options: AgentToolsOptions): Offer {
  const { base, req, principal } = exchange;
  const { agents } = options;
  const scope = base !== '' || agents.forHost(req.headers.host ?? '') !== undefined ? 'one' : 'many';
  const names = scope === 'one' ? [exchange.agent] : agents.names;
  return {
    scope,
    agents: names.flatMap((name) => (mayCall(principal, name) ? toolAgent(name, exchange, options) : [])),
  };
}

/** Returns an agent for tools; empty if the agent has been removed meanwhile. */
function toolAgent(name: string, exchange: Exchange, options: AgentToolsOptions): ExposedAgent | [] {
  const { agents, invoke, files, refusalFor } = options;
  const agent = agents.get(name);
  if (!agent) return [];
  const { req, principal } = exchange;
  const owner = { agent: name, tenant: tenantOf(principal, ''), principal: principal.id };
  return {
    name,
    get card() {
      return agent.card;
    },
    lists: true,
    ...(refusalFor && { permits: (...asked) => refusalFor(principal, name, ...asked) === undefined }),
    invoke: async (operation, request, calling) => {
      const context = contextFor(name, exchange, options, calling);
      const reply = await invoke({ operation, request: request as Call['request'], context });
      // A tool may wait a long time before it answers, and must not hold up other responses.
      context.reservation?.encoded();
      return reply;
    },
    ...(files && { fileUrl: files.urlsFor({ req, agent: name }, owner) }),
  };
}

/**
 * Returns the context of the exchange. Trace context and hop count of the tool call take precedence if they say more.
 */
function contextFor(
  agent: string,
  exchange: Exchange,
  { dialect }: AgentToolsOptions,
  calling: InvokeContext,
): CallContext {
  const call = { binding: 'mcp', dialect, streaming: false, notes: { ...newNotes(), isInner: true } } as const;
  const http = contextOf({ ...exchange, agent }, call);
  // Its signal is not used here, and would add a listener to the connection for each call.
  const { traceparent: _, tracestate: __, ...context } = http;
  const hops = Math.max(context.hops, calling.hops);
  if (hops > maxHops) throw new A2AError('invalidRequest', `The call has passed more than ${maxHops} gateways`);
  // Trace context in the message takes precedence over the HTTP headers (MCP, SEP-414).
  const trace = traceOf(calling.traceparent === undefined ? http : calling);
  const path = calling.path === undefined ? undefined : { path: calling.path };
  return withSignal<CallContext>({ ...context, ...trace, ...path, hops }, () => calling.signal);
}
