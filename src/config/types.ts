import type { AuthSettings } from '../auth/settings.ts';
import type {
  CardsConfig,
  LimitsConfig,
  ListenConfig,
  LogConfig,
  OutboundConfig,
  PagesConfig,
  PushConfig,
  RegistrationConfig,
  RetentionConfig,
  ShutdownConfig,
} from '../gen/settings.ts';
import type { ModuleConfigs } from './module-sections.ts';
import type { AgentConfig } from './sections/agents.ts';
import type { ConsoleConfig } from './sections/console.ts';
import type { TracingConfig } from './sections/tracing.ts';

/**
 * The configuration of a gateway, with defaults filled in. Paths are absolute, durations are in milliseconds, and sizes
 * in bytes.
 */
export interface Config extends ModuleConfigs {
  /** Absolute path of the configuration file. Undefined without a file. */
  readonly file: string | undefined;
  readonly listen: ListenConfig;
  /** The store: `memory:`, `sqlite:` with an absolute path, or a `postgres://` URL. */
  readonly store: string;
  /** NATS servers that carry notifications between replicas. Undefined if the store carries them. */
  readonly notifications?: string | undefined;
  /** Number of processes that serve. */
  readonly workers: number;
  /** Whether the gateway reloads when files change. */
  readonly watch: boolean;
  /** Whether acknowledged events survive only the end of the process (`process`), or also a power failure (`full`). */
  readonly durability: 'process' | 'full';
  /** Whether the words of messages, artifacts and statuses are indexed. */
  readonly fullText: boolean;
  /** Ages after which data is deleted. Infinity means forever. */
  readonly retention: RetentionConfig;
  readonly auth: AuthSettings;
  /** Limits. Infinity means no limit. */
  readonly limits: Required<LimitsConfig>;
  readonly outbound: OutboundConfig;
  readonly push: PushConfig;
  readonly shutdown: ShutdownConfig;
  readonly log: LogConfig;
  /** Traces, metrics and log lines to send. Undefined if nothing is sent. */
  readonly tracing: TracingConfig | undefined;
  /** Whether the gateway serves its own pages, such as `/healthz`. */
  readonly pages: PagesConfig;
  /** Whether and how the gateway serves the console. */
  readonly console: ConsoleConfig;
  readonly cards: CardsConfig;
  /** Dialects to serve whose specification is not published yet. */
  readonly preview: readonly string[];
  /** Name of the agent that also answers at the root. */
  readonly defaultAgent?: string | undefined;
  /** Agents by name, in the order of the file. Default: the reference agent, named `demo`. */
  readonly agents: ReadonlyMap<string, AgentConfig>;
  /** Agents that are registered while the gateway runs. */
  readonly registration: RegistrationConfig;
  /**
   * Names of the agents that answer at the root of a Host or `:authority`, by host in lower case. A host with a port
   * matches only that port, and a host without one any port.
   */
  readonly hosts: ReadonlyMap<string, string>;
}

/** Values of the command line, which override those of the file. */
export interface ConfigOverrides {
  readonly host?: string;
  readonly port?: number;
  /** The store. A relative sqlite path is relative to the working directory. */
  readonly store?: string;
  /** Number of processes that serve. 0 for one per core. */
  readonly workers?: number;
}
