import { Random } from '../support/random.ts';

/** Trouble that is aimed at a moment. Times are virtual milliseconds since the beginning, or for how long. */
export type DirectedBlow =
  /** The replica is paused at its next committed write, and goes on as soon as others have all of its tasks. */
  | { readonly at: number; readonly what: 'zombie'; readonly replica: number; readonly ms: number }
  /** The replica dies, or is paused, as soon as another one has forwarded a call to it. */
  | {
      readonly at: number;
      readonly what: 'asked';
      readonly replica: number;
      readonly ms: number;
      readonly how: 'kill' | 'pause';
    }
  /** Connections between the replica and another host break when bytes have arrived there, and nothing has come back. */
  | {
      readonly at: number;
      readonly what: 'broken';
      readonly replica: number;
      readonly from: 'clients' | 'far' | 'hooks';
      readonly ms: number;
    }
  /** The replica dies when what it sent has arrived at the agent, and nothing has come back. */
  | { readonly at: number; readonly what: 'sent'; readonly replica: number; readonly ms: number }
  /** The database answers late: what it was sent is executed at once. */
  | { readonly at: number; readonly what: 'late'; readonly ms: number; readonly share: number }
  /** The primary is away, and back for one replica first. */
  | { readonly at: number; readonly what: 'back first'; readonly replica: number; readonly ms: number }
  /** No notification reaches the replica. */
  | { readonly at: number; readonly what: 'deaf'; readonly replica: number; readonly ms: number };

type DirectedName = Exclude<DirectedBlow['what'], 'sent'>;

const second = 1_000;

/** Duration of trouble, in milliseconds. */
const lasts: Readonly<Record<DirectedName, readonly [least: number, most: number]>> = {
  zombie: [12 * second, 60 * second],
  asked: [100, 15 * second],
  broken: [2 * second, 10 * second],
  late: [second, 12 * second],
  'back first': [8 * second, 20 * second],
  deaf: [5 * second, 30 * second],
};

const names = Object.keys(lasts) as DirectedName[];

/** Sets this chance apart from that of the plan, which must not change with it. */
const salt = 0x5eed_d1ec;

/** Directed trouble of a seed, and its clients that look closely. */
export interface Directed {
  readonly blows: readonly DirectedBlow[];
  /** Clients that look closely. */
  readonly probes: number;
}

/** Sets the chance of deaths after a request apart. */
const sentSalt = 0x5e27;

/** Deaths after a request. @param end virtual milliseconds until the last blow has fallen */
function sentOf(seed: number, size: number, end: number): DirectedBlow[] {
  const random = new Random(seed ^ sentSalt);
  if (!random.chance(0.15)) return [];
  return Array.from({ length: random.between(1, 3) }, () => ({
    at: random.between(0, end),
    what: 'sent',
    replica: random.between(0, size - 1),
    ms: random.between(200, 6 * second),
  }));
}

/** @param end virtual milliseconds until the last blow has fallen */
export function directedOf(seed: number, size: number, end: number): Directed {
  const random = new Random(seed ^ salt);
  const sent = sentOf(seed, size, end);
  if (!random.chance(0.5)) return { blows: sent, probes: 0 };
  const what = random.pick(names);
  const count = random.between(1, 3);
  const blows = Array.from({ length: count }, () => blowOf(random, what, size, end));
  return { blows: [...blows, ...sent], probes: random.between(1, 2) };
}

function blowOf(random: Random, what: DirectedName, size: number, end: number): DirectedBlow {
  const at = random.between(0, end);
  const replica = random.between(0, size - 1);
  const [least, most] = lasts[what];
  const ms = random.between(least, most);
  switch (what) {
    case 'zombie':
    case 'back first':
    case 'deaf':
      return { at, what, replica, ms };
    case 'asked':
      return { at, what, replica, ms, how: random.pick(['kill', 'pause'] as const) };
    case 'broken':
      return { at, what, replica, ms, from: random.pick(['far', 'far', 'clients', 'hooks'] as const) };
    case 'late':
      return { at, what, ms, share: random.pick([0.1, 0.3]) };
  }
}
