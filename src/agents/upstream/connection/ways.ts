import type { InterfaceChoice } from '../../../client/choose.ts';
import { Learned, learnedFor } from '../../../client/learned.ts';
import { durationOf, type Misread, misreadBy, nextWay, type Way, waysOf } from '../../../client/ways.ts';
import type { Call } from '../../../core/model/call.ts';
import type { A2AError } from '../../../core/model/errors.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import type { Breaker } from '../../../net/breaker.ts';
import type { NothingRan } from '../../../net/nothing-ran.ts';
import type { UpstreamSession } from './session.ts';

/** A way to call an agent, with its own circuit breaker, and a session once it is called. */
export interface UpstreamWay extends Way {
  readonly breaker: Breaker;
  session: UpstreamSession | undefined;
  opening: Promise<UpstreamSession> | undefined;
}

export interface UpstreamWaysOptions {
  /** Name and URL of the agent. */
  readonly facts: { readonly agent: string; readonly url: string };
  readonly logger: Logger;
  createBreaker(url: URL): Breaker;
  open(way: Way): Promise<UpstreamSession>;
  /** Called when another way is the current one. */
  readonly onCurrent?: ((url: URL) => void) | undefined;
}

/** Ways over which a call has failed, each with its proof that nothing ran. */
export type FailedWays = Map<UpstreamWay, NothingRan>;

/**
 * The ways to call an agent, in the order in which they are tried. A later way becomes the current one for a while if it has
 * answered after all earlier ways failed.
 */
export class UpstreamWays {
  readonly #options: UpstreamWaysOptions;
  readonly #learned: Learned<UpstreamWay>;
  #ways: readonly UpstreamWay[] = [];
  #closed = false;

  constructor(options: UpstreamWaysOptions) {
    this.#options = options;
    const { facts, logger } = options;
    this.#learned = new Learned(() => {
      logger.info(facts, 'the upstream agent is called over the first interface of its card again');
      this.#announce();
    });
  }

  /** The current way. Undefined before there are any. */
  get current(): UpstreamWay | undefined {
    return this.#learned.value ?? this.#ways[0];
  }

  get urls(): readonly URL[] {
    return this.#ways.map(({ url }) => url);
  }

  /**
   * Replaces the ways. Ways that stay keep their sessions and circuit breakers.
   *
   * @param target the configured URL, whose query goes with every call
   * @throws A2AError `invalidAgentResponse` if no interface has a URL
   */
  replace(choices: readonly InterfaceChoice[], cardUrl: string, target: URL): void {
    const former = this.#ways;
    const before = this.current;
    const known = new Map(former.map((way) => [way.key, way]));
    this.#ways = waysOf(choices, cardUrl, target).map(
      (way) =>
        known.get(way.key) ?? {
          ...way,
          breaker: this.#options.createBreaker(way.url),
          session: undefined,
          opening: undefined,
        },
    );
    this.#learned.end();
    if (this.current !== before) this.#announce();
    // Streams of a session that is closed break, and resume over the new session.
    for (const way of former) if (!this.#ways.includes(way)) close(way);
  }

  /** The session of a way, which is opened once. */
  sessionOf(way: UpstreamWay): UpstreamSession | Promise<UpstreamSession> {
    if (way.session) return way.session;
    way.opening ??= this.#open(way).finally(() => {
      way.opening = undefined;
    });
    return way.opening;
  }

  /** The way to try after the failed ones. Undefined: there is none. */
  next(failed: FailedWays, call: Call): UpstreamWay | undefined {
    return nextWay(this.#ways, failed, call);
  }

  /**
   * The way for later calls, after the agent answered in another dialect than this way's. Undefined if no way uses another
   * dialect.
   */
  misreadBy(way: UpstreamWay, call: Call): Misread<UpstreamWay> | undefined {
    return misreadBy(this.#ways, way, call);
  }

  /** Notes that a way has answered after others failed, the last one with an error. It becomes the current way for a while. */
  answered(way: UpstreamWay, err: A2AError): void {
    if (way === this.current || !this.#ways.includes(way)) return;
    const [preferred = way] = this.#ways;
    if (way === preferred) {
      this.#learned.end();
      return;
    }
    const ms = durationOf(way, preferred);
    this.#learned.learn(way, ms);
    const { binding, dialect } = way.choice;
    const { facts, logger } = this.#options;
    const spoken = { binding: binding.name, dialect: dialect.name, interface: way.url.origin };
    const until = ms === learnedFor ? `for ${learnedFor / 60_000} minutes` : 'until its card changes';
    const text = `the upstream agent is called over ${binding.title} in ${dialect.name} ${until}, because the interface before cannot be used`;
    logger.warn({ ...facts, ...spoken, err }, text);
    this.#announce();
  }

  /** Removes every way, and closes its session. */
  async clear(): Promise<void> {
    const ways = this.#ways;
    this.#ways = [];
    this.#learned.end();
    await Promise.all(ways.map(close));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.clear();
  }

  async #open(way: UpstreamWay): Promise<UpstreamSession> {
    const session = await this.#options.open(way);
    way.session = session;
    if (this.#closed || !this.#ways.includes(way)) await session.close();
    return session;
  }

  #announce(): void {
    const { current } = this;
    if (current) this.#options.onCurrent?.(current.url);
  }
}

async function close({ session }: UpstreamWay): Promise<void> {
  await session?.close().catch(() => undefined);
}

/** Remembers that an agent has no streams of messages over one of its ways, whatever its card says. */
export class RefusedStreams {
  readonly #facts: { readonly agent: string; readonly url: string };
  readonly #logger: Logger;
  /** Key of the way. */
  readonly #way: Learned<string>;
  /** Whether a refusal that proves nothing was logged since the card was read. */
  #hasWarned = false;

  constructor(agent: string, url: string, logger: Logger) {
    this.#facts = { agent, url };
    this.#logger = logger;
    this.#way = new Learned(() => logger.info(this.#facts, 'streams of the upstream agent are tried again'));
  }

  /** Whether the agent is known to have no streams over this way. */
  has(way: string | undefined): boolean {
    const { value } = this.#way;
    return value !== undefined && value === way;
  }

  /** Records that the agent has no streams over this way. */
  learn(way: string): void {
    if (this.has(way)) return;
    this.#way.learn(way);
    const facts = { ...this.#facts, minutes: learnedFor / 60_000 };
    this.#logger.info(facts, 'the upstream agent does not stream; its messages are sent without a stream for now');
  }

  /** Logs that the agent refused a stream in a way that proves nothing: it may have carried out the message. */
  warn(err: A2AError): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const advice = 'if it does not stream, set `card: { capabilities: { streaming: false } }` at the agent';
    const text = `the upstream agent refused a stream that its card offers; the message is not sent again, because it may have run; ${advice}`;
    this.#logger.warn({ ...this.#facts, err }, text);
  }

  /** Forgets the refusals, because the agent has a new card. */
  forget(): void {
    this.#way.end();
    this.#hasWarned = false;
  }
}
