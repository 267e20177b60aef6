import type { Config } from '../../config/types.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Access } from '../compose/access.ts';
import type { AgentSet } from '../compose/agents.ts';
import type { KnowledgeSet } from '../knowledge/services.ts';

/** Everything that is created from one configuration and that a reload replaces. */
export interface ConfigSnapshot {
  readonly config: Config;
  readonly agents: AgentSet;
  readonly access: Access;
  readonly knowledge: KnowledgeSet;
}

/** The active configuration. Keep this object, not its contents, so that a reload reaches every holder at once. */
export class ActiveConfig {
  /** The agents of the active configuration. */
  readonly agents: AgentDirectory;
  #snapshot: ConfigSnapshot;
  #since = Date.now();

  constructor(first: ConfigSnapshot) {
    this.#snapshot = first;
    const directory = (): AgentDirectory => this.#snapshot.agents.directory;
    this.agents = {
      get defaultName() {
        return directory().defaultName;
      },
      get names() {
        return directory().names;
      },
      get: (name) => directory().get(name),
      forHost: (host) => directory().forHost(host),
    };
  }

  get snapshot(): ConfigSnapshot {
    return this.#snapshot;
  }

  /** When the configuration became active: milliseconds since the epoch. */
  get since(): number {
    return this.#since;
  }

  replace(next: ConfigSnapshot): void {
    this.#since = Date.now();
    this.#snapshot = next;
  }

  /** A value computed from the active snapshot, once for each snapshot. */
  computed<T>(compute: (snapshot: ConfigSnapshot) => T): () => T {
    let source = this.#snapshot;
    let value = compute(source);
    return () => {
      if (source !== this.#snapshot) {
        source = this.#snapshot;
        value = compute(source);
      }
      return value;
    };
  }

  /**
   * One section of the configuration. Its properties are getters for the active values; those of `fixed` are added as they
   * are.
   */
  select<K extends 'limits' | 'log' | 'push' | 'retention', T extends object = object>(
    name: K,
    fixed?: T,
  ): Config[K] & T {
    const section = {};
    for (const key of Object.keys(this.#snapshot.config[name])) {
      const get = (): unknown => this.#snapshot.config[name][key as keyof Config[K]];
      Object.defineProperty(section, key, { enumerable: true, get });
    }
    return Object.assign(section, fixed) as Config[K] & T;
  }
}
