import { type BindingName, bindings } from '../../client/bindings.ts';
import {
  addressOf,
  explicitChoice,
  type InterfaceChoice,
  type ReadCard,
  worksWithoutCard,
} from '../../client/choose.ts';
import { decide } from '../../client/decide.ts';
import { allDialects } from '../../client/dialects.ts';
import type { DialectName } from '../../client/index.ts';
import { choiceOf, probe } from '../../client/probe/index.ts';
import { type FoundCard, readCard } from '../../client/read-card.ts';
import { type CardTrust, UntrustedCard } from '../../client/verify-card.ts';
import type { AgentCard, AgentInterface } from '../../core/model/a2a.ts';
import type { AgentHealth } from '../../core/model/agent.ts';
import type { Call, CallContext, Reply } from '../../core/model/call.ts';
import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { type BreakerOptions, createBreaker } from '../../net/breaker.ts';
import type { UrlGuard } from '../../net/guard.ts';
import { neverArrived, requireAllowed } from '../../net/network-errors.ts';
import { hide, secretsInQuery, shownUrl } from '../../net/secret.ts';
import type { ErrorMappingOptions } from './error-mapping.ts';
import { openUpstreamSession, type UpstreamSession, type UpstreamSessionOptions } from './session.ts';

/** How to reach an agent. */
export interface UpstreamConnectionOptions extends UpstreamSessionOptions {
  /** The dialect that the agent speaks; `auto`: as its card or a probe says. */
  readonly dialect: DialectName | 'auto';
  /** The binding to call it over; `auto`: as its card or a probe says. */
  readonly transport: BindingName | 'auto';
  /** Whether `auth` passes on the caller's credentials. Default false. */
  readonly forwards?: boolean;
  readonly breaker?: Pick<BreakerOptions, 'failures' | 'cooldown'>;
  readonly logger: Logger;
  /** Who must have signed the card. Default: the card is not verified. */
  readonly trust?: CardTrust | undefined;
  /** Called, and awaited, when a new card was read. Must not reject. */
  readonly onCard?: () => Promise<void>;
  /** Milliseconds to read the card. Default 15,000. */
  readonly cardTimeout?: number;
  /** Milliseconds after which the next call reads the card again. Default 300,000. */
  readonly cardAge?: number;
}

/** Milliseconds between two attempts to read the card of an agent that is away: from, to. */
const patience = [500, 30_000] as const;
/** Milliseconds within which the card is not read again because of a call that failed. */
const rest = 2_000;

/** Failures that mean that the agent may have moved, or speaks something else by now. Nothing was carried out. */
const outdated: ReadonlySet<ErrorKind> = new Set([
  'methodNotFound',
  'routeNotFound',
  'verbNotAllowed',
  'agentNotFound',
  'versionNotSupported',
]);

/**
 * The way to one upstream agent: finds its card, chooses binding and dialect, keeps the connection, and looks again when
 * time or a call says that something may have changed. Never throws at start: the agent may be down.
 */
export class UpstreamConnection {
  readonly #options: UpstreamConnectionOptions;
  readonly #target: URL;
  readonly #breaker: ReturnType<typeof createBreaker>;
  #found: FoundCard | undefined;
  #session: UpstreamSession | undefined;
  #opening: Promise<UpstreamSession> | undefined;
  #readAt = 0;
  #failure: A2AError | undefined;
  #timer: NodeJS.Timeout | undefined;
  #silent = false;
  /** What is called, as the card has it. */
  #address: URL | undefined;
  readonly #closing = new AbortController();

  constructor(options: UpstreamConnectionOptions) {
    this.#options = options;
    this.#target = new URL(options.url);
    const { name, logger, breaker } = options;
    const { origin: place } = this.#target;
    const onChange = (state: string, err: unknown): void =>
      logger.warn({ agent: name, url: place, state, err }, 'circuit breaker');
    this.#breaker = createBreaker({ place, onChange, ...breaker });
  }

