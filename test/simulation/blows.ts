import { Random } from '../support/random.ts';
import { type Calm, isCalm } from './calm.ts';
import type { DirectedBlow } from './directed.ts';
import type { Fleet, Replica } from './fleet.ts';
import type { FurtherBlow } from './further.ts';
import { type Stage, strikeFurther } from './further-blows.ts';
import { type Blow, lineOf, type Plan } from './plan.ts';
import type { WireAgents } from './wire-agents.ts';
import type { Host } from './world/hosts.ts';

/** Sets the chance of blows apart from other chance. */
const salt = 0xb10;

/** Hosts that are no gateways. */
export type Others = Readonly<Record<'clients' | 'far' | 'hooks', Host>>;

/** Latency between two hosts by default, and while the network is slow: milliseconds. */
const latency = { usual: [0.1, 2], slow: [50, 1_500] } as const;

/** Virtual milliseconds for which a blow waits for a write. */
const commitWait = 2_000;

/** Virtual milliseconds for which a blow waits for a forwarded call. */
const forwardWait = 10_000;

/** Virtual milliseconds between two looks at whether others have the tasks of a paused replica. */
const takenEvery = 50;

/** Virtual milliseconds for which the database is back for one replica alone. */
const firstFor = 2_500;

/** Virtual milliseconds between the end of a process and the start of its successor in a rolling restart. */
const restartPause = 500;

/** Share of arrivals after which a connection breaks. */
const breakShare = 0.3;

type Trouble = Exclude<Blow, Calm>;

/** Lets the blows of a plan fall. */
export class Blows {
  readonly #fleet: Fleet;
  readonly #others: Others;
  /** Replicas that are being stopped or started: another blow passes them by. */
  readonly #busy = new Set<Replica>();
  /** Starts and stops under way. */
  readonly #under = new Set<Promise<void>>();
  /** Blows that last. */
  #lasting = 0;
  readonly #random: Random;
  readonly #stage: Stage;
  /** Number of blows of each kind that have changed something. */
  readonly struck = new Map<string, number>();

