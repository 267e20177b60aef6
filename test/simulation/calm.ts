import { Random } from '../support/random.ts';
import type { Plan } from './plan.ts';

/**
 * A quiet period: only the gateways' own timers run. It begins when running work has ended, and later blows are delayed
 * by its length.
 */
export interface Calm {
  readonly at: number;
  readonly what: 'calm';
  readonly ms: number;
}

const minute = 60_000;

/** Sets this chance apart from that of the plan, which must not change with it. */
const salts = { usual: 0xca1_0001, night: 0xca1_0002 } as const;

/** Share of seeds that have a calm. */
const shares = { usual: 0.03, night: 0.6 } as const;

/** Milliseconds that a calm lasts. Idempotency keys expire after a day. */
const lasts = {
  usual: [minute, 4 * minute],
  hours: [10 * minute, 6 * 60 * minute],
  days: [24 * 60 * minute, 30 * 60 * minute],
} as const;

/** Share of the calms of a night that last for more than a day. */
const shareOfDays = 0.04;

/** After which time tasks at rest may be deleted, in milliseconds: longer than what comes after a calm. */
export const retentions: readonly number[] = [20 * minute, 60 * minute];

/** The plan with a calm, which some seeds have; in the night's run, more have one, and longer ones. */
export function withCalm(plan: Plan, isNight = false): Plan {
  const random = new Random(plan.seed ^ (isNight ? salts.night : salts.usual));
  if (!random.chance(isNight ? shares.night : shares.usual)) return plan;
  const [least, most] = !isNight ? lasts.usual : random.chance(shareOfDays) ? lasts.days : lasts.hours;
  const calm: Calm = { at: random.between(0, plan.ms), what: 'calm', ms: random.between(least, most) };
  return {
    ...plan,
    ...(isNight && random.chance(0.7) && { retention: random.pick(retentions) }),
    blows: [...plan.blows, calm].sort((one, other) => one.at - other.at),
  };
}

export const isCalm = (blow: { readonly what: string }): blow is Calm => blow.what === 'calm';
