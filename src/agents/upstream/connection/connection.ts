import { absentKinds } from '../../../client/probe/ask.ts';
import type { FoundCard } from '../../../client/read-card.ts';
import { UntrustedCard } from '../../../client/verify-card.ts';
import { blameOf } from '../../../client/ways.ts';
import type { AgentCard } from '../../../core/model/a2a.ts';
import {
  type AgentContext,
  type AgentHealth,
  idempotencyExtension,
  type UpstreamCard,
  type UpstreamTask,
} from '../../../core/model/agent.ts';
import type { Call, CallObserver, Reply } from '../../../core/model/call.ts';
import { A2AError } from '../../../core/model/errors.ts';
import { shownUrl } from '../../../core/model/shown-url.ts';
import { shared, steadyNow } from '../../../core/model/timing.ts';
import type { OperationName } from '../../../gen/services.ts';
import { gatewayAt } from '../../../net/ask-gateway.ts';
import { Breaker, type BreakerOptions } from '../../../net/breaker.ts';
import type { OutboundCaller } from '../../../net/credentials/on-behalf-subjects.ts';
import { neverArrived } from '../../../net/network-errors.ts';
import { provesNothingRan } from '../../../net/nothing-ran.ts';
import { hide, secretsInQuery } from '../../../net/secret.ts';
import { errorForCaller } from '../errors.ts';
import { CardSource, type CardSourceOptions } from './card-source.ts';
import { chooseWays } from './choose-ways.ts';
import { mayRepeat, openUpstreamSession } from './session.ts';
import { type FailedWays, RefusedStreams, type UpstreamWay, UpstreamWays } from './ways.ts';

/** Settings for reaching an agent. */
export interface UpstreamConnectionOptions extends CardSourceOptions {
  /** Whether `auth` identifies the caller to the agent. Default false. */
  readonly perCaller?: boolean;
  /** Whether `auth` needs the caller's id and task to do so. Default false. */
  readonly namesCallers?: boolean;
  /** Whether messages carry the path of the call, because the agent is behind another gateway. Default false. */
  readonly path?: boolean;
  readonly breaker?: Pick<BreakerOptions, 'failures' | 'cooldown'>;
  /** Called, and awaited, when a new card was read. Must not reject. */
  readonly onCard?: () => Promise<void>;
  /** Called with the URL of each new session. */
  readonly onSession?: ((url: URL) => void) | undefined;
  /** Milliseconds after which the next call reads the card again. Default 300,000. */
  readonly cardAge?: number;
}

/** Milliseconds after which a card is read again. */
const defaultCardAge = 300_000;
/** Milliseconds before the second attempt to reach an agent at the start; each further pause is twice as long. */
const firstPause = 500;
/** Milliseconds of the longest of these pauses. */
const longestPause = 30_000;
/** Milliseconds after the card was read during which a failed call does not cause another reading. */
const minCardAge = 2_000;

/** The caller on whose behalf a call of the gateway's own is made. */
type CallingContext = Partial<Pick<AgentContext, 'credentials' | 'principal' | 'state'>>;

export const callerOf = ({ credentials, principal, state }: CallingContext): OutboundCaller => ({
  ...credentials?.(),
  ...(principal && { principal: principal.id }),
  ...(state && { kept: state.task }),
});

/**
 * The connection to one agent: reads its card, chooses binding and dialect, and keeps a session open. It reads the card
 * again after a while, or when a call fails in a way that suggests a change. The agent may be down at the start.
 */
