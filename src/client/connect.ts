import { type AgentCard, v1Dialects } from '../core/model/a2a.ts';
import { type Invoke, isStream } from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import { formatSize, parseSize } from '../core/model/scalars.ts';
import { streamOver } from '../core/model/streams.ts';
import { isTooLarge } from '../net/network-errors.ts';
import { withinCard } from './capabilities.ts';
import {
  explicitChoice,
  forTenant,
  type InterfaceChoice,
  type InterfacePreferences,
  parseTarget,
  type ReadCard,
  selectDialects,
  worksWithoutCard,
} from './choose.ts';
import { type Client, createClient } from './client.ts';
import { type ConnectionOptions, openPool, tlsByUrl, wireOf } from './connection.ts';
import { type Credentials, credentialHeaders, hasCredentials, mayShare, withheldNote } from './credentials.ts';
import { dialectsFor } from './dialects.ts';
import { createFailover } from './failover.ts';
import { openInterface } from './open.ts';
import { decide, type ProbeOptions } from './probe/index.ts';
import { type FoundCard, readCard } from './read-card.ts';
import { inOtherDialects, type Way, waysOf } from './ways.ts';

/** Options for reaching an agent. */
export interface ConnectOptions
  extends Credentials,
    InterfacePreferences,
    ConnectionOptions,
    Pick<ProbeOptions, 'dialects'> {
  /** Cancels reading the card. Calls take their own signals. */
  readonly signal?: AbortSignal;
  /** Milliseconds within which the card must be read. Default 15,000. */
  readonly cardTimeout?: number;
  /** Milliseconds to wait for a response, or for the start of a stream. Default 330,000. */
  readonly timeout?: number;
  /**
   * Largest response, or event of a stream, that the client reads: a number of bytes, or a string such as `512MiB`.
   * Default `128MiB`. A response is held in memory while it is read.
   */
  readonly maxAnswer?: number | string;
  /**
   * Whether to call the scheme, host and port of the target instead of those in the card, for example to reach one
   * replica behind a load balancer, or a gateway through a tunnel. Default false.
   */
  readonly direct?: boolean;
  /**
   * Whether to refuse requests that the agent's dialect cannot express completely, instead of dropping fields. Default
   * false.
   */
  readonly strict?: boolean;
}

/**
 * Reads an agent's card, in any dialect.
 *
 * ```ts
 * import { discover } from 'a2a-gateway';
 *
 * const { card, dialect } = await discover('http://localhost:8080');
 * console.log(card.name, dialect.name, card.skills.map(({ id }) => id));
 * ```
 *
 * @param target the agent's base URL or the URL of its card
 * @throws A2AError if the agent cannot be reached, has no card, or its card cannot be read
 */
export async function discover(target: string, options: ConnectOptions = {}): Promise<FoundCard> {
  const url = parseTarget(target);
  const dialects = selectDialects(options);
  const { signal = new AbortController().signal, cardTimeout: timeout = 15_000 } = options;
  const { http, close } = openPool(url, options);
  try {
    return await readCard(url, { http, dialects, headers: credentialHeaders(options), signal, timeout });
  } finally {
    close();
  }
}

/**
 * Connects to an agent: reads its card, selects the first interface that this version can call, and returns a client
 * for it. The client falls back to another interface if the first cannot be reached or does not know a method. If the
 * card fits several dialects, a request for a task that cannot exist decides between them; nothing else is sent before
 * the first call. An agent without a card can be called if both `as` and `via` are given; the target is then the URL to
 * call. Operations that the card rules out, such as streams with `streaming: false`, are refused without being sent.
 *
 * The target, its redirects and its card may lead to any address, including internal ones. A service that accepts
 * targets from others must pass a connection pool with a guard.
 *
 * ```ts
 * import { connect } from 'a2a-gateway';
 *
 * const agent = await connect('http://localhost:8080');
 * const { task } = await agent.send('hello');
 * console.log(task?.status.state, task?.artifacts);
 * await agent.close();
 * ```
 *
 * @param target the agent's base URL or the URL of its card
 * @throws A2AError if the agent cannot be reached, has no card, or offers nothing that can be called; `invalidParams`
 *   if `maxAnswer` is not a size
 */
export async function connect(target: string, options: ConnectOptions = {}): Promise<Client> {
  const to = parseTarget(target);
  const maxAnswer = readMaxAnswer(options.maxAnswer);
  const { http, close } = openPool(to, options);
  try {
    const found = await find(target, { ...options, http });
    const { card, document } = found;
    const ways = waysFor(found, to, options);
    const isShared = (url: URL): boolean => mayShare(to, url, options.trustedHosts);
    const onWire = wireOf(options);
    const common = {
      http,
      ...(onWire && { onWire }),
      timeout: options.timeout ?? 330_000,
      maxAnswer,
      strict: options.strict ?? false,
      card: () => card,
    };
    const opened = await createFailover(ways, ({ choice, url }) => {
      const headers = isShared(url) ? credentialHeaders(options, card) : () => ({});
      const tls = tlsByUrl(to, options)?.(url);
      return openInterface(choice, { ...common, url: url.href, headers, ...(tls && { tls }) });
    });
    return createClient({
      card,
      document,
      get binding() {
        return opened.current().choice.binding.name;
      },
      get dialect() {
        return opened.current().choice.dialect.name;
      },
      get interface() {
        return opened.current().choice.interface;
      },
      get notes() {
        const { url } = opened.current();
        return isShared(url) || !hasCredentials(options) ? [] : [withheldNote(url.host)];
      },
      invoke: withinCard(card, naming(maxAnswer, opened.invoke)),
      close: async () => {
        await opened.close();
        close();
      },
    });
  } catch (error) {
    close();
    throw error;
  }
}

