import type { IncomingMessage } from 'node:http';
import type { ScopedOperations } from '../auth/authorize.ts';
import type { AgentConfig } from '../config/sections/agents.ts';
import type { Config } from '../config/types.ts';
import type { AnswerReplica } from '../core/cluster/replica-requests.ts';
import type { CheckOperation } from '../core/limits/admission.ts';
import type { Agent, AgentDescription } from '../core/model/agent.ts';
import type { CallContext, Invoke, ObserveAttempt } from '../core/model/call.ts';
import type { Ancestor } from '../core/model/lineage.ts';
import type { AgentDirectory } from '../core/ports/agent-directory.ts';
import type { ExchangeObserver } from '../core/ports/exchange-observer.ts';
import type { Judge } from '../core/ports/judge.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Delivery } from '../core/ports/push-store.ts';
import type { RunHook } from '../core/ports/run-hook.ts';
import type { UpstreamIds } from '../core/ports/upstream-ids.ts';
import type { Tracing } from '../core/telemetry/tracing.ts';
import type { Operation } from '../gen/operations.ts';
import type { Family } from '../metrics/family.ts';
import type { UrlGuard } from '../net/guard.ts';
import type { OwnWebhook } from '../push/delivery-run.ts';
import type { HttpBinding, HttpContext } from '../transports/http/context.ts';
import type { PageHandler } from '../transports/http/headers.ts';
import type { ActivitySubject, AddedHandlers, AgentFacts, KeptActivity, ReplicaFacts, TaskFacts } from './handlers.ts';
import type { AdminHost, Erased, ErasedCaller, ErasedCounts, Host, OpeningHost, Order, OtherGateways } from './host.ts';
import type { ConfiguredPart, Configures, ModuleInterceptor } from './part.ts';
import type { AskedListener, AskedPosition } from './question-listener.ts';

/**
 * An optional part of the gateway: a row in the list of `gateway/compose/extensions.ts`. The gateway asks all modules for what
 * they are able to do, and knows none by its name. Their code is loaded when a configuration, a call or a request first needs it.
 *
 * ```ts
 * const hello: Module = {
 *   name: 'hello',
 *   open: () => ({ http: () => ({ page: (req, res) => req.url === '/hello' && Boolean(res.end('Hello')) }) }),
 * };
 * ```
 */
export interface Module {
  readonly name: string;
  /** Operations of the module's own service, which `createService` of the open module creates. */
  readonly service?: ScopedOperations & { readonly operations: readonly Operation[] };
  /**
   * Operations of the admin service for which a second scope suffices, with the names of these scopes. The operation itself
   * restricts such callers.
   */
  readonly restricted?: Readonly<Record<string, string>>;
  /** Kinds of agents that the module creates. */
  readonly agents?: AgentKinds;
  /** Checks the module's part of a configuration without opening anything. Rejects with a ConfigError. */
  check?(config: Config): Promise<void>;
  /**
   * Begins its work for one gateway. The store is not open yet: wait for `opening` first. Rejects where the
   * gateway cannot start.
   */
  open?(host: OpeningHost): OpenModule | Promise<OpenModule>;
}

