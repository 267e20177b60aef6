import { timestamp } from '../../src/core/model/agent-events.ts';
import { newId } from '../../src/core/model/ids.ts';
import { createGateway } from '../../src/gateway/compose/gateway.ts';
import type { ListCallsResponse, ListNumbersResponse } from '../../src/gen/admin-v1/types.ts';
import { Random } from '../support/random.ts';
import { Askers } from '../workload/askers.ts';
import { checkAgents } from '../workload/check-agents.ts';
import { checkAnswers } from '../workload/check-answers.ts';
import { checkAsked } from '../workload/check-asked.ts';
import { checkCalls } from '../workload/check-calls.ts';
import { checkExecutions } from '../workload/check-executions.ts';
import { checkForwarded } from '../workload/check-forwarded.ts';
import { checkGuarded } from '../workload/check-guarded.ts';
import { checkIsolation } from '../workload/check-isolation.ts';
import { checkLimits } from '../workload/check-limits.ts';
import { checkLogs, type Violation } from '../workload/check-logs.ts';
import { adrift, checkMessages } from '../workload/check-messages.ts';
import { checkNotified, checkWatched } from '../workload/check-readers.ts';
import { checkReads } from '../workload/check-reads.ts';
import { checkTold, Histories } from '../workload/check-told.ts';
import { checkTurns } from '../workload/check-turns.ts';
import { checkUpstream } from '../workload/check-upstream.ts';
import { Clients } from '../workload/clients.ts';
import { Crowd, crowd } from '../workload/crowd.ts';
import { Effects } from '../workload/effects.ts';
import { Failers, failer } from '../workload/failers.ts';
import { Gate } from '../workload/gate.ts';
import { Interrupters } from '../workload/interrupters.ts';
import { Ledger } from '../workload/ledger.ts';
import { Load } from '../workload/load.ts';
import { Logs, markersOf, type StoredLog } from '../workload/logs.ts';
import { Probes } from '../workload/probes.ts';
import { Sender } from '../workload/sender.ts';
import { Strangers } from '../workload/strangers.ts';
import { Watchers } from '../workload/watchers.ts';
import { startWebhooks } from '../workload/webhooks.ts';
import { Whisperers } from '../workload/whisperers.ts';
import { Blows, type Others } from './blows.ts';
import { type Calm, isCalm } from './calm.ts';
import { checkIdle, gaugesOf, type Held } from './check-idle.ts';
import { checkDelivered, checkRemoved } from './check-observed.ts';
import { Fleet, type Replica } from './fleet.ts';
import { Observer } from './observer.ts';
import type { Plan } from './plan.ts';
import { WireAgents } from './wire-agents.ts';
import { SharedDatabase } from './world/database.ts';
import { Host } from './world/hosts.ts';
import type { Installed } from './world/install.ts';
import { Network } from './world/network.ts';
import { beginning, World } from './world/world.ts';

/**
 * Virtual milliseconds: for the start of the fleet, for what is under way when the last blow has fallen, for the verdict, until
 * replicas without calls are idle, until one that has just been started is, and until all calls are stored.
 */
const limits = {
  start: 60_000,
  settling: 180_000,
  verdict: 300_000,
  idle: 100_000,
  fresh: 10_000,
  stored: 11_000,
} as const;

/** Sets the chance of clients that look closely apart from other chance. */
const probeSalt = 0x9e0be;
const followerSalt = 0xf0110;
const callerSalt = 0xca11e;
const crowdSalt = 0xc20_3d;
const interrupterSalt = 0x1_27e2;
const askerSalt = 0xa5_c3;
const whispererSalt = 0x3_15;
const failerSalt = 0xfa_11;

/** Time for which an agent of one dialect may report nothing of a task: less than a simulation waits for. */
const silence = '60s';

/** A violation, with the check that found it. */
export type Found = Violation & { readonly check: string };

/** Outcome of one simulation. */
export interface Outcome {
  readonly violations: readonly Found[];
  /** Digest of the trace, in hexadecimal. */
  readonly digest: string;
  /** Virtual milliseconds. */
  readonly ms: number;
  /** Events of the simulation. */
  readonly steps: number;
  /** Number of blows of each kind that have changed something. */
  readonly struck: Readonly<Record<string, number>>;
  readonly counts: Readonly<
    Record<'messages' | 'tasks' | 'events' | 'executions' | 'subscribers' | 'notifications', number>
  >;
}

export interface SimulateOptions {
  readonly installed: Installed;
  /** Gets each line of the trace. */
  readonly onTrace?: (line: string) => void;
}

