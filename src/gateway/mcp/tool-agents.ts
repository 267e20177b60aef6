import type { MemoryBudget } from '../../core/limits/memory-budget.ts';
import { type Call, type CallContext, canonicalDialect, type Invoke, maxHops } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { mayCall } from '../../core/model/principal.ts';
import { withSignal } from '../../core/model/timing.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import { traceOf } from '../../core/telemetry/trace-context.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';
import type { ExposedAgent, InvokeContext } from '../../mcp/exposed-agent.ts';
import type { Scope } from '../../mcp/server.ts';
import { newNotes } from '../../transports/http/call-head.ts';
import type { Exchange } from '../../transports/http/exchange.ts';
import { contextOf } from '../../transports/http/headers.ts';
import type { Files } from '../../transports/pages/files.ts';

export interface AgentToolsOptions {
  readonly agents: AgentDirectory;
  readonly dialects: Dialects;
  readonly invoke: Invoke;
  /** Undefined where no files are served. */
  readonly files: Files | undefined;
  /** Where answers reserve memory. */
  readonly budget: MemoryBudget;
}

/** Whether an exchange offers the tools of one agent, which its path or host names, or of all. */
export const scopeOf = ({ base, req }: Exchange, agents: AgentDirectory): Scope =>
  base !== '' || agents.forHost(req.headers.host ?? '') !== undefined ? 'one' : 'many';

/** The agents that an exchange offers as tools: those of its path that the caller may call. */
export function agentsOf(exchange: Exchange, options: AgentToolsOptions): readonly ExposedAgent[] {
  const { agents } = options;
  const names = scopeOf(exchange, agents) === 'one' ? [exchange.agent] : agents.names;
  return names.flatMap((name) => (mayCall(exchange.principal, name) ? toolAgent(name, exchange, options) : []));
}

/** The dialect of tool calls. */
export function dialectOf({ dialects }: Pick<AgentToolsOptions, 'dialects'>): Dialect {
  const dialect = dialects.byName.get(canonicalDialect);
  if (!dialect) throw new TypeError(`no dialect ${canonicalDialect}`);
  return dialect;
}

/** Empty where the agent has been removed meanwhile. */
function toolAgent(name: string, exchange: Exchange, options: AgentToolsOptions): ExposedAgent | [] {
  const { agents, invoke, files } = options;
  const agent = agents.get(name);
  if (!agent) return [];
  const { req, principal } = exchange;
  const owner = { agent: name, tenant: '', principal: principal.id };
  return {
    name,
    get card() {
      return agent.card;
    },
    lists: true,
    invoke: async (operation, request, facts) => {
      const context = contextFor(name, exchange, options, facts);
      const reply = await invoke({ operation, request: request as Call['request'], context });
      // A tool may wait long before it answers: other answers need not wait for it.
      context.reservation?.encoded();
      return reply;
    },
    ...(files && { fileUrl: files.urlsFor({ req, agent: name }, owner) }),
  };
}

/** The context of the exchange, with the trace and the hop count of the tool call where those say more. */
function contextFor(
  agent: string,
  exchange: Exchange,
  options: Pick<AgentToolsOptions, 'dialects' | 'budget'>,
  facts: InvokeContext,
): CallContext {
  const { budget } = options;
  const call = { binding: 'mcp', dialect: dialectOf(options), streaming: false, notes: newNotes(), budget } as const;
  const http = contextOf({ ...exchange, agent }, call);
  const { signal: _, traceparent: __, tracestate: ___, ...context } = http;
  const hops = Math.max(context.hops, facts.hops);
  if (hops > maxHops) throw new A2AError('invalidRequest', `The call has passed more than ${maxHops} gateways`);
  // The trace context in the message comes before that in the HTTP headers (MCP, SEP-414).
  const trace = traceOf(facts.traceparent === undefined ? http : facts);
  return withSignal<CallContext>({ ...context, ...trace, hops }, () => facts.signal);
}
