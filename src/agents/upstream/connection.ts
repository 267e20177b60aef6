import type { BindingName } from '../../client/bindings.ts';
import type { CardTrust } from '../../client/card-trust.ts';
import { addressOf, type Choice } from '../../client/choose.ts';
import { decide } from '../../client/decide.ts';
import { allDialects } from '../../client/dialects.ts';
import type { DialectName } from '../../client/index.ts';
import { choiceOf, probe } from '../../client/probe.ts';
import { type FoundCard, readCard } from '../../client/read-card.ts';
import { needsNoCard, toldChoice } from '../../client/told.ts';
import { UntrustedCard } from '../../client/verify-card.ts';
import type { AgentCard } from '../../core/model/a2a.ts';
import type { AgentHealth } from '../../core/model/agent.ts';
import type { Call, CallContext, Invoke, Quirks, Reply } from '../../core/model/call.ts';
import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Tracing } from '../../core/telemetry/tracing.ts';
import { type BreakerOptions, createBreaker } from '../../net/breaker.ts';
import type { ClientTls } from '../../net/client-tls.ts';
import { neverArrived } from '../../net/failures.ts';
import { hide, secretsInQuery, shownUrl } from '../../net/hide.ts';
import type { HttpClient } from '../../net/http-client.ts';
import type { OutboundAuth } from '../../net/outbound-auth.ts';
import type { TellingOptions } from './error-mapping.ts';
import { reachable } from './reachable.ts';
import { openWire, type Wire } from './session.ts';

export interface LinkOptions {
  /** Name of the agent in this gateway. */
  readonly name: string;
  /** The agent's base URL or the URL of its card. */
  readonly url: string;
  /** The generation that it speaks; `auto`: as its card, or a probe, says. */
  readonly dialect: DialectName | 'auto';
  /** The binding that it is called over; `auto`: as its card, or a probe, says. */
  readonly transport: BindingName | 'auto';
  readonly strict: boolean;
  /** What its software does otherwise than its dialect has it. Default: the agent is asked. */
  readonly quirks?: Quirks | undefined;
  /** Milliseconds that an answer, or the beginning of a stream, may take where the call itself says nothing else. */
  readonly timeout: number;
  readonly http: HttpClient;
  readonly auth: OutboundAuth;
  /** Whether `auth` shows what the caller showed. Default false. */
  readonly forwards?: boolean;
  readonly tls?: ClientTls | undefined;
  readonly breaker?: Pick<BreakerOptions, 'failures' | 'cooldown'>;
  readonly logger: Logger;
  /** Makes a span of each attempt. Absent: none. */
  readonly tracing?: Tracing | undefined;
  /** Around each attempt. Default: nothing. */
  readonly observe?: ((next: Invoke) => Invoke) | undefined;
  /** Told that a call is tried again. */
  readonly onRetry?: () => void;
  /** By whom the card must be signed; undefined: it is taken as it is. */
  readonly trust?: CardTrust | undefined;
  /** Called when a card was read that is new, and waited for. Must not reject. */
  readonly onCard?: () => Promise<void>;
  /** Milliseconds to read the card. Default 15,000. */
  readonly cardTimeout?: number;
  /** Milliseconds after which the card is read again when the agent is used. Default 300,000. */
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
export class Link {
  readonly #options: LinkOptions;
  readonly #target: URL;
  readonly #breaker: ReturnType<typeof createBreaker>;
  #found: FoundCard | undefined;
  #wire: Wire | undefined;
  #opening: Promise<Wire> | undefined;
  #readAt = 0;
  #failure: A2AError | undefined;
  #timer: NodeJS.Timeout | undefined;
  #silent = false;
  /** What is called, as the card has it. */
  #address: URL | undefined;
  readonly #closing = new AbortController();