  /** Reads the card in the background, again and again until it is there. The log says when that takes more than one try. */
  start(): void {
    const { name: agent, logger } = this.#options;
    const place = { agent, url: shownUrl(this.#target) };
    const opened = (delay: number): void => {
      if (delay > patience[0]) logger.info(place, 'the agent can be reached now');
    };
    const attempt = (delay: number): void => {
      this.open().then(
        () => opened(delay),
        (err: unknown) => {
          if (this.#closing.signal.aborted) return;
          if (delay === patience[0])
            logger.warn({ ...place, err }, 'the agent cannot be reached; trying again until it can');
          this.#timer = setTimeout(attempt, delay, Math.min(delay * 2, patience[1]));
          this.#timer.unref();
        },
      );
    };
    attempt(patience[0]);
  }

  /** The card as it was last read. */
  get card(): AgentCard | undefined {
    return this.#found?.card;
  }

  /** What is called, once it is known. */
  get choice(): InterfaceChoice | undefined {
    return this.#session?.choice;
  }

  /** Whether the agent streams: its card says so, or it has none, and it has not shown otherwise. */
  get streams(): boolean {
    return !this.#silent && (this.card === undefined || this.card.capabilities.streaming === true);
  }

  /** The agent has shown that it does not stream, whatever its card says. */
  markNotStreaming(): void {
    this.#silent = true;
  }

  /** What an error says to the caller of a call depends on what the agent was shown. */
  errorMappingOf({
    credentials,
  }: Pick<CallContext, 'credentials'>): Pick<ErrorMappingOptions, 'forwards' | 'addresses' | 'hide'> {
    const { auth, forwards = false } = this.#options;
    const query = [...secretsInQuery(this.#target)];
    const places = [this.#target, ...(this.#address ? [this.#address] : [])].flatMap(placesOf);
    return { forwards, addresses: places, hide: (text) => hide(auth.hide(text, credentials?.()), query) };
  }

  /** Whether the agent's answer to a message can be waited for; otherwise the task is asked for right after. */
  get answersAtRest(): boolean {
    return this.choice?.dialect.jsonrpc?.calls.get('SendMessage')?.next === undefined;
  }

  get health(): AgentHealth {
    const url = shownUrl(this.#target);
    const session = this.#session;
    const { state: breaker, failure = this.#failure } = this.#breaker;
    if (failure) return { state: 'unreachable', url, breaker, reason: failure.message };
    if (!session) return { state: 'connecting', url, breaker };
    return { state: 'ok', url, breaker, dialect: session.choice.dialect.name, transport: session.choice.binding.name };
  }

  /**
   * What may be used of a card that the agent gave when it was asked for, not where its card is found. Rejects as
   * CardTrust does.
   */
  async verifiedCard(card: AgentCard, signal: AbortSignal): Promise<AgentCard> {
    const { trust } = this.#options;
    const shape = this.choice?.dialect.card;
    if (!trust || !shape) return card;
    const document = shape.encode(card, { losses: new Set() });
    const usable = await trust.judge(document, `the extended agent card of ${this.#target.origin}`, signal);
    return shape.decode(usable, { losses: new Set() });
  }

  /** A call is about to be tried again. */
  readonly onRetry = (): void => this.#options.onRetry?.();

  /** Resolves when the agent can be called. Rejects with why it cannot. */
  async open(): Promise<InterfaceChoice> {
    return (await this.#open()).choice;
  }

  /**
   * Calls the agent. What a stale card may have made fail, and was not carried out, is tried once more with a fresh one;
   * after a 401 once more with a fresh token. Rejects at once while the agent is left alone since nobody answers there.
   */
  async invoke(call: Call): Promise<Reply> {
    const session = await this.#open();
    try {
      return await this.#breaker.run(() => session.invoke(call));
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (!outdated.has(error.kind) && !neverArrived(error)) throw error;
      const fresh = await this.#again(session).catch(() => session);
      if (fresh === session) throw error;
      this.onRetry();
      return this.#breaker.run(() => fresh.invoke(call));
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#session?.close();
    this.#options.http.close();
  }

  async #open(): Promise<UpstreamSession> {
    const { cardAge = 300_000 } = this.#options;
    if (!this.#session) return this.#read();
    if (Date.now() - this.#readAt > cardAge) this.#read().catch(() => undefined);
    return this.#session;
  }

  /** The way as a fresh card has it, unless one was read just now. */
  async #again(session: UpstreamSession): Promise<UpstreamSession> {
    if (this.#session !== session && this.#session) return this.#session;
    return Date.now() - this.#readAt < rest ? session : this.#read();
  }

  /** One reader at a time. */
  #read(): Promise<UpstreamSession> {
    this.#opening ??= this.#connect()
      .then((session) => {
        this.#failure = undefined;
        return session;
      })
      .catch((thrown: unknown) => {
        this.#failure = A2AError.from(thrown);
        if (thrown instanceof UntrustedCard) this.#leave();
        throw this.#failure;
      })
      .finally(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }

  /** What an untrusted card has taken the place of is not called any more: whoever changed the card may be there. */
  #leave(): void {
    const session = this.#session;
    this.#session = undefined;
    this.#found = undefined;
    Promise.resolve(session?.close()).catch(() => undefined);
  }

  async #connect(): Promise<UpstreamSession> {
    this.#readAt = Date.now();
    const found = await this.#readCard();
    const isNew = found !== undefined && found.card !== this.#found?.card;
    // The same card may have come with another tag.
    if (!isNew && found) this.#found = found;
    if (!isNew && this.#session) return this.#session;
    const choice = await this.#choose(found);
    if (isNew) this.#silent = false;
    if (found) this.#found = found;
    const session = await this.#use(choice, addressOf(choice, found?.url ?? this.#target.href));
    if (isNew) await this.#options.onCard?.();
    return session;
  }

  /** The agent's card; undefined when it has none. */
  async #readCard(): Promise<FoundCard | undefined> {
    const { dialect, transport, auth, http, trust, cardTimeout: timeout = 15_000 } = this.#options;
    const { signal } = this.#closing;
    const dialects = dialect === 'auto' ? allDialects() : allDialects().filter(({ name }) => name === dialect);
    const headers = (url: URL) => auth.headers(undefined, url, signal);
    const known = this.#found && { known: this.#found };
    try {
      return await readCard(this.#target, { http, dialects, headers, signal, timeout, trust, ...known });
    } catch (thrown) {
      const error = A2AError.from(thrown);
      const isTold = dialect !== 'auto' && transport !== 'auto';
      if (error.kind !== 'agentNotFound' && !(isTold && worksWithoutCard(error, transport, this.#target))) throw error;
      if (trust?.required)
        throw new UntrustedCard(`the agent at ${this.#target.origin} has no card that could be signed`);
      return undefined;
    }
  }

  /** What to call: as configured, as the card says, or as trying it out shows. */
  async #choose(card: FoundCard | undefined): Promise<InterfaceChoice> {
    const { dialect, transport, http, auth, tls, trust } = this.#options;
    const found = card && reachable(card, http.guard);
    const wishes = { ...(transport !== 'auto' && { via: transport }), ...(dialect !== 'auto' && { as: dialect }) };
    const { signal } = this.#closing;
    const headersFor = (url: URL) => () => auth.headers(undefined, url, signal);
    const asking = { http, headersFor, signal, ...(tls && { tls }), ...wishes };
    const { href } = this.#target;
    let unlisted: A2AError | undefined;
    try {
      if (found) return (await decide(href, found, { ...asking, thorough: true })).choice;
      if (dialect !== 'auto' && transport !== 'auto')
        return explicitChoice(dialect, transport, this.#target, allDialects());
    } catch (thrown) {
      unlisted = A2AError.from(thrown);
      // Who configured what the card does not list may know better, unless only what is signed is to be trusted.
      if (unlisted.kind !== 'unsupportedOperation' || trust?.required) throw unlisted;
    }
    const [best] = (await probe(href, { ...asking, ...(found && { card: found }) })).found;
    if (best) return choiceOf(best, allDialects());
    const said = `no agent card at ${shownUrl(this.#target)}, and nothing that answers there as an agent`;
    throw unlisted ?? new A2AError('upstreamUnreachable', said);
  }

  /** Opens the way, unless it is the one that is open. */
  async #use(choice: InterfaceChoice, url: URL): Promise<UpstreamSession> {
    const before = this.#session;
    if (before?.matches(choice, url)) return before;
    const session = await openUpstreamSession(choice, url, this.#options, () => this.card);
    this.#session = session;
    this.#address = url;
    // Streams over the former way break, and are taken up over the new one.
    await before?.close();
    if (this.#closing.signal.aborted) await session.close();
    return session;
  }
}

/** How messages name where an agent is: its origin, and its authority with the port, as those about gRPC do. */
function placesOf({ origin, protocol, hostname, port }: URL): string[] {
  return [origin, `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`];
}

/**
 * The card without the interfaces that the guard does not let requests go to, so that another one is chosen: agents list
 * what only their own network can reach beside what the world can. Where none is left it is as it was, and calling it
 * says why that may not be.
 */
export function reachable(found: FoundCard, guard: UrlGuard | undefined): FoundCard {
  if (guard === undefined) return found;
  const less = <T extends ReadCard>(reading: T): T => {
    const left = reading.card.supportedInterfaces.filter((face) => isAllowed(face, found.url, guard));
    return left.length === 0 ? reading : { ...reading, card: { ...reading.card, supportedInterfaces: left } };
  };
  return { ...less(found), alternatives: found.alternatives.map(less) };
}

/** What is no URL is not judged here: whoever calls it says so. */
function isAllowed(face: AgentInterface, cardUrl: string, guard: UrlGuard): boolean {
  const binding = bindings.find(({ protocolBinding }) => protocolBinding === face.protocolBinding.toUpperCase());
  if (binding === undefined) return true;
  try {
    requireAllowed(guard, addressOf({ binding, interface: face }, cardUrl));
    return true;
  } catch (thrown) {
    return A2AError.from(thrown).kind !== 'upstreamUnreachable';
  }
}