export class UpstreamConnection {
  /** Whether the agent's credentials need the caller's id and task. */
  readonly namesCallers: boolean;
  /** Reports that a call is about to be tried again. */
  readonly onRetry = (): void => this.#options.onRetry?.();
  /** The gateway in front of the agent, which gets the path of the call. Undefined: the agent is not behind a gateway. */
  readonly gateway: ReturnType<typeof gatewayAt> | undefined;
  readonly #options: UpstreamConnectionOptions;
  readonly #target: URL;
  /** Name of the agent, and its URL as operators see it. */
  readonly #facts: { readonly agent: string; readonly url: string };
  readonly #closing = new AbortController();
  readonly #source: CardSource;
  readonly #ways: UpstreamWays;
  readonly #refusedStreams: RefusedStreams;
  /** Connects again. Concurrent calls share one attempt. */
  readonly #reconnect = shared(() => this.#connect());
  /** Time when the card was last requested, by `steadyNow`. */
  #askedAt = 0;
  /** Error of the last attempt to reach the agent, if it failed. */
  #failure: A2AError | undefined;
  /** Time when this replica last called the agent, apart from its card: milliseconds since the epoch; 0: not yet. */
  #calledAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: UpstreamConnectionOptions) {
    const { name, logger, http } = options;
    const target = new URL(options.url);
    const { signal } = this.#closing;
    this.#options = options;
    this.#target = target;
    this.#facts = { agent: name, url: shownUrl(target) };
    this.namesCallers = options.namesCallers ?? false;
    this.#source = new CardSource(options, target, signal);
    this.#refusedStreams = new RefusedStreams(name, target.origin, logger);
    this.#ways = new UpstreamWays({
      facts: { agent: name, url: target.origin },
      logger,
      createBreaker: (to) => this.#createBreaker(to),
      open: ({ choice, url: to }) => openUpstreamSession(choice, to, options, () => this.card),
      onCurrent: options.onSession,
    });
    this.gateway = options.path ? gatewayAt(http, () => this.#address, signal) : undefined;
  }

  /** Reads the card in the background until that succeeds. Logs the first failure, and the success after failures. */
  start(): void {
    void this.#attempt(firstPause);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#ways.close();
    this.#options.http.close();
  }

  /** Resolves with the current way and its session as soon as the agent can be called. Rejects with the reason why not. */
  open(): UpstreamWay | Promise<UpstreamWay> {
    const { current } = this.#ways;
    if (!current) return this.#reconnect();
    const { cardAge = defaultCardAge } = this.#options;
    if (steadyNow() - this.#askedAt > cardAge) this.#reconnect().catch(() => undefined);
    return current.session ? current : this.#opened(current);
  }

  /**
   * Calls the agent. A call that may have failed because of an outdated card is repeated once with a fresh card if it only reads
   * or has provably not run, and after a 401 once with a fresh token. Rejects at once while the circuit breaker is open.
   *
   * @param newTaskId id in the request that the gateway has chosen for a new task. It is not sent to agents that choose ids
   *   themselves
   */
  async invoke(call: Call, newTaskId?: string): Promise<Reply> {
    const note = call.context.observer && this.#notCalled(call, call.context.observer);
    let way = note ? await Promise.resolve(this.open()).catch(note) : await this.open();
    this.#calledAt = Date.now();
    let first: A2AError | undefined;
    const failed: FailedWays = new Map();
    for (;;) {
      const session = way.session ?? (await this.#ways.sessionOf(way));
      try {
        const { callersName } = way.choice.dialect;
        const asked = newTaskId === undefined || callersName ? call : withoutTaskId(call as Call<'SendMessage'>);
        const calling = way.breaker.run(() => session.invoke(asked));
        const reply = await (note ? calling.catch(note) : calling);
        const misread = 'ofOtherDialect' in reply ? this.#ways.misreadBy(way, call) : undefined;
        first ??= misread?.why;
        if (misread) ({ way } = misread);
        if (!misread?.repeats) {
          if (first) this.#ways.answered(way, first);
          return reply;
        }
        call.context.notes.losses.clear();
        this.onRetry();
      } catch (thrown) {
        const error = A2AError.from(thrown);
        first ??= error;
        const next = await this.#wayAfter(way, call, error, failed);
        if (!next) throw provesNothingRan(error) ? first : error;
        way = next;
        // Fields that the failed attempt dropped are not lost.
        call.context.notes.losses.clear();
        this.onRetry();
      }
    }
  }

  /** The card as it was last read. */
  get card(): AgentCard | undefined {
    return this.#source.current?.card;
  }

  /** The card as it was received. */
  get received(): UpstreamCard | undefined {
    return this.#source.received(this.#askedAt, this.#failure);
  }

  /** The interface that is called now. */
  get choice(): UpstreamWay['choice'] | undefined {
    return this.#ways.current?.choice;
  }

  /** Identifies the interface that is called now. */
  get way(): string | undefined {
    return this.#ways.current?.key;
  }

  /** Whether the agent streams. It does unless its card says otherwise, or it has refused a stream. */
  get streams(): boolean {
    if (this.#refusedStreams.has(this.way)) return false;
    const { card } = this;
    return card === undefined || card.capabilities.streaming === true;
  }

  /** Whether the agent carries out a message once, however often it is sent under its idempotency key. */
  get honoursKeys(): boolean {
    const extensions = this.card?.capabilities.extensions ?? [];
    return extensions.some(({ uri }) => uri === idempotencyExtension);
  }

  /** Whether the agent can answer a message when the task rests. Otherwise it answers at once and must be polled. */
  get answersAtRest(): boolean {
    return this.choice?.dialect.jsonrpc?.calls.get('SendMessage')?.next === undefined;
  }

  /** Whether the stream of an operation is opened by a second call, so that earlier events are missing in it. */
  opensLate(operation: OperationName): boolean {
    return this.choice?.dialect.jsonrpc?.calls.get(operation)?.next?.stream !== undefined;
  }

  /** Records that the agent has no streams of messages over the current way, whatever its card says. */
  markNotStreaming(): void {
    const { way } = this;
    if (way !== undefined) this.#refusedStreams.learn(way);
  }

  /** Records that the agent refused a stream in a way that proves nothing: it may have carried out the message. */
  noteRefusedStream(err: A2AError): void {
    this.#refusedStreams.warn(err);
  }

  get health(): AgentHealth {
    const { current } = this.#ways;
    const { url } = this.#facts;
    const { state = 'closed', failure = this.#failure } = current?.breaker ?? {};
    const lastCall = this.#calledAt === 0 ? 'not called yet' : new Date(this.#calledAt).toISOString();
    const facts = { url, breaker: state, lastCall };
    if (failure) return { state: 'unreachable', ...facts, reason: failure.message };
    if (!current?.session) return { state: 'connecting', ...facts };
    const { dialect, binding } = current.choice;
    return { state: 'ok', ...facts, dialect: dialect.name, transport: binding.name };
  }

  /** The verified part of an extended card, which the agent sends in reply to a call. Rejects as CardTrust does. */
  async verifiedCard(card: AgentCard, until: AbortSignal): Promise<AgentCard> {
    const { trust } = this.#options;
    const codec = this.choice?.dialect.card;
    if (!trust || !codec) return card;
    const document = codec.encode(card, { losses: new Set() });
    const verified = await trust.judge(document, `the extended agent card of ${this.#target.origin}`, until);
    return codec.decode(verified, { losses: new Set() });
  }

  /**
   * An agent's error for the gateway's caller: without the agent's addresses and the credentials that the agent was sent.
   *
   * @param upstreamTask the task at the agent, which the error may mention. The caller knows it as `taskId`
   */
  errorForCaller(
    thrown: unknown,
    context: CallingContext & { readonly taskId?: string },
    upstreamTask?: UpstreamTask,
  ): A2AError {
    const { auth, perCaller = false } = this.#options;
    const query = [...secretsInQuery(this.#target)];
    const addresses = [this.#target, ...this.#ways.urls].flatMap(addressesIn);
    const hideSecrets = (text: string): string => hide(auth.hide(text, callerOf(context)), query);
    const { taskId = '' } = context;
    return errorForCaller(thrown, { upstreamTask, taskId, perCaller, addresses, hide: hideSecrets });
  }

  get #address(): URL {
    return this.#ways.current?.url ?? this.#target;
  }

  #createBreaker(to: URL): Breaker {
    const { name, logger, breaker } = this.#options;
    return new Breaker({
      place: to.origin,
      onChange: (state, err) =>
        logger.warn({ agent: name, url: to.origin, state, err }, `circuit breaker of the upstream agent is ${state}`),
      ...breaker,
    });
  }

  async #attempt(pause: number): Promise<void> {
    const { logger } = this.#options;
    try {
      await this.open();
      if (pause > firstPause) logger.info(this.#facts, 'the upstream agent is reachable now');
    } catch (err) {
      if (this.#closing.signal.aborted) return;
      if (pause === firstPause) {
        logger.warn({ ...this.#facts, err }, 'cannot reach the upstream agent; trying again');
      }
      const next = Math.min(pause * 2, longestPause);
      this.#timer = setTimeout(() => void this.#attempt(next), pause).unref();
    }
  }

  async #opened(way: UpstreamWay): Promise<UpstreamWay> {
    await this.#ways.sessionOf(way);
    return way;
  }

  async #connect(): Promise<UpstreamWay> {
    this.#askedAt = steadyNow();
    try {
      const read = await this.#source.read();
      await this.#use(read);
      this.#failure = undefined;
      if (read === undefined) this.#source.noteUnread();
      return this.#ways.current as UpstreamWay;
    } catch (thrown) {
      this.#failure = A2AError.from(thrown);
      if (thrown instanceof UntrustedCard) {
        // An attacker who changed the card may control the URL of the session.
        void this.#ways.clear();
        this.#source.current = undefined;
      }
      throw this.#failure;
    }
  }

  /** Sets the card by which the agent is called. Undefined: the agent has none. */
  async #use(read: FoundCard | undefined): Promise<void> {
    const isNew = read !== undefined && read.card !== this.card;
    // An unchanged card may have come with another ETag.
    if (!isNew && read) this.#source.current = read;
    if (!isNew && this.#ways.current) return;
    const choices = await chooseWays(this.#source, read);
    if (isNew) this.#refusedStreams.forget();
    if (read) this.#source.current = read;
    this.#ways.replace(choices, read?.url ?? this.#target.href, this.#target);
    await this.#opened(this.#ways.current as UpstreamWay);
    if (isNew) await this.#options.onCard?.();
  }

  /** The current way according to a fresh card, unless the card was read just now. */
  async #refreshed(former: UpstreamWay): Promise<UpstreamWay> {
    const { current } = this.#ways;
    if (current && current !== former) return current;
    return steadyNow() - this.#askedAt < minCardAge ? former : this.#reconnect();
  }

  /** The way over which to repeat a failed call: another one, or one from a fresh card. Undefined if the call is not repeated. */
  async #wayAfter(way: UpstreamWay, call: Call, error: A2AError, failed: FailedWays): Promise<UpstreamWay | undefined> {
    const isRepeatable = mayRepeat(call, error) && !call.context.signal.aborted;
    const blame = isRepeatable ? blameOf(error, call) : undefined;
    if (blame) failed.set(way, blame);
    const next = blame && this.#ways.next(failed, call);
    // The agent may have moved or changed its protocol.
    if (!absentKinds.has(error.kind) && !neverArrived(error)) return next;
    const refreshing = this.#refreshed(way).catch(() => way);
    // A fresh card is better than a guess.
    if (next && !next.choice.isGuess) return next;
    const fresh = await refreshing;
    if (fresh !== way && !failed.has(fresh) && isRepeatable) return fresh;
    return blame && this.#ways.next(failed, call);
  }

  /** Tells the observer of a call why the agent was not called. */
  #notCalled(call: Call, observer: CallObserver): (thrown: unknown) => never {
    return (thrown) => {
      const { dialect, binding } = this.choice ?? {};
      const to = {
        agent: this.#facts.agent,
        dialect: dialect?.name ?? '',
        binding: binding?.name ?? '',
        url: this.#address,
      };
      observer.notCalled(call, to, thrown);
      throw thrown;
    };
  }
}

/** A call without the id of the task in its message. */
function withoutTaskId({ operation, request, context }: Call<'SendMessage'>): Call {
  const { taskId: _, ...message } = request.message;
  return { operation, request: { ...request, message }, context };
}

/** Returns the forms of an agent's address in error messages: an origin, and an authority with its port (gRPC). */
function addressesIn({ origin, protocol, hostname, port }: URL): string[] {
  return [origin, `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`];
}
