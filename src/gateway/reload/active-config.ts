import type { Config } from '../../config/types.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Access } from '../compose/access.ts';
import type { AgentSet } from '../compose/agents.ts';
import type { KnowledgeSet } from '../knowledge/services.ts';

/** Everything that a reload replaces, made of one configuration. */
export interface Generation {
  readonly config: Config;
  readonly agents: AgentSet;
  readonly access: Access;
  readonly knowledge: KnowledgeSet;
}

/**
 * The generation that counts. Whoever serves holds on to this and not to what is in it, so that all of it changes at
 * once.
 */
export class Current {
  #now: Generation;

  constructor(first: Generation) {
    this.#now = first;
  }

  get now(): Generation {
    return this.#now;
  }

  /** @returns the one that counted until now */
  replace(next: Generation): Generation {
    const former = this.#now;
    this.#now = next;
    return former;
  }

  /** What is made of the generation that counts: once for each. */
  derive<T>(make: (generation: Generation) => T): () => T {
    let of = this.#now;
    let made = make(of);
    return () => {
      if (of !== this.#now) {
        of = this.#now;
        made = make(of);
      }
      return made;
    };
  }

  /** A part of the configuration, whose values are those that count when they are read. */
  section<K extends 'limits' | 'log' | 'push' | 'retention'>(name: K): Config[K] {
    const section = {};
    for (const key of Object.keys(this.#now.config[name])) {
      const get = (): unknown => this.#now.config[name][key as keyof Config[K]];
      Object.defineProperty(section, key, { enumerable: true, get });
    }
    return section as Config[K];
  }

  /** The agents that there are when they are looked for. */
  get agents(): AgentDirectory {
    return new CurrentAgents(this);
  }
}

class CurrentAgents implements AgentDirectory {
  readonly #current: Current;

  constructor(current: Current) {
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
    return this.#current.now.agents.directory;
  }
}
