import type { BindingName } from '../../client/bindings.ts';
import type { DialectName } from '../../client/index.ts';
import type { CardTrust } from '../../client/verify-card.ts';
import type { SendMessageRequest, StreamResponse, Task, TaskStatus } from '../../core/model/a2a.ts';
import type { Agent, AgentContext, AgentDescription, AgentHealth } from '../../core/model/agent.ts';
import type { AgentKnowledge } from '../../core/model/agent-knowledge.ts';
import type { Invoke, Quirks } from '../../core/model/call.ts';
import type { TaskOwner } from '../../core/model/ids.ts';
import { queryLanguagesOf } from '../../core/model/knowledge.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { UpstreamIds } from '../../core/ports/upstream-ids.ts';
import type { Tracing } from '../../core/telemetry/tracing.ts';
import type { BreakerOptions } from '../../net/breaker.ts';
import type { ClientTls } from '../../net/client-tls.ts';
import type { UrlGuard } from '../../net/guard.ts';
import { createHttpClient, type HttpClient } from '../../net/http-client.ts';
import { createOutboundAuth } from '../../net/outbound-auth.ts';
import type { OutboundAuthSettings } from '../../net/outbound-settings.ts';
import type { TurnTimes } from './calls.ts';
import { cancelUpstream } from './cancel.ts';
import { describeUnread, describeUpstream, ExtendedCard } from './card.ts';
import { UpstreamConnection } from './connection.ts';
import { errorForCaller } from './error-mapping.ts';
import { IdMapping } from './id-mapping.ts';
import { upstreamKnowledge } from './knowledge.ts';
import { UpstreamTurn } from './turn.ts';

/** How to reach an upstream agent, and what to expect of it. */
export interface UpstreamOptions {
  /** Name of the agent in this gateway. */
  readonly name: string;
  /** The agent's base URL or the URL of its card. */
  readonly url: string;
  /** The generation that it speaks. Default `auto`: as its card says. */
  readonly dialect?: DialectName | 'auto';
  /** The binding to call it over. Default `auto`: the first that its card offers. */
  readonly transport?: BindingName | 'auto';
  /** Milliseconds without a sign of life after which a task fails. Default 600,000. */
  readonly silence?: number;
  /** Refuse a request of which something would be lost. Default false. */
  readonly strict?: boolean;
  /** What its software does otherwise than its generation has it. Default: the agent is asked what software it is. */
  readonly quirks?: Quirks | undefined;
  /** Remembers what tasks are called there: the gateway's store. */
  readonly ids: UpstreamIds;
  readonly logger: Logger;
  /** Makes a span of each call of the agent. Default: none. */
  readonly tracing?: Tracing | undefined;
  /** Around each attempt to call the agent. Default: nothing. */
  readonly observe?: ((agent: string) => (next: Invoke) => Invoke) | undefined;
  /** Told that a call of the agent is tried again. */
  readonly onRetry?: ((agent: string) => void) | undefined;
  /** A pool of connections, closed with the agent. Default: one of its own. */
  readonly http?: HttpClient;
  /**
   * Judges where the agent's card and its redirects lead; what is configured here, the URL and the token endpoint, it
   * trusts. Default: none, and everything is called. Counts for nothing where `http` is given, which has its own.
   */
  readonly guard?: UrlGuard | undefined;
  /** What the agent knows the gateway by; shown to the origin of `url` only. Default: nothing. */
  readonly auth?: OutboundAuthSettings | undefined;
  /** The certificate of `auth`, where it is one. */
  readonly tls?: ClientTls | undefined;
  /** By whom the agent's card must be signed. Default: the card is taken as it is. */
  readonly trust?: CardTrust | undefined;
  /** When the agent is left alone since nobody answers there. */
  readonly breaker?: Pick<BreakerOptions, 'failures' | 'cooldown'>;
  /** How long things may take, and how often they are tried, where not as by default. */
  readonly bounds?: Partial<Omit<TurnTimes, 'silence'>>;
  /** Milliseconds after which the card is read again when the agent is used. Default 300,000. */
  readonly cardAge?: number;
}

/**
 * An agent somewhere else, of any generation, over any binding, as an agent of this gateway: what it lacks, the gateway
 * supplies. The agent may be down when the gateway starts, and come and go.
 */
export function createUpstreamAgent(options: UpstreamOptions): Agent {
  return new UpstreamAgent(options);
}

const defaults: Omit<TurnTimes, 'silence'> = {
  call: 30_000,
  attempts: Number.POSITIVE_INFINITY,
  pause: 5_000,
  quiet: 2_000,
  pulse: 30_000,
  settle: 5_000,
};

/** An agent that was restarted is soon found to be back. */
const breakerDefaults = { cooldown: 2_000 };

