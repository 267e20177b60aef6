import { expect, it } from 'vitest';
import { type Blow, planOf } from './plan.ts';
import { shrink } from './shrink.ts';

const kill = (at: number, replica = 0): Blow => ({ at, what: 'kill', replica, ms: 100 });

it('a plan shrinks to the blows that violate an invariant together, one client, and a short time', async () => {
  const blows = [kill(1), kill(2), kill(3), kill(4), kill(5), kill(6)];
  const plan = { ...planOf(1), agents: [], size: 4, clients: 3, ms: 20_000, blows };
  const both = (given: readonly Blow[]): boolean => [2, 5].every((at) => given.some((blow) => blow.at === at));
  const { plan: smallest } = await shrink(plan, async ({ blows: given }) => both(given));
  expect(smallest).toEqual({
    ...plan,
    size: 1,
    clients: 1,
    probes: 0,
    ms: 1_000,
    skews: smallest.skews.slice(0, 1),
    blows: [kill(2), kill(5)],
  });
});

it('a plan keeps the gateways that its blows name, under smaller numbers', async () => {
  const plan = {
    ...planOf(1),
    agents: [],
    size: 4,
    clients: 1,
    probes: 0,
    ms: 1_000,
    skews: [0, 1, 2, 3],
    blows: [kill(1, 2)],
  };
  const { plan: smallest } = await shrink(plan, async ({ blows, skews }) => blows.length === 1 && skews.includes(2));
  expect(smallest).toEqual({ ...plan, size: 1, skews: [2], blows: [kill(1, 0)] });
});

it('blows of a plan become shorter, and a calm too', async () => {
  const blows: Blow[] = [{ ...kill(1), ms: 6_400 } as Blow, { at: 2, what: 'calm', ms: 3_600_000 }];
  const plan = { ...planOf(1), agents: [], size: 1, clients: 1, probes: 0, ms: 1_000, skews: [0], blows };
  const { plan: smallest } = await shrink(plan, async ({ blows: [one, two] }) =>
    [one, two].every((blow) => blow !== undefined && 'ms' in blow && blow.ms >= 1_000),
  );
  expect(smallest.blows).toEqual(
    [kill(1), { at: 2, what: 'calm', ms: 1_700 }].map((blow, at) => (at === 0 ? { ...blow, ms: 1_600 } : blow)),
  );
});
