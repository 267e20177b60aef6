import type { AdminKey } from '../auth/admin-key.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Authorizer } from '../auth/authorize.ts';
import type { Sessions } from '../auth/sessions.ts';
import type { OpenStreams } from '../auth/stream-expiry.ts';
import type { Config } from '../config/types.ts';
import type { AskReplicas } from '../core/cluster/ask-replicas.ts';
import type { Authenticate, CallerFacts } from '../core/limits/admission.ts';
import type { StreamLimit } from '../core/limits/stream-limit.ts';
import type { AgentModes } from '../core/middleware/agent-modes.ts';
import type { Invoke, Requester } from '../core/model/call.ts';
import type { A2AError } from '../core/model/errors.ts';
import type { Service } from '../core/operations/service.ts';
import type { AgentDirectory } from '../core/ports/agent-directory.ts';
import type { Audit } from '../core/ports/audit.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Store } from '../core/ports/store.ts';
import type { Meters } from '../core/telemetry/meters.ts';
import type { TaskTraces } from '../core/telemetry/trace-context.ts';
import type { Dialects } from '../dialects/kernel/detect.ts';
import type { FindTasksResponse, TaskDetails } from '../gen/admin-v1/types.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { UrlGuard } from '../net/guard.ts';
import type { PublicKeys } from '../net/public-keys.ts';
import type { CardSource } from '../transports/http/cards.ts';
import type { ActivitySubject, AddedHandlers, AgentFacts, KeptActivity, ReplicaFacts, TaskFacts } from './handlers.ts';
import type { ConfiguredPart, Configures } from './part.ts';
import type { AskedParts } from './question-listener.ts';

/** Gateway for a module that is being opened. Nothing is served yet. */
export interface OpeningHost {
  /** Version of this package. */
  readonly version: string;
  readonly store: Store;
  /** Resolves when the store is open. */
  readonly opening: Promise<void>;
  readonly logger: Logger;
  readonly audit: Audit;
  readonly meters: Meters;
  readonly metrics: Metrics;
  readonly guard: UrlGuard;
  /** Agents of the active configuration. Until there is one, no agent is found. */
  readonly agents: Pick<AgentDirectory, 'get'>;
  /** Returns the configuration as it was read, without the agents that modules add. */
  readonly config: () => Config;
  /** Creates the agents again. A module calls it after a change of the agents that it adds. */
  readonly apply: () => Promise<unknown>;
  /** Composes the pipeline and the hooks of runs again. A module calls it after a change of its interceptors or hooks. */
  readonly recompose: () => void;
}

/** Permissions of callers under one configuration. */
export interface HostAccess extends Pick<Authorizer, 'permits' | 'review'> {
  readonly authenticate: Authenticator;
  /** Authenticates a caller, then applies the request rate to the principal, or to the network of an anonymous caller. */
  readonly admit: Authenticate;
  /** Applies the request rate to the network of a caller whose request needs no credentials. */
  countOpen(caller: CallerFacts): unknown;
  /** Undefined if a configured credential has the scope `admin`. */
  readonly adminKey: AdminKey | undefined;
  /** Endpoint that issues tokens. Undefined: none is configured. */
  readonly tokens: object | undefined;
  /** Names of headers with credentials, besides the usual ones. */
  readonly headers: readonly string[];
}

/** Objects of one configuration. A reload replaces them. */
export interface HostSnapshot {
  /** Configuration with the agents that modules add. */
  readonly config: Config;
  /** Configuration as it was read. */
  readonly base: Config;
  readonly access: HostAccess;
  /** Parts of all modules together. */
  readonly parts: Pick<Required<ConfiguredPart>, 'refusalFor'> & {
    /** Returns the part that a module has created. */
    of<Part extends ConfiguredPart>(module: Configures<Part>): Part | undefined;
    readonly withholdsAnswers: boolean;
  };
}

/** The active configuration. */
export interface HostConfig {
  /** The agents of the active configuration. */
  readonly agents: AgentDirectory;
  readonly snapshot: HostSnapshot;
  /** Time when the configuration became active: milliseconds since the epoch. */
  readonly since: number;
  /** Reason and time of the latest refused reload: milliseconds since the epoch. */
  readonly refused: { readonly problem: string; readonly at: number } | undefined;
  /** Returns a function for a value that is computed once for each active snapshot. */
  computed<T>(compute: (snapshot: HostSnapshot) => T): () => T;
  /**
   * Returns one section of the configuration whose properties always have the active values. Only called while the gateway is
   * built.
   */
  select<K extends 'limits' | 'retention'>(name: K): Config[K];
}

/** Result of a reload. */
export interface ReloadOutcome {
  readonly agents: Readonly<Record<'added' | 'changed' | 'removed', readonly string[]>>;
  /** Number of streams that were ended because their callers lost access. */
  readonly ended: number;
  /** Paths of changed settings that take effect after a restart. */
  readonly restart: readonly string[];
}

