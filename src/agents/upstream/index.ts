import type { SendMessageRequest, StreamResponse, Task, TaskStatus } from '../../core/model/a2a.ts';
import type { Agent, AgentContext, AgentDescription, AgentHealth, AgentKnowledge } from '../../core/model/agent.ts';
import type { Invoke } from '../../core/model/call.ts';
import { queryLanguagesOf } from '../../core/model/knowledge.ts';
import type { UpstreamIds } from '../../core/ports/upstream-ids.ts';
import type { UrlGuard } from '../../net/guard.ts';
import { createHttpClient, type HttpClient } from '../../net/http-client.ts';
import { createOutboundAuth } from '../../net/outbound-auth.ts';
import type { OutboundAuthSettings } from '../../net/outbound-settings.ts';
import type { TurnTimes } from './calls.ts';
import { cancelUpstream } from './cancel.ts';
import { describeUnread, describeUpstream, readExtendedCard } from './card.ts';
import { UpstreamConnection, type UpstreamConnectionOptions } from './connection.ts';
import { createIdMapping, type IdMapping } from './ids.ts';
import { upstreamKnowledge } from './knowledge.ts';
import { UpstreamTurn } from './turn.ts';

/** How to reach an upstream agent, and what to expect of it. */
export interface UpstreamOptions
  extends Pick<UpstreamConnectionOptions, 'name' | 'url' | 'logger'>,
    Partial<
      Pick<
        UpstreamConnectionOptions,
        'dialect' | 'transport' | 'strict' | 'quirks' | 'tracing' | 'tls' | 'trust' | 'breaker' | 'cardAge'
      >
    > {
  /** Milliseconds without a sign of life after which a task fails. Default 600,000. */
  readonly silence?: number;
  /** Stores the ids of tasks and contexts at the agent. */
  readonly ids: UpstreamIds;
  /** Middleware around each attempt to call the agent. Default: none. */
  readonly observe?: ((agent: string) => (next: Invoke) => Invoke) | undefined;
  /** Called before a call of the agent is tried again. */
  readonly onRetry?: ((agent: string) => void) | undefined;
  /** A pool of connections, closed with the agent. Default: a new pool. */
  readonly http?: HttpClient;
  /**
   * Decides which URLs from the agent's card and redirects may be called; the configured URL and token endpoint always
   * may. Default: all. Has no effect together with `http`, which has a guard of its own.
   */
  readonly guard?: UrlGuard | undefined;
  /** The gateway's credentials for the agent, sent to the origin of `url` only. Default: none. */
  readonly auth?: OutboundAuthSettings | undefined;
  /** Time limits and attempts that deviate from the defaults. */
  readonly bounds?: Partial<Omit<TurnTimes, 'silence'>>;
}

const defaultTimes: Omit<TurnTimes, 'silence'> = {
  call: 30_000,
  attempts: Number.POSITIVE_INFINITY,
  pause: 5_000,
  quiet: 2_000,
  pulse: 30_000,
  settle: 5_000,
};

/** Short, so that a restarted agent is called again soon. */
const breakerDefaults = { cooldown: 2_000 };

/**
 * A remote agent of any dialect and binding, as an agent of this gateway: the gateway supplies what it lacks. The remote
 * agent may be down when the gateway starts, and come and go.
 */
export class UpstreamAgent implements Agent {
  readonly #options: UpstreamOptions;
  readonly #connection: UpstreamConnection;
  readonly #times: TurnTimes;
  /** The latest turn of each task that is followed. */
  readonly #turns = new Map<string, UpstreamTurn>();
  /** The current description, and the cards that it was made from. */
  #described:
    | { readonly card: unknown; readonly extended: unknown; readonly description: AgentDescription }
    | undefined;
  extendedCard: AgentDescription | undefined;

  constructor(options: UpstreamOptions) {
    const { name, url, dialect = 'auto', transport = 'auto', silence = 600_000, strict = false, logger } = options;
    const { auth, tls, breaker } = options;
    const { origin } = new URL(url);
    const guard = options.guard?.trusting(url, ...(auth?.type === 'oauth2' ? [auth.tokenUrl] : []));
    const { http = createHttpClient({ guard, ...(tls && { tls, tlsOrigin: origin }) }) } = options;
    this.#options = options;
    const times = { ...defaultTimes, ...options.bounds, silence };
    this.#times = { ...times, call: Math.min(times.call, silence) };
    this.#connection = new UpstreamConnection({
      ...options,
      dialect,
      transport,
      strict,
      http,
      observe: options.observe?.(name),
      onRetry: () => options.onRetry?.(name),
      timeout: silence,
      auth: createOutboundAuth(auth, { origin, http, logger, card: () => this.#connection.card }),
      forwards: this.forwards,
      onCard: async () => {
        // An extended card that the gateway gets with a caller's credentials must not be shown to others.
        const timeout = Math.min(this.#times.call, 5_000);
        this.extendedCard = this.forwards ? undefined : await readExtendedCard(this.#connection, timeout);
      },
      breaker: { ...breakerDefaults, ...breaker },
    });
  }

  get card(): AgentDescription {
    const { card, choice } = this.#connection;
    if (!card) return describeUnread(this.#options.name, choice !== undefined);
    const extended = this.extendedCard;
    if (this.#described?.card !== card || this.#described.extended !== extended) {
      this.#described = { card, extended, description: describeUpstream(card, extended !== undefined) };
    }
    return this.#described.description;
  }

  get knowledge(): AgentKnowledge | undefined {
    const { card } = this.#connection;
    const languages = queryLanguagesOf(card?.capabilities.extensions);
    if (card && !languages) return undefined;
    const ids = (principal: string, tenant: string) => this.#idsOf(principal, tenant);
    return upstreamKnowledge(this.#connection, languages, this.#times.call, ids);
  }

  get forwards(): boolean {
    return this.#options.auth?.type === 'forward';
  }

  open(): void {
    this.#connection.start();
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  health(): AgentHealth {
    return this.#connection.health;
  }

  execute(request: SendMessageRequest, context: AgentContext): AsyncIterable<StreamResponse> {
    const former = this.#turns.get(context.key);
    return this.#run(context, request.tenant, (turn) => turn.send(request, former));
  }

  resume(task: Task, context: AgentContext): AsyncIterable<StreamResponse> {
    return this.#run(context, undefined, (turn) => turn.resume(task));
  }

  cancel(_task: Task, context: AgentContext): Promise<TaskStatus | undefined> {
    const ids = this.#idsOf(context.principal.id, context.tenant);
    return cancelUpstream(this.#connection, ids, context, this.#times.call, this.#turns.get(context.key));
  }

  async *#run(
    context: AgentContext,
    tenant: string | undefined,
    work: (turn: UpstreamTurn) => AsyncIterable<StreamResponse>,
  ): AsyncGenerator<StreamResponse, void> {
    const connection = this.#connection;
    const ids = this.#idsOf(context.principal.id, context.tenant || (tenant ?? ''), context.signal);
    const turn = new UpstreamTurn(connection, ids, context, this.#times);
    this.#turns.set(context.key, turn);
    try {
      yield* work(turn);
    } catch (thrown) {
      throw connection.errorForCaller(thrown, context, turn.upstreamTask);
    } finally {
      if (this.#turns.get(context.key) === turn) this.#turns.delete(context.key);
    }
  }

  #idsOf(principal: string, tenant: string, signal?: AbortSignal): IdMapping {
    return createIdMapping(this.#options.ids, { agent: this.#options.name, tenant, principal }, signal);
  }
}
