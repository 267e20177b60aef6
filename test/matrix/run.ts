import {
  conversations,
  type DialectBinding,
  dialectBindings,
  heldOver,
  mistakes,
  others,
} from '../support/conversations.ts';
import { type Difference, differences, type Observations } from './differences.ts';
import { type Gateways, startGateways, type Upstream } from './gateways.ts';
import { type Observation, observe } from './observe.ts';
import type { Pair } from './pairs.ts';
import { type Reason, reasonsFor } from './reasons.ts';

/** Everything that is compared, by name. */
export const everything = { ...conversations, ...others, ...mistakes };

/** Why one difference is there, or that nothing explains it. */
export interface Finding extends Difference {
  readonly reasons: readonly Reason[];
}

/** One client before one agent. */
export interface Cell {
  readonly client: DialectBinding;
  /** Protocol of the agent behind the gateway; absent if the client reaches the agent itself. */
  readonly upstream?: Upstream;
  /** Names of the conversations that were held. */
  readonly held: readonly string[];
  /** Differences from A2A 1.0 without a gateway in between. */
  readonly findings: readonly Finding[];
}

/** Cells at work at the same time. */
const width = 6;

/** The part of the matrix that is run. */
export interface Selection {
  /** The first client before every agent is run in any case, since it explains what other pairs show. */
  readonly pairs: ReadonlySet<Pair>;
  /** Whether agents that do not stream are among it. */
  readonly quiet: boolean;
}

/**
 * Holds every conversation over every dialect and binding that is selected: each client with the agent itself, then with
 * each upstream; and the first client with each upstream that does not stream. All results are compared with those of the
 * first client (A2A 1.0) and the agent itself.
 *
 * A difference is explained by the limits of that end of the cell which makes the same difference by itself: the client
 * before the agent itself, or the upstream before the first client. So nothing is excused that only the two together
 * would lose.
 */
export async function runMatrix({ pairs, quiet: withQuiet }: Selection): Promise<Cell[]> {
  const gateways = await startGateways();
  try {
    const [first] = dialectBindings;
    if (!first) throw new TypeError('There are no dialects.');
    const expected = await hold(gateways, first);
    for (const [name, { thrown }] of expected)
      if (thrown) throw new Error(`What is compared with failed: ${name}: ${thrown}`);
    const judge = async (client: DialectBinding, upstream: Upstream | undefined, blame: Blame): Promise<Cell> => {
      const actual = await hold(gateways, client, upstream);
      const findings = differences(expected, actual).map((found) => ({ ...found, reasons: blame(found) }));
      return { client, ...(upstream && { upstream }), held: [...actual.keys()], findings };
    };
    const upstreams = dialectBindings.map((protocol) => ({ protocol, streams: true }));
    const quiet = withQuiet ? dialectBindings.map((protocol) => ({ protocol, streams: false })) : [];
    const before = (agents: readonly Upstream[]) =>
      inTurn(agents.map((upstream) => () => judge(first, upstream, byProtocol(upstream.protocol))));
    const direct = await inTurn(
      dialectBindings.map((protocol) => () => judge(protocol, undefined, byProtocol(protocol))),
    );
    const behind = await before(upstreams);
    const rest = [...pairs]
      .filter(({ client }) => client !== first)
      .map(({ client, upstream }) => {
        const ends = [
          { protocol: client, alone: direct[dialectBindings.indexOf(client)] },
          { protocol: upstream, alone: behind[dialectBindings.indexOf(upstream)] },
        ];
        const blame: Blame = (found) =>
          ends.flatMap(({ protocol, alone }) => (alone && makes(alone, found) ? reasonsFor(found, protocol) : []));
        return () => judge(client, { protocol: upstream, streams: true }, blame);
      });
    return [...direct, ...behind, ...(await inTurn(rest)), ...(await before(quiet))];
  } finally {
    await gateways.close();
  }
}

type Blame = (found: Difference) => readonly Reason[];

const byProtocol =
  (protocol: DialectBinding): Blame =>
  (found) =>
    reasonsFor(found, protocol);

const makes = ({ findings }: Cell, { conversation, path }: Difference): boolean =>
  findings.some((found) => found.conversation === conversation && found.path === path);

async function hold(gateways: Gateways, protocol: DialectBinding, upstream?: Upstream): Promise<Observations> {
  const client = await gateways.client(protocol, upstream);
  const keeper = gateways.keeper(upstream);
  const observations = new Map<string, Observation>();
  try {
    for (const [name, conversation] of heldOver(everything, protocol)) {
      const { log, ...observed } = await observe(conversation, client, keeper);
      // The events of a polled agent depend on the times of the polls.
      observations.set(name, upstream?.streams === false ? observed : { ...observed, log });
    }
  } finally {
    await client.close();
  }
  return observations;
}

/** The results in the order of the work, a few pieces of which are under way at any time. */
async function inTurn<T>(work: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  const queue = work.entries();
  const worker = async (): Promise<void> => {
    for (const [at, piece] of queue) results[at] = await piece();
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
