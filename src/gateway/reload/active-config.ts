import type { Config } from '../../config/types.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { ConfigureDeps, Configures } from '../../extensions/part.ts';
import { type Access, type AccessOptions, createAccess } from '../access/access.ts';
import { type AgentDeps, type AgentSet, closeAdded, createAgents } from '../agents/agents.ts';
import { ConfiguredParts } from './parts.ts';

/** Everything that is created from one configuration and that a reload replaces. */
export interface ConfigSnapshot {
  /** The configuration with the agents that were added while the gateway runs. */
  readonly config: Config;
  /** The configuration as it was read. */
  readonly base: Config;
  readonly agents: AgentSet;
  readonly access: Access;
  /** Parts of the modules. */
  readonly parts: ConfiguredParts;
}

/** The active configuration. Keep this object, not its contents, so that a reload reaches every holder at once. */
export class ActiveConfig {
  /** The agents of the active configuration. */
  readonly agents: AgentDirectory;
  /** The error of the latest reload, if it changed nothing, with its time: milliseconds since the epoch. */
  refused: { readonly problem: string; readonly at: number } | undefined;
  #snapshot: ConfigSnapshot;
  #since = Date.now();
  /** Functions that copy the new state of a section of the configuration into the objects that were selected from it. */
  readonly #updates: (() => void)[] = [];

  constructor(first: ConfigSnapshot) {
    this.#snapshot = first;
    this.agents = { ...first.agents.directory };
    this.#updates.push(() => Object.assign(this.agents, this.#snapshot.agents.directory));
  }

  get snapshot(): ConfigSnapshot {
    return this.#snapshot;
  }

  /** Time when the configuration became active: milliseconds since the epoch. */
  get since(): number {
    return this.#since;
  }

  replace(next: ConfigSnapshot): void {
    this.#since = Date.now();
    this.#snapshot = next;
    for (const update of this.#updates) update();
  }

  /** Registers a function that is called after each reload. Must be called at the start. */
  onReplaced(update: () => void): void {
    this.#updates.push(update);
  }

  /** Returns a function for a value that is computed once for each active snapshot. */
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
   * Returns an object with the properties of one section of the configuration, which always have the active values, and those of
   * `fixed`, which never change. Must be called at the start, because selected objects are never released.
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

export interface SnapshotDeps
  extends Omit<ConfigureDeps, 'agents' | 'revalidate'>,
    Pick<AccessOptions, 'services' | 'adminKeys' | 'principalById' | 'sessions'> {
  /** Adds the agents that are not part of a configuration. Absent: there are none. */
  readonly addTo?: ((config: Config) => Config) | undefined;
  readonly modules: readonly Configures[];
  readonly agents: Omit<AgentDeps, 'ids' | 'logger'>;
}

/**
 * Creates all parts of a configuration that a reload replaces. If one part fails, the others are closed again.
 *
 * Rejects with the reason.
 *
 * @param opened resolves when the store is open
 * @param former snapshot whose unchanged parts are carried over
 */
export async function createSnapshot(
  base: Config,
  deps: SnapshotDeps,
  opened: Promise<void>,
  former?: ConfigSnapshot,
): Promise<ConfigSnapshot> {
  const { store, logger, audit, services, adminKeys, principalById, sessions, addTo } = deps;
  const config = addTo?.(base) ?? base;
  const creating = createAgents(config, { ...deps.agents, ids: store, logger }, former?.agents);
  const undo = (created: AgentSet): Promise<void> => closeAdded(created, former?.agents);
  let agents: AgentSet | undefined;
  let access: Access | undefined;
  try {
    [agents] = await Promise.all([creating, opened]);
    access = await createAccess({
      config,
      services,
      store,
      audit,
      logger,
      adminKeys,
      principalById,
      sessions,
      agents: agents.directory,
      former: former?.access,
    });
    // Created last, because modules may write the contents of their files to the store.
    const parts = await ConfiguredParts.create(
      config,
      { ...deps, agents: agents.directory, revalidate: access.authenticate.revalidate },
      deps.modules,
      former?.parts,
    );
    return { config, base, agents, access, parts };
  } catch (thrown) {
    access?.close(former?.access);
    if (agents) await undo(agents);
    // The store failed first, and agents may still be starting.
    else creating.then(undo).catch(() => {});
    throw thrown;
  }
}

/** Closes the parts of a snapshot that is not used, except those that it shares with the active one. */
export async function discardSnapshot(snapshot: ConfigSnapshot, active: ConfigSnapshot): Promise<void> {
  snapshot.access.close(active.access);
  await Promise.all([closeAdded(snapshot.agents, active.agents), snapshot.parts.close(active.parts)]);
}

/** Whether `console: { content: false }` in the active configuration keeps texts of messages and agents out of lists. */
export const hidesWords = (active: ActiveConfig): (() => boolean) =>
  active.computed(({ config }) => typeof config.console === 'object' && !config.console.content);
