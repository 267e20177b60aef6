import { createReferenceAgent } from '../../../src/agents/reference.ts';
import { callContext } from '../../../src/client/caller.ts';
import { bindings, connect } from '../../../src/client/index.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import type { Part } from '../../../src/core/model/a2a.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import type { Call } from '../../../src/core/model/call.ts';
import type { TraceContext } from '../../../src/core/telemetry/trace-context.ts';
import { previews } from '../../../src/dialects/registry.ts';
import type { Gateway } from '../../../src/gateway/compose/gateway.ts';
import { createHttpClient } from '../../../src/net/http-client.ts';
import { startReceiver } from '../../push/receiver.ts';
import { type DialectBinding, dialectBindings } from '../../support/conversations.ts';
import { openGateway } from '../../support/gateway.ts';
import { paced } from '../../support/pace.ts';
import { startSparqlServer } from '../../support/sparql-server.ts';
import { mcpScript, startScripted } from '../../support/tools/http-server.ts';

/** Every way into a gateway and every way out of it that carries a trace. */

/** A message with a trace, and the agent that it is sent to. */
export interface Sent {
  readonly agent: string;
  readonly part: Part;
  /** Of the task that goes on. */
  readonly taskId?: string;
  readonly trace: TraceContext;
}

export interface WayIn {
  readonly name: string;
  send(sent: Sent): Promise<void>;
}

export interface WayOut {
  readonly name: string;
  readonly agent: string;
  readonly part: Part;
  /** Whether what comes in is a query of knowledge. */
  readonly knowledge?: true;
  /** A task that waits for the next message, where one is needed. */
  task?(): Promise<string>;
}

/** A gateway, whatever can call it, and whatever it calls. */
export interface Ways {
  readonly gateway: Gateway;
  readonly into: readonly WayIn[];
  readonly out: readonly WayOut[];
  /** Calls an agent's knowledge, as every binding does. */
  readonly knowledge: readonly WayIn[];
  /** Every trace that came out anywhere, with the place where it did. */
  readonly arrived: readonly (TraceContext & { readonly at: string })[];
  close(): Promise<void>;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** @param settings of the gateway, more of them */
export async function openWays(settings = ''): Promise<Ways> {
  const arrived: (TraceContext & { at: string })[] = [];
  const note = (at: string, { traceparent, tracestate }: Headers | TraceContext): void => {
    if (typeof traceparent !== 'string') return;
    arrived.push({ at, traceparent, ...(typeof tracestate === 'string' && { tracestate }) });
  };

  const reference = createReferenceAgent();
  const sink: Agent = {
    ...reference,
    execute(request, context) {
      note('agent', context);
      return reference.execute(request, context);
    },
    knowledge: {
      languages: ['graphql'],
      async query(_, { call }) {
        note('knowledge', call);
        return { data: {} };
      },
      update: () => Promise.reject(new Error('not asked for')),
      subscribe: () => Promise.reject(new Error('not asked for')),
    },
  };
  const { gateway: far, url: there } = await openGateway({ ...parse(''), defaultAgent: 'sink' }, { agents: { sink } });
  const tools = await startScripted(
    mcpScript([{ name: 'go', inputSchema: { type: 'object' } }], ({ headers, params, result }) => {
      note('mcp headers', headers);
      note('mcp _meta', params._meta);
      result({ content: [{ type: 'text', text: 'fine' }] });
    }),
  );
  const methods = await startScripted(({ headers, result }) => {
    note('method-per-tool', headers);
    result({ content: [{ type: 'text', text: 'fine' }] });
  });
  const hook = await startReceiver(({ headers }) => {
    note('webhook', headers);
    return 204;
  });
  const sparql = await startSparqlServer();

  const upstreams = dialectBindings.map(
    ({ as, via }) =>
      `  ${nameOf({ as, via })}: { kind: upstream, url: "${there}/sink/as/${as}", dialect: ${as}, transport: ${via} }\n`,
  );
  const { gateway: front, url: here } = await openGateway(
    parse(`${settings}
agents:
${upstreams.join('')}
  tools: { kind: mcp, servers: { it: { url: "${tools.origin}/mcp" } } }
  methods: { kind: mcp, servers: { it: { url: "${methods.origin}", style: method-per-tool } } }
  asking: { kind: reference }
  graphs: { kind: reference, knowledge: { sparql: { query: "${sparql.query}", update: "${sparql.update}" } } }
  facts: { kind: upstream, url: "${there}/sink" }
`),
  );
  await ready(here);

  const http = createHttpClient();
  const asking = await connect(`${here}/asking`, { as: 'a2a-1.0', via: 'jsonrpc' });
  const text = { text: 'hello' };
  const tool = { data: { target_mcp_server_id: 'it', tool_name: 'go', arguments: {} } };
  return {
    gateway: front,
    arrived,
    into: [
      ...dialectBindings.map((face): WayIn => overFace(face, here, http)),
      { name: 'gRPC-Web', send: (sent) => overGrpcWeb(here, sent) },
      { name: 'MCP, in _meta', send: (sent) => overMcp(here, sent, true) },
      { name: 'MCP, in headers', send: (sent) => overMcp(here, sent, false) },
    ],
    knowledge: bindings.map(({ name }) => knowledgeOver(name, here)),
    out: [
      ...dialectBindings.map(({ as, via }) => ({ name: `${as} over ${via}`, agent: nameOf({ as, via }), part: text })),
      { name: 'MCP', agent: 'tools', part: tool },
      { name: 'method-per-tool', agent: 'methods', part: tool },
      {
        name: 'webhook',
        agent: 'asking',
        part: text,
        async task() {
          const configuration = { taskPushNotificationConfig: { url: hook.url } };
          const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'ask' }] };
          const { task } = await asking.call('SendMessage', { message, configuration });
          if (!task) throw new TypeError('no task');
          return task.id;
        },
      },
      { name: 'knowledge of an upstream', agent: 'facts', part: text, knowledge: true },
      { name: 'SPARQL', agent: 'graphs', part: text, knowledge: true },
    ],
    async close() {
      for (const { headers } of sparql.requests) note('sparql', headers);
      await asking.close();
      http.close();
      await front.close({ drainMs: 2_000 });
      await far.close({ drainMs: 0 });
      for (const each of [tools, methods, hook, sparql]) await each.close();
    },
  };
}

