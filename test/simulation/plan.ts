import { Random } from '../support/random.ts';
import { type Calm, withCalm } from './calm.ts';
import { type DirectedBlow, directedOf } from './directed.ts';
import { agentsOf, type FurtherBlow, furtherOf, type PlannedAgent } from './further.ts';
import type { Fate } from './world/database.ts';

/** Something that happens to the fleet. Times are virtual milliseconds since the beginning, or for how long. */
export type Blow = PlainBlow | DirectedBlow | FurtherBlow | Calm;

type PlainBlow =
  | { readonly at: number; readonly what: 'stop'; readonly replica: number; readonly ms: number }
  /** `committed`: strikes when the database has committed the next write of the replica, and the answer is on its way. */
  | {
      readonly at: number;
      readonly what: 'kill' | 'pause';
      readonly replica: number;
      readonly ms: number;
      readonly committed?: boolean;
    }
  /** `cut`: open connections break. `silent`, `refused`: between the replica and another host. */
  | { readonly at: number; readonly what: 'cut'; readonly replica: number }
  | {
      readonly at: number;
      readonly what: 'silent' | 'refused' | 'slow';
      readonly replica: number;
      readonly from: 'clients' | 'far' | 'hooks';
      readonly ms: number;
    }
  /** The primary is away. */
  | { readonly at: number; readonly what: 'away'; readonly ms: number }
  | { readonly at: number; readonly what: 'weather'; readonly fate: Fate; readonly share: number; readonly ms: number }
  | { readonly at: number; readonly what: 'notifications'; readonly ms: number }
  | { readonly at: number; readonly what: 'clock'; readonly replica: number; readonly skew: number };

type BlowName = PlainBlow['what'];

/** Events of one simulation: everything but the clients' chance. */
export interface Plan {
  readonly seed: number;
  /** Gateways. */
  readonly size: number;
  /** Clients that talk at the same time. */
  readonly clients: number;
  /** Clients that look closely, beside the others. Default: none. */
  readonly probes?: number;
  /** Gateways at which a client each, beside the others, follows tasks and reads them. Default: none. */
  readonly followed?: readonly number[];
  /** Callers with keys of their own, who talk beside the others and try to see one another's tasks. Default: none. */
  readonly callers?: readonly string[];
  /** Streams that one caller may have at one gateway. A caller opens more. Default: as without configuration. */
  readonly streams?: number;
  /** Clients, beside the others, that send messages to tasks whose agents work. Default: none. */
  readonly interrupters?: number;
  /** Callers, beside the others, whose calls wait until people agree. Default: none. */
  readonly askers?: number;
  /** Clients, beside the others, of an agent behind a guard. Default: none. */
  readonly whisperers?: number;
  /** Clients, beside the others, whose calls fail. Default: none. */
  readonly failers?: number;
  /** Virtual milliseconds until the last blow has fallen. */
  readonly ms: number;
  /** Milliseconds that each gateway's clock is ahead at first. */
  readonly skews: readonly number[];
  /** Milliseconds after which the gateways delete tasks at rest. Default: as without configuration. */
  readonly retention?: number;
  readonly blows: readonly Blow[];
  /** Agents besides the reference agent. Default: none. */
  readonly agents?: readonly PlannedAgent[];
}

const second = 1_000;

/** Possible trouble, and its duration: milliseconds. */
const troubles = {
  kill: [200, 6 * second],
  stop: [100, 3 * second],
  pause: [500, 120 * second],
  cut: [0, 0],
  silent: [second, 30 * second],
  refused: [200, 10 * second],
  slow: [second, 20 * second],
  away: [200, 15 * second],
  weather: [second, 15 * second],
  notifications: [second, 30 * second],
  clock: [0, 0],
} as const satisfies Record<BlowName, readonly [least: number, most: number]>;

const troubleNames = Object.keys(troubles) as BlowName[];

/** Fates of exchanges with the database, and their share while the weather is bad. */
const storms: Readonly<Record<Exclude<Fate, 'answered'>, number>> = {
  refused: 0.2,
  'lost before': 0.15,
  'lost after': 0.15,
  contended: 0.3,
  stuck: 0.05,
};

/** Milliseconds by which a clock may be off. */
const skews = [0, -90 * second, 20 * 60 * second, 26 * 3_600 * second, -26 * 3_600 * second];

export interface PlanOptions {
  /** Blows that fall; those after them do not. Default: all. */
  readonly steps?: number;
  /** For hours, there are no calls most of the time. */
  readonly isNight?: boolean;
  /** Whether it is over soon. */
  readonly isBrief?: boolean;
}

/** The plan of a seed. */
export function planOf(seed: number, { steps = Number.POSITIVE_INFINITY, isNight, isBrief }: PlanOptions = {}): Plan {
  const plan = withCalm(wholePlanOf(seed), isNight);
  const all = isBrief ? briefly(plan) : plan;
  return { ...all, blows: all.blows.slice(0, steps) };
}

/** Bounds of a plan that is over soon: what it costs are gateways that start, and time that they spend. */
const brief = { ms: 4 * second, lasts: 20 * second, size: 3, clients: 2 } as const;

