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
  /** Cancels reading the card. Calls have signals of their own. */
  readonly signal?: AbortSignal;
  /** Milliseconds to read the card. Default 15,000. */
  readonly cardTimeout?: number;
  /** Milliseconds that an answer, or the beginning of a stream, may take. Default 330,000. */
  readonly timeout?: number;
  /**
   * The largest answer, or event of a stream, that is read: a number of bytes, or a text such as `512MiB`. Default `128MiB`.
   * An answer is held in memory while it is read.
   */
  readonly maxAnswer?: number | string;
  /**
   * Call the scheme, host and port of the target, whatever the card names: one replica behind a load balancer, or a gateway
   * through a tunnel. Default false.
   */
  readonly direct?: boolean;
  /** Refuse requests that the agent's dialect cannot express completely, instead of dropping fields. Default false. */
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
 * @throws A2AError when it cannot be reached, has no card, or has one that cannot be read
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
 * Connects to an agent: reads its card, chooses the first interface that this version can call, and returns an object to
 * call it with. Another interface is called if the first cannot be reached or does not know a method. If several dialects
 * may have written the card, the agent is asked for a task that cannot exist; nothing else is sent before the first call. An
 * agent without a card can be called if both `as` and `via` are given: then the target is the URL to call. Operations that
 * the card rules out, such as streams with `streaming: false`, are refused without being sent.
 *
 * The target, its redirects and its card may lead to any address, also in this machine's network: a service whose targets
 * others choose must pass a pool with a guard.
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
 * @throws A2AError when it cannot be reached, has no card, or offers nothing that can be called; `invalidParams` for a
 *   `maxAnswer` that is not a size
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
  /** Interfaces to call, the first to be tried first. */
  readonly choices: readonly InterfaceChoice[];
  readonly card: AgentCard;
  readonly document: unknown;
  /** URL of the card. */
  readonly at: string;
}

/** The ways to call an agent for the tenant of the options. */
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
  // Before anything is sent: the dialect may not have the binding.
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

/** A card with all interfaces at the host of the target. */
function atTarget(found: FoundCard, { origin }: URL): FoundCard {
  // An address of gRPC may be a host and a port alone.
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

/** Stands in for the card of an agent that has none. */
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

/** Bytes of the largest answer that is read. Throws A2AError `invalidParams` where it is not a size. */
function readMaxAnswer(given: number | string = '128MiB'): number {
  const bytes = parseSize(given);
  if (bytes !== undefined && bytes > 0) return bytes;
  throw A2AError.invalidParams(`maxAnswer: expected a number of bytes, or a size such as 512MiB`);
}

/**
 * Calls whose answers beyond the client's own bound are refused with `answerTooLarge` instead of an error about the
 * agent, and the error names the bound and the option.
 */
function naming(maxAnswer: number, invoke: Invoke): Invoke {
  const named = (thrown: unknown): unknown => {
    if (!isTooLarge(thrown)) return thrown;
    const message = `The answer is larger than ${formatSize(maxAnswer)}, which is as much as this client reads: raise maxAnswer`;
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
