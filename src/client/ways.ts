import { operations, type SendMessageRequest } from '../core/model/a2a.ts';
import type { Call } from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import type { Dialect } from '../dialects/kernel/dialect.ts';
import type { OperationName } from '../gen/services.ts';
import { isNetworkFailure, lacksCredentials } from '../net/network-errors.ts';
import { type NothingRan, proofOf } from '../net/nothing-ran.ts';
import { withQueryOf } from '../net/url-query.ts';
import { addressOf, type InterfaceChoice } from './choose.ts';
import { learnedFor } from './learned.ts';
import { methodOf } from './probe/tables.ts';

/** A way to call an agent: an interface, in a dialect, at a URL. */
export interface Way {
  readonly choice: InterfaceChoice;
  readonly url: URL;
  /** Identifies the way. */
  readonly key: string;
}

const keyOf = ({ binding, dialect, interface: { tenant } }: InterfaceChoice, { href }: URL): string =>
  [binding.name, dialect.name, href, tenant].join(' ');

/**
 * The ways to call interfaces, in their order, each once. An interface whose address is no URL is left out.
 *
 * @param target the agent's base URL or its card's, whose query goes with every call
 * @throws A2AError `invalidAgentResponse` where none has a URL
 */
export function waysOf(choices: readonly InterfaceChoice[], cardUrl: string, target: URL): Way[] {
  const ways = new Map<string, Way>();
  let failure: unknown;
  for (const choice of choices) {
    try {
      const url = withQueryOf(target, addressOf(choice, cardUrl));
      const key = keyOf(choice, url);
      if (!ways.has(key)) ways.set(key, { choice, url, key });
    } catch (thrown) {
      failure ??= thrown;
    }
  }
  if (ways.size > 0) return [...ways.values()];
  throw failure ?? new A2AError('invalidAgentResponse', "the agent's card names no interface");
}

/**
 * The interfaces, and then those of JSON-RPC in the other dialects: a card is evidence of what an agent speaks, and an agent
 * that does not know a method has done nothing.
 */
export function inOtherDialects(choices: readonly InterfaceChoice[], dialects: readonly Dialect[]): InterfaceChoice[] {
  const guesses = choices
    .filter(({ binding }) => binding.wireFormat === 'jsonrpc')
    .flatMap(({ binding, isGuess, interface: { url, protocolBinding } }) =>
      dialects
        .filter(({ jsonrpc }) => jsonrpc !== undefined)
        .map((dialect): InterfaceChoice => {
          const { protocolVersion } = dialect.card;
          const listed = { url, protocolBinding, protocolVersion };
          return { binding, dialect, interface: listed, ...(isGuess && { isGuess }) };
        }),
    );
  return [...choices, ...guesses];
}

const opening: readonly OperationName[] = operations.flatMap((operation) =>
  'createsTask' in operation ? [operation.name] : [],
);
/** Every version of A2A has them. */
const always: readonly OperationName[] = ['GetTask', 'CancelTask'];

/** Operations that every agent has, in one dialect or another. */
const everywhere: ReadonlySet<string> = new Set([...opening, ...always]);

/** The address, binding and method of an operation. Undefined: there is none. */
function placeOf({ choice, url }: Way, operation: OperationName): string | undefined {
  const { binding, dialect } = choice;
  const method = methodOf(binding.wireFormat, dialect, operation)?.names[0];
  return method && [binding.name, url.href, choice.interface.tenant, method].join(' ');
}

type Outgoing = Pick<Call, 'operation' | 'request'>;

/** Whether a call opens a task, as far as its request shows it. */
const opensTask = ({ operation, request }: Outgoing): boolean =>
  opening.includes(operation as OperationName) && !(request as Partial<SendMessageRequest>).message?.taskId;

/** The proof in a failure that another way may do what this one cannot; undefined where there is none. */
export function blameOf(error: A2AError, { operation }: Outgoing): NothingRan | undefined {
  const proof = proofOf(error);
  if (proof === 'unsent') return isNetworkFailure(error) && !lacksCredentials(error) ? proof : undefined;
  // Operations that agents need not have are missing everywhere.
  return proof === 'absent' && everywhere.has(operation) ? proof : undefined;
}

/**
 * Milliseconds for which a way counts in place of the preferred one. A dialect counts until the agent no longer knows its methods:
 * in another one, the answers of the agent would be misread.
 */
export const durationOf = ({ choice, url }: Way, preferred: Way): number =>
  choice.binding === preferred.choice.binding && url.href === preferred.url.href
    ? Number.POSITIVE_INFINITY
    : learnedFor;

/**
 * The first way that may succeed where others have failed: at another server, or over another binding, where those could not be
 * reached; by another method where the server has none.
 *
 * @param failed the ways that have failed, with what that means for others
 */
export function nextWay<W extends Way>(
  ways: readonly W[],
  failed: ReadonlyMap<W, NothingRan>,
  call: Outgoing,
): W | undefined {
  const name = call.operation as OperationName;
  const mayGuess = opensTask(call);
  return ways.find((way) => {
    const place = placeOf(way, name);
    if ((way.choice.isGuess && !mayGuess) || (everywhere.has(name) && place === undefined)) return false;
    return [...failed].every(([other, blame]) => {
      if (way === other) return false;
      if (blame === 'absent') return placeOf(other, name) !== place;
      return way.choice.binding !== other.choice.binding || way.url.origin !== other.url.origin;
    });
  });
}

/** Operations that are called again after their answer was misread: they only read. */
const reading: ReadonlySet<string> = new Set(operations.flatMap((one) => ('reads' in one ? [one.name] : [])));

/** An answer in the form of another dialect than the way over which it came has. */
export interface Misread<W extends Way> {
  /** A way in a dialect that has the method at this place, too. */
  readonly way: W;
  /** Whether the call has to be repeated over it. Otherwise the call has done its work, and later calls use the way. */
  readonly repeats: boolean;
  readonly why: A2AError;
}

/** The way for later calls after an answer `ofOtherDialect`. Undefined: no way speaks another dialect at this place. */
export function misreadBy<W extends Way>(ways: readonly W[], way: W, { operation }: Outgoing): Misread<W> | undefined {
  const name = operation as OperationName;
  const place = placeOf(way, name);
  const other = ways.find((one) => one.choice.dialect !== way.choice.dialect && placeOf(one, name) === place);
  if (!other) return undefined;
  const why = new A2AError('invalidAgentResponse', `it answers in another dialect than ${way.choice.dialect.name}`);
  return { way: other, repeats: reading.has(operation), why };
}
