import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type NatsServer, startNats } from '../support/nats.ts';
import { freePort } from '../support/peer.ts';
import { type Halt, type PostgresServer, startPostgres } from '../support/postgres.ts';
import type { Random } from '../support/random.ts';
import { DatabaseLink } from './database-link.ts';
import { GatewayProcess } from './gateway-process.ts';
import { NatsLink } from './nats-link.ts';
import { UpstreamLink } from './upstream-link.ts';

export const size = 3;

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** A gateway that ended without being stopped. */
export interface Fall {
  readonly gateway: number;
  readonly how: string;
  /** Whether it had been ready before. */
  readonly wasReady: boolean;
}

export interface ClusterOptions {
  /** For what is written. */
  readonly folder: string;
  /** Milliseconds by which each gateway's clock is off. */
  readonly clocks: readonly number[];
  readonly random: Random;
  /** Whether NATS carries the notifications. */
  readonly nats: boolean;
  /** Whether some agents have a database of their own, on the same server. */
  readonly several: boolean;
}

/** Parts that the cluster is made of. */
interface Parts {
  readonly database: PostgresServer;
  readonly stores: readonly string[];
  readonly links: readonly DatabaseLink[];
  readonly agents: ChildProcess;
  readonly far: UpstreamLink;
  readonly sdk: string;
  readonly ports: readonly number[];
  readonly nats: NatsServer | undefined;
  /** Each gateway's way to NATS. */
  readonly natsLinks: readonly NatsLink[];
}

/** Three gateways on one database, and the agents behind them. */
export class Cluster {
  readonly gateways: readonly GatewayProcess[];
  /** URLs of the stores, past the gateways' links to them. */
  readonly stores: readonly string[];
  /** File in which the gateways' own agents note their executions. */
  readonly executions: string;
  /** Each gateway's way to the database. */
  readonly links: readonly DatabaseLink[];
  /** The way to the agent `far`. */
  readonly far: UpstreamLink;
  readonly falls: Fall[] = [];
  /** Called once with the next gateway that answers at once and shows a task that is over. */
  #awaiting: ((gateway: GatewayProcess) => void) | undefined;
  readonly #database: PostgresServer;
  readonly #agents: ChildProcess;
  readonly #nats: NatsServer | undefined;
  readonly #natsLinks: readonly NatsLink[];
  #hasEnded = false;
  /** Operations on the database run one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor({ folder, clocks }: ClusterOptions, parts: Parts) {
    this.#database = parts.database;
    this.#agents = parts.agents;
    this.#nats = parts.nats;
    this.#natsLinks = parts.natsLinks;
    this.stores = parts.stores;
    this.links = parts.links;
    this.far = parts.far;
    this.executions = join(folder, 'executions.txt');
    writeFileSync(this.executions, '');
    this.gateways = parts.ports.map((port, gateway) => {
      const config = join(folder, `gateway-${gateway}.yaml`);
      const stores = parts.stores.map((url) => {
        const store = new URL(url);
        store.port = String(parts.links[gateway]?.port);
        return store.href;
      });
      writeFileSync(config, configOf(port, stores, parts, parts.natsLinks[gateway]?.url));
      return new GatewayProcess({
        config,
        port,
        logFile: join(folder, `gateway-${gateway}.log`),
        env: {
          TORTURE_EXECUTIONS: this.executions,
          TORTURE_CLOCK: String(clocks[gateway] ?? 0),
          // Gateways that are restarted start sooner with compiled code.
          NODE_COMPILE_CACHE: join(folder, 'compiled'),
        },
        onFall: (how, wasReady) => this.falls.push({ gateway, how, wasReady }),
      });
    });
  }

  /** Starts everything. */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const database = await startPostgres();
    const links: DatabaseLink[] = [];
    let agents: ChildProcess | undefined;
    let far: UpstreamLink | undefined;
    const natsLinks: NatsLink[] = [];
    let nats: NatsServer | undefined;
    try {
      nats = options.nats ? await startNats() : undefined;
      for (let i = 0; nats && i < size; i += 1) natsLinks.push(await NatsLink.open(nats.port));
      const free = new Set<number>();
      while (free.size <= size) free.add(await freePort());
      const [farPort = 0, ...ports] = free;
      far = new UpstreamLink(farPort);
      await far.up();
      const env = { ...process.env, TORTURE_FAR_URL: far.url };
      agents = fork(here('upstream-process.ts'), { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      const told = once(agents, 'message', { signal: AbortSignal.timeout(60_000) });
      const [[there], first] = await Promise.all([Promise.race([told, ended(agents)]), database.database()]);
      const stores = options.several ? [first, await database.database()] : [first];
      const port = Number(new URL(first).port);
      for (let i = 0; i < size; i += 1) links.push(await DatabaseLink.open(port, () => options.random.next()));
      far.target = there.farPort;
      const reached = { database, stores, links, agents, far, sdk: there.sdk, ports, nats, natsLinks };
      const cluster = new Cluster(options, reached);
      await cluster.startGateways().catch(async (thrown: unknown) => {
        await Promise.all(cluster.gateways.map((gateway) => gateway.end()));
        throw thrown;
      });
      if (nats) void cluster.#hinder(nats, options.random);
      return cluster;
    } catch (thrown) {
      agents?.kill('SIGKILL');
      await Promise.all([far?.down(), ...links.map((link) => link.close())]);
      for (const link of natsLinks) link.close();
      await nats?.kill();
      await database.stop();
      throw thrown;
    }
  }

  /** Rejects when the agents behind the gateways are gone: the outcome of their tasks then proves nothing. */
  survive(): Promise<never> {
    return ended(this.#agents);
  }

  get urls(): readonly string[] {
    return this.gateways.map(({ port }) => `http://127.0.0.1:${port}`);
  }

  /** Whether others may have taken a gateway's process for dead, since something was done to it. */
  wasStruck(pid: number): boolean {
    return this.gateways.some(({ struck }) => struck.has(pid));
  }

  /** A caller who did not wait was shown by this gateway that a task is over. */
  ended(gateway: number): void {
    const process = this.gateways[gateway];
    const awaiting = this.#awaiting;
    this.#awaiting = undefined;
    if (process) awaiting?.(process);
  }

  /** The next gateway that shows a caller who did not wait that a task is over; undefined after a while. */
  nextEnd(ms: number): Promise<GatewayProcess | undefined> {
    const { promise, resolve } = Promise.withResolvers<GatewayProcess | undefined>();
    this.#awaiting = resolve;
    setTimeout(() => resolve(undefined), ms);
    return promise;
  }

  async startGateways(): Promise<void> {
    for (const gateway of this.gateways) gateway.start();
    await Promise.all(this.gateways.map((gateway) => gateway.ready()));
  }

  /** Ends the database, and starts it again after a while. */
  restartDatabase(how: Halt, ms: number): Promise<void> {
    return this.#inTurn(async () => {
      await this.#database.halt(how);
      await delay(ms);
      await this.#database.resume();
    });
  }

