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
import { absentKinds } from '../../client/probe/ask.ts';
import { choiceOf, probe } from '../../client/probe/index.ts';
import { type FoundCard, readCard } from '../../client/read-card.ts';
import { type CardTrust, UntrustedCard } from '../../client/verify-card.ts';
import type { AgentCard, AgentInterface } from '../../core/model/a2a.ts';
import type { AgentHealth, UpstreamTask } from '../../core/model/agent.ts';
import type { Call, CallContext, Reply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { type BreakerOptions, createBreaker } from '../../net/breaker.ts';
import type { UrlGuard } from '../../net/guard.ts';
import { neverArrived, requireAllowed } from '../../net/network-errors.ts';
import { hide, secretsInQuery, shownUrl } from '../../net/secret.ts';
import { errorForCaller } from './errors.ts';
import { openUpstreamSession, sessionKey, type UpstreamSession, type UpstreamSessionOptions } from './session.ts';

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
  /** Milliseconds after which the next call reads the card again. Default 300,000. */
  readonly cardAge?: number;
}

/** Milliseconds between two attempts to read the card of an unreachable agent: the first pause and the longest. */
const [firstPause, longestPause] = [500, 30_000];
/** Milliseconds after a reading of the card in which a failed call does not cause another. */
const minCardAge = 2_000;
/** Milliseconds for reading the card. */
const cardTimeout = 15_000;

