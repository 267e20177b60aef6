import type { Config } from '../../config/types.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Access } from '../compose/access.ts';
import type { AgentSet } from '../compose/agents.ts';
import type { KnowledgeSet } from '../knowledge/services.ts';

/** Everything that a reload replaces, made of one configuration. */
export interface ConfigSnapshot {
  readonly config: Config;
  readonly agents: AgentSet;
  readonly access: Access;
  readonly knowledge: KnowledgeSet;
}

/**
 * The generation that counts. Whoever serves holds on to this and not to what is in it, so that all of it changes at
 * once.
 */
export class ActiveConfig {
  #snapshot: ConfigSnapshot;

  constructor(first: ConfigSnapshot) {
    this.#snapshot = first;
  }

  get snapshot(): ConfigSnapshot {
    return this.#snapshot;
  }

  /** @returns the one that counted until now */
  replace(next: ConfigSnapshot): ConfigSnapshot {
    const former = this.#snapshot;
    this.#snapshot = next;
    return former;
  }

  /** What is made of the generation that counts: once for each. */
  computed<T>(make: (generation: ConfigSnapshot) => T): () => T {
    let of = this.#snapshot;
    let made = make(of);
    return () => {
      if (of !== this.#snapshot) {
        of = this.#snapshot;
        made = make(of);
      }
      return made;
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

  /** The agents that there are when they are looked for. */
  get agents(): AgentDirectory {
    return new ActiveAgents(this);
  }
}

class ActiveAgents implements AgentDirectory {
  readonly #current: ActiveConfig;

  constructor(current: ActiveConfig) {
    this.#current = current;
  }

  get defaultName(): string | undefined {
    return this.#directory.defaultName;
  }

  get names(): readonly string[] {
    return this.#directory.names;
  }

  get(name: string): ReturnType<AgentDirectory['get']> {
    return this.#directory.get(name);
  }

  forHost(host: string): string | undefined {
    return this.#directory.forHost(host);
  }

  get #directory(): AgentDirectory {
    return this.#current.snapshot.agents.directory;
  }
}
