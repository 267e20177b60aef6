import type { Config } from '../../config/types.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { Access } from '../compose/access.ts';
import type { AgentSet } from '../compose/agents.ts';
import type { ConfiguredPart } from '../compose/extension.ts';

/** Everything that is created from one configuration and that a reload replaces. */
export interface ConfigSnapshot {
  readonly config: Config;
  readonly agents: AgentSet;
  readonly access: Access;
  /** What extensions have created for it, by the extension's name. */
  readonly parts: ReadonlyMap<string, ConfiguredPart>;
}

/** The outcome of a reload. */
export interface ReloadReport {
  /** Names of agents. */
  readonly agents: {
    readonly added: readonly string[];
    readonly changed: readonly string[];
    readonly removed: readonly string[];
  };
  /** How many streams were ended because their callers lost access. */
  readonly ended: number;
  /** Paths of settings that were changed and take effect after a restart. */
  readonly restart: readonly string[];
}

/** The active configuration. Keep this object, not its contents, so that a reload reaches every holder at once. */
export class ActiveConfig {
  /** The agents of the active configuration. */
  readonly agents: AgentDirectory;
  #snapshot: ConfigSnapshot;
  #since = Date.now();
  /** Copies that a section of the configuration in its new state into what was selected of it. */
  readonly #updates: (() => void)[] = [];

  constructor(first: ConfigSnapshot) {
    this.#snapshot = first;
    this.agents = { ...first.agents.directory };
    this.#updates.push(() => Object.assign(this.agents, this.#snapshot.agents.directory));
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
    for (const update of this.#updates) update();
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
   * One section of the configuration, whose properties always have the active values; those of `fixed` are added as they are.
   * To be called at the start: what is selected is never forgotten.
   */
  select<K extends 'limits' | 'log' | 'push' | 'retention', T extends object = object>(
    name: K,
    fixed?: T,
  ): Config[K] & T {
    const section = { ...this.#snapshot.config[name], ...fixed } as Config[K] & T;
    const keys = Object.keys(this.#snapshot.config[name]) as (keyof Config[K])[];
    this.#updates.push(() => {
      const active: Config[K] = this.#snapshot.config[name];
      for (const key of keys) section[key] = active[key] as (typeof section)[typeof key];
    });
    return section;
  }
}
