import { isDeepStrictEqual } from 'node:util';
import { callContext } from '../client/caller.ts';
import { parseTarget } from '../client/choose.ts';
import { credentialHeaders } from '../client/credentials.ts';
import { A2AError, type Client, type ConnectOptions, connect, discover } from '../client/index.ts';
import { type Call, canonicalDialect, maxHops } from '../core/model/call.ts';
import { traceOf } from '../core/telemetry/trace-context.ts';
import type { Offer, ToolAgent } from '../gateway/mcp/stdio.ts';

/** Milliseconds to reach a target, and between two attempts. */
const [timeout, pause] = [15_000, 5_000];

/** An agent at a target, offered as tools. */
class RemoteAgent implements ToolAgent {
  readonly name: string;
  readonly lists: boolean;
  readonly #client: Client;
  readonly #target: string;
  readonly #options: ConnectOptions;
  #card: Client['card'];

  constructor(name: string, client: Client, target: string, options: ConnectOptions) {
    this.name = name;
    this.#client = client;
    this.#card = client.card;
    this.#target = target;
    this.#options = options;
    // Earlier dialects have no operation that lists tasks.
    this.lists = client.dialect === canonicalDialect;
  }

  get card(): Client['card'] {
    return this.#card;
  }

  invoke: ToolAgent['invoke'] = async (operation, request, facts) => {
    const { signal, hops } = facts;
    if (hops >= maxHops) throw new A2AError('invalidRequest', `The call has passed more than ${maxHops} gateways`);
    const { tenant = '' } = this.#client.interface;
    const context: Call['context'] = {
      ...callContext(this.name, tenant, { signal }),
      hops: hops + 1,
      ...traceOf(facts),
    };
    return this.#client.invoke({
      operation,
      request: tenant === '' ? request : { tenant, ...request },
      context,
    } as Call);
  };

  /** Reads the card again. Resolves with whether it has changed. Never rejects. */
  async refresh(): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(timeout);
      const { card } = await discover(this.#target, { ...this.#options, as: this.#client.dialect, signal });
      if (isDeepStrictEqual(card, this.#card)) return false;
      this.#card = card;
      return true;
    } catch {
      // The next call reports the error.
      return false;
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** A target with its agents, or the reason why there are none. */
interface RemoteTarget {
  readonly target: string;
  agents: readonly RemoteAgent[] | undefined;
  /** Whether the target lists its agents, so that there may be several. */
  lists: boolean;
  failure: A2AError | undefined;
  triedAt: number;
  trying: Promise<void> | undefined;
}

/** The agents at targets, each of which is an agent or a gateway. Connects when they are first used. */
export class RemoteAgents {
  readonly #targets: readonly RemoteTarget[];
  readonly #options: ConnectOptions;
  readonly #note: (line: string) => void;
  readonly #taken = new Set<string>();

  /** @param note prints a line for the user */
  constructor(targets: readonly string[], options: ConnectOptions, note: (line: string) => void) {
    this.#options = options;
    this.#note = note;
    this.#targets = targets.map((target) => ({
      target,
      agents: undefined,
      lists: false,
      failure: undefined,
      triedAt: Number.NEGATIVE_INFINITY,
      trying: undefined,
    }));
  }

  /** The reachable agents. Rejects with an A2AError when there are none. */
  async offer(): Promise<Offer> {
    await Promise.all(this.#targets.map((place) => this.#reach(place)));
    const found = this.#targets.flatMap(({ agents }) => agents ?? []);
    const [failure] = this.#targets.flatMap((place) => place.failure ?? []);
    if (found.length === 0 && failure) throw failure;
    const one = this.#targets.length === 1 && !this.#targets[0]?.lists;
    return { scope: one ? 'one' : 'many', agents: found };
  }

  /** Retries unreachable targets, and reads the cards again. Resolves with whether anything has changed. */
  async refresh(): Promise<boolean> {
    const changes = await Promise.all(
      this.#targets.map(async (place) => {
        if (place.agents) return (await Promise.all(place.agents.map((agent) => agent.refresh()))).includes(true);
        await this.#reach(place);
        return place.agents !== undefined;
      }),
    );
    return changes.includes(true);
  }

  async close(): Promise<void> {
    await Promise.all(this.#targets.flatMap(({ agents }) => agents ?? []).map((agent) => agent.close()));
  }

  #reach(place: RemoteTarget): Promise<void> {
    if (place.agents || performance.now() - place.triedAt < pause) return place.trying ?? Promise.resolve();
    place.triedAt = performance.now();
    place.trying = this.#connect(place).finally(() => {
      place.trying = undefined;
    });
    return place.trying;
  }

  async #connect(place: RemoteTarget): Promise<void> {
    const { target } = place;
    try {
      const names = await listAgents(target, this.#options);
      place.lists = names !== undefined;
      const root = parseTarget(target);
      const wanted = names?.map((name) => [new URL(name, root).href, name] as const) ?? [[target, undefined] as const];
      place.agents = await Promise.all(wanted.map(([url, name]) => this.#agent(url, name)));
      place.failure = undefined;
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (error.message !== place.failure?.message) this.#note(`${target}: ${error.message}`);
      place.failure = error;
    }
  }

  async #agent(target: string, name: string | undefined): Promise<RemoteAgent> {
    const options = { ...this.#options, signal: AbortSignal.timeout(timeout) };
    const client = await connect(target, options);
    for (const line of client.notes) this.#note(`${target}: ${line}`);
    return new RemoteAgent(this.#freeName(name ?? nameOf(client)), client, target, this.#options);
  }

  #freeName(wanted: string): string {
    let name = wanted;
    for (let count = 2; this.#taken.has(name); count += 1) name = `${wanted}-${count}`;
    this.#taken.add(name);
    return name;
  }
}

/** The names of a gateway's agents. Undefined where the target is no gateway. */
async function listAgents(target: string, options: ConnectOptions): Promise<string[] | undefined> {
  const url = parseTarget(target);
  if (url.pathname !== '/') return undefined;
  try {
    const headers = await credentialHeaders(options)();
    const answer = await fetch(new URL('/agents', url), {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(timeout),
    });
    if (!answer.ok) return undefined;
    const { agents } = (await answer.json()) as { agents: { name: string }[] };
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