  constructor(options: LinkOptions) {
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
  get choice(): Choice | undefined {
    return this.#wire?.choice;
  }

  /** Whether the agent streams: its card says so, or it has none, and it has not shown otherwise. */
  get streams(): boolean {
    return !this.#silent && (this.card === undefined || this.card.capabilities.streaming === true);
  }

  /** The agent has shown that it does not stream, whatever its card says. */
  refusesStreams(): void {
    this.#silent = true;
  }

  /** What an error says to the caller of a call depends on what the agent was shown. */
  tellingOf({ credentials }: Pick<CallContext, 'credentials'>): Pick<TellingOptions, 'forwards' | 'places' | 'hide'> {
    const { auth, forwards = false } = this.#options;
    const query = [...secretsInQuery(this.#target)];
    const places = [this.#target, ...(this.#address ? [this.#address] : [])].flatMap(placesOf);
    return { forwards, places, hide: (text) => hide(auth.hide(text, credentials?.()), query) };
  }

  /** Whether the agent's answer to a message can be waited for; otherwise the task is asked for right after. */
  get waits(): boolean {
    return this.choice?.dialect.jsonrpc?.calls.get('SendMessage')?.next === undefined;
  }

  get health(): AgentHealth {
    const url = shownUrl(this.#target);
    const wire = this.#wire;
    const { state: breaker, failure = this.#failure } = this.#breaker;
    if (failure) return { state: 'unreachable', url, breaker, reason: failure.message };
    if (!wire) return { state: 'connecting', url, breaker };
    return { state: 'ok', url, breaker, dialect: wire.choice.dialect.name, transport: wire.choice.binding.name };
  }

  /**
   * What may be used of a card that the agent gave when it was asked for, not where its card is found. Rejects as
   * CardTrust does.
   */
  async vouched(card: AgentCard, signal: AbortSignal): Promise<AgentCard> {
    const { trust } = this.#options;
    const shape = this.choice?.dialect.card;
    if (!trust || !shape) return card;
    const document = shape.encode(card, { losses: new Set() });
    const usable = await trust.judge(document, `the extended agent card of ${this.#target.origin}`, signal);
    return shape.decode(usable, { losses: new Set() });
  }

  /** A call is about to be tried again. */
  readonly retried = (): void => this.#options.onRetry?.();

  /** Resolves when the agent can be called. Rejects with why it cannot. */
  async open(): Promise<Choice> {
    return (await this.#open()).choice;
  }

  /**
   * Calls the agent. What a stale card may have made fail, and was not carried out, is tried once more with a fresh one;
   * after a 401 once more with a fresh token. Rejects at once while the agent is left alone since nobody answers there.
   */
  async invoke(call: Call): Promise<Reply> {
    const wire = await this.#open();
    try {
      return await this.#breaker.run(() => wire.invoke(call));
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (!outdated.has(error.kind) && !neverArrived(error)) throw error;
      const fresh = await this.#again(wire).catch(() => wire);
      if (fresh === wire) throw error;
      this.retried();
      return this.#breaker.run(() => fresh.invoke(call));
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#wire?.close();
    this.#options.http.close();
  }

  async #open(): Promise<Wire> {
    const { cardAge = 300_000 } = this.#options;
    if (!this.#wire) return this.#read();
    if (Date.now() - this.#readAt > cardAge) this.#read().catch(() => undefined);
    return this.#wire;
  }

  /** The way as a fresh card has it, unless one was read just now. */
  async #again(wire: Wire): Promise<Wire> {
    if (this.#wire !== wire && this.#wire) return this.#wire;
    return Date.now() - this.#readAt < rest ? wire : this.#read();
  }

  /** One reader at a time. */
  #read(): Promise<Wire> {
    this.#opening ??= this.#connect()
      .then((wire) => {
        this.#failure = undefined;
        return wire;
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
    const wire = this.#wire;
    this.#wire = undefined;
    this.#found = undefined;
    Promise.resolve(wire?.close()).catch(() => undefined);
  }

  async #connect(): Promise<Wire> {
    this.#readAt = Date.now();
    const found = await this.#readCard();
    const isNew = found !== undefined && found.card !== this.#found?.card;
    // The same card may have come with another tag.
    if (!isNew && found) this.#found = found;
    if (!isNew && this.#wire) return this.#wire;
    const choice = await this.#choose(found);
    if (isNew) this.#silent = false;
    if (found) this.#found = found;
    const wire = await this.#use(choice, addressOf(choice, found?.url ?? this.#target.href));
    if (isNew) await this.#options.onCard?.();
    return wire;
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
      if (error.kind !== 'agentNotFound' && !(isTold && needsNoCard(error, transport, this.#target))) throw error;
      if (trust?.required)
        throw new UntrustedCard(`the agent at ${this.#target.origin} has no card that could be signed`);
      return undefined;
    }
  }

  /** What to call: as configured, as the card says, or as trying it out shows. */
  async #choose(card: FoundCard | undefined): Promise<Choice> {
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
        return toldChoice(dialect, transport, this.#target, allDialects());
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
  async #use(choice: Choice, url: URL): Promise<Wire> {
    const before = this.#wire;
    if (before?.isFor(choice, url)) return before;
    const wire = await openWire(choice, url, this.#options, () => this.card);
    this.#wire = wire;
    this.#address = url;
    // Streams over the former way break, and are taken up over the new one.
    await before?.close();
    if (this.#closing.signal.aborted) await wire.close();
    return wire;
  }
}

/** How messages name where an agent is: its origin, and its authority with the port, as those about gRPC do. */
function placesOf({ origin, protocol, hostname, port }: URL): string[] {
  return [origin, `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`];
}