/** Gateway for a module, once it is built. */
export interface Host extends OpeningHost {
  readonly active: HostConfig;
  /** Core service, without the pipeline: its calls are neither authorized nor judged nor counted. */
  readonly service: Service;
  /** Whole pipeline: its calls are authorized, judged, counted and logged like calls from outside. */
  readonly invoke: Invoke;
  readonly streams: StreamLimit;
  /** Open streams, which end if their callers lose access. */
  readonly ongoing: OpenStreams;
  readonly cards: { readonly source: CardSource };
  /** Undefined: cards are not signed. */
  readonly signer: { readonly keySet: PublicKeys } | undefined;
  readonly dialects: Dialects;
  readonly modes: AgentModes;
  readonly traces: { readonly turns: TaskTraces };
  /** Returns the URL in cards. Undefined: not known yet. */
  readonly publicUrl: () => string | undefined;
  readonly state: {
    /** Whether the gateway has, or will have, a listener. */
    readonly listens?: boolean;
    /** Whether gRPC is served. */
    readonly grpc?: boolean;
    /** Error for callers while the gateway stops. Undefined: it does not stop. */
    readonly stopping?: A2AError;
  };
  /** Sessions of the console. The first request of the console opens them. */
  readonly sessions: { open(): Promise<Sessions> };
  /** Whether lists omit the texts of messages and agents (`console: { content: false }`). */
  readonly hidesWords: () => boolean;
  /** Whether the program passed a store object, so that the configured store is not used. */
  readonly hasOwnStore: boolean;
  /** Reads the configuration again and applies it. Rejects with a ConfigError. Undefined: there is no source to read. */
  readonly reload: (() => Promise<ReloadOutcome>) | undefined;
  /** Operations and pages of the modules for operators. */
  readonly operators: AdminParts;
  readonly asked: AskedParts;
  readonly otherGateways: OtherGateways;
}

/** Parts of the admin service for modules that carry out operations of it. */
export interface AdminTools {
  /** Asks every live replica. */
  readonly ask: AskReplicas;
  /** Reads a task with its content for operators. Rejects with A2AError `taskNotFound`. */
  readonly detailsOf: (key: string, requester: Requester) => Promise<TaskDetails>;
}

/** Gateway for modules that carry out operations of the admin service. */
export interface AdminHost extends Host, AdminTools {}

/** Operations and pages of the modules for operators. */
export interface AdminParts {
  handlers(tools: AdminTools): Promise<readonly AddedHandlers[]>;
  agentFacts(agent: string): AgentFacts;
  replicaFacts(): ReplicaFacts;
  /** Reads the activity since a time: milliseconds since the epoch. Undefined: no module keeps it. */
  activity(since: number, by: ActivitySubject): Promise<KeptActivity | undefined>;
  /** Returns the time at which a replica last ended: milliseconds since the epoch. Undefined: no module knows one. */
  lastEnd(): Promise<number | undefined>;
  /** Reads the facts of modules about tasks, by their keys. */
  taskFacts(keys: readonly string[]): Promise<ReadonlyMap<string, TaskFacts>>;
  /** Stops all tasks of these roots, or undoes that. */
  order(roots: Iterable<string>, order: Order): Promise<void>;
  /**
   * Asks all modules to delete a caller's data from the store, about `limit` rows each. Resolves with the sum of their results.
   */
  erase(caller: ErasedCaller, limit: number): Promise<Erased>;
  /** Asks all modules to remove a caller's data from the memory of this replica. */
  forget(caller: Omit<ErasedCaller, 'tasks'>): Promise<ErasedCounts>;
}

/** Caller whose data are deleted. */
export interface ErasedCaller {
  readonly principal: string;
  /** Time in milliseconds by the store's clock. Newer data stay. */
  readonly before: number;
  /** Keys of the caller's tasks that are deleted next. Empty: all tasks are deleted already. */
  readonly tasks: readonly string[];
}

/** Numbers of deleted items, by kind. Each kind belongs to one module. */
export type ErasedCounts = Readonly<Record<string, number>>;

/** Counts of the data of a caller that was deleted, and of the rest. */
export interface Erased {
  readonly erased?: ErasedCounts | undefined;
  /** Ids of items that stay although they refer to the caller, by kind. */
  readonly remaining?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Whether there may be more to delete. */
  readonly more?: boolean | undefined;
}

/** Order of an operator to stop all tasks of a root, or, without a reason, to undo that. */
export interface Order {
  readonly by: string;
  readonly reason?: string | undefined;
}

/** Other gateways with tasks of roots that are known here. */
export interface OtherGateways {
  /** Finds the tasks of a root at this gateway and at the gateways that its agents have called. */
  find(root: string): Promise<FindTasksResponse>;
  /** Passes an order to all of these gateways. Resolves with descriptions of those that could not be reached. */
  order(root: string, order: Order): Promise<string[]>;
}
