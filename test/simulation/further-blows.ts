import type { Random } from '../support/random.ts';
import type { Fleet, Replica } from './fleet.ts';
import type { FurtherBlow, FurtherName } from './further.ts';
import type { WireAgents } from './wire-agents.ts';
import type { Host } from './world/hosts.ts';
import type { Link } from './world/network.ts';

/** Objects that further blows may affect. */
export interface Stage {
  readonly fleet: Fleet;
  readonly agents: WireAgents;
  /** A host that is no gateway, by its name. */
  hostOf(name: string): Host | undefined;
  readonly random: Random;
  /** Restarts a replica, unless it is being restarted. */
  restart(replica: Replica): void;
  /** Kills a process of a replica, if it still runs, and starts another one after some virtual milliseconds. */
  kill(replica: Replica, host: Host, ms: number): void;
  /** Agents that are being started again. */
  readonly crashed: Set<string>;
  /** Undoes a blow after some virtual milliseconds. */
  lasts(ms: number, undo: () => void): void;
  /** Goes on with something that must be over before the fleet is judged. */
  goesOn(work: () => Promise<void>): void;
  /** Notes that a blow has changed something. */
  struck(what: FurtherName): void;
}

type Strike<K extends FurtherName> = (blow: Extract<FurtherBlow, { what: K }>, stage: Stage) => void;

/** Share of the parts of answers that do not arrive, and virtual milliseconds for which a blow waits for one. */
const unansweredShare = 0.4;
const unansweredWait = 10_000;

/** Milliseconds that a reload may take. */
const reloadTime = 30_000;

/** Milliseconds that bytes take while a link is slow. */
const slow = [50, 1_500] as const;

/** Shares of writes that break a connection, and milliseconds of a pause after which connections count as idle. */
const chops = { chopped: { share: 0.08, idle: 0 }, 'idle reset': { share: 0.5, idle: 300 } } as const;

/** Number of deliveries of a notification in a storm; share of slow statements. */
const stormOf = 200;
const slowShare = 0.15;

/** A replica and another host, and what is between them; undefined where the plan has them no more. */
function pairOf({ replica, from }: { readonly replica: number; readonly from: string }, { fleet, hostOf }: Stage) {
  const host = fleet.replicas[replica]?.host;
  const other = hostOf(from);
  return host && other && { host, other, link: fleet.network.link(host, other) };
}

/** Breaks connections in the middle of what is written. */
const chop =
  (what: keyof typeof chops) =>
  (blow: { readonly replica: number; readonly from: string; readonly ms: number }, stage: Stage): void => {
    const link: Link | undefined = pairOf(blow, stage)?.link;
    if (!link) return;
    link.chop = { ...chops[what], random: stage.random, onBreak: () => stage.struck(what) };
    stage.lasts(blow.ms, () => {
      link.chop = undefined;
    });
  };

/** Effects of each kind of further trouble. */
const strikes: { readonly [K in FurtherName]: Strike<K> } = {
  crash({ agent, after, ms }, { fleet: { world }, agents, crashed, goesOn, struck }) {
    if (crashed.has(agent) || !agents.hostOf(agent)) return;
    crashed.add(agent);
    agents.kill(agent);
    struck('crash');
    goesOn(async () => {
      await new Promise<void>((resolve) => void world.after(ms, resolve));
      await agents.restart(agent, after);
      crashed.delete(agent);
    });
  },
  apart({ replica, agent, how, ms }, { fleet, agents, lasts, struck }) {
    const host = fleet.replicas[replica]?.host;
    const other = agents.hostOf(agent);
    if (!host || !other) return;
    const link = fleet.network.link(host, other);
    const before = link.latency;
    if (how === 'slow') link.latency = slow;
    else link.state = how;
    struck('apart');
    lasts(ms, () => {
      link.latency = before;
      link.state = 'open';
    });
  },
  chopped: chop('chopped'),
  'idle reset': chop('idle reset'),
  'one way'(blow, stage) {
    const pair = pairOf(blow, stage);
    if (!pair) return;
    pair.link.lostFrom = stage.random.pick([pair.host.name, pair.other.name]);
    stage.struck('one way');
    stage.lasts(blow.ms, () => {
      pair.link.lostFrom = undefined;
    });
  },
  'half open'(blow, stage) {
    const pair = pairOf(blow, stage);
    if (!pair) return;
    const ends = stage.random.chance(0.5) ? [pair.host, pair.other] : [pair.other, pair.host];
    for (const connection of stage.fleet.network.between(...(ends as [Host, Host]))) {
      connection.vanish();
      stage.struck('half open');
    }
  },
  stalled(blow, stage) {
    const pair = pairOf(blow, stage);
    if (!pair) return;
    for (const connection of stage.fleet.network.between(pair.other, pair.host)) {
      connection.stall(blow.ms);
      stage.struck('stalled');
    }
    stage.lasts(blow.ms, () => undefined);
  },
  storm({ ms }, { fleet: { database }, lasts, struck }) {
    database.weather.stormOf = stormOf;
    struck('storm');
    lasts(ms, () => {
      database.weather.stormOf = 1;
    });
  },
  unheard(_, { fleet: { database }, struck }) {
    database.dropListeners();
    struck('unheard');
  },
  sluggish({ ms }, { fleet: { database }, lasts, struck }) {
    database.weather.slowStatements = slowShare;
    struck('sluggish');
    lasts(ms, () => {
      database.weather.slowStatements = 0;
    });
  },
  reload({ replica, how }, { fleet, goesOn, struck }) {
    const target = fleet.replicas[replica];
    if (target?.host.state !== 'running') return;
    // A process that stops, or dies, does not answer.
    const late = new Promise<void>((resolve) => void fleet.world.after(reloadTime, resolve));
    const reloading = target.reload(how).then(
      () => struck('reload'),
      () => undefined,
    );
    goesOn(() => Promise.race([reloading, late]));
  },
  older({ replica, schema, ms }, { fleet: { database, replicas }, lasts, goesOn, restart, struck }) {
    const target = replicas[replica];
    if (!target) return;
    goesOn(() => database.execute([`update gateway set schema = ${schema} where instance like '${target.name}/%'`]));
    struck('older');
    lasts(ms, () => restart(target));
  },
  unanswered({ replica, agent, how, ms }, { fleet, hostOf, random, lasts, kill, struck }) {
    const target = fleet.replicas[replica];
    const other = hostOf(agent);
    if (!target || !other) return;
    const { world, network } = fleet;
    const { host } = target;
    let isOver = false;
    const end = network.onAnswer(host, other, (connection) => {
      // The next part may be the one that reports the task to the caller.
      if (isOver || !random.chance(unansweredShare)) return;
      struck('unanswered');
      if (how === 'cut') {
        world.after(0, () => connection.cut());
        return;
      }
      isOver = true;
      end();
      world.after(0, () => kill(target, host, ms));
    });
    lasts(how === 'cut' ? ms : unansweredWait, end);
  },
  distant({ replica, ms }, { fleet: { database, replicas }, lasts, struck }) {
    const host = replicas[replica]?.host;
    if (!host) return;
    database.weather.distant.add(host);
    struck('distant');
    lasts(ms, () => void database.weather.distant.delete(host));
  },
};

const isFurther = (blow: { readonly what: string }): blow is FurtherBlow => Object.hasOwn(strikes, blow.what);

/** Lets a further blow fall. False: it is of another kind. */
export function strikeFurther(blow: { readonly what: string }, stage: Stage): boolean {
  if (!isFurther(blow)) return false;
  (strikes[blow.what] as Strike<FurtherName>)(blow as never, stage);
  return true;
}
