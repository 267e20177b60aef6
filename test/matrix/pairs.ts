import { type DialectBinding, dialectBindings } from '../support/conversations.ts';
import { Random } from '../support/random.ts';

/** A client before an agent behind the gateway: what each speaks. */
export interface Pair {
  readonly client: DialectBinding;
  readonly upstream: DialectBinding;
}

/** The number of pairs that are no edge which `npm test` tries. The slow tier tries the others. */
const sampled = 4;

/** Every pair. */
export const pairs: readonly Pair[] = dialectBindings.flatMap((client) =>
  dialectBindings.map((upstream) => ({ client, upstream })),
);

/** Seed of the sample. `scripts/test.ts` chooses one, and prints it. */
export const seed = Number(process.env.TEST_SEED ?? 1);

/** The first client before every agent, every client before the first agent, and a sample of the others. */
export const edgesAndSample: ReadonlySet<Pair> = new Set([...pairs.filter(isEdge), ...sample()]);

/**
 * One pair of each dialect before each dialect, whose bindings chance selects: bindings carry every operation of a dialect in the
 * same way, as the edges show. `TEST_PAIRS=all` takes every pair.
 */
export const oneOfEachDialect: readonly Pair[] = process.env.TEST_PAIRS === 'all' ? pairs : onePairOfEach();

function isEdge({ client, upstream }: Pair): boolean {
  return client === dialectBindings[0] || upstream === dialectBindings[0];
}

function onePairOfEach(): Pair[] {
  const random = new Random(seed + 1);
  const others = pairs.filter((pair) => !edgesAndSample.has(pair));
  const groups = Map.groupBy(others, ({ client, upstream }) => `${client.as} ${upstream.as}`);
  return [...groups.values()].flatMap((group) => group[Math.floor(random.next() * group.length)] ?? []);
}

function sample(): Pair[] {
  const random = new Random(seed);
  return pairs
    .filter((pair) => !isEdge(pair))
    .map((pair) => ({ pair, rank: random.next() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, sampled)
    .map(({ pair }) => pair);
}
