import type { Revalidate } from '../auth/authenticator.ts';
import type { OpenStream } from '../auth/stream-expiry.ts';
import type { Config } from '../config/types.ts';
import type { Replaced } from '../core/middleware/ref-count.ts';
import type { BindingKind, CallContext, Invoke } from '../core/model/call.ts';
import type { A2AError } from '../core/model/errors.ts';
import type { TaskOwner } from '../core/model/ids.ts';
import type { Ancestor } from '../core/model/lineage.ts';
import type { Principal } from '../core/model/principal.ts';
import type { AgentDirectory } from '../core/ports/agent-directory.ts';
import type { Audit } from '../core/ports/audit.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { Store } from '../core/ports/store.ts';
import type { Meters } from '../core/telemetry/meters.ts';
import type { Tracing } from '../core/telemetry/tracing.ts';
import type { Operation } from '../gen/operations.ts';

/**
 * Places in the pipeline where modules add steps. `traced`: inside of the span and outside of the logs and of all that refuses
 * calls, and around calls that other replicas forward. `authorized`: directly after authorization. `admitted`: after the modes of agents, for calls that nothing of the
 * gateway's own refuses.
 */
export type PipelinePoint = 'traced' | 'authorized' | 'admitted';

/** Step that a module adds to the pipeline. Steps at one point follow the order of the modules. */
export interface ModuleInterceptor {
  readonly name: string;
  readonly at: PipelinePoint;
  /**
   * Whether it does anything for calls of an operation now: otherwise they do not pass it. Asked again after a reload, and after
   * `recompose` of the host. Absent: for all. Unknown operations are undefined here.
   *
   * @param isOfGateway whether the operation is about the gateway, not about an agent
   */
  applies?(operation: Operation | undefined, isOfGateway: boolean): boolean;
  /** Wraps an operation to which the step applies. `next` is the rest of the pipeline. */
  intercept(next: Invoke): Invoke;
}

/** Parts of the gateway for the creation of a configuration's parts. */
export interface ConfigureDeps {
  /** The open store. */
  readonly store: Store;
  readonly logger: Logger;
  readonly audit: Audit;
  readonly meters: Meters;
  /** Agents of the configuration. */
  readonly agents: Pick<AgentDirectory, 'get'>;
  /** Returns a caller with the rights of the configuration. Undefined: they are not known. */
  readonly revalidate: Revalidate;
  /** Returns the tasks that led to a call of another gateway, from the path that it has signed. Empty: there is no valid path. */
  readonly pathOf: (context: CallContext) => readonly Ancestor[];
  /** Absent: there are no spans. */
  readonly tracing?: Tracing | undefined;
}

/** Part of a module for one configuration. */
export interface ConfiguredPart {
  /** Steps of the pipeline as long as the configuration is active. */
  readonly interceptors?: readonly ModuleInterceptor[];
  /** Whether answers of agents are shown nowhere until they are judged. */
  readonly withholdsAnswers?: boolean;
  /** Returns the items of this part that `other` does not have. Each is closed once no work uses it. Absent: there are none. */
  replacedBy?(other: ConfiguredPart | undefined): readonly ReplacedThing[];
  /**
   * Deletes what has been kept long enough in a store that replicas share, about `limit` things at most. One replica calls it
   * every minute, and again at once while it resolves with true: there may be more.
   */
  expire?(limit: number): Promise<boolean>;
  /** Returns the error if an open stream may not go on with this configuration. */
  review?(stream: OpenStream): A2AError | undefined;
  /** Returns the error if the webhooks of a caller's tasks may get no more events. */
  webhookRefusal?(owner: TaskOwner): A2AError | undefined;
  /**
   * Returns the error if a caller may not call the operation behind an offer of an agent, so that the offer need not be shown.
   */
  refusalFor?(
    principal: Principal,
    agent: string,
    operation: string,
    skill: string,
    binding: BindingKind,
  ): A2AError | undefined;
}

/** Item that a reload replaced. */
export interface ReplacedThing extends Replaced {
  /** Returns the error with which a running stream ends. Undefined: the stream goes on. */
  readonly refuses: (stream: OpenStream) => A2AError | undefined;
}

/** Module with a part for each configuration, or for some. */
export interface Configures<Part extends ConfiguredPart = ConfiguredPart> {
  /**
   * Creates its part of a configuration, which a reload replaces. Undefined: it has none. Rejects where the configuration cannot
   * be used.
   *
   * @param former its part of the active configuration: what is the same is carried over
   */
  configure?(config: Config, deps: ConfigureDeps, former: Part | undefined): Promise<Part | undefined>;
}
