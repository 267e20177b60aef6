import type { AuthSettings } from '../auth/settings.ts';
import type { ConfigFile } from './schema.ts';
import type { AgentConfig } from './sections/agents.ts';
import type { resolveCards } from './sections/cards.ts';
import type { LimitsConfig } from './sections/limits.ts';
import type { ListenConfig } from './sections/listen.ts';
import type { TracingConfig } from './sections/tracing.ts';

type AsInFile = 'durability' | 'retention' | 'outbound' | 'push' | 'shutdown' | 'log' | 'defaultAgent' | 'preview';

/** The configuration of a gateway: defaults are filled in, paths are absolute, durations are milliseconds, sizes bytes. */
export interface Config extends Readonly<Pick<ConfigFile, AsInFile>> {
  /** Absolute path of the configuration file; undefined without one. */
  readonly file: string | undefined;
  readonly listen: ListenConfig;
  /** `memory:`, `sqlite:` and an absolute path, or a `postgres://` URL. */
  readonly store: string;
  readonly auth: AuthSettings;
  readonly limits: LimitsConfig;
  /** Undefined: no traces. */
  readonly tracing: TracingConfig | undefined;
  readonly cards: ReturnType<typeof resolveCards>;
  /** By name, in the order of the file. Default: the reference agent, named `demo`. */
  readonly agents: ReadonlyMap<string, AgentConfig>;
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
}
