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

/** The configuration of a gateway: defaults are filled in, paths are absolute, durations are milliseconds, sizes bytes. */
export interface Config extends ModuleConfigs {
  /** Absolute path of the configuration file; undefined without one. */
  readonly file: string | undefined;
  readonly listen: ListenConfig;
  /** `memory:`, `sqlite:` and an absolute path, or a `postgres://` URL. */
  readonly store: string;
  /** NATS servers that carry notifications between replicas; undefined: the store does. */
  readonly notifications?: string | undefined;
  /** Number of processes that serve. */
  readonly workers: number;
  /** Whether changed files take effect by themselves. */
  readonly watch: boolean;
  /** Whether acknowledged events survive the end of the process, or with `full` a power cut too. */
  readonly durability: 'process' | 'full';
  /** Whether the words of messages, artifacts and statuses are indexed. */
  readonly fullText: boolean;
  /** Infinity: for ever. */
  readonly retention: RetentionConfig;
  readonly auth: AuthSettings;
  /** Infinity: no bound. */
  readonly limits: Required<LimitsConfig>;
  readonly outbound: OutboundConfig;
  readonly push: PushConfig;
  readonly shutdown: ShutdownConfig;
  readonly log: LogConfig;
  /** Undefined: no traces. */
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
  /** By name, in the order of the file. Default: the reference agent, named `demo`. */
  readonly agents: ReadonlyMap<string, AgentConfig>;
  /** Agents that are registered while the gateway runs. */
  readonly registration: RegistrationConfig;
  /**
   * Names of the agents that answer at the root of a Host or `:authority`, by that host in lower case: with a port only
   * on that port, without one on any.
   */
  readonly hosts: ReadonlyMap<string, string>;
}

/** Values of the command line, which win over those of the file. */
export interface ConfigOverrides {
  readonly host?: string;
  readonly port?: number;
  /** A relative sqlite path is relative to the working directory here. */
  readonly store?: string;
  /** 0: one for each core. */
  readonly workers?: number;
}
