import { type DialectBinding, dialectBindings } from '../support/conversations.ts';
import { Random } from '../support/random.ts';

/** A client before an agent behind the gateway: what each speaks. */
export interface Pair {
  readonly client: DialectBinding;
  readonly upstream: DialectBinding;
}

/** How many of the pairs that are no edge `npm test` tries. The slow tier tries the others. */
const sampled = 4;

/** Every pair. */
export const pairs: readonly Pair[] = dialectBindings.flatMap((client) =>
  dialectBindings.map((upstream) => ({ client, upstream })),
);

/** The same seed makes the same sample: `scripts/test.ts` chooses one, and prints it. */
export const seed = Number(process.env.TEST_SEED ?? 1);

/** The first client before every agent, every client before the first agent, and a sample of the others. */
export const edgesAndSample: ReadonlySet<Pair> = new Set([...pairs.filter(isEdge), ...sample()]);

function isEdge({ client, upstream }: Pair): boolean {
  return client === dialectBindings[0] || upstream === dialectBindings[0];
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