  /** Nothing that is said to the database is answered for a while: its processes stand still, or what leads to it does. */
  freezeDatabase(how: 'processes' | 'links', ms: number): Promise<void> {
    return this.#inTurn(async () => {
      if (how === 'links') {
        await Promise.all(this.links.map((link) => link.hold(ms)));
        return;
      }
      this.#database.freeze();
      await delay(ms);
      this.#database.thaw();
    });
  }

  /** Kills NATS, lets it stand still, or cuts one or two gateways off from it and so from each other, again and again. */
  async #hinder(nats: NatsServer, random: Random): Promise<void> {
    while (!this.#hasEnded) {
      await delay(random.between(2_000, 10_000));
      const ms = random.between(200, 9_000);
      const how = random.pick(['kill', 'cut off', 'freeze'] as const);
      if (how === 'kill') {
        await nats.kill();
        await delay(ms);
        if (!this.#hasEnded) await nats.start();
      } else if (how === 'cut off') {
        const first = random.between(0, size - 1);
        const cut = this.#natsLinks.slice(first, first + random.between(1, size - 1));
        await Promise.all(cut.map((link) => link.hold(ms)));
      } else {
        nats.freeze();
        await delay(ms);
        nats.thaw();
      }
    }
    await nats.kill();
  }

  #inTurn(use: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(use);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Ends every process, whatever state it is in. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await Promise.all(this.gateways.map((gateway) => gateway.end()));
    await this.#nats?.kill();
    for (const link of this.#natsLinks) link.close();
    this.#agents.kill('SIGKILL');
    await Promise.all([this.far.down(), ...this.links.map((link) => link.close())]);
    await this.#database.stop();
  }
}

async function ended(agents: ChildProcess): Promise<never> {
  const [code, signal] = await once(agents, 'exit');
  throw new Error(`the agents behind the gateways have ended: ${signal ?? `exit code ${code}`}`);
}

const agentFile = (name: string): string => JSON.stringify(here(`agents/${name}.ts`));

const configOf = (
  port: number,
  [store, own]: readonly string[],
  { far, sdk }: Parts,
  nats: string | undefined,
  ofOwn = own === undefined ? '' : ', store: own',
): string => `
listen: { host: 127.0.0.1, port: ${port} }
store: ${JSON.stringify(store)}
${own === undefined ? '' : `stores: { own: ${JSON.stringify(own)} }`}
${nats ? `notifications: ${nats}` : ''}
limits: { webhooks: { perPrincipal: unlimited, perMinute: unlimited } }
log: { level: info }
defaultAgent: local
agents:
  local: { kind: reference }
  patient: { kind: module, path: ${agentFile('patient')} }
  once: { kind: module, path: ${agentFile('once')} }
  restarted: { kind: module, path: ${agentFile('restarted')}${ofOwn} }
  far: { kind: upstream, url: ${JSON.stringify(far.url)}${ofOwn} }
  sdk: { kind: upstream, url: ${JSON.stringify(sdk)} }
`;
