import type { SkippedFrame } from '../../client/bindings.ts';
import type { AgentCard } from '../../core/model/a2a.ts';
import type { Agent, AgentDescription } from '../../core/model/agent.ts';
import type { ObserveAttempt } from '../../core/model/call.ts';
import type { UpstreamIds } from '../../core/ports/upstream-ids.ts';
import { tlsAt } from '../../net/client-tls.ts';
import { createOutboundAuth, isPerCaller, tokenEndpointsOf } from '../../net/credentials/outbound-auth.ts';
import type { OutboundAuthSettings } from '../../net/credentials/outbound-settings.ts';
import type { UrlGuard } from '../../net/guard.ts';
import { createHttpClient, type HttpClient } from '../../net/http-client.ts';
import { describeUpstream, ExtendedCard } from './card.ts';
import { UpstreamConnection, type UpstreamConnectionOptions } from './connection/connection.ts';
import { describeUnread, type Keep } from './describe-unread.ts';
import { IdMapping, noIds } from './ids.ts';
import { createRemote } from './remote.ts';
import { createTranslator } from './translator.ts';
import type { TurnTimes } from './turn/task-calls.ts';
import { type IdsOf, UpstreamTurns } from './turn/turns.ts';

/** Settings for reaching an upstream agent, and facts about it. */
export interface UpstreamOptions
  extends Pick<UpstreamConnectionOptions, 'name' | 'url' | 'logger'>,
    Partial<
      Pick<
        UpstreamConnectionOptions,
        | 'dialect'
        | 'transport'
        | 'strict'
        | 'path'
        | 'quirks'
        | 'tracing'
        | 'tls'
        | 'trust'
        | 'breaker'
        | 'cardAge'
        | 'onSession'
        | 'override'
      >
    > {
  /** Whether callers must name the extensions that the agent's card requires. Default true. */
  readonly enforcesExtensions?: boolean;
  /** Milliseconds without a sign of life after which a task fails. Default 600,000. */
  readonly silence?: number;
  /** Whether HTTP/2 is offered to the agent. Has no effect together with `http`. Default false. */
  readonly http2?: boolean;
  /** The data of the agent that the gateway keeps: its tasks, or nothing, so that it only translates. Default: tasks. */
  readonly keep?: Keep;
  /** Stores the ids of tasks and contexts at the agent. */
  readonly ids: UpstreamIds;
  /** Middleware around each attempt to call the agent. Default: none. */
  readonly observe?: ((agent: string) => ObserveAttempt) | undefined;
  /** Called before a call of the agent is tried again. */
  readonly onRetry?: ((agent: string) => void) | undefined;
  /** Called with each part of the agent's streams that is not an answer, such as a heartbeat. The first one is logged. */
  readonly onSkipped?: ((agent: string) => void) | undefined;
  /** A pool of connections, closed with the agent. Default: a new pool. */
  readonly http?: HttpClient;
  /**
   * Decides which URLs from the agent's card and redirects may be called; the configured URL and token endpoint always
   * may. Default: all. Has no effect together with `http`, whose guard differs.
   */
  readonly guard?: UrlGuard | undefined;
  /**
   * A card that is approved elsewhere. `url` is checked like the URLs in cards, and `card` is shown while the agent is
   * unreachable.
   */
  readonly reviewed?: { readonly card: AgentCard | undefined } | undefined;
  /** The gateway's credentials for the agent, sent to the origin of `url` only. Default: none. */
  readonly auth?: OutboundAuthSettings | undefined;
  /** Time limits and numbers of attempts that differ from the defaults. */
  readonly bounds?: Partial<Omit<TurnTimes, 'silence'>>;
}

interface DescribedCard {
  readonly card: AgentCard;
  readonly extended: AgentDescription | undefined;
  readonly description: AgentDescription;
}

const defaultTimes: Omit<TurnTimes, 'silence'> = {
  call: 30_000,
  attempts: Number.POSITIVE_INFINITY,
  pause: 5_000,
  quiet: 2_000,
  pulse: 30_000,
  restart: 60_000,
  settle: 5_000,
};

/** Settings of the circuit breaker. The cooldown is short, so that a restarted agent is called again soon. */
const breakerDefaults = { cooldown: 2_000 };

