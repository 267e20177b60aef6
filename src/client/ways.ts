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
 * Returns the ways to call interfaces, in their order and without duplicates. Interfaces whose address is not a URL are
 * left out.
 *
 * @param target the agent's base URL or the URL of its card; its query is added to the URL of every call
 * @throws A2AError `invalidAgentResponse` if no interface has a URL
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
 * Returns the interfaces, and then the JSON-RPC interfaces in all dialects. A card is only evidence of the dialect that
 * an agent speaks, and trying another one is safe: an agent that does not know a method has done nothing.
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
/** Operations that every version of A2A has. */
const always: readonly OperationName[] = ['GetTask', 'CancelTask'];

/** Operations that every agent has, in one dialect or another. */
const everywhere: ReadonlySet<string> = new Set([...opening, ...always]);

/** Identifies the binding, URL, tenant and method of an operation. Undefined if the dialect lacks the operation. */
function placeOf({ choice, url }: Way, operation: OperationName): string | undefined {
  const { binding, dialect } = choice;
  const method = methodOf(binding.wireFormat, dialect, operation)?.names[0];
  return method && [binding.name, url.href, choice.interface.tenant, method].join(' ');
}

type Outgoing = Pick<Call, 'operation' | 'request'>;

/** Whether a call may open a task: its message names none. */
const opensTask = ({ operation, request }: Outgoing): boolean =>
  opening.includes(operation as OperationName) && !(request as Partial<SendMessageRequest>).message?.taskId;

/** Returns the proof that a failed call has not run, if another way may succeed. Otherwise undefined. */
export function blameOf(error: A2AError, { operation }: Outgoing): NothingRan | undefined {
  const proof = proofOf(error);
  if (proof === 'unsent') return isNetworkFailure(error) && !lacksCredentials(error) ? proof : undefined;
  // An optional operation that is missing in one dialect is taken to be missing in all.
  return proof === 'absent' && everywhere.has(operation) ? proof : undefined;
}

/**
 * Milliseconds for which a way is used instead of the preferred one. A way that differs only in its dialect is used
 * until the agent no longer knows its methods: in another dialect, the agent's responses would be misread.
 */
export const durationOf = ({ choice, url }: Way, preferred: Way): number =>
  choice.binding === preferred.choice.binding && url.href === preferred.url.href
    ? Number.POSITIVE_INFINITY
    : learnedFor;

/**
 * Returns the first way that may succeed after others have failed: at another server or over another binding if those
 * could not be reached, and with another method if the server lacked the method.
 *
 * @param failed the ways that have failed, each with the proof that the call has not run
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

/** Read-only operations, which are called again after their response was misread. */
const reading: ReadonlySet<string> = new Set(operations.flatMap((one) => ('reads' in one ? [one.name] : [])));

/** A response in the form of another dialect than that of its way. */
export interface Misread<W extends Way> {
  /** A way in another dialect that has the same method at the same URL. */
  readonly way: W;
  /**
   * Whether the call must be repeated over the way. Otherwise the call has taken effect, and only later calls use the
   * way.
   */
  readonly repeats: boolean;
  readonly why: A2AError;
}

/**
 * Returns the way to use after a response with `ofOtherDialect`. Undefined if no way in another dialect has the same
 * method at the same URL.
 */
export function misreadBy<W extends Way>(ways: readonly W[], way: W, { operation }: Outgoing): Misread<W> | undefined {
  const name = operation as OperationName;
  const place = placeOf(way, name);
  const other = ways.find((one) => one.choice.dialect !== way.choice.dialect && placeOf(one, name) === place);
  if (!other) return undefined;
  const why = new A2AError('invalidAgentResponse', `it answers in another dialect than ${way.choice.dialect.name}`);
  return { way: other, repeats: reading.has(operation), why };
}
