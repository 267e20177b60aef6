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

/** The gateway, as a module gets it while it is opened: nothing is served yet. */
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
  /** The agents of the active configuration. Before there is one, no agent is found. */
  readonly agents: Pick<AgentDirectory, 'get'>;
  /** The configuration as it was read, without the agents that modules add. */
  readonly config: () => Config;
  /** Creates the agents again, where those that modules add have changed. */
  readonly apply: () => Promise<unknown>;
  /** Composes the pipeline and the hooks around runs again: to be called when other interceptors or hooks apply than before. */
  readonly recompose: () => void;
}

/** Permissions of callers under one configuration. */
export interface HostAccess extends Pick<Authorizer, 'permits' | 'review'> {
  readonly authenticate: Authenticator;
  /** Authenticates a caller, then applies the request rate: to each principal, and to each network of anonymous callers. */
  readonly admit: Authenticate;
  /** Applies the request rate to the network of a request that needs no credentials. */
  countOpen(caller: CallerFacts): unknown;
  /** Undefined where a configured credential has the scope `admin`. */
  readonly adminKey: AdminKey | undefined;
  /** The endpoint where clients get tokens. Undefined where none is configured. */
  readonly tokens: object | undefined;
  /** Headers that hold credentials, besides the usual ones. */
  readonly headers: readonly string[];
}

/** Objects created from one configuration, which a reload replaces. */
export interface HostSnapshot {
  /** With the agents that are added while the gateway runs. */
  readonly config: Config;
  /** As it was read. */
  readonly base: Config;
  readonly access: HostAccess;
  /** Parts of the modules, and all of them together. */
  readonly parts: Pick<Required<ConfiguredPart>, 'refusalFor'> & {
    /** The part that a module has created itself. */
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
  /** Why the latest reload changed nothing, and when it was: milliseconds since the epoch. */
  readonly refused: { readonly problem: string; readonly at: number } | undefined;
  /** A value computed from the active snapshot, once for each snapshot. */
  computed<T>(compute: (snapshot: HostSnapshot) => T): () => T;
  /** One section of the configuration, whose properties always have the active values. To be called at the start. */
  select<K extends 'limits' | 'retention'>(name: K): Config[K];
}

/** The outcome of a reload. */
export interface ReloadOutcome {
  readonly agents: Readonly<Record<'added' | 'changed' | 'removed', readonly string[]>>;
  /** Number of streams that were ended because their callers lost access. */
  readonly ended: number;
  /** Paths of settings that were changed and take effect after a restart. */
  readonly restart: readonly string[];
}

/** The gateway, as its modules get it once it is built. */
export interface Host extends OpeningHost {
  readonly active: HostConfig;
  /** The core service: calls have passed no step of the pipeline. */
  readonly service: Service;
  /** The whole pipeline: a call is authorized, judged by policies, counted and logged as one from outside. */
  readonly invoke: Invoke;
  readonly streams: StreamLimit;
  /** Streams that end when their callers lose access. */
  readonly ongoing: OpenStreams;
  readonly cards: { readonly source: CardSource };
  /** Undefined where cards are not signed. */
  readonly signer: { readonly keySet: PublicKeys } | undefined;
  readonly dialects: Dialects;
  readonly modes: AgentModes;
  readonly traces: { readonly turns: TaskTraces };
  /** The URL in cards; undefined while it is not known. */
  readonly publicUrl: () => string | undefined;
  readonly state: {
    /** Whether there is a listener, or will be one. */
    readonly listens?: boolean;
    /** Whether gRPC is served. */
    readonly grpc?: boolean;
    /** The error for callers, once the gateway stops. */
    readonly stopping?: A2AError;
  };
  /** The sessions of the console, opened with its first request. */
  readonly sessions: { open(): Promise<Sessions> };
  /** Whether the configuration keeps what messages and agents say out of lists (`console: { content: false }`). */
  readonly hidesWords: () => boolean;
  /** Whether the store is an object of the program, not the configured one. */
  readonly hasOwnStore: boolean;
  /** Reads the configuration again and applies it. Rejects with a ConfigError. Undefined: there is nothing to read. */
  readonly reload: (() => Promise<ReloadOutcome>) | undefined;
  /** Operations and pages of modules for operators. */
  readonly operators: AdminParts;
  readonly asked: AskedParts;
  readonly otherGateways: OtherGateways;
}

/** Parts of the admin service that modules get which carry out operations of it. */
export interface AdminTools {
  /** Asks every live replica. */
  readonly ask: AskReplicas;
  /** A task with its content, as operators see it. Rejects with A2AError `taskNotFound`. */
  readonly detailsOf: (key: string, requester: Requester) => Promise<TaskDetails>;
}

/** The gateway, as modules get it that carry out operations of the admin service. */
export interface AdminHost extends Host, AdminTools {}

/** Operations and pages of modules for operators. */
export interface AdminParts {
  handlers(tools: AdminTools): Promise<readonly AddedHandlers[]>;
  agentFacts(agent: string): AgentFacts;
  replicaFacts(): ReplicaFacts;
  /** Activity since a time. Undefined: no module keeps it. */
  activity(since: number, by: ActivitySubject): Promise<KeptActivity | undefined>;
  /** When the latest end of a replica was. Undefined: no module knows of one. */
  lastEnd(): Promise<number | undefined>;
  /** Facts about tasks, by their keys. */
  taskFacts(keys: readonly string[]): Promise<ReadonlyMap<string, TaskFacts>>;
  /** Carries out an order about all tasks of these roots. */
  order(roots: Iterable<string>, order: Order): Promise<void>;
  /** Has all modules delete what the store has of a caller, about `limit` rows each. Resolves with what they say together. */
  erase(caller: ErasedCaller, limit: number): Promise<Erased>;
  /** Has all modules forget what the memory of this replica has of a caller. */
  forget(caller: Omit<ErasedCaller, 'tasks'>): Promise<ErasedCounts>;
}

/** A caller whose things are deleted. */
export interface ErasedCaller {
  readonly principal: string;
  /** Milliseconds, by the store's clock: what is newer stays. */
  readonly before: number;
  /** Keys of tasks of the caller that are deleted next. Empty: all of them are deleted. */
  readonly tasks: readonly string[];
}

/** Numbers of deleted things, by kind. A kind belongs to one module. */
export type ErasedCounts = Readonly<Record<string, number>>;

/** Counts of the data of a caller that was deleted, and of the rest. */
export interface Erased {
  readonly erased?: ErasedCounts | undefined;
  /** Things that stay, which say or show something of the caller: their ids, by kind. */
  readonly remaining?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Whether there may be more to delete. */
  readonly more?: boolean | undefined;
}

/** An operator stops all tasks of a root. Without a reason, that is undone. */
export interface Order {
  readonly by: string;
  readonly reason?: string | undefined;
}

/** Other gateways that have tasks of the roots that this one has. */
export interface OtherGateways {
  /** The tasks of a root at this gateway, as its operators know them, and at those that its agents have called. */
  find(root: string): Promise<FindTasksResponse>;
  /** Has all of them carry out an order. Resolves with what was not reached, and why. */
  order(root: string, order: Order): Promise<string[]>;
}