/** Module of one gateway. It has those of the members that it needs. */
export interface OpenModule<Part extends ConfiguredPart = ConfiguredPart> extends Configures<Part> {
  /** Returns the configuration with the module's agents. Absent: the module adds none. */
  addTo?(config: Config): Config;
  /** Called when the store is open and the first configuration is active, before anything is served. Rejects like `open`. */
  ready?(): Promise<void>;
  /** Steps of the pipeline. */
  readonly interceptors?: readonly ModuleInterceptor[];
  /** Returns the module's present judge of calls and tasks. Called again after `recompose` of the host. */
  judge?(): Judge | undefined;
  /** Returns the module's present observer of requests. Called again after `recompose` of the host. */
  observer?(): ExchangeObserver | undefined;
  /** Returns metrics with their current values. */
  families?(): readonly Family[];
  /** Returns the description of an agent for cards, with the module's additions. */
  describe?(card: AgentDescription, agent: string, host: Host): AgentDescription;
  /** Returns the present hooks of agents' runs. Called again after a reload, and after `recompose` of the host. */
  hooks?(host: Host): readonly RunHook[];
  /** Returns the module's own webhook of a delivery. Undefined: the delivery belongs to another module. */
  webhook?(delivery: Delivery, host: Host): Promise<OwnWebhook | undefined>;
  /** Returns the module's listener for questions. Called once. */
  askedListener?(host: Host): AskedListener;
  /** Returns the link at which an agent's question can be answered. Undefined: there is none. At most one module has links. */
  linkTo?(agent: string, question: AskedPosition, host: Host): Promise<string | undefined>;
  /** Creates the module's service. The first call of the service calls it. */
  createService?(host: Host): Promise<ModuleService>;
  /** Returns the module's operations of the admin service. The first call of that service calls it. */
  handlers?(host: AdminHost): AddedHandlers | Promise<AddedHandlers>;
  agentFacts?(agent: string, host: Host): AgentFacts;
  replicaFacts?(host: Host): ReplicaFacts;
  /** Reads the activity since a time: milliseconds since the epoch. Undefined: the module keeps none. At most one module does. */
  activity?(since: number, by: ActivitySubject): Promise<KeptActivity | undefined>;
  /**
   * Returns the time at which a replica last ended: milliseconds since the epoch. Undefined: not known. At most one module knows
   * it.
   */
  lastEnd?(): Promise<number | undefined>;
  /** Reads the module's facts about tasks for operators, by the keys of the tasks. */
  taskFacts?(keys: readonly string[]): Promise<ReadonlyMap<string, TaskFacts>>;
  /** Deletes a caller's data from the store, at most about `limit` rows. Called again for the caller, also by other replicas. */
  erase?(caller: ErasedCaller, limit: number, host: Host): Promise<Erased>;
  /**
   * Removes a caller's data from the memory of this replica. Once it resolves, nothing of them is written any more. Called when
   * the caller's tasks have ended, and when they are deleted. Resolves with the numbers of removed items, by kind.
   */
  forget?(caller: Omit<ErasedCaller, 'tasks'>): ErasedCounts | Promise<ErasedCounts>;
  /** Stops all tasks of these roots, or undoes that. */
  onOrder?(roots: Iterable<string>, order: Order): Promise<void>;
  /** Returns the gateways that agents of this one call. At most one module knows them. */
  otherGateways?(host: Host): OtherGateways;
  /** Returns the tasks that led to a call of another gateway, from the path that it has signed. */
  pathOf?(context: CallContext): readonly Ancestor[] | undefined;
  /** Returns the module's part of the HTTP server. Called once. */
  http?(server: ModuleServer): ModuleHttp;
  /** Called once the gateway serves requests. */
  start?(host: Host): void;
  /** Called when the gateway begins to stop, while it still serves requests. */
  stopping?(): void;
  /** Called when the gateway stops, before running work has ended. */
  close?(): void;
  /** Called when all work has ended, before the store is closed. */
  closed?(): Promise<void>;
}

/** Service of a module. */
export interface ModuleService {
  readonly invoke: Invoke;
  /** Answers questions from other replicas about this one, by the names of operations. */
  readonly answer?: AnswerReplica;
  /** Ends the streams of the service. */
  close(): void;
}

/** Parts of the gateway for the creation of agents. */
export interface AgentFactoryDeps {
  readonly name: string;
  /** Set during a reload, which loads modules again. */
  readonly load: string | undefined;
  /** Version of this package. */
  readonly version: string;
  /** Maps tasks to their ids at upstream agents. */
  readonly ids: UpstreamIds;
  readonly logger: Logger;
  /** Creates spans for calls to upstream agents and tools. Absent: there are no spans. */
  readonly tracing?: Tracing | undefined;
  /** Checks the URLs in the cards of upstream agents. */
  readonly guard: UrlGuard;
  /** Middleware around each attempt to call an upstream agent. */
  readonly observe?: (agent: string) => ObserveAttempt;
  readonly onRetry?: (agent: string) => void;
  /** Called with each skipped part of an agent's stream, which is not an answer. */
  readonly onSkipped?: (agent: string) => void;
}

/** Creates agents of one kind from their settings `C`. */
export type AgentFactory<C> = (config: C, deps: AgentFactoryDeps) => Agent | Promise<Agent>;

export type AgentKinds = {
  readonly [K in AgentConfig['kind']]?: AgentFactory<Extract<AgentConfig, { kind: K }>>;
};

/** HTTP server for modules. */
export interface ModuleServer extends Host {
  readonly agents: AgentDirectory;
  readonly http: HttpContext;
  readonly checkOperation: CheckOperation;
  /** Returns the URL at which the client of a request reaches a path. */
  readonly urlOf: (req: IncomingMessage, path: string) => string;
  /** Returns the URL that describes how to obtain credentials for a path. Undefined: there is none. */
  readonly resourceMetadata: (req: IncomingMessage, path: string) => string | undefined;
}

/** A module's part in the HTTP server. */
export interface ModuleHttp extends HttpBinding {
  /** Serves pages that need no agent. */
  readonly page?: PageHandler;
}
