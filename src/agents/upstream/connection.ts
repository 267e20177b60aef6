import { isDeepStrictEqual } from 'node:util';
import { type Binding, type BindingName, bindings } from '../../client/bindings.ts';
import { pathOfInterface } from '../../client/card-addresses.ts';
import {
  addressOf,
  asWritten,
  type InterfaceChoice,
  type InterfacePreferences,
  type ReadCard,
  worksWithoutCard,
} from '../../client/choose.ts';
import { configuredWays } from '../../client/configured.ts';
import { allDialects, dialectsFor } from '../../client/dialects.ts';
import type { DialectName } from '../../client/index.ts';
import { Learned, learnedFor } from '../../client/learned.ts';
import { absentKinds } from '../../client/probe/ask.ts';
import { choiceOf, decide, probe } from '../../client/probe/index.ts';
import { methodOf } from '../../client/probe/tables.ts';
import { type CardOverride, type FoundCard, readCard } from '../../client/read-card.ts';
import { recognizeCard } from '../../client/recognize-card.ts';
import { type CardTrust, signaturesOfCard, UntrustedCard } from '../../client/verify-card.ts';
import { blameOf, inOtherDialects } from '../../client/ways.ts';
import type { AgentCard, AgentInterface } from '../../core/model/a2a.ts';
import {
  type AgentContext,
  type AgentHealth,
  type CardProblem,
  idempotencyExtension,
  type UpstreamCard,
  type UpstreamTask,
} from '../../core/model/agent.ts';
import type { Call, RecordedCall, Reply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { shownUrl } from '../../core/model/shown-url.ts';
import { shared } from '../../core/model/timing.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { gatewayAt } from '../../net/ask-gateway.ts';
import { type BreakerOptions, createBreaker } from '../../net/breaker.ts';
import type { OutboundCaller } from '../../net/credentials/on-behalf-subjects.ts';
import type { UrlGuard } from '../../net/guard.ts';
import { neverArrived, requireAllowed } from '../../net/network-errors.ts';
import { provesNothingRan } from '../../net/nothing-ran.ts';
import { hide, secretsInQuery } from '../../net/secret.ts';
import { describeUnread } from './describe-unread.ts';
import { errorForCaller } from './errors.ts';
import { mayRepeat, openUpstreamSession, type UpstreamSessionOptions } from './session.ts';
import { type FailedWays, type UpstreamWay, UpstreamWays } from './ways.ts';

/** How to reach an agent. */
export interface UpstreamConnectionOptions extends UpstreamSessionOptions {
  /** The dialect that the agent speaks; `auto`: as its card or a probe says. */
  readonly dialect: DialectName | 'auto';
  /** The binding to call it over; `auto`: as its card or a probe says. */
  readonly transport: BindingName | 'auto';
  /** Whether `auth` shows the agent who the caller is. Default false. */
  readonly perCaller?: boolean;
  /** Whether `auth` needs the caller's id and task for that. Default false. */
  readonly namesCallers?: boolean;
  /** Whether messages carry the path of the call: the agent is behind another gateway. Default false. */
  readonly path?: boolean;
  readonly breaker?: Pick<BreakerOptions, 'failures' | 'cooldown'>;
  readonly logger: Logger;
  /** Who must have signed the card. Default: the card is not verified. */
  readonly trust?: CardTrust | undefined;
  /** Members that take the place of those of the agent's card. Default: none. */
  readonly override?: CardOverride | undefined;
  /** Called, and awaited, when a new card was read. Must not reject. */
  readonly onCard?: () => Promise<void>;
  /** Called with the URL of each new session. */
  readonly onSession?: ((url: URL) => void) | undefined;
  /** Milliseconds after which the next call reads the card again. Default 300,000. */
  readonly cardAge?: number;
}

/** Milliseconds between two attempts to read the card of an unreachable agent: the first pause and the longest. */
const [firstPause, longestPause] = [500, 30_000];
/** Milliseconds after a reading of the card in which a failed call does not cause another. */
const minCardAge = 2_000;
/** Milliseconds for reading the card. */
const cardTimeout = 15_000;

/** Who a call of the gateway's own calls the agent for. */
type CallingContext = Partial<Pick<AgentContext, 'credentials' | 'principal' | 'state'>>;

export const callerOf = ({ credentials, principal, state }: CallingContext): OutboundCaller => ({
  ...credentials?.(),
  ...(principal && { principal: principal.id }),
  ...(state && { kept: state.task }),
});

export type UpstreamConnection = ReturnType<typeof createUpstreamConnection>;

/**
 * The connection to one agent: reads its card, chooses binding and dialect, and keeps a session open. It reads the card
 * again after a while, or when a call fails in a way that suggests a change. The agent may be down at the start.
 */
export function createUpstreamConnection(options: UpstreamConnectionOptions) {
  const { name, logger, dialect, transport, http, auth, tls, trust, cardAge = 300_000, perCaller = false } = options;
  const { override } = options;
  const target = new URL(options.url);
  const url = shownUrl(target);
  const { origin: place } = target;
  const closing = new AbortController();
  const { signal } = closing;
  const onRetry = (): void => options.onRetry?.();
  let found: FoundCard | undefined;
  const ways = new UpstreamWays({
    facts: { agent: name, url: place },
    logger,
    createBreaker(to) {
      const onChange = (state: string, err: unknown): void =>
        logger.warn({ agent: name, url: to.origin, state, err }, `circuit breaker of the upstream agent is ${state}`);
      return createBreaker({ place: to.origin, onChange, ...options.breaker });
    },
    open: ({ choice, url: to }) => openUpstreamSession(choice, to, options, () => found?.card),
    onCurrent: options.onSession,
  });
  /** When the card was last asked for, and when it was last read. Milliseconds since the epoch. */
  let [readAt, cardReadAt] = [0, 0];
  let failure: A2AError | undefined;
  /** Why the agent's card was not read, while the agent is called without it. */
  let unreadCard: A2AError | undefined;
  /** Problems of the agent's card: members that cannot be used as they are written. */
  let problems: readonly CardProblem[] = [];
  let onlyConfigured: FoundCard | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** The way over which the agent has no streams of messages. */
  const unstreamed = new Learned<string>(() =>
    logger.info({ agent: name, url: place }, 'streams of the upstream agent are tried again'),
  );
  /** Whether an operator was told of a refused stream since the card was read. */
  let hasWarned = false;
  /** When this replica last called the agent, apart from its card. Milliseconds since the epoch; 0: not yet. */
  let calledAt = 0;

  /** The way to call the agent now, with a session. */
  const open = (): UpstreamWay | Promise<UpstreamWay> => {
    const { current } = ways;
    if (!current) return reconnect();
    if (Date.now() - readAt > cardAge) reconnect().catch(() => undefined);
    return current.session ? current : opened(current);
  };

  const opened = async (way: UpstreamWay): Promise<UpstreamWay> => {
    await ways.sessionOf(way);
    return way;
  };

  /** Connects again, once at a time. */
  const reconnect = shared(() => connect());

  const connect = async (): Promise<UpstreamWay> => {
    readAt = Date.now();
    unreadCard = undefined;
    try {
      const read = await readCurrentCard();
      if (read) cardReadAt = readAt;
      const isNew = read !== undefined && read.card !== found?.card;
      // An unchanged card may have come with another ETag.
      if (!isNew && read) found = read;
      if (isNew || !ways.current) {
        const chosen = await choose(read);
        if (isNew) {
          unstreamed.end();
          hasWarned = false;
        }
        if (read) found = read;
        // Only a signed card says how the agent may be called, where that is required.
        const mayGuess = dialect === 'auto' && !trust?.required;
        const all = mayGuess ? inOtherDialects(chosen, dialectsFor(undefined)) : chosen;
        ways.replace(all, read?.url ?? target.href, target);
        await opened(ways.current as UpstreamWay);
        if (isNew) await options.onCard?.();
      }
      failure = undefined;
      noteUnreadCard(read);
      return ways.current as UpstreamWay;
    } catch (thrown) {
      failure = A2AError.from(thrown);
      if (thrown instanceof UntrustedCard) {
        // An attacker who changed the card may control the URL of the session.
        void ways.clear();
        found = undefined;
      }
      throw failure;
    }
  };

  /** The agent's card; undefined when it has none that can be read. */
  const readCurrentCard = async (): Promise<FoundCard | undefined> => {
    const isConfigured = ({ name: one }: { name: DialectName }): boolean => one === dialect;
    const dialects = [
      ...allDialects().filter(isConfigured),
      ...dialectsFor(undefined).filter((one) => !isConfigured(one)),
    ];
    const headers = (to: URL) => auth.headers(undefined, to, signal);
    const known = found && { known: found };
    try {
      return await readCard(target, {
        http,
        dialects,
        headers,
        signal,
        timeout: cardTimeout,
        trust,
        override,
        ...known,
      });
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (error instanceof UntrustedCard || signal.aborted || !mayLackCard(error)) throw error;
      if (trust?.required) {
        throw error.kind === 'agentNotFound' ? new UntrustedCard(`the agent at ${place} has no card to verify`) : error;
      }
      if (error.kind !== 'agentNotFound') unreadCard = error;
      return override && configuredCard(override);
    }
  };

  /** The card of an agent that has none, as the configuration describes it. */
  const configuredCard = (members: CardOverride): FoundCard => {
    onlyConfigured ??= {
      ...recognizeCard(describeUnread(name, true, 'none'), dialectsFor(undefined), target, members),
      ...{ problems: [], document: undefined, url: target.href, validators: {} },
    };
    return onlyConfigured;
  };

  /** Whether the agent is called although its card was not read: a card is needed only where the configuration lacks something. */
  const mayLackCard = (error: A2AError): boolean => {
    if (dialect === 'auto' || transport === 'auto') {
      return error.kind === 'agentNotFound' || error.kind === 'invalidAgentResponse';
    }
    return worksWithoutCard(error, transport, target) || !neverArrived(error);
  };

  /** The ways to call the agent, the first to be tried first: as configured, as the card says, or as a probe finds them. */
  const choose = async (card: FoundCard | undefined): Promise<readonly InterfaceChoice[]> => {
    const permitted = card && withoutForbidden(card, http.guard);
    // With `required`, only a signed card says where the agent is.
    const allowed = permitted && trust?.required ? onlyWritten(permitted) : permitted;
    noteProblems(allowed?.problems ?? []);
    const preferences = { ...(transport !== 'auto' && { via: transport }), ...(dialect !== 'auto' && { as: dialect }) };
    const { as, via } = preferences;
    if (as && via && !trust?.required) return configuredWays(allowed, { target, as, via });
    const headersFor = (to: URL) => () => auth.headers(undefined, to, signal);
    const tlsFor = (to: URL) => (to.hostname === target.hostname ? tls : undefined);
    const asking = { http, headersFor, tlsFor, signal, ...preferences };
    let notListed: A2AError | undefined;
    try {
      // Where the card has lost its interfaces, questions find them better than guesses.
      if (card && allowed && (trust?.required || card.card.supportedInterfaces.length > 0)) {
        return (await decide(target.href, allowed, { ...asking, thorough: true })).choices;
      }
    } catch (thrown) {
      notListed = A2AError.from(thrown);
      // The configuration may name what the card does not list, unless only the signed card may be trusted.
      if (notListed.kind !== 'unsupportedOperation' || trust?.required) throw notListed;
    }
    const { found: tried, rejected } = await probe(target.href, { ...asking, ...(allowed && { card: allowed }) });
    if (tried.length > 0) return tried.map((way) => choiceOf(way));
    const isThere = rejected.some(({ kind }) => kind !== 'upstreamUnreachable' && kind !== 'upstreamTimeout');
    const likely = isThere ? likelyWay(allowed, preferences) : undefined;
    if (likely) return configuredWays(allowed, { target, ...likely });
    throw (
      notListed ??
      unreadCard ??
      new A2AError('upstreamUnreachable', `found neither an agent card nor an agent at ${url}`)
    );
  };

  /** Notes why the card was not read, where there is one. */
  const noteUnreadCard = (read: FoundCard | undefined): void => {
    if (read === undefined && unreadCard) noteProblems([{ path: '', reason: unreadCard.message }]);
  };

  /** Keeps the problems of the card, and logs them when there are others than before. */
  const noteProblems = (found: readonly CardProblem[]): void => {
    if (isDeepStrictEqual(found, problems)) return;
    problems = found;
    const lines = found.slice(0, 20).map(({ path, reason }) => (path === '' ? reason : `${path} ${reason}`));
    if (found.length > 0)
      logger.warn({ agent: name, url, problems: lines }, 'parts of the agent card cannot be used as they are');
    else logger.info({ agent: name, url }, 'the agent card has no problems any more');
  };

  /** The current way according to a fresh card, unless the card was read just now. */
  const refreshed = async (former: UpstreamWay): Promise<UpstreamWay> => {
    const { current } = ways;
    if (current && current !== former) return current;
    return Date.now() - readAt < minCardAge ? former : reconnect();
  };

  /** The way to repeat a call over that has failed: another one, or one of a fresh card. Undefined: the call has failed. */
  const wayAfter = async (
    way: UpstreamWay,
    call: Call,
    error: A2AError,
    failed: FailedWays,
  ): Promise<UpstreamWay | undefined> => {
    const isRepeatable = mayRepeat(call, error) && !call.context.signal.aborted;
    const blame = isRepeatable ? blameOf(error, call) : undefined;
    if (blame) failed.set(way, blame);
    const next = blame && ways.next(failed, call);
    // The agent may have moved or changed its protocol.
    if (!absentKinds.has(error.kind) && !neverArrived(error)) return next;
    const refreshing = refreshed(way).catch(() => way);
    // A fresh card is better than a guess.
    if (next && !next.choice.isGuess) return next;
    const fresh = await refreshing;
    if (fresh !== way && !failed.has(fresh) && isRepeatable) return fresh;
    return blame && ways.next(failed, call);
  };

  const address = (): URL => ways.current?.url ?? target;

  /** Notes, for the record of a call, why the agent was not called. */
  const notCalled =
    (call: Call, recorded: RecordedCall) =>
    (thrown: unknown): never => {
      const { dialect: spoken, binding } = ways.current?.choice ?? {};
      const to = { agent: name, dialect: spoken?.name ?? '', binding: binding?.name ?? '', url: address() };
      recorded.notCalled(call, to, thrown);
      throw thrown;
    };

  return {
    /** Reads the card in the background until that succeeds. Logs the first failure, and the success after failures. */
    start(): void {
      const facts = { agent: name, url };
      const attempt = async (pause: number): Promise<void> => {
        try {
          await open();
          if (pause > firstPause) logger.info(facts, 'the upstream agent is reachable now');
        } catch (err) {
          if (signal.aborted) return;
          if (pause === firstPause) logger.warn({ ...facts, err }, 'cannot reach the upstream agent; trying again');
          timer = setTimeout(attempt, pause, Math.min(pause * 2, longestPause)).unref();
        }
      };
      void attempt(firstPause);
    },
    async close(): Promise<void> {
      closing.abort();
      clearTimeout(timer);
      await ways.close();
      http.close();
    },
    /** Resolves as soon as the agent can be called. Rejects with the reason why not. */
    open,
    /** Reports that a call is about to be tried again. */
    onRetry,
    namesCallers: options.namesCallers ?? false,
    /** The card as it was last read. */
    get card() {
      return found?.card;
    },
    /** The same as it was received. */
    get received(): UpstreamCard | undefined {
      if (failure instanceof UntrustedCard) {
        return { document: undefined, readAt, verified: false, refused: failure.message, problems: [] };
      }
      if (!found) return problems.length > 0 ? { document: undefined, readAt, verified: false, problems } : undefined;
      const { document } = found;
      // A signed card whose signature is not valid is not used where there is trust.
      return {
        document,
        readAt: cardReadAt,
        problems,
        ...(override && { overridden: true }),
        // Members from the configuration are not signed.
        verified: trust?.verifies === true && !override && signaturesOfCard(document).length > 0,
      };
    },
    /** The interface that is called now. */
    get choice() {
      return ways.current?.choice;
    },
    /** The gateway in front of the agent, which gets the path of the call. Undefined: there is none. */
    gateway: options.path ? gatewayAt(http, address, signal) : undefined,
    /** Whether the agent streams: unless its card says otherwise, or it has refused a stream. */
    get streams() {
      const refusing = unstreamed.value;
      return (
        (refusing === undefined || refusing !== ways.current?.key) &&
        (found === undefined || found.card.capabilities.streaming === true)
      );
    },
    /** Whether the agent carries out a message once, however often it is sent under its idempotency key. */
    get honoursKeys() {
      const extensions = found?.card.capabilities.extensions ?? [];
      return extensions.some(({ uri }) => uri === idempotencyExtension);
    },
    /** Identifies the interface that is called now. */
    get way() {
      return ways.current?.key;
    },
    /** Records that the agent has no streams of messages, whatever its card says. */
    markNotStreaming(): void {
      const key = ways.current?.key;
      if (key === undefined || unstreamed.value === key) return;
      unstreamed.learn(key);
      const facts = { agent: name, url: place, minutes: learnedFor / 60_000 };
      logger.info(facts, 'the upstream agent does not stream; its messages are sent without a stream for now');
    },
    /** Records that the agent refused a stream in a way that proves nothing: it may have carried out the message. */
    noteRefusedStream(err: A2AError): void {
      if (hasWarned) return;
      hasWarned = true;
      const advice = 'if it does not stream, set `card: { capabilities: { streaming: false } }` at the agent';
      const text = `the upstream agent refused a stream that its card offers; the message is not sent again, because it may have run; ${advice}`;
      logger.warn({ agent: name, url: place, err }, text);
    },
    /** Whether the agent can answer a message when the task rests. Otherwise it answers at once, and has to be polled. */
    get answersAtRest() {
      return ways.current?.choice.dialect.jsonrpc?.calls.get('SendMessage')?.next === undefined;
    },
    get health(): AgentHealth {
      const { current } = ways;
      const { state = 'closed', failure: last = failure } = current?.breaker ?? {};
      const lastCall = calledAt === 0 ? 'not called yet' : new Date(calledAt).toISOString();
      const facts = { url, breaker: state, lastCall };
      if (last) return { state: 'unreachable', ...facts, reason: last.message };
      if (!current?.session) return { state: 'connecting', ...facts };
      const { choice } = current;
      return { state: 'ok', ...facts, dialect: choice.dialect.name, transport: choice.binding.name };
    },
    /**
     * Calls the agent. A call that may have failed because of an outdated card is repeated once with a fresh card, if it only
     * reads or has provably not run; after a 401 once with a fresh token. Rejects at once while the circuit breaker is open.
     */
    async invoke(call: Call): Promise<Reply> {
      const note = call.context.recorded && notCalled(call, call.context.recorded);
      let way = note ? await Promise.resolve(open()).catch(note) : await open();
      calledAt = Date.now();
      let first: A2AError | undefined;
      const failed: FailedWays = new Map();
      for (;;) {
        const session = way.session ?? (await ways.sessionOf(way));
        try {
          const calling = way.breaker.run(() => session.invoke(call));
          const reply = await (note ? calling.catch(note) : calling);
          if (first) ways.answered(way, first);
          return reply;
        } catch (thrown) {
          const error = A2AError.from(thrown);
          first ??= error;
          const next = await wayAfter(way, call, error, failed);
          if (!next) throw provesNothingRan(error) ? first : error;
          way = next;
          // What the failed attempt dropped is not lost.
          call.context.notes.losses.clear();
          onRetry();
        }
      }
    },
    /** The verified part of an extended card, which the agent sends in reply to a call. Rejects as CardTrust does. */
    async verifiedCard(card: AgentCard, until: AbortSignal): Promise<AgentCard> {
      const codec = ways.current?.choice.dialect.card;
      if (!trust || !codec) return card;
      const document = codec.encode(card, { losses: new Set() });
      const verified = await trust.judge(document, `the extended agent card of ${place}`, until);
      return codec.decode(verified, { losses: new Set() });
    },
    /**
     * An agent's error for the gateway's caller: without the agent's addresses and the credentials that the agent was sent.
     *
     * @param upstreamTask the task at the agent that the error may mention, which the caller knows as `taskId`
     */
    errorForCaller(
      thrown: unknown,
      context: CallingContext & { readonly taskId?: string },
      upstreamTask?: UpstreamTask,
    ): A2AError {
      const query = [...secretsInQuery(target)];
      const addresses = [target, ...ways.urls].flatMap(addressesIn);
      const hideSecrets = (text: string): string => hide(auth.hide(text, callerOf(context)), query);
      const { taskId = '' } = context;
      return errorForCaller(thrown, { upstreamTask, taskId, perCaller, addresses, hide: hideSecrets });
    },
  };
}

/** How error messages may name the address of an agent: as an origin, and as an authority with its port (gRPC). */
function addressesIn({ origin, protocol, hostname, port }: URL): string[] {
  return [origin, `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`];
}

/**
 * The card without the interfaces that the URL guard forbids: agents list interfaces that only their own network can reach,
 * which are named as problems. If all are forbidden, at further addresses too, the card stays as it is, and the call reports
 * the reason.
 */
function withoutForbidden(found: FoundCard, guard: UrlGuard | undefined): FoundCard {
  if (guard === undefined) return found;
  const known = new Map<string, A2AError | undefined>();
  // The guard reports each refusal.
  const refusal = (listed: AgentInterface): A2AError | undefined => {
    const key = `${listed.protocolBinding} ${listed.url}`;
    if (!known.has(key)) known.set(key, refusalOf(listed, found.url, guard));
    return known.get(key);
  };
  const filtered = <T extends ReadCard>(reading: T): T => {
    const isPermitted = (listed: AgentInterface): boolean => refusal(listed) === undefined;
    const allowed = reading.card.supportedInterfaces.filter(isPermitted);
    const further = (reading.further ?? []).filter(isPermitted);
    if (allowed.length + further.length === 0) return reading;
    return { ...reading, card: { ...reading.card, supportedInterfaces: allowed }, further };
  };
  const problems = found.card.supportedInterfaces.flatMap((listed, at): CardProblem[] => {
    const error = refusal(listed);
    return error ? [{ path: pathOfInterface(found.dialect, at), reason: `is not called: ${error.message}` }] : [];
  });
  return {
    ...filtered(found),
    alternatives: found.alternatives.map(filtered),
    problems: [...found.problems, ...problems],
  };
}

const onlyWritten = (found: FoundCard): FoundCard => ({
  ...asWritten(found),
  alternatives: found.alternatives.map(asWritten),
});

/** How an agent is most likely called that answers no question about it; undefined where nothing is known about it. */
function likelyWay(
  found: FoundCard | undefined,
  { as, via }: InterfacePreferences,
): { readonly as: DialectName; readonly via: BindingName } | undefined {
  const known = allDialects().find(({ name }) => name === (as ?? found?.dialect.name));
  if (known) {
    const sends = ({ wireFormat }: Binding): boolean => methodOf(wireFormat, known, 'SendMessage') !== undefined;
    const binding = bindings.find((one) => (via === undefined ? !one.onRequest : one.name === via) && sends(one));
    return binding && { as: known.name, via: binding.name };
  }
  const [newest] = dialectsFor(undefined);
  return via && newest ? { as: newest.name, via } : undefined;
}

/** Why the guard does not allow an interface. An invalid URL counts as allowed: the call reports it. */
function refusalOf(listed: AgentInterface, cardUrl: string, guard: UrlGuard): A2AError | undefined {
  const binding = bindings.find(({ protocolBinding }) => protocolBinding === listed.protocolBinding.toUpperCase());
  if (binding === undefined) return undefined;
  try {
    requireAllowed(guard, addressOf({ binding, interface: listed }, cardUrl));
    return undefined;
  } catch (thrown) {
    const error = A2AError.from(thrown);
    return error.kind === 'upstreamUnreachable' ? error : undefined;
  }
}
