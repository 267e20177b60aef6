import { Random } from '../support/random.ts';
import { type Speech, speeches } from '../workload/agents/speeches.ts';
import { AgentRecords, WireAgent } from '../workload/agents/wire-agent.ts';
import { ports, serveWireAgent } from '../workload/agents/wire-server.ts';
import { isOver, type Work } from '../workload/agents/work.ts';
import type { PlannedAgent, Recovery } from './further.ts';
import { Host } from './world/hosts.ts';
import type { Network } from './world/network.ts';
import type { World } from './world/world.ts';

interface Place {
  readonly planned: PlannedAgent;
  readonly speech: Speech;
  readonly address: string;
  readonly random: Random;
  /** Content of its disk. */
  works: Map<string, Work>;
  host: Host;
}

/** The agents behind the gateways that each speak one dialect, on hosts of their own. */
export class WireAgents {
  readonly records = new AgentRecords();
  readonly #world: World;
  readonly #network: Network;
  readonly #places: readonly Place[];

  constructor(world: World, network: Network, planned: readonly PlannedAgent[], seed: number) {
    this.#world = world;
    this.#network = network;
    this.#places = planned.flatMap((one, number) => {
      const speech = speeches[one.name];
      const address = `10.0.4.${number + 1}`;
      if (!speech) return [];
      const random = new Random(seed ^ (number + 1));
      return [{ planned: one, speech, address, random, works: new Map(), host: new Host(one.name, address) }];
    });
  }

  /** Agents as gateways are configured with them. */
  get upstreams(): { readonly name: string; readonly url: string }[] {
    return this.#places.map(({ planned, address }) => ({ name: planned.name, url: `http://${address}:${ports.http}` }));
  }

  get names(): readonly string[] {
    return this.#places.map(({ planned }) => planned.name);
  }

  /** The host of an agent; undefined where the plan has no such agent. */
  hostOf(name: string): Host | undefined {
    return this.#placeOf(name)?.host;
  }

  /** Starts all of them. */
  async start(): Promise<void> {
    await Promise.all(this.#places.map((place) => this.#serve(place)));
  }

  /** Ends the process of an agent. */
  kill(name: string): void {
    this.#placeOf(name)?.host.die();
  }

  /** Starts an agent again. */
  async restart(name: string, after: Recovery): Promise<void> {
    const place = this.#placeOf(name);
    if (!place) return;
    const { works } = place;
    for (const work of works.values()) work.loseListeners();
    if (after === 'forgets') {
      for (const { task } of works.values()) this.records.forgotten.add(task);
      place.works = new Map();
    }
    place.host = new Host(name, place.address);
    await this.#serve(place);
    if (after === 'forgets') return;
    place.host.run(() => {
      for (const work of works.values()) {
        if (after === 'goes on') void work.run();
        else if (!isOver(work.task) && !work.isResting) work.end('FAILED', 'The agent has crashed.');
      }
    });
  }

  end(): void {
    for (const { host } of this.#places) host.die();
  }

  #placeOf(name: string): Place | undefined {
    return this.#places.find(({ planned }) => planned.name === name);
  }

  async #serve({ planned: { name, manners }, speech, address, random, works, host }: Place): Promise<void> {
    this.#network.add(host);
    this.#world.trace('starts', `agent ${name}`, host);
    const agent = new WireAgent({ name, speech, manners, random, records: this.records, works });
    await host.run(() => serveWireAgent({ agent, speech, address }));
  }
}