/** Runs one simulation. The process must have been prepared by `install`. */
export async function simulate(plan: Plan, { installed, onTrace }: SimulateOptions): Promise<Outcome> {
  const world = new World(plan.seed, installed.real);
  const network = new Network(world);
  installed.use(world, network);
  // Ids of the program come from a supply of random bytes, which is taken from this seed from now on.
  for (const before = installed.fills(); installed.fills() === before; ) newId();
  if (onTrace) world.onTrace(onTrace);
  const simulation = await Simulation.open(world, network, plan);
  try {
    await simulation.run();
    return await simulation.judge();
  } finally {
    await simulation.end();
  }
}

class Simulation {
  readonly #world: World;
  readonly #plan: Plan;
  readonly #fleet: Fleet;
  readonly #blows: Blows;
  readonly #others: Others;
  readonly #agents: WireAgents;
  readonly #ledger = new Ledger();
  readonly #violations: Found[] = [];
  #clients: Clients | undefined;
  /** Tasks as they were before the latest calm, by their keys. */
  readonly #known = new Map<string, StoredLog>();
  /** Number of the first message after the latest calm. */
  #recent = 0;
  #observer: Observer | undefined;
  #failers: Failers | undefined;

  private constructor(world: World, plan: Plan, fleet: Fleet, others: Others, agents: WireAgents) {
    this.#world = world;
    this.#plan = plan;
    this.#fleet = fleet;
    this.#others = others;
    this.#agents = agents;
    this.#blows = new Blows(fleet, others, agents, plan.seed);
  }

  static async open(world: World, network: Network, plan: Plan): Promise<Simulation> {
    const others: Others = {
      clients: new Host('clients', '10.0.1.1'),
      far: new Host('far', '10.0.2.1'),
      hooks: new Host('hooks', '10.0.3.1'),
    };
    for (const host of Object.values(others)) network.add(host);
    const database = await SharedDatabase.open(world);
    const base = `http://${others.far.address}:8080`;
    const agents = new WireAgents(world, network, plan.agents ?? [], plan.seed);
    const upstreams = [
      { name: 'far', url: base },
      { name: 'sdk', url: `${base}/demo/as/a2a-0.3/.well-known/agent-card.json` },
      ...agents.upstreams.map((agent) => ({ ...agent, silence })),
    ];
    const { size, retention, streams } = plan;
    const callers = [...(plan.callers ?? []), ...(streams === undefined ? [] : [crowd])];
    const fleet = new Fleet({
      world,
      network,
      database,
      size,
      upstreams,
      retention,
      callers,
      streams,
      hasTurns: plan.interrupters !== undefined,
      hasAsks: plan.askers !== undefined,
      hasGuard: plan.whisperers !== undefined,
      hasFailers: plan.failers !== undefined,
    });
    return new Simulation(world, plan, fleet, others, agents);
  }