interface FoundAgent {
  /** Interfaces to call, in the order in which to try them. */
  readonly choices: readonly InterfaceChoice[];
  readonly card: AgentCard;
  readonly document: unknown;
  /** URL of the card. */
  readonly at: string;
}

/** Returns the ways to call an agent for the tenant of the options. */
function waysFor({ choices, card, at }: FoundAgent, target: URL, { tenant, as }: ConnectOptions): [Way, ...Way[]] {
  const [first, ...others] = choices as [InterfaceChoice, ...InterfaceChoice[]];
  const own = forTenant(first, card, tenant);
  const all = as === undefined ? inOtherDialects([first, ...others], dialectsFor(undefined)) : choices;
  const further = all.slice(1).filter(({ dialect }) => !tenant || v1Dialects.has(dialect.name));
  const called = [own, ...further.map((choice) => forTenant(choice, card, tenant))];
  return waysOf(called, at, target) as [Way, ...Way[]];
}

async function find(target: string, options: ConnectOptions): Promise<FoundAgent> {
  const { as, via, dialects = dialectsFor(as) } = options;
  const url = parseTarget(target);
  // Checked before anything is sent: the dialect may lack the binding.
  const choice = as !== undefined && via !== undefined ? explicitChoice(as, via, url, dialects) : undefined;
  let found: FoundCard;
  try {
    found = await discover(target, options);
  } catch (thrown) {
    const error = A2AError.from(thrown);
    if (choice === undefined || !worksWithoutCard(error, choice.binding.name, url)) throw error;
    return { choices: [choice], card: unknownCard(url, choice), document: undefined, at: url.href };
  }
  const reached = options.direct === true ? atTarget(found, url) : found;
  const { choices, reading } = await decide(target, reached, options);
  return { choices, card: reading.card, document: found.document, at: found.url };
}

/** Moves all interfaces of a card to the target's origin. */
function atTarget(found: FoundCard, { origin }: URL): FoundCard {
  // A gRPC address may be only a host and a port.
  const pathOf = (address: string): string => {
    const scheme = address.indexOf('://');
    const path = scheme < 0 ? -1 : address.indexOf('/', scheme + 3);
    return path < 0 ? '' : address.slice(path);
  };
  const moved = <T extends ReadCard>(reading: T): T => {
    const supportedInterfaces = reading.card.supportedInterfaces.map((each) => ({
      ...each,
      url: origin + pathOf(each.url),
    }));
    return { ...reading, card: { ...reading.card, supportedInterfaces } };
  };
  return { ...moved(found), alternatives: found.alternatives.map(moved) };
}

/** Creates a placeholder for the card of an agent that has none. */
const unknownCard = ({ host }: URL, choice: InterfaceChoice): AgentCard => ({
  name: host,
  description: 'An agent without a card',
  version: '',
  supportedInterfaces: [choice.interface],
  capabilities: {},
  defaultInputModes: [],
  defaultOutputModes: [],
  skills: [],
});

/** Converts `maxAnswer` to bytes. Throws A2AError `invalidParams` if it is not a size. */
function readMaxAnswer(given: number | string = '128MiB'): number {
  const bytes = parseSize(given);
  if (bytes !== undefined && bytes > 0) return bytes;
  throw A2AError.invalidParams(`maxAnswer: expected a number of bytes, or a size such as 512MiB`);
}

/**
 * Middleware: if a response exceeds the client's own limit, throws `answerTooLarge` instead of an error about the
 * agent. The message names the limit and the option that raises it.
 */
function naming(maxAnswer: number, invoke: Invoke): Invoke {
  const named = (thrown: unknown): unknown => {
    if (!isTooLarge(thrown)) return thrown;
    const message = `The answer is larger than ${formatSize(maxAnswer)}, the limit of this client: raise maxAnswer`;
    return new A2AError('answerTooLarge', `${message} (--max-answer of the command)`, { cause: thrown });
  };
  const step = async <T>(next: Promise<T>): Promise<T> => {
    try {
      return await next;
    } catch (thrown) {
      throw named(thrown);
    }
  };
  return async (call) => {
    const reply = await step(Promise.resolve(invoke(call)));
    if (!isStream(reply)) return reply;
    const events = reply.events[Symbol.asyncIterator]();
    return { ...reply, events: streamOver(events, () => step(events.next())) };
  };
}
