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
  const agents = new RemoteAgents(targets.length > 0 ? targets : defaultTargets, connection, note);
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

/** Milliseconds to reach a target. */
const timeout = 15_000;
/** Milliseconds between two attempts to reach a target. */
const pause = 5_000;

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

/** A target, which is an agent or a gateway. It is connected when its agents are first used. */
class RemoteTarget {
  readonly #target: string;
  readonly #connect: (url: string, name: string | undefined) => Promise<RemoteAgent>;
  readonly #options: ConnectOptions;
  readonly #note: (line: string) => void;
  /** The agents at the target. Undefined if it has not been reached yet. */
  agents: readonly RemoteAgent[] | undefined;
  /** Whether the target lists its agents, so that there may be several. */
  lists = false;
  failure: A2AError | undefined;
  /** The current attempt. */
  #trying: Promise<void> | undefined;
  /** The earliest time of the next attempt, on the clock of `performance.now()`. */
  #retryAt = 0;

  constructor(
    target: string,
    options: ConnectOptions,
    note: (line: string) => void,
    connectTo: (url: string, name: string | undefined) => Promise<RemoteAgent>,
  ) {
    this.#target = target;
    this.#options = options;
    this.#note = note;
    this.#connect = connectTo;
  }

  /** Connects, unless the last attempt failed a short time ago. Never rejects. */
  async reach(): Promise<void> {
    if (this.agents || performance.now() < this.#retryAt) return;
    this.#trying ??= this.#try().finally(() => {
      this.#trying = undefined;
      this.#retryAt = performance.now() + pause;
    });
    await this.#trying;
  }

  /** Connects to the target, or reads its agents' cards again. Resolves to whether anything has changed. */
  async refresh(): Promise<boolean> {
    if (this.agents) return (await Promise.all(this.agents.map((agent) => agent.refresh()))).includes(true);
    await this.reach();
    return this.agents !== undefined;
  }

  async #try(): Promise<void> {
    const target = this.#target;
    try {
      const listed = await listAgents(target, this.#options);
      this.lists = listed !== undefined;
      const root = parseTarget(target);
      const wanted = listed?.map((name) => [new URL(name, root).href, name] as const) ?? [[target, undefined] as const];
      this.agents = await Promise.all(wanted.map(([url, name]) => this.#connect(url, name)));
      this.failure = undefined;
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (error.message !== this.failure?.message) this.#note(`${target}: ${error.message}`);
      this.failure = error;
    }
  }
}

/** The agents at all targets, with unique names. */
class RemoteAgents {
  readonly #targets: readonly RemoteTarget[];
  readonly #options: ConnectOptions;
  readonly #note: (line: string) => void;
  readonly #names = new Set<string>();

  /** @param note prints a line for the user */
  constructor(targets: readonly string[], options: ConnectOptions, note: (line: string) => void) {
    this.#options = options;
    this.#note = note;
    const connectTo = (url: string, name: string | undefined) => this.#connectTo(url, name);
    this.#targets = targets.map((target) => new RemoteTarget(target, options, note, connectTo));
  }

  /** Returns the reachable agents. Rejects with an A2AError if there are none. */
  async offer(): Promise<Offer> {
    await Promise.all(this.#targets.map((target) => target.reach()));
    const agents = this.#all();
    const [failure] = this.#targets.flatMap((target) => target.failure ?? []);
    if (agents.length === 0 && failure) throw failure;
    return { scope: this.#targets.length === 1 && !this.#targets[0]?.lists ? 'one' : 'many', agents };
  }

  /** Retries unreachable targets, and reads the cards again. Resolves with whether anything has changed. */
  async refresh(): Promise<boolean> {
    return (await Promise.all(this.#targets.map((target) => target.refresh()))).includes(true);
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map((agent) => agent.close()));
  }

  #all(): RemoteAgent[] {
    return this.#targets.flatMap(({ agents }) => agents ?? []);
  }

  async #connectTo(target: string, name: string | undefined): Promise<RemoteAgent> {
    const client = await connect(target, { ...this.#options, signal: AbortSignal.timeout(timeout) });
    for (const line of client.notes) this.#note(`${target}: ${line}`);
    return createRemoteAgent(this.#freeName(name ?? nameOf(client)), client, target, this.#options);
  }

  #freeName(wanted: string): string {
    let name = wanted;
    for (let count = 2; this.#names.has(name); count += 1) name = `${wanted}-${count}`;
    this.#names.add(name);
    return name;
  }
}

/** Returns the names of a gateway's agents. Undefined if the target is not a gateway. */
async function listAgents(target: string, options: ConnectOptions): Promise<string[] | undefined> {
  if (parseTarget(target).pathname !== '/') return undefined;
  try {
    const agents = await readAgentList(target, { ...options, cardTimeout: timeout });
    const names = agents.map(({ name }) => name).filter((name) => /^[a-z0-9][a-z0-9-]*$/.test(name));
    return names.length === agents.length && names.length > 0 ? names : undefined;
  } catch {
    // Not a gateway. Connecting to the agent reports any problem.
    return undefined;
  }
}

/** Returns a name from the agent's card that is valid for tools. */
function nameOf({ card }: Client): string {
  const words = card.name.toLowerCase().match(/[a-z0-9]+/g) ?? ['agent'];
  return words.join('-').slice(0, 30);
}
