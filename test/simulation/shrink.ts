import type { Plan } from './plan.ts';

/** Milliseconds that a plan is cut to at least. */
const shortest = 1_000;

/** Simulations that one search may take. */
const mostTries = 60;

/** Smaller plans that are next to a plan: without one of its blows or agents, with fewer clients or gateways, or shorter. */
function* smallerThan(plan: Plan): Generator<Plan> {
  const { agents = [], blows, clients, ms, size } = plan;
  for (let half = Math.floor(blows.length / 2); half > 1; half = Math.floor(half / 2)) {
    for (let from = 0; from < blows.length; from += half) yield { ...plan, blows: blows.toSpliced(from, half) };
  }
  for (let at = 0; at < blows.length; at += 1) yield { ...plan, blows: blows.toSpliced(at, 1) };
  for (let at = 0; at < agents.length; at += 1) yield { ...plan, agents: agents.toSpliced(at, 1) };
  if (clients > 1) yield { ...plan, clients: 1 };
  if (size > 1 && blows.every((blow) => !('replica' in blow) || blow.replica < size - 1))
    yield { ...plan, size: size - 1 };
  if (ms > shortest) yield { ...plan, ms: Math.max(shortest, Math.floor(ms / 2)) };
}

/**
 * A plan that violates an invariant and has no smaller neighbour that does, as far as the search goes.
 *
 * @param violates runs a plan
 */
export async function shrink(plan: Plan, violates: (plan: Plan) => Promise<boolean>): Promise<Plan> {
  let smallest = plan;
  let tries = 0;
  for (let hasShrunk = true; hasShrunk; ) {
    hasShrunk = false;
    for (const smaller of smallerThan(smallest)) {
      if (tries === mostTries) return smallest;
      tries += 1;
      if (!(await violates(smaller))) continue;
      smallest = smaller;
      hasShrunk = true;
      break;
    }
  }
  return smallest;
}
