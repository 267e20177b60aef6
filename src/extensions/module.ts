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
  /** Operations of a service of its own, which `createService` of the open module carries out. */
  readonly service?: ScopedOperations & { readonly operations: readonly Operation[] };
  /** Operations of the admin service for which another scope suffices, and that scope: the operation restricts such callers. */
  readonly restricted?: Readonly<Record<string, string>>;
  /** Kinds of agents that it creates. */
  readonly agents?: AgentKinds;
  /** Checks its part of a configuration, and opens nothing. Rejects with a ConfigError. */
  check?(config: Config): Promise<void>;
  /**
   * Begins its work for one gateway. The store is not open yet: wait for `opening` first. Rejects where the
   * gateway cannot start.
   */
  open?(host: OpeningHost): OpenModule | Promise<OpenModule>;
}

/** A module of one gateway: whatever of these it is able to do. */
export interface OpenModule<Part extends ConfiguredPart = ConfiguredPart> extends Configures<Part> {
  /** The configuration with the agents that it adds. Absent: it adds none. */
  addTo?(config: Config): Config;
  /** Called when the store is open and the first configuration is active, before anything is served. Rejects like `open`. */
  ready?(): Promise<void>;
  /** Steps of the pipeline. */
  readonly interceptors?: readonly ModuleInterceptor[];
  /** Its judge of calls and tasks at the moment. Asked again after `recompose` of the host. */
  judge?(): Judge | undefined;
  /** Its observer of requests at the moment. Asked again after `recompose` of the host. */
  observer?(): ExchangeObserver | undefined;
  /** Metrics, with their current values. */
  families?(): readonly Family[];
  /** The description of an agent with what it declares in cards. */
  describe?(card: AgentDescription, agent: string, host: Host): AgentDescription;
  /** Hooks around runs of agents, as they are now. Asked again after a reload, and after `recompose` of the host. */
  hooks?(host: Host): readonly RunHook[];
  /** The gateway's own webhook that a delivery belongs to. Undefined: it belongs to another module. */
  webhook?(delivery: Delivery, host: Host): Promise<OwnWebhook | undefined>;
  /** Reports questions. Called once. */
  askedListener?(host: Host): AskedListener;
  /** The link by which a question of an agent is answered. Undefined: it has none. At most one module has links. */
  linkTo?(agent: string, question: AskedPosition, host: Host): Promise<string | undefined>;
  /** Creates the service of the module, with its first call. */
  createService?(host: Host): Promise<ModuleService>;
  /** Operations of the admin service that it carries out. Called with the first call of that service. */
  handlers?(host: AdminHost): AddedHandlers | Promise<AddedHandlers>;
  agentFacts?(agent: string, host: Host): AgentFacts;
  replicaFacts?(host: Host): ReplicaFacts;
  /** Activity since a time: milliseconds since the epoch. Undefined: it keeps no numbers. At most one module keeps them. */
  activity?(since: number, by: ActivitySubject): Promise<KeptActivity | undefined>;
  /** When the latest end of a replica was: milliseconds since the epoch. Undefined: it knows of none. At most one module knows it. */
  lastEnd?(): Promise<number | undefined>;
  /** Facts about tasks that it shows operators, by their keys. */
  taskFacts?(keys: readonly string[]): Promise<ReadonlyMap<string, TaskFacts>>;
  /** Deletes what the store has of a caller, about `limit` rows at most. Called again with the same caller, also by other replicas. */
  erase?(caller: ErasedCaller, limit: number, host: Host): Promise<Erased>;
  /**
   * Forgets what the memory of this replica has of a caller: once it resolves, nothing of that is written any more. Called when the
   * tasks of the caller have ended, and when they are deleted. Resolves with the numbers of forgotten things, by kind.
   */
  forget?(caller: Omit<ErasedCaller, 'tasks'>): ErasedCounts | Promise<ErasedCounts>;
  /** Carries out an order about all tasks of these roots. */
  onOrder?(roots: Iterable<string>, order: Order): Promise<void>;
  /** The gateways that the agents of this one call. At most one module knows them. */
  otherGateways?(host: Host): OtherGateways;
  /** The tasks that led to a call of another gateway, by what that has signed. */
  pathOf?(context: CallContext): readonly Ancestor[] | undefined;
  /** Its part in the HTTP server. Called once. */
  http?(server: ModuleServer): ModuleHttp;
  /** Called once the gateway serves. */
  start?(host: Host): void;
  /** Called when the gateway begins to stop, while it serves on. */
  stopping?(): void;
  /** Called when the gateway stops, before the work that runs has ended. */
  close?(): void;
  /** Called when all work has ended, while the store is open. */
  closed?(): Promise<void>;
}

/** The service of a module. */
export interface ModuleService {
  readonly invoke: Invoke;
  /** Answers what other replicas ask about this one, by the name of an operation. */
  readonly answer?: AnswerReplica;
  /** Ends its streams. */
  close(): void;
}

/** Parts of the gateway that agents are created from. */
export interface AgentFactoryDeps {
  readonly name: string;
  /** Of a reload: loads modules again. */
  readonly load: string | undefined;
  /** Version of this package. */
  readonly version: string;
  /** Maps tasks to their ids at upstream agents. */
  readonly ids: UpstreamIds;
  readonly logger: Logger;
  /** Creates spans for calls to upstream agents and tools. Absent: none. */
  readonly tracing?: Tracing | undefined;
  /** Checks the URLs in the cards of upstream agents. */
  readonly guard: UrlGuard;
  /** Middleware around each attempt to call an upstream agent. */
  readonly observe?: (agent: string) => ObserveAttempt;
  readonly onRetry?: (agent: string) => void;
  /** Called with each part of an agent's stream that is not an answer. */
  readonly onSkipped?: (agent: string) => void;
}

/** Creates the agents of one kind, from their settings `C`. */
export type AgentFactory<C> = (config: C, deps: AgentFactoryDeps) => Agent | Promise<Agent>;

export type AgentKinds = {
  readonly [K in AgentConfig['kind']]?: AgentFactory<Extract<AgentConfig, { kind: K }>>;
};

/** The HTTP server, as modules get it. */
export interface ModuleServer extends Host {
  readonly agents: AgentDirectory;
  readonly http: HttpContext;
  readonly checkOperation: CheckOperation;
  /** The URL under which the client of a request reaches a path. */
  readonly urlOf: (req: IncomingMessage, path: string) => string;
  /** URL that describes how to obtain credentials for a path. Undefined: there is none. */
  readonly resourceMetadata: (req: IncomingMessage, path: string) => string | undefined;
}

/** A module's part in the HTTP server. */
export interface ModuleHttp extends HttpBinding {
  /** Serves pages that need no agent. */
  readonly page?: PageHandler;
}
