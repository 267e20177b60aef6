import type { MemoryBudget } from '../../core/limits/memory-budget.ts';
import { type Call, type CallContext, canonicalDialect, type Invoke, maxHops } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { withSignal } from '../../core/model/lazy-signal.ts';
import { mayCall } from '../../core/model/principal.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import { traceOf } from '../../core/telemetry/trace-context.ts';
import type { Dialect } from '../../dialects/kernel/dialect.ts';
import type { Dialects } from '../../dialects/kernel/lookup.ts';
import type { ExposedAgent, InvokeContext } from '../../mcp/exposed-agent.ts';
import type { Scope } from '../../mcp/server.ts';
import type { Exchange } from '../../transports/http/exchange.ts';
import { contextOf, newNotes } from '../../transports/http/headers.ts';
import type { Files } from '../../transports/pages/files.ts';

/** What the agents of a gateway are made tools with. */
export interface AgentToolsOptions {
  readonly agents: AgentDirectory;
  readonly dialects: Dialects;
  readonly invoke: Invoke;
  /** Absent where no files are served. */
  readonly files: Files | undefined;
  /** Where answers are reserved. */
  readonly budget: MemoryBudget;
}

/** Whose tools an exchange is about: those of the agent that its path or host names, else those of all. */
export const scopeOf = ({ base, req }: Exchange, agents: AgentDirectory): Scope =>
  base !== '' || agents.forHost(req.headers.host ?? '') !== undefined ? 'one' : 'many';

/** The agents whose skills the caller of an exchange is offered: those of its path that it may call. */
export function agentsOf(exchange: Exchange, options: AgentToolsOptions): readonly ExposedAgent[] {
  const { agents } = options;
  const names = scopeOf(exchange, agents) === 'one' ? [exchange.agent] : agents.names;
  return names.flatMap((name) => (mayCall(exchange.principal, name) ? toolAgent(name, exchange, options) : []));
}

/** What calls are made in. */
export function dialectOf({ dialects }: Pick<AgentToolsOptions, 'dialects'>): Dialect {
  const dialect = dialects.byName.get(canonicalDialect);
  if (!dialect) throw new TypeError(`no dialect ${canonicalDialect}`);
  return dialect;
}

/** None where the agent is gone meanwhile. */
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
      // A tool may go on for long before it answers: others need not wait for that.
      context.reservation?.encoded();
      return reply;
    },
    ...(files && { fileUrl: files.urlsFor({ req, agent: name }, owner) }),
  };
}

/** The context of the exchange, with what the call of a tool says itself: as far as it has come, both count. */
function contextFor(
  agent: string,
  exchange: Exchange,
  options: Pick<AgentToolsOptions, 'dialects' | 'budget'>,
  facts: InvokeContext,
): CallContext {
  const { budget } = options;
  const said = { binding: 'mcp', dialect: dialectOf(options), streaming: false, notes: newNotes(), budget } as const;
  const asked = contextOf({ ...exchange, agent }, said);
  const { signal: _, traceparent: __, tracestate: ___, ...context } = asked;
  const hops = Math.max(context.hops, facts.hops);
  if (hops > maxHops) throw new A2AError('invalidRequest', `The call has passed more than ${maxHops} gateways`);
  // What the message itself says is nearer than the headers of the request that it came in (MCP, SEP-414).
  const trace = traceOf(facts.traceparent === undefined ? asked : facts);
  return withSignal<CallContext>({ ...context, ...trace, hops }, () => facts.signal);
}
