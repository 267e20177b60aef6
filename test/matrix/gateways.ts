import { createReferenceAgent } from '../../src/agents/reference.ts';
import { anonymous } from '../../src/auth/anonymous.ts';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import { callContext } from '../../src/client/caller.ts';
import { addressOf } from '../../src/client/choose.ts';
import { createClient } from '../../src/client/client.ts';
import { bindings, type Client, choices, discover, type StreamResponse, type Task } from '../../src/client/index.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { Agent } from '../../src/core/model/agent.ts';
import { isStream } from '../../src/core/model/call.ts';
import { isTerminal } from '../../src/core/model/lifecycle.ts';
import { previews } from '../../src/dialects/registry.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { createHttpClient, type HttpClient } from '../../src/net/http-client.ts';
import { invokeOf } from '../../src/transports/rpc/mount.ts';
import { type DialectBinding, dialectBindings } from '../support/conversations.ts';
import { openGateway } from '../support/gateway.ts';
import { paced } from '../support/pace.ts';

/** An agent behind the gateway. */
export interface Upstream {
  readonly protocol: DialectBinding;
  /** Whether it streams. One that does not is polled. */
  readonly streams: boolean;
}

/**
 * Three gateways: one is every upstream agent that there can be, another is them all without streams, and the third
 * stands in front of each of them.
 */
export interface Gateways {
  /** A client of the gateway in front of `upstream`, or of the agent itself. */
  client(protocol: DialectBinding, upstream?: Upstream): Promise<Client>;
  /** Reads the stored tasks of the agent without a binding. */
  keeper(upstream?: Upstream): Keeper;
  close(): Promise<void>;
}

/** Tasks of one agent, as a gateway stores them. */
export interface Keeper {
  task(id: string): Promise<Task>;
  /** Everything that has happened to a task. */
  log(task: Task): Promise<StreamResponse[]>;
}

/** Name of the agent itself. */
const itself = 'agent';

const nameOf = ({ protocol, streams }: Upstream): string =>
  `${protocol.as}-${protocol.via}${streams ? '' : '-answers'}`.replaceAll('.', '-');

/** Credentials that the gateway in front sends; the upstreams check them, and show their extended card to known callers. */
const credentials = 'auth: { type: apiKey, key: matrix }';
const known = `auth: { apiKeys: [{ name: matrix, hash: "${shownHash(hashOf('matrix'))}" }] }`;

export async function startGateways(): Promise<Gateways> {
  const reference = createReferenceAgent();
  const { capabilities } = reference.card;
  const quiet = { ...reference, card: { ...reference.card, capabilities: { ...capabilities, streaming: false } } };
  const direct = await start('', { [itself]: reference });
  const agent = await start(known, { [itself]: reference });
  const answers = await start(known, { [itself]: quiet });
  const upstreams = [agent, answers].flatMap((one) =>
    dialectBindings.map((protocol) => ({
      protocol,
      streams: one === agent,
      url: `${one.origin}/${itself}/as/${protocol.as}`,
    })),
  );
  const rows = upstreams.map(({ url, ...upstream }) => {
    const { as, via } = upstream.protocol;
    return `  ${nameOf(upstream)}: { kind: upstream, url: "${url}", dialect: ${as}, transport: ${via}, ${credentials} }\n`;
  });
  const bridge = await start(`agents:\n${rows.join('')}`);
  await Promise.all(upstreams.map((upstream) => settled(upstream, bridge.gateway)));
  const http = createHttpClient();
  return {
    client: (protocol, upstream) =>
      upstream
        ? clientOf(protocol, bridge.origin, nameOf(upstream), http)
        : clientOf(protocol, direct.origin, itself, http),
    keeper: (upstream) => (upstream ? keeperOf(bridge.gateway, nameOf(upstream)) : keeperOf(direct.gateway, itself)),
    async close() {
      http.close();
      for (const { gateway } of [bridge, direct, agent, answers]) await gateway.close({ drainMs: 0 });
    },
  };
}

/** Resolves when the gateway has the extended card of an upstream that gives it out, which it fetches unasked. */
async function settled(upstream: Upstream, gateway: Gateway): Promise<void> {
  const invoke = invokeOf(gateway);
  if (!upstream.protocol.methods.has('GetExtendedAgentCard')) return;
  const context = { ...callContext(nameOf(upstream), '', {}), principal: anonymous };
  for (const late = Date.now() + paced(60_000); ; ) {
    try {
      await invoke({ operation: 'GetExtendedAgentCard', request: {}, context });
      return;
    } catch (thrown) {
      if (Date.now() > late) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/**
 * @param settings in YAML
 * @param own the agents made here; the first one answers at the root too
 */
async function start(
  settings: string,
  own: Readonly<Record<string, Agent>> = {},
): Promise<{ readonly gateway: Gateway; readonly origin: string }> {
  const preview = `preview: [${previews.join(', ')}]`;
  const text = `listen: { host: localhost, port: 0 }\nstore: "memory:"\n${preview}\n${settings}`;
  const config = parseConfig(text, { file: '/matrix.yaml' });
  const [defaultAgent = config.defaultAgent] = Object.keys(own);
  const { gateway, url: origin } = await openGateway({ ...config, defaultAgent }, { agents: own });
  return { gateway, origin };
}

/** Reads as the clients' principal. */
function keeperOf(gateway: Gateway, agent: string): Keeper {
  const invoke = invokeOf(gateway);
  const context = { ...callContext(agent, '', { after: 0 }), principal: anonymous };
  return {
    async task(id) {
      const reply = await invoke({ operation: 'GetTask', request: { id }, context });
      if (isStream(reply)) throw new TypeError('a stream');
      return reply.value as Task;
    },
    async log({ id, status }) {
      const reply = await invoke({ operation: 'SubscribeToTask', request: { id }, context });
      if (!isStream(reply)) throw new TypeError('no stream');
      const events: StreamResponse[] = [];
      for await (const { event } of reply.events) {
        events.push(event);
        // The stream of a task that waits goes on.
        const { state, timestamp } = (event.statusUpdate ?? event.task)?.status ?? {};
        if (!isTerminal(status.state) && state === status.state && timestamp === status.timestamp) break;
      }
      return events;
    },
  };
}

/** The metadata of each call name the agent if the card cannot say how it is reached over a binding. */
async function clientOf(
  { dialect, as, via }: DialectBinding,
  origin: string,
  agent: string,
  http: HttpClient,
): Promise<Client> {
  const target = `${origin}/${agent}/as/${as}`;
  const binding = bindings.find(({ name }) => name === via);
  if (!binding) throw new TypeError(`There is no binding ${via}.`);
  const found = await discover(target, { as, http });
  const { card, document } = found;
  const options = { dialect, http, timeout: paced(30_000), strict: false };
  const choice = choices(found, [dialect]).find((one) => one.binding.name === via);
  const agentInterface = choice?.interface ?? {
    url: origin,
    protocolBinding: binding.protocolBinding,
    protocolVersion: dialect.card.protocolVersion,
  };
  const { href: url } = choice ? addressOf(choice, found.url) : new URL(origin);
  const headers = (): Record<string, string> => (choice ? {} : { 'a2a-agent': agent });
  const opened = await binding.open({ ...options, url, headers });
  const parts = {
    card,
    document,
    binding: via,
    dialect: as,
    interface: agentInterface,
    notes: [],
    invoke: opened.invoke,
  };
  return createClient({ ...parts, close: async () => opened.close() });
}