  /** Starts everything, lets clients talk while blows fall, and waits until all is calm. */
  async run(): Promise<void> {
    const { clients: client, far, hooks } = this.#others;
    const world = this.#world;
    const { replicas } = this.#fleet;
    await world.waitFor(far.run(startFar), limits.start, 'the start of the agent');
    await world.waitFor(this.#agents.start(), limits.start, 'the start of the other agents');
    const starts = replicas.map((replica, number) => replica.start(this.#plan.skews[number]));
    await world.waitFor(Promise.all(starts), limits.start, 'the start of the fleet');
    this.#observer = await Observer.open(this.#fleet.database, this.#plan.retention);
    const receiver = await world.waitFor(
      hooks.run(() => startWebhooks(this.#ledger, world.fork())),
      limits.start,
      'the start of the webhooks',
    );
    const random = world.fork();
    const ledger = this.#ledger;
    const clients = new Clients(
      replicas.map(({ url }) => url),
      random,
    );
    this.#clients = clients;
    const watchers = new Watchers(clients, ledger);
    const sender = new Sender({ clients, ledger, hook: receiver.url, onEnd: () => undefined });
    const gate = new Gate();
    const options = { clients, watchers, ledger, random, sender, gate };
    const load = new Load({ ...options, agents: this.#agents.names });
    const probes = new Probes({ ...options, random: new Random(this.#plan.seed ^ probeSalt) });
    const followers = new Probes({ ...options, random: new Random(this.#plan.seed ^ followerSalt) });
    const strangers = new Strangers({
      ...options,
      agents: this.#agents.names,
      random: new Random(this.#plan.seed ^ callerSalt),
    });
    const interrupters = new Interrupters({
      ...options,
      agents: this.#agents.names,
      random: new Random(this.#plan.seed ^ interrupterSalt),
    });
    const askers = new Askers({
      ...options,
      agents: [],
      urls: replicas.map(({ url }) => url),
      random: new Random(this.#plan.seed ^ askerSalt),
    });
    const whisperers = new Whisperers({
      ...options,
      agents: [],
      random: new Random(this.#plan.seed ^ whispererSalt),
    });
    const failers = new Failers({
      clients,
      gate,
      size: replicas.length,
      pidOf: (gateway) => replicas[gateway]?.pid ?? 0,
      random: new Random(this.#plan.seed ^ failerSalt),
    });
    this.#failers = failers;
    const { clients: talkers, probes: lookers = 0, followed = [], callers = [], streams } = this.#plan;
    const pressing =
      streams === undefined
        ? undefined
        : new Crowd({ ...options, agents: [], random: new Random(this.#plan.seed ^ crowdSalt) }, streams);
    const talking = client.run(async () => {
      await Promise.all([
        load.run(talkers),
        probes.run(lookers),
        followers.follow(followed),
        strangers.run(callers),
        interrupters.run(this.#plan.interrupters ?? 0),
        askers.run(this.#plan.askers ?? 0),
        whisperers.run(this.#plan.whisperers ?? 0),
        failers.run(this.#plan.failers ?? 0),
        pressing?.run(),
      ]);
    });
    await this.#strike(gate, watchers);
    load.stop();
    probes.stop();
    followers.stop();
    strangers.stop();
    interrupters.stop();
    askers.stop();
    whisperers.stop();
    failers.stop();
    pressing?.stop();
    receiver.behave();
    if (!(await world.runUntil(() => this.#blows.areOver, limits.settling))) this.#stuck('a gateway does not start');
    await this.#ends(talking, 'clients wait');
    await this.#ends(
      client.run(() => new Effects({ clients, ledger, random, sender }).replay(this.#recent)),
      'repeated calls wait',
    );
    await this.#ends(
      client.run(() => watchers.end(limits.settling)),
      'subscribers wait',
    );
    if (pressing)
      await this.#ends(
        client.run(() => pressing.verify(replicas.length)),
        'streams wait',
      );
  }

  /** Lets the blows fall, and the calms between them pass. */
  async #strike(gate: Gate, watchers: Watchers): Promise<void> {
    const plan = this.#plan;
    let from = 0;
    for (const calm of plan.blows.filter(isCalm)) {
      this.#blows.schedule(plan, from, calm.at);
      await this.#world.runFor(calm.at - from);
      await this.#calm(calm, gate, watchers);
      from = calm.at;
    }
    this.#blows.schedule(plan, from, Number.POSITIVE_INFINITY);
    await this.#world.runFor(plan.ms - from);
  }

  /** Lets clients be silent for a while, as soon as what is under way has ended. Where it does not end soon, they talk on. */
  async #calm(calm: Calm, gate: Gate, watchers: Watchers): Promise<void> {
    const world = this.#world;
    gate.hold();
    const isQuiet = (): boolean => this.#blows.areOver && gate.open === 0 && watchers.running === 0;
    if (await world.runUntil(isQuiet, limits.settling)) {
      const { tasks } = await this.#atRest();
      world.trace('calm', `${calm.ms} ms after ${tasks.length} tasks`);
      for (const task of tasks) this.#known.set(task.key, task);
      await world.runFor(calm.ms);
      this.#recent = this.#ledger.said.length;
    }
    gate.release();
  }

  /** These logs and those of tasks that were known before and have expired. */
  #withExpired(logs: Logs): Logs {
    const { retention } = this.#plan;
    if (retention === undefined) return logs;
    const there = new Set(logs.tasks.map(({ key }) => key));
    const expired = [...this.#known.values()].filter(
      ({ key, log }) => !there.has(key) && (log.at(-1)?.at ?? 0) <= this.#world.now - retention,
    );
    return logs.withExpired(expired);
  }

  /** Waits for clients, now that nothing is in their way. */
  async #ends(work: Promise<void>, what: string): Promise<void> {
    let isOver = false;
    work
      .finally(() => {
        isOver = true;
      })
      .catch(() => undefined);
    if (await this.#world.runUntil(() => isOver, limits.settling)) await work;
    else this.#stuck(what);
  }

  #stuck(what: string): void {
    this.#violations.push({ check: 'liveness', what: `${what}, although nothing is in the way` });
  }

  /** Holds what everybody saw against what the database has. */
  async judge(): Promise<Outcome> {
    const stored = await this.#atRest();
    const logs = this.#withExpired(stored);
    const ledger = this.#ledger;
    const observer = this.#observer as Observer;
    const { executions, struck } = this.#fleet;
    const histories = new Histories();
    const callers = new Map(ledger.said.map(({ marker, caller }) => [marker, caller]));
    const callerOf = (task: StoredLog): string | undefined => callers.get(markersOf(task)[0]?.[0] ?? '');
    const executed = { executions, wasStruck: (pid: number) => struck.has(pid) };
    const checks: Record<string, readonly Violation[]> = {
      logs: checkLogs(logs, adrift(ledger, logs)),
      messages: checkMessages(ledger, logs),
      told: checkTold(ledger, logs, histories),
      reads: checkReads(ledger, logs, { histories, mayBeStale: (read) => this.#fleet.mayBeStale(read) }),
      executions: checkExecutions(executed, ledger, logs),
      turns: checkTurns({ ...executed, runs: this.#fleet.runs }, ledger, logs),
      asked: checkAsked(executed, ledger, logs),
      guarded: checkGuarded(ledger, logs),
      watched: checkWatched(ledger, logs),
      notified: checkNotified(ledger, logs),
      upstream: await this.#asked(() => checkUpstream({ url: 'http://10.0.2.1:8080', wasAway: true }, logs)),
      agents: checkAgents(
        { records: this.#agents.records, names: this.#agents.names, silenced: silencedIn(this.#plan) },
        ledger,
        logs,
      ),
      forwarded: checkForwarded({ records: this.#agents.records, names: this.#agents.names }, logs),
      answers: await this.#asked(() => checkAnswers(this.#clients as Clients, this.#plan.size, stored, callerOf)),
      isolation: checkIsolation(ledger, logs),
      limits: checkLimits(ledger, logs, this.#plan.streams),
    };
    await observer.end();
    Object.assign(checks, {
      observed: observer.violations(logs),
      removed: checkRemoved(observer.removed, this.#fleet),
      delivered: checkDelivered(observer.delivered, ledger, logs),
    });
    for (const [check, found] of Object.entries(checks))
      this.#violations.push(...found.map((violation) => ({ check, ...violation })));
    this.#world.trace('end', JSON.stringify([ledger.said, ledger.watched, [...ledger.notified], logs.tasks]));
    const { digest } = this.#world;
    const ms = this.#world.now - beginning;
    // Modules that a first call loads, and files that the pages of metrics read, take real time: no trace may depend on it.
    if (this.#fleet.hasFailers) await this.#review();
    if (this.#fleet.callers.length > 0 && adrift(ledger, logs).size === 0) await this.#weigh();
    return {
      violations: this.#violations,
      digest,
      ms,
      steps: this.#world.events,
      struck: Object.fromEntries(this.#blows.struck),
      counts: {
        messages: ledger.said.length,
        tasks: logs.tasks.length,
        events: logs.tasks.reduce((sum, { log }) => sum + log.length, 0),
        executions: executions.length,
        subscribers: ledger.watched.length,
        notifications: [...ledger.notified.values()].flat().length,
      },
    };
  }

  /** Holds the calls that failed against those that operators see. */
  async #review(): Promise<void> {
    const { database, replicas } = this.#fleet;
    await this.#world.runFor(limits.stored);
    const [first] = replicas as [Replica];
    const path = `calls?principal=key:${failer}&outcome=CALL_OUTCOME_FAILED&pageSize=500`;
    const calls = await this.#complete(() => first.admin<ListCallsResponse>(path));
    const after = encodeURIComponent(timestamp(beginning - 1));
    const numbers = await this.#complete(() =>
      first.admin<ListNumbersResponse>(`numbers?principal=key:${failer}&after=${after}`),
    );
    const rows = await database.read("select body from kept_call where principal = 'key:failer'");
    const found = checkCalls(
      {
        answered: this.#failers?.answered ?? [],
        begun: this.#failers?.begun ?? 0,
        lives: (pid) => replicas.some((replica) => replica.pid === pid),
      },
      {
        listed: (calls.calls ?? []).map(({ taskId = '' }) => taskId),
        completeSince: Date.parse(calls.completeSince ?? ''),
        gaps: (calls.gaps ?? []).map(({ from, until }) => ({ from: Date.parse(from), until: Date.parse(until) })),
        leftOut: (calls.leftOut ?? []).reduce((sum, { count = 0 }) => sum + Number(count), 0),
        failed: Number(numbers.total?.numbers?.failed ?? 0),
        stored: new Set(rows.map(({ body }) => String(JSON.parse(String(body)).taskId))),
      },
    );
    this.#violations.push(...found.map((violation) => ({ check: 'calls', ...violation })));
  }

  /** An answer of all replicas: they load what they need for it, which takes real time. */
  async #complete<T extends { readonly missingReplicas?: readonly string[] }>(ask: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#inRealTime(ask());
      if (answer === undefined) throw new Error('the admin service does not answer');
      if (!answer.missingReplicas?.length) return answer;
      if (attempt === 50) throw new Error(`these replicas do not answer: ${answer.missingReplicas.join(', ')}`);
    }
  }

  /** The result of work that takes real time: virtual time goes on meanwhile. Undefined: it takes too long. */
  async #inRealTime<T>(work: Promise<T>): Promise<T | undefined> {
    let result: T | undefined;
    let failure: unknown;
    const ending = work.then(
      (value) => {
        result = value;
      },
      (thrown: unknown) => {
        failure = thrown;
      },
    );
    for (let turn = 0; result === undefined && failure === undefined && turn < 2_000; turn += 1)
      await this.#world.runFor(10);
    if (failure !== undefined) throw failure;
    if (result !== undefined) await ending;
    return result;
  }

  /** Holds what idle replicas have in memory against what one has that was just started. */
  async #weigh(): Promise<void> {
    const { replicas } = this.#fleet;
    await this.#others.clients.run(async () => this.#clients?.close());
    await this.#world.runFor(limits.idle);
    const held = new Map<string, Held>();
    for (const replica of replicas) held.set(replica.name, await this.#heldBy(replica));
    const [first] = replicas as [Replica];
    first.kill();
    await this.#world.waitFor(first.start(), limits.start, 'another start');
    await this.#world.runFor(limits.fresh);
    const found = checkIdle(
      held,
      await this.#heldBy(first),
      this.#fleet.upstreams.map(({ url }) => new URL(url).hostname),
    );
    this.#violations.push(...found.map((violation) => ({ check: 'idle', ...violation })));
  }

  async #heldBy(replica: Replica): Promise<Held> {
    const { timers } = replica.host;
    const connections = this.#fleet.network.connectionsOf(replica.host).filter(({ isHalfOpen }) => !isHalfOpen);
    const peers = connections.map(({ remoteAddress }) => remoteAddress ?? '');
    const page = await this.#inRealTime(replica.metrics());
    return { timers, peers, gauges: gaugesOf(page ?? '') };
  }

  /** Ends every host, and closes what would keep the simulation in memory. */
  async end(): Promise<void> {
    const { database, network, replicas } = this.#fleet;
    for (const { host } of replicas) host.die();
    for (const host of Object.values(this.#others)) host.die();
    this.#agents.end();
    network.end();
    await this.#world.end();
    await database.close();
  }

  /** The verdict of a check that calls the gateways. */
  async #asked(check: () => Promise<Violation[]>): Promise<Violation[]> {
    const checking = this.#others.clients.run(check);
    return this.#world
      .waitFor(checking, limits.verdict, 'the check')
      .catch((thrown: unknown) => [{ what: `the check failed: ${thrown}` }]);
  }

  /** The database when nothing is under way any more, and nothing waits for a webhook; or when it is too late. */
  async #atRest(): Promise<Logs> {
    const { database } = this.#fleet;
    const until = this.#world.now + limits.settling;
    for (;;) {
      const logs = await Logs.read((text) => database.read(text));
      const last = new Map(logs.tasks.map(({ key, seq }) => [key, seq]));
      const lost = adrift(this.#ledger, logs);
      const works = logs.tasks.some(({ id, owner }) => owner !== null && !lost.has(id));
      const waits = logs.hooks.some(({ key, cursor, active }) => active && cursor < (last.get(key) ?? 0));
      if ((!works && !waits) || this.#world.now >= until) return logs;
      await this.#world.runFor(1_000);
    }
  }
}

/** Names of the agents that a plan keeps from answering. */
const silencedIn = ({ blows }: Plan): ReadonlySet<string> =>
  new Set(blows.flatMap((blow) => ('agent' in blow ? [blow.agent] : 'from' in blow ? [blow.from] : [])));

/** Starts the agents behind the gateways: the reference agent, in every generation. */
async function startFar(): Promise<void> {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const address = '10.0.2.1';
  const gateway = createGateway({
    listen: { host: address, port: 8080, publicUrl: `http://${address}:8080` },
    auth: { anonymous: true },
    store: 'memory:',
    logger: quiet,
    agents: { demo: { kind: 'reference' } },
  });
  await gateway.listen();
}
