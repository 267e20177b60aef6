import { isDeepStrictEqual } from 'node:util';
import { callContext } from '../../client/caller.ts';
import { parseTarget } from '../../client/choose.ts';
import { A2AError, type Client, type ConnectOptions, connect, discover } from '../../client/index.ts';
import { v1Dialects } from '../../core/model/a2a.ts';
import { type Call, maxHops } from '../../core/model/call.ts';
import { traceOf } from '../../core/telemetry/trace-context.ts';
import { type ExposedAgent, type Offer, serveMcpStdio } from '../../extensions/mcp/server/stdio.ts';
import { packageVersion } from '../../gateway/process/version.ts';
import type { Output } from '../output.ts';
import { connectOptions, type TargetOptions } from '../target.ts';
import { readAgentList } from './agents.ts';

const defaultTargets = ['http://localhost:8080'];
/** Milliseconds between two reads of the agents' cards. */
const refreshEvery = 15_000;

/**
 * `a2a-gateway mcp`: serves the skills of agents as MCP tools over stdin and stdout, for programs that start their MCP
 * servers themselves. Unreachable targets are retried. Ends with stdin.
 */
export async function mcp(targets: readonly string[], options: TargetOptions, output: Output): Promise<void> {
  const note = (line: string): void => output.note(`note: ${line}`);
  const connection = await connectOptions(options, output);
  const agents = createRemoteAgents(targets.length > 0 ? targets : defaultTargets, connection, note);
  const { stdin, stdout } = process;
  const server = await serveMcpStdio({
    version: packageVersion(),
    offer: () => agents.offer(),
    stdin,
    stdout,
    onFailure: (error) => note(error.message),
  });
  const timer = setInterval(async () => {
    if (await agents.refresh()) server.changed();
  }, refreshEvery);
  await server.ended;
  clearInterval(timer);
  await agents.close();
}

/** Milliseconds to reach a target, and between two attempts. */
const [timeout, pause] = [15_000, 5_000];

/** An agent at a target, offered as tools. */
interface RemoteAgent extends ExposedAgent {
  /** Reads the card again. Resolves with whether it has changed. Never rejects. */
  refresh(): Promise<boolean>;
  close(): Promise<void>;
}

function createRemoteAgent(name: string, client: Client, target: string, options: ConnectOptions): RemoteAgent {
  const { tenant = '' } = client.interface;
  let { card } = client;
  return {
    name,
    // Earlier dialects have no operation that lists tasks.
    lists: v1Dialects.has(client.dialect),
    get card() {
      return card;
    },
    async invoke(operation, request, facts) {
      const { signal, hops } = facts;
      if (hops >= maxHops) throw new A2AError('invalidRequest', `The call has passed more than ${maxHops} gateways`);
      const context = { ...callContext(name, tenant, { signal }), hops: hops + 1, ...traceOf(facts) };
      return client.invoke({ operation, request: tenant === '' ? request : { tenant, ...request }, context } as Call);
    },
    async refresh() {
      try {
        const signal = AbortSignal.timeout(timeout);
        const before = card;
        ({ card } = await discover(target, { ...options, as: client.dialect, signal }));
        return !isDeepStrictEqual(card, before);
      } catch {
        // The next call reports the error.
        return false;
      }
    },
    close: () => client.close(),
  };
}

/**
 * The agents at targets, each of which is an agent or a gateway. Connects when they are first used.
 *
 * @param note prints a line for the user
 */
function createRemoteAgents(targets: readonly string[], options: ConnectOptions, note: (line: string) => void) {
  const names = new Set<string>();
  const places = targets.map((target) => ({
    target,
    agents: undefined as readonly RemoteAgent[] | undefined,
    /** Whether the target lists its agents, so that there may be several. */
    lists: false,
    failure: undefined as A2AError | undefined,
    /** The attempt that is under way, and the earliest time of the next. */
    trying: undefined as Promise<void> | undefined,
    retryAt: 0,
  }));
  const allAgents = (): RemoteAgent[] => places.flatMap(({ agents }) => agents ?? []);

  const freeName = (wanted: string): string => {
    let name = wanted;
    for (let count = 2; names.has(name); count += 1) name = `${wanted}-${count}`;
    names.add(name);
    return name;
  };

  const connectTo = async (target: string, name: string | undefined): Promise<RemoteAgent> => {
    const client = await connect(target, { ...options, signal: AbortSignal.timeout(timeout) });
    for (const line of client.notes) note(`${target}: ${line}`);
    return createRemoteAgent(freeName(name ?? nameOf(client)), client, target, options);
  };

  async function tryTo(place: (typeof places)[number]): Promise<void> {
    const { target } = place;
    try {
      const listed = await listAgents(target, options);
      place.lists = listed !== undefined;
      const root = parseTarget(target);
      const wanted = listed?.map((name) => [new URL(name, root).href, name] as const) ?? [[target, undefined] as const];
      place.agents = await Promise.all(wanted.map(([url, name]) => connectTo(url, name)));
      place.failure = undefined;
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (error.message !== place.failure?.message) note(`${target}: ${error.message}`);
      place.failure = error;
    }
  }

  async function reach(place: (typeof places)[number]): Promise<void> {
    if (place.agents || performance.now() < place.retryAt) return;
    place.trying ??= tryTo(place).finally(() => {
      place.trying = undefined;
      place.retryAt = performance.now() + pause;
    });
    await place.trying;
  }

  return {
    /** The reachable agents. Rejects with an A2AError when there are none. */
    async offer(): Promise<Offer> {
      await Promise.all(places.map(reach));
      const agents = allAgents();
      const [failure] = places.flatMap((place) => place.failure ?? []);
      if (agents.length === 0 && failure) throw failure;
      return { scope: places.length === 1 && !places[0]?.lists ? 'one' : 'many', agents };
    },
    /** Retries unreachable targets, and reads the cards again. Resolves with whether anything has changed. */
    async refresh(): Promise<boolean> {
      const changes = await Promise.all(
        places.map(async (place) => {
          if (place.agents) return (await Promise.all(place.agents.map((agent) => agent.refresh()))).includes(true);
          await reach(place);
          return place.agents !== undefined;
        }),
      );
      return changes.includes(true);
    },
    close: async () => void (await Promise.all(allAgents().map((agent) => agent.close()))),
  };
}

/** The names of a gateway's agents. Undefined where the target is no gateway. */
async function listAgents(target: string, options: ConnectOptions): Promise<string[] | undefined> {
  if (parseTarget(target).pathname !== '/') return undefined;
  try {
    const agents = await readAgentList(target, { ...options, cardTimeout: timeout });
    const names = agents.map(({ name }) => name).filter((name) => /^[a-z0-9][a-z0-9-]*$/.test(name));
    return names.length === agents.length && names.length > 0 ? names : undefined;
  } catch {
    // No gateway. Connecting to the agent reports what is wrong.
    return undefined;
  }
}

/** A tool-safe name from the agent's card. */
function nameOf({ card }: Client): string {
  const words = card.name.toLowerCase().match(/[a-z0-9]+/g) ?? ['agent'];
  return words.join('-').slice(0, 30);
}
