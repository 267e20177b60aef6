import type { Revalidate } from '../../auth/authenticator.ts';
import type { ScopedOperations } from '../../auth/authorize.ts';
import type { OpenStream } from '../../auth/stream-expiry.ts';
import type { Config } from '../../config/types.ts';
import type { AnswerReplica } from '../../core/cluster/forward.ts';
import type { AgentDescription } from '../../core/model/agent.ts';
import type { BindingKind, CallContext, Invoke, TreeStep } from '../../core/model/call.ts';
import type { A2AError } from '../../core/model/errors.ts';
import type { TaskOwner } from '../../core/model/ids.ts';
import type { Principal } from '../../core/model/principal.ts';
import type { Replaced } from '../../core/model/ref-count.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Audit } from '../../core/ports/audit.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Delivery } from '../../core/ports/push-store.ts';
import type { RunHook } from '../../core/ports/run-hook.ts';
import type { Stops } from '../../core/ports/stops.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Meters } from '../../core/telemetry/meters.ts';
import type { Tracing } from '../../core/telemetry/tracing.ts';
import type { Operation } from '../../gen/operations.ts';
import type { UrlGuard } from '../../net/guard.ts';
import type { OwnWebhook } from '../../push/delivery-run.ts';
import type { AgentDocument, ExchangeHandler, RefusalHandler } from '../../transports/http/exchange.ts';
import type { PageHandler } from '../../transports/http/headers.ts';
import type { AgentKinds } from '../agents/agents.ts';

/**
 * An optional part of the gateway: one row in the list of `extensions.ts`. Its code is loaded when a configuration, a call or
 * a request first needs it. No other part of the gateway knows it.
 *
 * @template Host what creating its service needs of the gateway
 * @template Server what its part of the HTTP server needs
 */
export interface Extension<Host = unknown, Server = unknown> {
  readonly name: string;
  readonly service?: ExtensionOperations & { create(host: Host): Promise<ExtensionService> };
  readonly agents?: AgentKinds;
  /** What it creates for each configuration, and a reload replaces. Undefined: nothing for this configuration. */
  readonly configure?: (
    config: Config,
    deps: ConfigureDeps,
    former: ConfiguredPart | undefined,
  ) => Promise<ConfiguredPart | undefined>;
  /** Opens what adds agents to those of each configuration. At most one extension has this; absent in its answer: none are added. */
  readonly addedAgents?: (deps: AddedAgentsDeps) => Promise<AddedAgents | undefined>;
  /** Opens what operators stop callers and agents with. At most one extension has this. */
  readonly stops?: (deps: Pick<ConfigureDeps, 'store' | 'logger' | 'meters'>) => Promise<Stops>;
  readonly describe?: (card: AgentDescription, agent: string, host: Host) => AgentDescription;
  /** What it does with the questions of tasks. At most one extension has this. */
  readonly questions?: (host: Host) => ExtensionQuestions;
  readonly http?: (server: Server) => ExtensionHttp;
}

export interface ExtensionOperations extends ScopedOperations {
  readonly operations: readonly Operation[];
}

/** What does something with questions from when the gateway serves until it stops. */
export interface ExtensionQuestions extends RunHook {
  start(): void;
  close(): void;
  readonly page: PageHandler;
  webhook(delivery: Delivery): Promise<OwnWebhook>;
}

export interface ExtensionService {
  readonly invoke: Invoke;
  /** Answers what other replicas ask about this one, by the name of an operation. */
  readonly answer?: AnswerReplica;
  /** Ends its streams. */
  close(): void;
}

/** Agents that are added while the gateway runs. */
export interface AddedAgents {
  /** The configuration with them. */
  addTo(config: Config): Config;
  /** @param onAway gets the agents that may not be called at the moment, when they change */
  start(onAway: (names: ReadonlySet<string>) => void): void;
  close(): void;
}

export interface AddedAgentsDeps {
  /** Open. */
  readonly store: Store;
  readonly logger: Logger;
  readonly guard: UrlGuard;
  /** As it is read, without what is added. */
  readonly config: () => Config;
  /** Applies what has changed. */
  readonly apply: () => Promise<unknown>;
}

/** What the parts of a configuration are created from. */
export interface ConfigureDeps {
  /** Open. */
  readonly store: Store;
  readonly logger: Logger;
  readonly audit: Audit;
  readonly meters: Meters;
  /** The agents of the configuration. */
  readonly agents: Pick<AgentDirectory, 'get'>;
  /** A caller with the rights that the configuration gives it. Undefined: they are not known. */
  readonly revalidate: Revalidate;
  /** The tasks that led to a call of another gateway, by the path that it has signed. Empty: it has none that is taken. */
  readonly stepsTo: (context: CallContext) => readonly TreeStep[];
  /** Absent: no spans are created. */
  readonly tracing?: Tracing | undefined;
}

/** What an extension has created for one configuration. */
export interface ConfiguredPart {
  /** The things in it that are not in `other`. Each is closed when no work runs in it any more. */
  replacedBy(other: ConfiguredPart | undefined): readonly ReplacedThing[];
  /**
   * Deletes what has been kept long enough in a store that replicas share, about `limit` things at most. One replica calls it
   * every minute, and again at once while it resolves with true: there may be more.
   */
  expire?(limit: number): Promise<boolean>;
  /** A step of the pipeline, for calls of agents by callers who are authorized. */
  readonly intercept?: (next: Invoke) => Invoke;
  /** Why an open stream may not go on with this configuration. */
  review?(stream: OpenStream): A2AError | undefined;
  /** Why the webhooks of a caller's tasks get no more events. */
  webhookRefusal?(owner: TaskOwner): A2AError | undefined;
  /** Why a caller need not be shown something that an agent offers, since it may not call the operation for it. */
  refusalFor?(
    principal: Principal,
    agent: string,
    operation: string,
    skill: string,
    binding: BindingKind,
  ): A2AError | undefined;
}

/** Something that a reload replaced. */
export interface ReplacedThing extends Replaced {
  /** Why a running stream ends because of that; undefined where it does not. */
  readonly refuses: (stream: OpenStream) => A2AError | undefined;
}

export interface ExtensionHttp {
  /** Serves requests of authenticated callers below an agent's path. */
  readonly handle?: ExchangeHandler;
  /** Answers those that were refused, in their own form. */
  readonly refuse?: RefusalHandler;
  /** A document of each agent and of the gateway, which is public where cards are. */
  readonly document?: AgentDocument;
  /** The first segment of its paths at the root, which therefore is no agent. */
  readonly segment?: string;
  /** Serves pages that need no agent. */
  readonly page?: PageHandler;
  /** Applies what a reload changes. */
  applyConfig?(): void;
  /** Answers what waits, and ends every stream. */
  close?(): Promise<void>;
}
