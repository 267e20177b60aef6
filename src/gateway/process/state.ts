import type { Config } from '../../config/types.ts';
import type { A2AError } from '../../core/model/errors.ts';

/** The outcome of a reload. */
export interface ReloadReport {
  readonly agents: {
    readonly added: readonly string[];
    readonly changed: readonly string[];
    readonly removed: readonly string[];
  };
  /** Number of streams that were ended because their callers lost access. */
  readonly ended: number;
  /** Paths of settings that were changed and take effect after a restart. */
  readonly restart: readonly string[];
}

/** Reads another configuration and applies it. Rejects with a ConfigError if it cannot be used; nothing has changed then. */
export type Reload = (read: () => Config | Promise<Config>) => Promise<ReloadReport>;

/** Facts of one gateway that change while it runs. */
export interface GatewayState {
  /** Whether there is a listener, or will be one. */
  listens?: boolean;
  /** Port of the listener, while it listens. */
  port?: number;
  /** URL of the listener. It is known before the gateway listens if the port is configured. */
  url?: string;
  /** Whether the listener, or a server that the gateway is attached to, serves gRPC. */
  grpc?: boolean;
  /** The error for callers, once the gateway stops. */
  stopping?: A2AError;
  /** Reads and applies another configuration, once the gateway serves. */
  reload?: Reload;
}
