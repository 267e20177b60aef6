import { fileURLToPath } from 'node:url';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import type { Agent } from '../../src/core/model/agent.ts';
import type { Logger } from '../../src/core/ports/logger.ts';
import { createGateway, type Gateway } from '../../src/gateway/compose/gateway.ts';
import type { GatewaySettings } from '../../src/gateway/compose/settings.ts';
import { createSqlStore } from '../../src/stores/store.ts';
import type { Execution, NoteExecution } from '../workload/agents/executions.ts';
import { definePatient } from '../workload/agents/patient.ts';
import { defineTurns, type NoteRun, type TurnRun, turnAgents } from '../workload/agents/turns.ts';
import { defineWhispers, guardedAgent, guardWindow } from '../workload/agents/whispers.ts';
import { defineWorker } from '../workload/agents/worker.ts';
import { agreement, askedAgents, bystander, people } from '../workload/askers.ts';
import { keyOf } from '../workload/clients.ts';
import { failer } from '../workload/failers.ts';
import type { Read } from '../workload/ledger.ts';
import type { Reloaded } from './further.ts';
import type { SharedDatabase } from './world/database.ts';
import { Host } from './world/hosts.ts';
import type { Network } from './world/network.ts';
import type { World } from './world/world.ts';

/** The port of every gateway. */
const port = 8080;

/** Milliseconds that a gateway has to finish its running work after a signal to stop. */
const drainMs = 2_000;

/** Virtual milliseconds after which a process that was paused knows what happened meanwhile. */
const recognition = 8_000;

/** A process that stood still. */
interface Pause {
  readonly replica: Replica;
  readonly from: number;
  /** Undefined: it still does, or has died. */
  until?: number;
}

/** Reads the metrics of gateways. */
const watcher = 'watcher';

const keyConfigOf = (name: string) => ({
  name,
  hash: shownHash(hashOf(keyOf(name))),
  ...(name === watcher && { scopes: ['metrics'] }),
});

/** Reads the calls of gateways. */
const operator = 'operator';

/** A caller whose calls fail, and an operator who looks for them. */
const ofFailers = [keyConfigOf(failer), { ...keyConfigOf(operator), scopes: ['admin'] }];

/** People who decide about calls, at the gateways. */
const deciders = [...people, bystander].map((name) => ({ ...keyConfigOf(name), scopes: ['questions'] }));

/** Calls of the asked agents wait until people agree. */
const asking = [
  {
    name: 'asked',
    where: 'agent.startsWith("asked")',
    ask: { of: [...people], quorum: agreement.quorum, until: `${agreement.within / 1_000}s` },
  },
];

/** A judge in a module sees what the agent gets and says. */
const guarding = [
  {
    name: 'words',
    where: `agent == "${guardedAgent}"`,
    module: fileURLToPath(new URL('../workload/agents/whispers.ts', import.meta.url)),
    window: guardWindow,
    timeout: '60s',
  },
];

/** One place of the fleet, where one gateway process runs after the other. */
export class Replica {
  readonly name: string;
  readonly address: string;
  readonly #fleet: Fleet;
  #host: Host | undefined;
  #gateway: Gateway | undefined;
  #pid = 0;

  constructor(fleet: Fleet, number: number) {
    this.#fleet = fleet;
    this.name = `gateway-${number}`;
    this.address = `10.0.0.${number + 1}`;
  }

  get url(): string {
    return `http://${this.address}:${port}`;
  }

