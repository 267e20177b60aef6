import type { Blow, Plan } from './plan.ts';

/** Milliseconds that a plan is cut to at least. */
const shortest = 1_000;

/** Milliseconds that a blow is cut to at least. */
const shortestBlow = 200;

/** Simulations that one search may take at most, and virtual milliseconds that they may take together. */
const most = { tries: 80, ms: 24 * 3_600_000 } as const;

/** A plan that was found, and the simulations that it took. */
export interface Shrunk {
  readonly plan: Plan;
  readonly tries: number;
}

/** Smaller plans that are next to a plan: without some of its blows or agents, with fewer clients or gateways, or shorter. */
function* smallerThan(plan: Plan): Generator<Plan> {
  const { agents = [], blows, callers = [], clients, failers, followed = [], ms, probes = 0, skews, streams } = plan;
  for (let half = Math.ceil(blows.length / 2); half > 1; half = Math.floor(half / 2)) {
    for (let from = 0; from < blows.length; from += half) yield { ...plan, blows: blows.toSpliced(from, half) };
  }
  for (let at = 0; at < blows.length; at += 1) yield { ...plan, blows: blows.toSpliced(at, 1) };
  for (let at = 0; at < agents.length; at += 1) yield { ...plan, agents: agents.toSpliced(at, 1) };
  if (probes > 0) yield { ...plan, probes: 0 };
  if (streams !== undefined) yield withoutStreams(plan);
  if (callers.length > 0) yield { ...plan, callers: [] };
  if (failers !== undefined && failers > 1) yield { ...plan, failers: 1 };
  if (followed.length > 0) yield { ...plan, followed: [] };
  if (clients > 1) yield { ...plan, clients: 1 };
  else if (clients === 1 && probes + followed.length + callers.length > 0) yield { ...plan, clients: 0 };
  yield* withFewerGateways(plan);
  if (ms > shortest) {
    const half = Math.max(shortest, Math.floor(ms / 2));
    // Late blows come at the end of the shorter time, or earlier by as much.
    yield { ...plan, ms: half, blows: blows.map((blow) => ({ ...blow, at: Math.min(blow.at, half) })) };
    yield { ...plan, ms: half, blows: blows.map((blow) => ({ ...blow, at: Math.floor((blow.at * half) / ms) })) };
  }
  if (skews.some((skew) => skew !== 0)) yield { ...plan, skews: skews.map(() => 0) };
  for (const [at, blow] of blows.entries()) {
    const shorter = shorterThan(blow);
    if (shorter) yield { ...plan, blows: blows.with(at, shorter) };
  }
}

function withoutStreams({ streams: _, ...plan }: Plan): Plan {
  return plan;
}

/** Plans without one of the gateways. Blows that named the last one name the one that takes its number. */
function* withFewerGateways(plan: Plan): Generator<Plan> {
  const { size, blows, followed } = plan;
  if (size === 1) return;
  const isNamed = (number: number): boolean =>
    followed?.includes(number) || blows.some((blow) => 'replica' in blow && blow.replica === number);
  for (let gone = size - 1; gone >= 0; gone -= 1) {
    if (isNamed(gone)) continue;
    const renamed = blows.map((blow) =>
      'replica' in blow && blow.replica > gone ? { ...blow, replica: blow.replica - 1 } : blow,
    );
    const smaller = { ...plan, size: size - 1, skews: plan.skews.toSpliced(gone, 1), blows: renamed };
    yield followed
      ? { ...smaller, followed: followed.map((number) => (number > gone ? number - 1 : number)) }
      : smaller;
  }
}

/** A blow that lasts half as long, in whole tenths of a second. */
function shorterThan(blow: Blow): Blow | undefined {
  if (!('ms' in blow) || blow.ms <= shortestBlow) return undefined;
  return { ...blow, ms: Math.max(shortestBlow, Math.floor(blow.ms / 200) * 100) };
}

/**
 * A plan that violates an invariant and has no smaller neighbour that does, as far as the search goes. Deterministic.
 *
 * @param violates runs a plan
 */
export async function shrink(plan: Plan, violates: (plan: Plan) => Promise<boolean>): Promise<Shrunk> {
  let smallest = plan;
  let tries = 0;
  let left: number = most.ms;
  for (let hasShrunk = true; hasShrunk; ) {
    hasShrunk = false;
    for (const smaller of smallerThan(smallest)) {
      left -= timeOf(smaller);
      if (tries === most.tries || left < 0) return { plan: smallest, tries };
      tries += 1;
      if (!(await violates(smaller))) continue;
      smallest = smaller;
      hasShrunk = true;
      break;
    }
  }
  return { plan: smallest, tries };
}

/** Virtual milliseconds that a plan takes at least. */
const timeOf = ({ ms, blows }: Plan): number =>
  blows.reduce((sum, blow) => sum + (blow.what === 'calm' ? blow.ms : 0), ms);
