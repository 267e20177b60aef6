import { Random } from '../support/random.ts';
import { speechNames } from '../workload/agents/speeches.ts';
import type { Manner } from '../workload/agents/wire-agent.ts';

/** Fate of the tasks of an agent that crashed: they are forgotten, they fail, or they go on. */
export type Recovery = 'forgets' | 'fails' | 'goes on';

/** An agent behind the gateways that speaks one dialect over one binding. */
export interface PlannedAgent {
  /** Key of `speeches`. */
  readonly name: string;
  readonly manners: readonly Manner[];
}

/** Kinds of trouble between a replica and another host. */
export type Between = 'chopped' | 'idle reset' | 'one way' | 'half open' | 'stalled';

type OfConnections<What> = What extends Between
  ? { readonly at: number; readonly what: What; readonly replica: number; readonly from: string; readonly ms: number }
  : never;

/** Further trouble. Times are virtual milliseconds since the beginning, or for how long. */
export type FurtherBlow =
  /** An agent dies, and comes back. `after`: what becomes of its tasks. */
  | {
      readonly at: number;
      readonly what: 'crash';
      readonly agent: string;
      readonly after: Recovery;
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
    }
  /**
   * Connections between the replica and another host. `chopped`: they break in the middle of what is written; `idle reset`: when
   * something is written after a pause. `one way`: bytes of one side do not arrive. `half open`: one side closes, and the other
   * never learns of it. `stalled`: the other host does not read.
   */
  | OfConnections<Between>
  /** Each notification comes hundreds of times. */
  | { readonly at: number; readonly what: 'storm'; readonly ms: number }
  /** Connections on which replicas listen break. */
  | { readonly at: number; readonly what: 'unheard' }
  /** Some statements take seconds. */
  | { readonly at: number; readonly what: 'sluggish'; readonly ms: number }
  /** The configuration of the replica is loaded again: as it is, with one agent more, or with another limit. */
  | { readonly at: number; readonly what: 'reload'; readonly replica: number; readonly how: Reloaded }
  /** Others take the replica for one of an older program, and write what that can read; then it is restarted as a newer one. */
  | {
      readonly at: number;
      readonly what: 'older';
      readonly replica: number;
      readonly schema: number;
      readonly ms: number;
    }
  /**
   * An agent has acted on what the replica sent, and none of its answer arrives: the replica dies, or the connection breaks, when
   * the agent writes one of the first parts of its answer. `ms`: until the replica is started again, or connections hold.
   */
  | {
      readonly at: number;
      readonly what: 'unanswered';
      readonly replica: number;
      readonly agent: string;
      readonly how: 'kill' | 'cut';
      readonly ms: number;
    }
  /** The replica's reads from the database arrive late, in another order. */
  | { readonly at: number; readonly what: 'distant'; readonly replica: number; readonly ms: number };

/** Change of a reloaded configuration. */
export type Reloaded = 'nothing' | 'agent' | 'limit';

export type FurtherName = FurtherBlow['what'];

/** Parts of a plan that may be struck. */
interface Scene {
  readonly random: Random;
  readonly at: number;
  readonly replica: number;
  readonly agents: readonly PlannedAgent[];
}

const second = 1_000;

/** Hosts whose connections break. An agent with a long silence is given up too late for a simulation. */
const peersOf = (agents: readonly PlannedAgent[]): string[] => [
  'clients',
  'clients',
  'hooks',
  ...agents.map(({ name }) => name),
];

const between =
  <K extends Between>(what: K) =>
  ({ random, at, replica, agents }: Scene): OfConnections<K> => {
    const blow = { at, what, replica, from: random.pick(peersOf(agents)), ms: random.between(second, 12 * second) };
    return blow as unknown as OfConnections<K>;
  };

/** Schemas of older programs, whose replicas newer ones live with: before columns of upstream ids, and before generations. */
const olderSchemas = [10, 12, 13] as const;