  constructor(fleet: Fleet, others: Others, agents: WireAgents, seed: number) {
    this.#fleet = fleet;
    this.#others = others;
    this.#stage = {
      fleet,
      agents,
      crashed: new Set(),
      hostOf: (name) => (others as Readonly<Record<string, Host>>)[name] ?? agents.hostOf(name),
      random: new Random(seed ^ (salt + 1)),
      restart: (replica) => this.#restart(replica),
      kill: (replica, host, ms) => this.#kill(replica, host, ms),
      lasts: (ms, undo) => this.#lasts(ms, undo),
      goesOn: (work) => this.#goesOn(work),
      struck: (what) => this.#note(what),
    };
    this.#random = new Random(seed ^ salt);
  }

  /** Schedules the blows between two times of the plan, of which the first is now. */
  schedule({ blows }: Plan, from: number, to: number): void {
    const falls = blows.filter((blow): blow is Trouble => !isCalm(blow) && blow.at >= from && blow.at < to);
    for (const blow of falls) this.#fleet.world.after(blow.at - from, () => this.#strike(blow));
  }

  /** Whether every replica runs again, and nothing is in anybody's way. */
  get areOver(): boolean {
    return this.#under.size === 0 && this.#lasting === 0;
  }

  /** Undoes a blow after some time. */
  #lasts(ms: number, undo: () => void): void {
    this.#lasting += 1;
    this.#fleet.world.after(ms, () => {
      this.#lasting -= 1;
      undo();
    });
  }

  /** Goes on with something that must be over before the fleet is judged. */
  #goesOn(work: () => Promise<void>): void {
    const under = work().finally(() => this.#under.delete(under));
    this.#under.add(under);
  }

  #restart(replica: Replica): void {
    if (!this.#busy.has(replica)) this.#again(replica, restartPause, replica.stop());
  }

  #kill(replica: Replica, host: Host, ms: number): void {
    if (replica.host !== host || this.#busy.has(replica)) return;
    replica.kill();
    this.#again(replica, ms, Promise.resolve());
  }

  #note(what: string): void {
    this.struck.set(what, (this.struck.get(what) ?? 0) + 1);
  }

  #strike(blow: Trouble): void {
    this.#fleet.world.trace('blow', lineOf(blow));
    if (!strikeFurther(blow, this.#stage)) this.#strikeFleet(blow as Exclude<Trouble, FurtherBlow>);
  }

  #strikeFleet(blow: Exclude<Trouble, FurtherBlow>): void {
    const { database, replicas } = this.#fleet;
    switch (blow.what) {
      case 'away':
        this.#note(blow.what);
        database.weather.isAway = true;
        database.dropListeners();
        this.#lasts(blow.ms, () => {
          database.weather.isAway = false;
        });
        return;
      case 'weather':
        this.#note(blow.what);
        database.weather.fates = { [blow.fate]: blow.share };
        this.#lasts(blow.ms, () => {
          database.weather.fates = {};
        });
        return;
      case 'notifications':
        this.#note(blow.what);
        database.weather.notifications = { lost: 0.3, doubled: 0.2, late: 0.3 };
        this.#lasts(blow.ms, () => {
          database.weather.notifications = { lost: 0, doubled: 0, late: 0 };
        });
        return;
      case 'late':
        this.#note(blow.what);
        database.weather.lateAnswers = blow.share;
        this.#lasts(blow.ms, () => {
          database.weather.lateAnswers = 0;
        });
        return;
    }
    const replica = replicas[blow.replica];
    if (!replica || this.#busy.has(replica)) return;
    this.#note(blow.what);
    if (blow.what === 'zombie' || blow.what === 'asked' || blow.what === 'broken' || blow.what === 'sent')
      this.#aim(blow, replica);
    else if (blow.what === 'back first' || blow.what === 'deaf') this.#strikeView(blow, replica);
    else if ((blow.what === 'kill' || blow.what === 'pause') && blow.committed) this.#strikeAtCommit(blow, replica);
    else this.#strikeReplica(blow, replica);
  }

  /** Strikes when the replica's next write is committed, or after a while without one. */
  #strikeAtCommit(blow: Extract<Blow, { what: 'kill' | 'pause' }>, replica: Replica): void {
    const strike = this.#once(replica, () => this.#strikeReplica(blow, replica));
    this.#fleet.database.onCommit(replica.host, strike);
    this.#fleet.world.after(commitWait, strike);
  }

  /** Lets a blow fall at its moment, which comes once, if the process still runs. */
  #once(replica: Replica, strike: () => void): () => void {
    const { host } = replica;
    let isOver = false;
    this.#lasting += 1;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#lasting -= 1;
      if (replica.host === host && !this.#busy.has(replica)) strike();
    };
  }

  /** Waits for the moment at which a blow is aimed. */
  #aim(blow: Extract<DirectedBlow, { what: 'zombie' | 'asked' | 'broken' | 'sent' }>, replica: Replica): void {
    const { world, database } = this.#fleet;
    switch (blow.what) {
      case 'zombie': {
        const strike = this.#once(replica, () => this.#pauseUntilTaken(replica, blow.ms));
        database.onCommit(replica.host, strike);
        world.after(commitWait, strike);
        return;
      }
      case 'asked': {
        const { at, ms, replica: number, how: what } = blow;
        const strike = this.#once(replica, () => this.#strikeReplica({ at, ms, what, replica: number }, replica));
        database.onForwarded(replica.host, strike);
        world.after(forwardWait, strike);
        return;
      }
      case 'sent':
        this.#killOnArrival(blow, replica);
        return;
      case 'broken':
        this.#breakOnArrival(replica, this.#others[blow.from], blow.ms);
    }
  }

  /** Pauses a replica until others have all of its tasks. */
  #pauseUntilTaken(replica: Replica, ms: number): void {
    const { world, database } = this.#fleet;
    const { host } = replica;
    const until = world.now + ms;
    const resume = replica.pause();
    this.#lasting += 1;
    const check = async (): Promise<void> => {
      if (world.now < until && (await database.countOwned(host)) > 0) {
        world.after(takenEvery, () => void check());
        return;
      }
      this.#lasting -= 1;
      resume();
    };
    void check();
  }

  /** Kills a replica right after bytes of it have arrived at the agent, or after a while without any. */
  #killOnArrival({ at, ms, replica: number }: Extract<DirectedBlow, { what: 'sent' }>, replica: Replica): void {
    const { world, network } = this.#fleet;
    const strike = this.#once(replica, () => this.#strikeReplica({ at, ms, what: 'kill', replica: number }, replica));
    const end = network.onArrival(replica.host, this.#others.far, () => {
      end();
      world.after(0.01, strike);
    });
    world.after(forwardWait, () => {
      end();
      strike();
    });
  }

  /** Breaks connections of a replica and another host, whichever opened them, right after bytes have arrived. */
  #breakOnArrival(replica: Replica, other: Host, ms: number): void {
    const { world, network } = this.#fleet;
    const { host } = replica;
    const onArrival = (connection: { cut(): void }): void => {
      // The program has read the bytes by then; what it answers has not arrived.
      if (this.#random.chance(breakShare)) world.after(0.01, () => connection.cut());
    };
    const ends = [network.onArrival(host, other, onArrival), network.onArrival(other, host, onArrival)];
    this.#lasts(ms, () => {
      for (const end of ends) end();
    });
  }

  /** Distorts the view that a single replica has of the database. */
  #strikeView(blow: Extract<DirectedBlow, { what: 'back first' | 'deaf' }>, { host }: Replica): void {
    const { database } = this.#fleet;
    const { weather } = database;
    if (blow.what === 'deaf') {
      weather.deaf.add(host);
      this.#lasts(blow.ms, () => void weather.deaf.delete(host));
      return;
    }
    weather.isAway = true;
    database.dropListeners();
    this.#lasts(blow.ms, () => {
      weather.backFor = host;
    });
    this.#lasts(blow.ms + firstFor, () => {
      weather.isAway = false;
      weather.backFor = undefined;
    });
  }

  #strikeReplica(
    blow: Exclude<Trouble, { what: 'away' | 'weather' | 'notifications' } | DirectedBlow | FurtherBlow>,
    replica: Replica,
  ): void {
    const { network } = this.#fleet;
    switch (blow.what) {
      case 'kill':
        replica.kill();
        this.#again(replica, blow.ms, Promise.resolve());
        return;
      case 'stop':
        this.#again(replica, blow.ms, replica.stop());
        return;
      case 'pause':
        this.#lasts(blow.ms, replica.pause());
        return;
      case 'cut':
        for (const connection of network.connectionsOf(replica.host)) connection.cut();
        return;
      case 'clock':
        replica.host.skew = blow.skew;
        return;
      case 'silent':
      case 'refused':
      case 'slow': {
        const link = network.link(replica.host, this.#others[blow.from]);
        if (blow.what === 'slow') link.latency = latency.slow;
        else link.state = blow.what;
        this.#lasts(blow.ms, () => {
          link.latency = latency.usual;
          link.state = 'open';
        });
      }
    }
  }

  /** Starts a replica again, a while after it has ended. */
  #again(replica: Replica, ms: number, ending: Promise<void>): void {
    const { world } = this.#fleet;
    this.#busy.add(replica);
    const under = (async () => {
      await ending;
      await new Promise<void>((resolve) => void world.after(ms, resolve));
      while (!(await started(replica))) await new Promise<void>((resolve) => void world.after(500, resolve));
    })().finally(() => {
      this.#busy.delete(replica);
      this.#under.delete(under);
    });
    this.#under.add(under);
  }
}

/** Starts a replica. False: it could not, and has ended. */
async function started(replica: Replica): Promise<boolean> {
  try {
    await replica.start();
    return true;
  } catch {
    replica.host.die();
    return false;
  }
}