/**
 * The connection to one agent: reads its card, chooses binding and dialect, and keeps a session open. It reads the card
 * again after a while, or when a call fails in a way that suggests a change. The agent may be down at the start.
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
  #refusesStreams = false;
  /** The URL of the latest session. */
  #address: URL | undefined;
  readonly #closing = new AbortController();

  constructor(options: UpstreamConnectionOptions) {
    this.#options = options;
    this.#target = new URL(options.url);
    const { name, logger, breaker } = options;
    const { origin: place } = this.#target;
    const onChange = (state: string, err: unknown): void =>
      logger.warn({ agent: name, url: place, state, err }, `circuit breaker of the upstream agent is ${state}`);
    this.#breaker = createBreaker({ place, onChange, ...breaker });
  }

  /** Reads the card in the background until that succeeds. Logs the first failure, and the success after failures. */
  start(): void {
    const { name, logger } = this.#options;
    const facts = { agent: name, url: shownUrl(this.#target) };
    const attempt = async (pause: number): Promise<void> => {
      try {
        await this.open();
        if (pause > firstPause) logger.info(facts, 'the upstream agent is reachable now');
      } catch (err) {
        if (this.#closing.signal.aborted) return;
        if (pause === firstPause) logger.warn({ ...facts, err }, 'cannot reach the upstream agent; trying again');
        this.#timer = setTimeout(attempt, pause, Math.min(pause * 2, longestPause)).unref();
      }
    };
    void attempt(firstPause);
  }

  /** The card as it was last read. */
  get card(): AgentCard | undefined {
    return this.#found?.card;
  }

  /** The interface of the current session. */
  get choice(): InterfaceChoice | undefined {
    return this.#session?.choice;
  }

  /** Whether the agent streams: unless its card says otherwise, or it has refused a stream. */
  get streams(): boolean {
    return !this.#refusesStreams && (this.card === undefined || this.card.capabilities.streaming === true);
  }

  /** Records that the agent refused a stream, whatever its card says. */
  markNotStreaming(): void {
    this.#refusesStreams = true;
  }

  /**
   * An agent's error for the gateway's caller: without the agent's addresses and the credentials that the agent was sent.
   *
   * @param upstreamTask the task at the agent that the error may mention, which the caller knows as `taskId`
   */
  errorForCaller(
    thrown: unknown,
    { credentials, taskId = '' }: Pick<CallContext, 'credentials'> & { readonly taskId?: string },
    upstreamTask?: UpstreamTask,
  ): A2AError {
    const { auth, forwards = false } = this.#options;
    const query = [...secretsInQuery(this.#target)];
    const addresses = [this.#target, this.#address ?? this.#target].flatMap(addressesIn);
    const hideSecrets = (text: string): string => hide(auth.hide(text, credentials?.()), query);
    return errorForCaller(thrown, { upstreamTask, taskId, forwards, addresses, hide: hideSecrets });
  }

  /** Whether the agent can answer a message when the task rests. Otherwise it answers at once, and has to be polled. */
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

  /** The verified part of an extended card, which the agent sends in reply to a call. Rejects as CardTrust does. */
  async verifiedCard(card: AgentCard, signal: AbortSignal): Promise<AgentCard> {
    const { trust } = this.#options;
    const codec = this.choice?.dialect.card;
    if (!trust || !codec) return card;
    const document = codec.encode(card, { losses: new Set() });
    const verified = await trust.judge(document, `the extended agent card of ${this.#target.origin}`, signal);
    return codec.decode(verified, { losses: new Set() });
  }

  /** Reports that a call is about to be tried again. */
  readonly onRetry = (): void => this.#options.onRetry?.();

  /** Resolves when the agent can be called. Rejects with the reason why not. */
  async open(): Promise<UpstreamSession> {
    const { cardAge = 300_000 } = this.#options;
    if (!this.#session) return this.#reconnect();
    if (Date.now() - this.#readAt > cardAge) this.#reconnect().catch(() => undefined);
    return this.#session;
  }

  /**
   * Calls the agent. A call that was not carried out and may have failed because of an outdated card is repeated once
   * with a fresh card; after a 401 once with a fresh token. Rejects at once while the circuit breaker is open.
   */
  async invoke(call: Call): Promise<Reply> {
    const session = await this.open();
    try {
      return await this.#breaker.run(() => session.invoke(call));
    } catch (thrown) {
      const error = A2AError.from(thrown);
      // The agent may have moved or changed its protocol.
      if (!absentKinds.has(error.kind) && !neverArrived(error)) throw error;
      const fresh = await this.#refreshed(session).catch(() => session);
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

  /** The session according to a fresh card, unless the card was read just now. */
  async #refreshed(session: UpstreamSession): Promise<UpstreamSession> {
    if (this.#session !== session && this.#session) return this.#session;
    return Date.now() - this.#readAt < minCardAge ? session : this.#reconnect();
  }

  /** Connects again, once at a time. */
  #reconnect(): Promise<UpstreamSession> {
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #connect(): Promise<UpstreamSession> {
    this.#readAt = Date.now();
    try {
      const found = await this.#readCard();
      const isNew = found !== undefined && found.card !== this.#found?.card;
      // An unchanged card may have come with another ETag.
      if (!isNew && found) this.#found = found;
      let session = this.#session;
      if (isNew || !session) {
        const choice = await this.#choose(found);
        if (isNew) this.#refusesStreams = false;
        if (found) this.#found = found;
        session = await this.#use(choice, addressOf(choice, found?.url ?? this.#target.href));
        if (isNew) await this.#options.onCard?.();
      }
      this.#failure = undefined;
      return session;
    } catch (thrown) {
      this.#failure = A2AError.from(thrown);
      if (thrown instanceof UntrustedCard) {
        // An attacker who changed the card may control the URL of the session.
        this.#session?.close().catch(() => undefined);
        this.#session = undefined;
        this.#found = undefined;
      }
      throw this.#failure;
    }
  }

  /** The agent's card; undefined when it has none. */
  async #readCard(): Promise<FoundCard | undefined> {
    const { dialect, transport, auth, http, trust } = this.#options;
    const { signal } = this.#closing;
    const dialects = dialect === 'auto' ? allDialects() : allDialects().filter(({ name }) => name === dialect);
    const headers = (url: URL) => auth.headers(undefined, url, signal);
    const known = this.#found && { known: this.#found };
    const options = { http, dialects, headers, signal, timeout: cardTimeout, trust, ...known };
    try {
      return await readCard(this.#target, options);
    } catch (thrown) {
      const error = A2AError.from(thrown);
      const isExplicit = dialect !== 'auto' && transport !== 'auto';
      if (error.kind !== 'agentNotFound' && !(isExplicit && worksWithoutCard(error, transport, this.#target))) {
        throw error;
      }
      if (trust?.required) throw new UntrustedCard(`the agent at ${this.#target.origin} has no card to verify`);
      return undefined;
    }
  }

  /** The interface to call: as configured, as the card says, or as a probe finds it. */
  async #choose(card: FoundCard | undefined): Promise<InterfaceChoice> {
    const { dialect, transport, http, auth, tls, trust } = this.#options;
    const allowed = card && withoutForbidden(card, http.guard);
    const preferences = { ...(transport !== 'auto' && { via: transport }), ...(dialect !== 'auto' && { as: dialect }) };
    const { signal } = this.#closing;
    const headersFor = (url: URL) => () => auth.headers(undefined, url, signal);
    const options = { http, headersFor, signal, ...(tls && { tls }), ...preferences };
    const { href } = this.#target;
    const { as, via } = preferences;
    let notListed: A2AError | undefined;
    try {
      if (allowed) return (await decide(href, allowed, { ...options, thorough: true })).choice;
      if (as && via) return explicitChoice(as, via, this.#target, allDialects());
    } catch (thrown) {
      notListed = A2AError.from(thrown);
      // The configuration may name what the card does not list, unless only the signed card may be trusted.
      if (notListed.kind !== 'unsupportedOperation' || trust?.required) throw notListed;
    }
    const [best] = (await probe(href, { ...options, ...(allowed && { card: allowed }) })).found;
    if (best) return choiceOf(best);
    const message = `found neither an agent card nor an agent at ${shownUrl(this.#target)}`;
    throw notListed ?? new A2AError('upstreamUnreachable', message);
  }

  /** Opens a session, unless it is the current one. */
  async #use(choice: InterfaceChoice, url: URL): Promise<UpstreamSession> {
    const before = this.#session;
    if (before?.key === sessionKey(choice, url)) return before;
    const session = await openUpstreamSession(choice, url, this.#options, () => this.card);
    this.#session = session;
    this.#address = url;
    // Streams of the former session break, and are resumed over the new one.
    await before?.close();
    if (this.#closing.signal.aborted) await session.close();
    return session;
  }
}

/** How error messages may name the address of an agent: as an origin, and as an authority with its port (gRPC). */
function addressesIn({ origin, protocol, hostname, port }: URL): string[] {
  return [origin, `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`];
}

/**
 * The card without the interfaces that the URL guard forbids: agents list interfaces that only their own network can
 * reach. If all are forbidden, the card stays as it is, and the call reports the reason.
 */
function withoutForbidden(found: FoundCard, guard: UrlGuard | undefined): FoundCard {
  if (guard === undefined) return found;
  const filtered = <T extends ReadCard>(reading: T): T => {
    const allowed = reading.card.supportedInterfaces.filter((listed) => isAllowed(listed, found.url, guard));
    return allowed.length === 0 ? reading : { ...reading, card: { ...reading.card, supportedInterfaces: allowed } };
  };
  return { ...filtered(found), alternatives: found.alternatives.map(filtered) };
}

/** Whether the guard allows an interface. An invalid URL counts as allowed: the call reports it. */
function isAllowed(listed: AgentInterface, cardUrl: string, guard: UrlGuard): boolean {
  const binding = bindings.find(({ protocolBinding }) => protocolBinding === listed.protocolBinding.toUpperCase());
  if (binding === undefined) return true;
  try {
    requireAllowed(guard, addressOf({ binding, interface: listed }, cardUrl));
    return true;
  } catch (thrown) {
    return A2AError.from(thrown).kind !== 'upstreamUnreachable';
  }
}