const parse = (text: string) =>
  parseConfig(
    `listen: { host: localhost, port: 0 }\nstore: "memory:"\nlimits: {}\npreview: [${previews.join(', ')}]\n${text}`,
    {
      file: '/ways.yaml',
    },
  );

const nameOf = ({ as, via }: Pick<DialectBinding, 'as' | 'via'>): string => `${as}-${via}`.replaceAll('.', '-');

/** Resolves when every agent is there. */
async function ready(origin: string): Promise<void> {
  for (const late = Date.now() + paced(30_000); Date.now() < late; ) {
    const { agents } = (await (await fetch(`${origin}/readyz`)).json()) as {
      agents: Record<string, { state: string }>;
    };
    if (Object.values(agents).every(({ state }) => state === 'ok')) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`An agent is not there: ${await (await fetch(`${origin}/readyz`)).text()}`);
}

function overFace(
  { dialect, as, via }: DialectBinding,
  origin: string,
  http: ReturnType<typeof createHttpClient>,
): WayIn {
  const binding = bindings.find(({ name }) => name === via) ?? bindings[0];
  const rooted = via === 'grpc' || via === 'connect';
  return {
    name: `${as} over ${via}`,
    async send({ agent, part, taskId, trace }) {
      const { invoke, close } = await (binding as NonNullable<typeof binding>).open({
        url: rooted ? origin : `${origin}/${agent}/as/${as}`,
        dialect,
        http,
        headers: (): Record<string, string> => (rooted ? { 'a2a-agent': agent } : {}),
        timeout: paced(10_000),
        strict: false,
      });
      const message = { messageId: 'm', role: 'ROLE_USER', parts: [part], ...(taskId !== undefined && { taskId }) };
      const context = { ...callContext(agent, '', {}), ...trace };
      try {
        await invoke({ operation: 'SendMessage', request: { message }, context } as Call);
      } finally {
        await close();
      }
    },
  };
}

async function overGrpcWeb(origin: string, { agent, part, taskId, trace }: Sent): Promise<void> {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [part], ...(taskId !== undefined && { taskId }) };
  const json = Buffer.from(JSON.stringify({ message }));
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(json.length, 1);
  const response = await fetch(`${origin}/${agent}/lf.a2a.v1.A2AService/SendMessage`, {
    method: 'POST',
    headers: { ...trace, 'content-type': 'application/grpc-web+json', 'x-grpc-web': '1' },
    body: Buffer.concat([prefix, json]),
  });
  const answer = await response.text();
  if (!answer.includes('grpc-status: 0')) throw new Error(answer);
}

async function overMcp(origin: string, { agent, part, taskId, trace }: Sent, inMeta: boolean): Promise<void> {
  const told = part.text === undefined ? { data: part.data } : { message: part.text };
  const given = { ...told, ...(taskId !== undefined && { task_id: taskId }) };
  const params = { name: 'send_message', arguments: given, ...(inMeta && { _meta: trace }) };
  const response = await fetch(`${origin}/${agent}/mcp`, {
    method: 'POST',
    headers: {
      ...(!inMeta && trace),
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const answer = await response.text();
  if (!response.ok || !answer.includes('"result"') || answer.includes('"isError":true')) throw new Error(answer);
}

function knowledgeOver(via: (typeof bindings)[number]['name'], origin: string): WayIn {
  return {
    name: `knowledge over ${via}`,
    async send({ agent, trace }) {
      const client = await connect(`${origin}/${agent}`, { as: 'a2a-1.0', via });
      const { tenant = '' } = client.interface;
      const asked = { query: '{ statements { totalCount } }', queryLanguage: 'graphql' };
      const request = tenant === '' ? asked : { ...asked, tenant };
      const context = { ...callContext(agent, '', {}), ...trace };
      try {
        await client.invoke({ operation: 'Query', request, context } as Call);
      } finally {
        await client.close();
      }
    },
  };
}
