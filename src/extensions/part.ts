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

/** A step that a module adds to the pipeline. Modules at the same point come in the order of their list. */
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
  /** Called for each operation to which it applies. `next` is all that comes after it. */
  intercept(next: Invoke): Invoke;
}

/** Parts of the gateway from which the parts of a configuration are created. */
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
  /** The tasks that led to a call of another gateway, by what that has signed. Empty: nothing that is taken. */
  readonly pathOf: (context: CallContext) => readonly Ancestor[];
  /** Absent: no spans are created. */
  readonly tracing?: Tracing | undefined;
}

/** A module's part of one configuration. */
export interface ConfiguredPart {
  /** Steps of the pipeline while the configuration is active. */
  readonly interceptors?: readonly ModuleInterceptor[];
  /** Whether answers of agents wait until they are judged: nothing shows them before. */
  readonly withholdsAnswers?: boolean;
  /** The things in it that are not in `other`. Each is closed when no work runs in it any more. Absent: none. */
  replacedBy?(other: ConfiguredPart | undefined): readonly ReplacedThing[];
  /**
   * Deletes what has been kept long enough in a store that replicas share, about `limit` things at most. One replica calls it
   * every minute, and again at once while it resolves with true: there may be more.
   */
  expire?(limit: number): Promise<boolean>;
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

/** A module that has a part in each configuration, or in some. */
export interface Configures<Part extends ConfiguredPart = ConfiguredPart> {
  /**
   * Creates its part of a configuration, which a reload replaces. Undefined: it has none. Rejects where the configuration cannot
   * be used.
   *
   * @param former its part of the active configuration: what is the same is carried over
   */
  configure?(config: Config, deps: ConfigureDeps, former: Part | undefined): Promise<Part | undefined>;
}
