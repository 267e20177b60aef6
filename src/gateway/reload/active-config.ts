import type { Config } from '../../config/types.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import type { ConfigureDeps, Configures } from '../../extensions/part.ts';
import { type Access, type AccessOptions, createAccess } from '../access/access.ts';
import { type AgentDeps, type AgentSet, closeAdded, createAgents } from '../agents/agents.ts';
import { ConfiguredParts } from './parts.ts';

/** Everything that is created from one configuration and that a reload replaces. */
export interface ConfigSnapshot {
  /** With the agents that are added while the gateway runs. */
  readonly config: Config;
  /** As it was read. */
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
  /** Why the latest reload changed nothing, and when it was: milliseconds since the epoch. */
  refused: { readonly problem: string; readonly at: number } | undefined;
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

  /** Calls `update` after each reload. To be called at the start. */
  onReplaced(update: () => void): void {
    this.#updates.push(update);
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

export interface SnapshotDeps
  extends Omit<ConfigureDeps, 'agents' | 'revalidate'>,
    Pick<AccessOptions, 'services' | 'adminKeys' | 'principalById' | 'sessions'> {
  /** Adds the agents that are no part of a configuration. Absent: there are none. */
  readonly addTo?: ((config: Config) => Config) | undefined;
  readonly modules: readonly Configures[];
  readonly agents: Omit<AgentDeps, 'ids' | 'logger'>;
}

/**
 * Creates everything of a configuration that a reload replaces. When one part fails, the others are closed again.
 *
 * Rejects with the reason.
 *
 * @param opened resolves when the store is open
 * @param former parts that are the same in this snapshot are carried over
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
    // Last, since modules may write to the store what their files contain.
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

/** Closes what was created for a snapshot that is not used, except what it shares with the active one. */
export async function discardSnapshot(snapshot: ConfigSnapshot, active: ConfigSnapshot): Promise<void> {
  snapshot.access.close(active.access);
  await Promise.all([closeAdded(snapshot.agents, active.agents), snapshot.parts.close(active.parts)]);
}

/** Whether `console: { content: false }` keeps what messages and agents say out of lists, by the active configuration. */
export const hidesWords = (active: ActiveConfig): (() => boolean) =>
  active.computed(({ config }) => typeof config.console === 'object' && !config.console.content);