class UpstreamAgent implements Agent {
  readonly #options: UpstreamOptions;
  readonly #link: UpstreamConnection;
  readonly #bounds: TurnTimes;
  /** The latest turn of each task that is followed. */
  readonly #runs = new Map<string, UpstreamTurn>();
  /** The card that the agent was described from, and what was made of it. */
  #described:
    | { readonly card: unknown; readonly extended: unknown; readonly description: AgentDescription }
    | undefined;
  readonly #extended: ExtendedCard;

  constructor(options: UpstreamOptions) {
    const { url, dialect = 'auto', transport = 'auto', silence = 600_000, strict = false, logger } = options;
    const { auth, tls, trust, cardAge, breaker } = options;
    const { origin } = new URL(url);
    const guard = options.guard?.trusting(url, ...(auth?.type === 'oauth2' ? [auth.tokenUrl] : []));
    const { http = createHttpClient({ guard, ...(tls && { tls, tlsOrigin: origin }) }) } = options;
    this.#options = options;
    this.#bounds = { ...defaults, ...options.bounds, silence };
    this.#link = new UpstreamConnection({
      name: options.name,
      tracing: options.tracing,
      observe: options.observe?.(options.name),
      onRetry: () => options.onRetry?.(options.name),
      url,
      dialect,
      transport,
      strict,
      quirks: options.quirks,
      timeout: silence,
      http,
      auth: createOutboundAuth(auth, { origin, http, logger, card: () => this.#link.card }),
      tls,
      trust,
      forwards: auth?.type === 'forward',
      onCard: () => this.#extended.fetch(),
      logger,
      breaker: { ...breakerDefaults, ...breaker },
      ...(cardAge !== undefined && { cardAge }),
    });
    this.#extended = new ExtendedCard(this.#link, auth, Math.min(this.#bounds.call, 5_000));
  }

  get card(): AgentDescription {
    const { card } = this.#link;
    if (!card) return describeUnread(this.#options.name, this.#link.choice !== undefined);
    const { description: extended } = this.#extended;
    if (this.#described?.card !== card || this.#described.extended !== extended) {
      this.#described = { card, extended, description: describeUpstream(card, extended !== undefined) };
    }
    return this.#described.description;
  }

  get extendedCard(): AgentDescription | undefined {
    return this.#extended.description;
  }

  get knowledge(): AgentKnowledge | undefined {
    const { card } = this.#link;
    const languages = queryLanguagesOf(card?.capabilities.extensions);
    if (card && !languages) return undefined;
    const { ids, name } = this.#options;
    return upstreamKnowledge({
      languages,
      link: this.#link,
      timeout: Math.min(this.#bounds.call, this.#bounds.silence),
      names: ({ principal }, tenant) => new IdMapping(ids, { agent: name, tenant, principal: principal.id }),
    });
  }

  get forwards(): boolean {
    return this.#options.auth?.type === 'forward';
  }

  open(): void {
    this.#link.start();
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  health(): AgentHealth {
    return this.#link.health;
  }

  execute(request: SendMessageRequest, context: AgentContext): AsyncIterable<StreamResponse> {
    const former = this.#runs.get(context.key);
    return this.#turn(context, request.tenant, (run) => run.send(request, former));
  }

  resume(task: Task, context: AgentContext): AsyncIterable<StreamResponse> {
    return this.#turn(context, undefined, (run) => run.resume(task));
  }

  cancel(_task: Task, context: AgentContext): Promise<TaskStatus | undefined> {
    const names = new IdMapping(this.#options.ids, this.#owner(context));
    return cancelUpstream({
      link: this.#link,
      names,
      context,
      timeout: Math.min(this.#bounds.call, this.#bounds.silence),
      run: this.#runs.get(context.key),
    });
  }

  async *#turn(
    context: AgentContext,
    tenant: string | undefined,
    work: (run: UpstreamTurn) => AsyncIterable<StreamResponse>,
  ): AsyncGenerator<StreamResponse, void> {
    const link = this.#link;
    const names = new IdMapping(this.#options.ids, this.#owner(context, tenant), context.signal);
    const run = new UpstreamTurn({ link, names, context, bounds: this.#bounds });
    this.#runs.set(context.key, run);
    try {
      yield* work(run);
    } catch (thrown) {
      throw errorForCaller(thrown, {
        upstreamTask: run.there,
        taskId: context.taskId,
        ...link.errorMappingOf(context),
      });
    } finally {
      if (this.#runs.get(context.key) === run) this.#runs.delete(context.key);
    }
  }

  #owner({ tenant, principal }: AgentContext, named = ''): TaskOwner {
    return { agent: this.#options.name, tenant: tenant || named, principal: principal.id };
  }
}
