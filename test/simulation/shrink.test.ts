import { expect, it } from 'vitest';
import { type Blow, planOf } from './plan.ts';
import { shrink } from './shrink.ts';

const kill = (at: number, replica = 0): Blow => ({ at, what: 'kill', replica, ms: 100 });

it('a plan shrinks to the blows that violate an invariant together, one client, and a short time', async () => {
  const blows = [kill(1), kill(2), kill(3), kill(4), kill(5), kill(6)];
  const plan = { ...planOf(1), size: 4, clients: 3, ms: 20_000, blows };
  const both = (given: readonly Blow[]): boolean => [2, 5].every((at) => given.some((blow) => blow.at === at));
  const smallest = await shrink(plan, async ({ blows: given }) => both(given));
  expect(smallest).toEqual({ ...plan, size: 1, clients: 1, ms: 1_000, blows: [kill(2), kill(5)] });
});

it('a plan does not lose the gateways that its blows name', async () => {
  const plan = { ...planOf(1), size: 4, clients: 1, ms: 1_000, blows: [kill(1, 2)] };
  const smallest = await shrink(plan, async ({ blows }) => blows.length === 1);
  expect(smallest).toEqual({ ...plan, size: 3 });
});
