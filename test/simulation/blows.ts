import type { Fleet, Replica } from './fleet.ts';
import { type Blow, lineOf, type Plan } from './plan.ts';
import type { Host } from './world/hosts.ts';

/** Hosts that are no gateways. */
export type Others = Readonly<Record<'clients' | 'far' | 'hooks', Host>>;

/** What the network does to bytes between two hosts by default, and while it is slow: milliseconds. */
const latency = { usual: [0.1, 2], slow: [50, 1_500] } as const;

/** Virtual milliseconds for which a blow waits for a write. */
const commitWait = 2_000;

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

  constructor(fleet: Fleet, others: Others) {
    this.#fleet = fleet;
    this.#others = others;
  }

  /** Schedules all blows. */
  schedule({ blows }: Plan): void {
    for (const blow of blows) this.#fleet.world.after(blow.at, () => this.#strike(blow));
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

  #strike(blow: Blow): void {
    const { world, database, replicas } = this.#fleet;
    world.trace('blow', lineOf(blow));
    switch (blow.what) {
      case 'away':
        database.weather.isAway = true;
        database.dropListeners();
        this.#lasts(blow.ms, () => {
          database.weather.isAway = false;
        });
        return;
      case 'weather':
        database.weather.fates = { [blow.fate]: blow.share };
        this.#lasts(blow.ms, () => {
          database.weather.fates = {};
        });
        return;
      case 'notifications':
        database.weather.notifications = { lost: 0.3, doubled: 0.2, late: 0.3 };
        this.#lasts(blow.ms, () => {
          database.weather.notifications = { lost: 0, doubled: 0, late: 0 };
        });
        return;
    }
    const replica = replicas[blow.replica];
    if (!replica || this.#busy.has(replica)) return;
    if ((blow.what === 'kill' || blow.what === 'pause') && blow.committed) this.#strikeAtCommit(blow, replica);
    else this.#strikeReplica(blow, replica);
  }

  /** Strikes when the replica's next write is committed, or after a while without one. */
  #strikeAtCommit(blow: Extract<Blow, { what: 'kill' | 'pause' }>, replica: Replica): void {
    const { world, database } = this.#fleet;
    const { host } = replica;
    let isOver = false;
    this.#lasting += 1;
    const strike = (): void => {
      if (isOver) return;
      isOver = true;
      this.#lasting -= 1;
      if (replica.host === host && !this.#busy.has(replica)) this.#strikeReplica(blow, replica);
    };
    database.onCommit(host, strike);
    world.after(commitWait, strike);
  }

  #strikeReplica(blow: Exclude<Blow, { what: 'away' | 'weather' | 'notifications' }>, replica: Replica): void {
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