/** Makes a blow of each kind; undefined where the plan has nothing to strike. */
const makers: { readonly [K in FurtherName]: (scene: Scene) => Extract<FurtherBlow, { what: K }> | undefined } = {
  crash({ random, at, agents }) {
    const after = random.pick(['forgets', 'fails', 'goes on'] as const);
    const ms = random.between(200, 20 * second);
    const agent = agents.length > 0 && random.pick(agents).name;
    return agent ? { at, what: 'crash', agent, after, ms } : undefined;
  },
  apart({ random, at, replica, agents }) {
    const how = random.pick(['silent', 'refused', 'slow'] as const);
    const ms = random.between(500, 20 * second);
    const agent = agents.length > 0 && random.pick(agents).name;
    return agent ? { at, what: 'apart', replica, agent, how, ms } : undefined;
  },
  chopped: between('chopped'),
  'idle reset': between('idle reset'),
  'one way': between('one way'),
  'half open': between('half open'),
  stalled: between('stalled'),
  storm: ({ random, at }) => ({ at, what: 'storm', ms: random.between(second, 6 * second) }),
  unheard: ({ at }) => ({ at, what: 'unheard' }),
  sluggish: ({ random, at }) => ({ at, what: 'sluggish', ms: random.between(second, 12 * second) }),
  reload: ({ random, at, replica }) => ({
    at,
    what: 'reload',
    replica,
    how: random.pick(['nothing', 'agent', 'limit'] as const),
  }),
  older: ({ random, at, replica }) => ({
    at,
    what: 'older',
    replica,
    schema: random.pick(olderSchemas),
    ms: random.between(2 * second, 15 * second),
  }),
  unanswered: ({ random, at, replica, agents }) => ({
    at,
    what: 'unanswered',
    replica,
    agent: random.pick(['far', 'far', ...agents.map(({ name }) => name)]),
    how: random.pick(['kill', 'cut'] as const),
    ms: random.between(second, 8 * second),
  }),
  distant: ({ random, at, replica }) => ({
    at: Math.round(at / 2),
    what: 'distant',
    replica,
    ms: random.between(10 * second, 25 * second),
  }),
};

/** Every kind of further trouble. */
export const furtherNames = Object.keys(makers) as FurtherName[];

/** Set the chances of further agents and trouble apart from other chance. */
const salts = { agents: 0x5eed_a9e7, blows: 0x5eed_1a7e, versions: 0x5eed_7e45, more: 0x5eed_30e5 } as const;

const manners: readonly Manner[] = ['repeats', 'breaks', 'ends early', 'slow'];

/** Agents of versions whose cards may name none. */
const mayOmitVersion: ReadonlySet<string> = new Set(['wire-02', 'wire-03']);

/** The agents of a seed: few, so that each costs little and is called often. */
export function agentsOf(seed: number): PlannedAgent[] {
  const random = new Random(seed ^ salts.agents);
  const count = random.pick([0, 1, 1, 2]);
  const names = Array.from({ length: count }, () => random.pick(speechNames));
  const some = () => manners.filter(() => random.chance(0.25));
  const agents = [...new Set(names)].map((name) => ({ name, manners: some() }));
  const versions = new Random(seed ^ salts.versions);
  const more = new Random(seed ^ salts.more);
  return agents.map((agent) => {
    const omitsVersion = mayOmitVersion.has(agent.name) && versions.chance(0.3);
    const own: Manner[] = omitsVersion ? [...agent.manners, 'no version'] : [...agent.manners];
    return { ...agent, manners: more.chance(0.6) ? [...own, 'takes more'] : own };
  });
}

/**
 * The further trouble of a seed. Each kind has a stream of chance of its own, so that one more kind changes nothing else.
 *
 * @param end virtual milliseconds until the last blow has fallen
 */
export function furtherOf(seed: number, size: number, end: number, agents: readonly PlannedAgent[]): FurtherBlow[] {
  return furtherNames.flatMap((what, kind) => {
    const random = new Random(seed ^ (salts.blows + 7_919 * kind));
    const count = random.chance(0.12) ? random.between(1, 3) : 0;
    const made = Array.from({ length: count }, () =>
      makers[what]({ random, at: random.between(0, end), replica: random.between(0, size - 1), agents }),
    );
    return made.filter((blow) => blow !== undefined);
  });
}