/**
 * A remote agent of any dialect and binding, as an agent of this gateway. The gateway adds the capabilities that it lacks. The
 * remote agent may be down when the gateway starts, and come and go.
 */
export function createUpstreamAgent(options: UpstreamOptions): Agent {
  const { name, keep = 'tasks', silence = 600_000, auth, reviewed } = options;
  const perCaller = isPerCaller(auth);
  const times = timesOf(options.bounds, silence);
  const connection: UpstreamConnection = createConnection(options, async () => {
    // An extended card that was read with a caller's credentials, or that is not approved, must not be shown to others.
    if (!perCaller && !reviewed) await extended.read();
  });
  const extended = new ExtendedCard(connection, Math.min(times.call, 5_000), keep);
  const idsOf: IdsOf = (principal, tenant, signal) =>
    new IdMapping(keep === 'none' ? noIds : options.ids, { agent: name, tenant, principal }, signal);
  const turns = new UpstreamTurns(connection, times, idsOf);
  /** The current description, and the cards that it was made from. */
  let described: DescribedCard | undefined;

  return {
    ...(keep === 'none' && { invoke: createTranslator(connection, silence) }),
    forwards: auth?.type === 'forward',
    enforcesExtensions: options.enforcesExtensions ?? true,
    holdsTask: true,
    whileRunning: 'forward',
    get extendedCard() {
      return extended.description;
    },
    get card() {
      const { card = reviewed?.card, choice } = connection;
      if (!card) return describeUnread(name, choice !== undefined, keep);
      if (described?.card !== card || described.extended !== extended.description) {
        const description = describeUpstream(card, extended.description !== undefined, keep);
        described = { card, extended: extended.description, description };
      }
      return described.description;
    },
    remote: createRemote(connection, times.call, idsOf),
    get upstreamCard() {
      return connection.received;
    },
    ...gatewaysOf(connection),
    open: () => connection.start(),
    close: () => {
      extended.close();
      return connection.close();
    },
    health: () => connection.health,
    execute: (request, context) => turns.execute(request, context),
    resume: (task, context, unanswered) => turns.resume(task, context, unanswered),
    cancel: (task, context) => turns.cancel(task, context),
  };
}

function timesOf(given: UpstreamOptions['bounds'], silence: number): TurnTimes {
  const bounds = { ...defaultTimes, ...given, silence };
  return { ...bounds, call: Math.min(bounds.call, silence) };
}

const gatewaysOf = ({ gateway }: UpstreamConnection): Pick<Agent, 'gateways'> =>
  gateway ? { gateways: () => [gateway] } : {};

/** @param onCard called when the agent's card was read, or has changed */
function createConnection(options: UpstreamOptions, onCard: () => Promise<void>): UpstreamConnection {
  const { name, url, dialect = 'auto', transport = 'auto', silence = 600_000, strict = false, logger } = options;
  const { auth, tls, breaker, reviewed } = options;
  const { origin } = new URL(url);
  const guard = reviewed ? options.guard : options.guard?.trusting(url, ...tokenEndpointsOf(auth));
  const { http = createHttpClient({ guard, http2: options.http2 ?? false, ...(tls && { tls: tlsAt(origin, tls) }) }) } =
    options;
  const perCaller = isPerCaller(auth);
  const connection: UpstreamConnection = new UpstreamConnection({
    ...options,
    dialect,
    transport,
    strict,
    http,
    observe: options.observe?.(name),
    onRetry: () => options.onRetry?.(name),
    onSkipped: reportSkipped(options),
    timeout: silence,
    auth: createOutboundAuth(auth, {
      origin,
      http,
      logger,
      agent: name,
      card: () => connection.card,
      secret: () => options.ids.secret('tokens-of-callers'),
    }),
    perCaller,
    namesCallers: perCaller && auth?.type !== 'forward',
    onCard,
    breaker: { ...breakerDefaults, ...breaker },
  });
  return connection;
}

/** Counts the parts of streams that are no answers, and logs the first. */
function reportSkipped({ name, logger, onSkipped }: UpstreamOptions): (frame: SkippedFrame) => void {
  let isLogged = false;
  return ({ event, data }) => {
    onSkipped?.(name);
    if (isLogged) return;
    isLogged = true;
    const facts = { agent: name, event, data };
    logger.warn(facts, 'the upstream agent sends events that are not answers; they are skipped and counted');
  };
}