  /** The process that runs, or ran last. */
  get host(): Host {
    if (!this.#host) throw new Error(`${this.name} was never started`);
    return this.#host;
  }

  /** Number of the process that runs, or ran last: of all processes of the fleet. */
  get pid(): number {
    return this.#pid;
  }

  /** Starts a process. Resolves when it serves; tries again while it cannot. */
  start(skew = 0): Promise<void> {
    const { network, world } = this.#fleet;
    const host = new Host(this.name, this.address);
    host.skew = skew;
    network.add(host);
    this.#host = host;
    const pid = this.#fleet.nextPid(host);
    this.#pid = pid;
    world.trace('starts', `process ${pid}`, host);
    return host.run(async () => {
      const gateway = createGateway(this.#settings(host, pid));
      this.#gateway = gateway;
      await gateway.listen();
      world.trace('serves', `process ${pid}`, host);
    });
  }

  /** Ends the process at once. */
  kill(): void {
    this.#fleet.struck.add(this.#pid);
    this.host.die();
  }

  /** Its page of metrics. */
  metrics(): Promise<string> {
    return this.#page('/metrics', watcher);
  }

  /** An answer of its admin service. @param path with the query */
  async admin<T>(path: string): Promise<T> {
    return JSON.parse(await this.#page(`/admin/v1/${path}`, operator)) as T;
  }

  #page(path: string, caller: string): Promise<string> {
    return this.host.run(async () => {
      const headers = { 'x-api-key': keyOf(caller) };
      const answer = await this.#gateway?.fetch(new Request(`${this.url}${path}`, { headers }));
      if (answer?.status !== 200) throw new Error(`${path} of ${this.name}: ${answer?.status}`);
      return answer.text();
    });
  }

  /** Tells the process to stop. Resolves when it has ended. */
  async stop(): Promise<void> {
    this.#fleet.struck.add(this.#pid);
    const { host } = this;
    await host.run(async () => this.#gateway?.close({ drainMs }));
    host.die();
  }

  /** Loads the configuration again, as a program does. */
  async reload(how: Reloaded): Promise<void> {
    const { host } = this;
    const settings = this.#settings(host, this.#pid);
    const agents = { ...settings.agents, ...(how === 'agent' && { further: { kind: 'reference' as const } }) };
    // A limit of the plan holds to its end.
    const limits = { ...settings.limits, ...(how === 'limit' && { streams: settings.limits?.streams ?? 500 }) };
    // Calls that wait do so although nobody would be asked any more.
    const changed = { ...settings, agents, limits, ...(how === 'limit' && { policies: [] }) };
    await host.run(async () => this.#gateway?.reload(changed as GatewaySettings));
  }

  /** Lets the process stand still. Returns what lets it go on. */
  pause(): () => void {
    this.#fleet.struck.add(this.#pid);
    const { host } = this;
    const { world, pauses } = this.#fleet;
    const pause: Pause = { replica: this, from: world.now };
    pauses.push(pause);
    host.pause();
    return () => {
      pause.until = world.now;
      host.resume();
    };
  }

  #settings(host: Host, pid: number): GatewaySettings {
    const fleet = this.#fleet;
    const logger = fleet.loggerOf(host);
    const note: NoteExecution = (message, what) => fleet.noteExecution(pid, message.parts[1]?.text ?? '', what);
    const noteRun: NoteRun = (what) => fleet.noteRun(pid, what);
    const code = (agent: Agent) => ({ kind: 'code', agent }) as const;
    const callers = fleet.callers.length > 0 ? [...fleet.callers, watcher].map(keyConfigOf) : [];
    const keys = [...callers, ...(fleet.hasAsks ? deciders : []), ...(fleet.hasFailers ? ofFailers : [])];
    return {
      listen: { host: this.address, port, publicUrl: this.url },
      auth: {
        anonymous: true,
        ...(keys.length > 0 && { apiKeys: keys }),
      },
      ...(fleet.hasAsks && { policies: asking }),
      ...(fleet.hasGuard && { guards: guarding }),
      store: createSqlStore({
        shown: 'simulated',
        instance: this.name,
        logger,
        connect: async () => fleet.database.connect(host),
      }),
      logger,
      limits: {
        ...(fleet.streams !== undefined && { streams: fleet.streams }),
        requestsPerMinute: 'unlimited',
        webhooks: { perPrincipal: 'unlimited', perMinute: 'unlimited' },
      },
      outbound: { allow: ['10.0.0.0/8'] },
      ...(fleet.retention !== undefined && { retention: { tasks: `${fleet.retention / 60_000}m` } }),
      defaultAgent: 'local',
      agents: {
        local: { kind: 'reference' },
        patient: code(definePatient(note)),
        once: code(defineWorker('once', false, note)),
        restarted: code(defineWorker('restarted', true, note)),
        ...(fleet.hasTurns &&
          Object.fromEntries(turnAgents.map((name) => [name, code(defineTurns(name, note, noteRun))]))),
        ...(fleet.hasAsks &&
          Object.fromEntries(askedAgents.map((name) => [name, code(defineWorker(name, name === 'askedagain', note))]))),
        ...(fleet.hasGuard && { [guardedAgent]: code(defineWhispers()) }),
        ...Object.fromEntries(fleet.upstreams.map(({ name, ...rest }) => [name, { kind: 'upstream', ...rest }])),
      },
    } as GatewaySettings;
  }
}

/** An agent behind the gateways. */
export interface Upstream {
  readonly name: string;
  readonly url: string;
  /** Time for which it may report nothing of its tasks. Default: the gateway's. */
  readonly silence?: string;
}

export interface FleetOptions {
  readonly world: World;
  readonly network: Network;
  readonly database: SharedDatabase;
  readonly size: number;
  readonly upstreams: readonly Upstream[];
  /** Milliseconds after which the gateways delete tasks at rest. */
  readonly retention?: number | undefined;
  /** Callers with keys of their own. */
  readonly callers?: readonly string[] | undefined;
  /** Streams that one caller may have at one gateway. */
  readonly streams?: number | undefined;
  /** Whether there are agents that get messages while they work. */
  readonly hasTurns?: boolean;
  /** Whether there are agents that get a message when people agree. */
  readonly hasAsks?: boolean;
  /** Whether there is an agent behind a guard. */
  readonly hasGuard?: boolean;
  /** Whether there are calls that fail, and an operator who looks for them. */
  readonly hasFailers?: boolean;
}

/** Gateways on one database. */
export class Fleet {
  readonly world: World;
  readonly network: Network;
  readonly database: SharedDatabase;
  readonly upstreams: readonly Upstream[];
  readonly retention: number | undefined;
  readonly callers: readonly string[];
  readonly streams: number | undefined;
  readonly hasTurns: boolean;
  readonly hasAsks: boolean;
  readonly hasGuard: boolean;
  readonly hasFailers: boolean;
  readonly replicas: readonly Replica[];
  /** Executions of the gateways' own agents, in their order. */
  readonly executions: Execution[] = [];
  /** Runs of the agents that get messages while they work, in their order. */
  readonly runs: TurnRun[] = [];
  /** Processes that others may have taken for dead. */
  readonly struck = new Set<number>();
  /** Times when processes were paused. */
  readonly pauses: Pause[] = [];
  /** Host of each process, by its number. */
  readonly hosts = new Map<number, Host>();
  #lastPid = 0;

  constructor({
    world,
    network,
    database,
    size,
    upstreams,
    retention,
    callers = [],
    streams,
    hasTurns = false,
    hasAsks = false,
    hasGuard = false,
    hasFailers = false,
  }: FleetOptions) {
    this.world = world;
    this.network = network;
    this.database = database;
    this.upstreams = upstreams;
    this.retention = retention;
    this.callers = callers;
    this.streams = streams;
    this.hasTurns = hasTurns;
    this.hasAsks = hasAsks;
    this.hasGuard = hasGuard;
    this.hasFailers = hasFailers;
    this.replicas = Array.from({ length: size }, (_, number) => new Replica(this, number));
  }

  /**
   * Whether a gateway may have answered with what it remembered. It had been paused, and did not know yet that others may have
   * taken it for dead; or its own write was done and read by others, but not yet acknowledged.
   */
  mayBeStale({ gateway, began, ended }: Pick<Read, 'gateway' | 'began' | 'ended'>): boolean {
    const replica = this.replicas[gateway];
    const wasPaused = this.pauses.some(
      (pause) => pause.replica === replica && pause.from <= ended && began <= (pause.until ?? ended) + recognition,
    );
    const isOwed = this.database.owed.some(
      ({ host, from, until }) => host.name === replica?.name && from <= ended && began <= until,
    );
    return wasPaused || isOwed;
  }

  nextPid(host: Host): number {
    this.#lastPid += 1;
    this.hosts.set(this.#lastPid, host);
    return this.#lastPid;
  }

  noteExecution(pid: number, marker: string, what: Pick<Execution, 'agent' | 'taskId' | 'how'>): string {
    const nonce = crypto.randomUUID();
    this.executions.push({ marker, ...what, pid, nonce });
    this.world.trace('executes', `${what.agent} ${what.taskId} ${marker}`);
    return nonce;
  }

  noteRun(pid: number, what: Parameters<NoteRun>[0]): ReturnType<NoteRun> {
    const run: TurnRun = { ...what, pid, from: this.world.now, until: undefined, said: [] };
    this.runs.push(run);
    const end = (): void => {
      run.until = this.world.now;
    };
    return { run, end };
  }

  /** Adds what a host logs to the trace. */
  loggerOf(host: Host): Logger {
    const log = (level: string) => (fields: object, message: string) => {
      const { err } = fields as { readonly err?: unknown };
      this.world.trace(level, err === undefined ? message : `${message}: ${err}`, host);
    };
    return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  }
}
