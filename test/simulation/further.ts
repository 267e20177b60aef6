import { Random } from '../support/random.ts';
import { speechNames } from '../workload/agents/speeches.ts';
import type { Manner } from '../workload/agents/wire-agent.ts';

/** What becomes of the tasks of an agent that crashed: they are forgotten, they fail, or they go on. */
export type Recovery = 'forgets' | 'fails' | 'goes on';

/** An agent behind the gateways that speaks one dialect over one binding. */
export interface PlannedAgent {
  /** Key of `speeches`. */
  readonly name: string;
  readonly manners: readonly Manner[];
}

/** Further trouble. Times are virtual milliseconds since the beginning, or for how long. */
export type FurtherBlow =
  /** An agent dies, and comes back. `then`: what becomes of its tasks. */
  | {
      readonly at: number;
      readonly what: 'crash';
      readonly agent: string;
      readonly then: Recovery;
      readonly ms: number;
    }
  /** Between a replica and an agent. */
  | {
      readonly at: number;
      readonly what: 'apart';
      readonly replica: number;
      readonly agent: string;
      readonly how: 'silent' | 'refused' | 'slow';
      readonly ms: number;
    };

export type FurtherName = FurtherBlow['what'];

/** What a plan has that may be struck. */
interface Scene {
  readonly random: Random;
  readonly at: number;
  readonly replica: number;
  readonly agents: readonly PlannedAgent[];
}

const second = 1_000;

/** Makes a blow of each kind; undefined where the plan has nothing to strike. */
const makers: { readonly [K in FurtherName]: (scene: Scene) => Extract<FurtherBlow, { what: K }> | undefined } = {
  crash({ random, at, agents }) {
    const then = random.pick(['forgets', 'fails', 'goes on'] as const);
    const ms = random.between(200, 20 * second);
    const agent = agents.length > 0 && random.pick(agents).name;
    return agent ? { at, what: 'crash', agent, then, ms } : undefined;
  },
  apart({ random, at, replica, agents }) {
    const how = random.pick(['silent', 'refused', 'slow'] as const);
    const ms = random.between(500, 20 * second);
    const agent = agents.length > 0 && random.pick(agents).name;
    return agent ? { at, what: 'apart', replica, agent, how, ms } : undefined;
  },
};

/** Every kind of further trouble. */
export const furtherNames = Object.keys(makers) as FurtherName[];

/** Set the chances of further agents and trouble apart from other chance. */
const salts = { agents: 0x5eed_a9e7, blows: 0x5eed_1a7e } as const;

const manners: readonly Manner[] = ['repeats', 'breaks', 'ends early', 'slow'];

/** The agents of a seed: few, so that each costs little and is called often. */
export function agentsOf(seed: number): PlannedAgent[] {
  const random = new Random(seed ^ salts.agents);
  const count = random.pick([0, 1, 1, 2]);
  const names = Array.from({ length: count }, () => random.pick(speechNames));
  const some = () => manners.filter(() => random.chance(0.25));
  return [...new Set(names)].map((name) => ({ name, manners: some() }));
}

/**
 * The further trouble of a seed. Each kind has a stream of chance of its own, so that one more kind changes nothing else.
 *
 * @param end virtual milliseconds until the last blow has fallen
 */
export function furtherOf(seed: number, size: number, end: number, agents: readonly PlannedAgent[]): FurtherBlow[] {
  return furtherNames.flatMap((what, kind) => {
    const random = new Random(seed ^ (salts.blows + 7_919 * kind));
    const count = random.chance(0.2) ? random.between(1, 3) : 0;
    const made = Array.from({ length: count }, () =>
      makers[what]({ random, at: random.between(0, end), replica: random.between(0, size - 1), agents }),
    );
    return made.filter((blow) => blow !== undefined);
  });
}