/** The plan in less time, with fewer gateways: everything in it begins earlier. */
function briefly(plan: Plan): Plan {
  const ms = Math.min(plan.ms, brief.ms);
  const size = Math.min(plan.size, brief.size);
  const blows = plan.blows.map((blow) => ({
    ...blow,
    at: Math.round((blow.at * ms) / plan.ms),
    ...('ms' in blow && { ms: Math.min(blow.ms, brief.lasts) }),
    ...('replica' in blow && { replica: blow.replica % size }),
  }));
  const clients = Math.min(plan.clients, brief.clients);
  const followed = plan.followed && { followed: plan.followed.slice(0, 1).map((number) => number % size) };
  return { ...plan, ms, size, clients, skews: plan.skews.slice(0, size), blows, ...followed };
}

function wholePlanOf(seed: number): Plan {
  const random = new Random(seed);
  const size = random.between(1, 5);
  const ms = random.between(5, 30) * second;
  // A seed has some kinds of trouble and not others, so that each also occurs with few others.
  const chosen = troubleNames.filter(() => random.chance(0.4));
  const count = chosen.length === 0 ? 0 : random.between(1, 6);
  const plain = Array.from({ length: count }, () => blowOf(random, random.pick(chosen), size, ms));
  const directed = directedOf(seed, size, ms);
  const agents = agentsOf(seed);
  const further = furtherOf(seed, size, ms, agents);
  const distant = further.flatMap((blow) => (blow.what === 'distant' ? [blow.replica] : []));
  const blows = [...plain, ...directed.blows, ...further].sort((one, other) => one.at - other.at);
  return {
    seed,
    size,
    clients: random.between(1, 3),
    probes: directed.probes,
    ms,
    skews: Array.from({ length: size }, () => (chosen.includes('clock') ? random.pick(skews) : 0)),
    blows,
    agents,
    ...(distant.length > 0 && { followed: distant }),
    ...callersOf(seed),
    ...streamsOf(seed),
    ...interruptersOf(seed),
    ...askersOf(seed),
    ...whisperersOf(seed),
    ...failersOf(seed),
  };
}

/** Sets the chance of messages to working agents apart from other chance. */
const interruptersSalt = 0x1_7e22;

/** The clients of a seed that send messages to working agents: most have none. */
function interruptersOf(seed: number): Pick<Plan, 'interrupters'> {
  const random = new Random(seed ^ interruptersSalt);
  return random.chance(0.2) ? { interrupters: random.between(1, 2) } : {};
}

/** Sets the chance of calls that wait for people apart from other chance. */
const askersSalt = 0xa5_c033;

/** The callers of a seed whose calls wait until people agree: most have none. */
function askersOf(seed: number): Pick<Plan, 'askers'> {
  const random = new Random(seed ^ askersSalt);
  return random.chance(0.12) ? { askers: random.between(1, 2) } : {};
}

/** Sets the chance of clients of an agent behind a guard apart from other chance. */
const whisperersSalt = 0x91_0004;

/** The clients of a seed that an agent behind a guard has: most have none. */
function whisperersOf(seed: number): Pick<Plan, 'whisperers'> {
  const random = new Random(seed ^ whisperersSalt);
  return random.chance(0.1) ? { whisperers: random.between(1, 2) } : {};
}

/** Sets the chance of clients whose calls fail apart from other chance. */
const failersSalt = 0xfa_11e5;

/** The clients of a seed whose calls fail: most have none. */
function failersOf(seed: number): Pick<Plan, 'failers'> {
  const random = new Random(seed ^ failersSalt);
  return random.chance(0.25) ? { failers: random.between(1, 2) } : {};
}

/** Sets the chance of callers with keys apart from other chance. */
const callersSalt = 0xca11_e500;

/** The callers with keys of a seed: most have none. */
function callersOf(seed: number): Pick<Plan, 'callers'> {
  const random = new Random(seed ^ callersSalt);
  return random.chance(0.15) ? { callers: ['ada', 'bob'] } : {};
}

/** Sets the chance of a limit of streams apart from other chance. */
const streamsSalt = 0x57_2ea5;

/** The limit of streams of a seed: most have none. All other streams of clients must fit into it. */
function streamsOf(seed: number): Pick<Plan, 'streams'> {
  const random = new Random(seed ^ streamsSalt);
  return random.chance(0.08) ? { streams: random.between(8, 12) } : {};
}

function blowOf(random: Random, what: BlowName, size: number, end: number): PlainBlow {
  const at = random.between(0, end);
  const replica = random.between(0, size - 1);
  const [least, most] = troubles[what];
  const ms = random.between(least, most);
  switch (what) {
    case 'kill':
    case 'pause':
      return { at, what, replica, ms, committed: random.chance(0.5) };
    case 'stop':
      return { at, what, replica, ms };
    case 'cut':
      return { at, what, replica };
    case 'clock':
      return { at, what, replica, skew: random.pick(skews) };
    case 'silent':
    case 'refused':
    case 'slow':
      return { at, what, replica, ms, from: random.pick(['clients', 'far', 'hooks'] as const) };
    case 'away':
    case 'notifications':
      return { at, what, ms };
    case 'weather': {
      const fate = random.pick(Object.keys(storms) as (keyof typeof storms)[]);
      return { at, what, ms, fate, share: storms[fate] };
    }
  }
}

/** A blow in a line. */
export const lineOf = ({ at, what, ...rest }: Blow): string =>
  `${(at / second).toFixed(3).padStart(9)} s  ${what} ${Object.entries(rest)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')}`;
