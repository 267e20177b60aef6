import { atConfigPath } from '../../config/error-path.ts';
import { fingerprint } from '../../config/fingerprint.ts';
import type { Config } from '../../config/types.ts';
import { RefCount } from '../../core/middleware/ref-count.ts';
import type { AgentDescription } from '../../core/model/agent.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { knowledgeGraph } from '../../dialects/kernel/extension-facts.ts';
import { operations } from '../../gen/knowledge-v1/operations.ts';
import type { AddedHandlers, AgentFacts, ReplicaFacts } from '../handlers.ts';
import type { Erased, ErasedCaller, ErasedCounts, Host } from '../host.ts';
import type { Module, OpenModule } from '../module.ts';
import type { ConfigureDeps, ConfiguredPart, ReplacedThing } from '../part.ts';
import { refCountedKnowledge } from './counted.ts';
import { ownLanguages } from './languages.ts';
import type { AgentKnowledge } from './model/knowledge.ts';
import type { OpenedKnowledge } from './open.ts';
import type { KnowledgeService } from './service.ts';
import type { KnowledgeStore } from './store/port.ts';

/** The module for knowledge graphs of agents. */
export const knowledge: Module = {
  name: 'knowledge',
  service: { scope: 'knowledge', operations },
  open: () => new KnowledgeModule(),
};

class KnowledgeModule implements OpenModule<KnowledgeSet> {
  /** Absent until the first call that needs it. */
  #service: KnowledgeService | undefined;

  configure(config: Config, deps: ConfigureDeps, former: KnowledgeSet | undefined): Promise<KnowledgeSet | undefined> {
    return KnowledgeSet.open(config, deps, former);
  }

  describe(card: AgentDescription, agent: string, host: Host): AgentDescription {
    return withKnowledge(card, this.#languagesOf(host, agent));
  }

  async createService(host: Host): Promise<KnowledgeService> {
    const { createKnowledgeService } = await import('./service.ts');
    const { active, streams } = host;
    this.#service = createKnowledgeService({
      agents: active.agents,
      streams,
      limits: active.select('limits'),
      configured: (agent) => this.#configured(host, agent),
    });
    return this.#service;
  }

  handlers(): AddedHandlers {
    return {
      handlers: {
        ListRefusedUpdates: async ({ agent }) => ({
          value: { updates: this.#service?.refused.list(agent || undefined) ?? [] },
        }),
      },
      confidential: ['ListRefusedUpdates'],
      polled: ['ListRefusedUpdates'],
    };
  }

  /** Erases the caller's name from the changes. The statements stay in the agents' graphs. */
  async erase({ principal, before, tasks }: ErasedCaller, limit: number, { store, active }: Host): Promise<Erased> {
    if (tasks.length > 0) return {};
    const { openAuthors } = await import('./store/authors.ts');
    const { count, agents } = await (await store.extend(openAuthors)).erase(principal, before, limit);
    const elsewhere = [...active.snapshot.config.agents].filter(([, { knowledge: own }]) => own?.sparql);
    return {
      erased: { knowledgeAuthors: count },
      remaining: { knowledge: agents, graphDatabases: elsewhere.map(([name]) => name) },
      more: count === limit,
    };
  }

  forget({ principal }: Pick<ErasedCaller, 'principal'>): ErasedCounts {
    return { refusedUpdates: this.#service?.refused.forget(principal) ?? 0 };
  }

  agentFacts(agent: string, host: Host): AgentFacts {
    const languages = this.#languagesOf(host, agent);
    return { knowledge: languages !== undefined, queryLanguages: [...(languages ?? [])] };
  }

  replicaFacts(host: Host): ReplicaFacts {
    const { agents } = host.active;
    return { knowledge: agents.names.some((agent) => this.#languagesOf(host, agent) !== undefined) };
  }

  #configured({ active }: Host, agent: string): AgentKnowledge | undefined {
    return active.snapshot.parts.of<KnowledgeSet>(this)?.byAgent.get(agent)?.knowledge;
  }

  /** Returns the query languages of an agent. Configured knowledge takes precedence over the agent's own. */
  #languagesOf(host: Host, agent: string): readonly string[] | undefined {
    const configured = this.#configured(host, agent);
    return configured ? configured.languages : ownLanguages(host.active.agents.get(agent));
  }
}

/**
 * Adds the knowledge extension to the card of an agent with a knowledge graph, and removes it from all other cards: the
 * gateway decides, not the agent.
 *
 * @param languages query languages of the agent's knowledge; undefined for an agent without knowledge
 */
function withKnowledge(card: AgentDescription, languages: readonly string[] | undefined): AgentDescription {
  const { extensions = [], ...capabilities } = card.capabilities;
  const others = extensions.filter(({ uri }) => uri !== knowledgeGraph.uri);
  if (!languages && others.length === extensions.length) return card;
  const own = {
    uri: knowledgeGraph.uri,
    description: 'Query, update and subscribe to the knowledge graph of this agent',
    params: { [knowledgeGraph.param]: languages ?? [] },
  };
  const all = languages ? [...others, own] : others;
  return { ...card, capabilities: { ...capabilities, ...(all.length > 0 && { extensions: all }) } };
}

interface CountedKnowledge extends OpenedKnowledge {
  readonly refs: RefCount;
  readonly fingerprint: string;
}

class KnowledgeSet implements ConfiguredPart {
  readonly byAgent: ReadonlyMap<string, CountedKnowledge>;
  /** Milliseconds for which changes stay in their logs. */
  readonly #retention: number;
  readonly #logger: Logger;
  /** Stores whose changes could not be deleted at the last attempt. */
  readonly #failing = new WeakSet<KnowledgeStore>();

  constructor(byAgent: ReadonlyMap<string, CountedKnowledge>, retention: number, logger: Logger) {
    this.byAgent = byAgent;
    this.#retention = retention;
    this.#logger = logger;
  }

  /**
   * Opens the configured knowledge of each agent. Knowledge whose configuration is unchanged is carried over from the
   * former set. If one fails to open, the others are closed again.
   *
   * @throws A2AError that names the problem in shapes or rules
   */
  static async open(
    { agents, retention }: Pick<Config, 'agents' | 'retention'>,
    { store, logger, tracing }: ConfigureDeps,
    former: KnowledgeSet | undefined,
  ): Promise<KnowledgeSet | undefined> {
    const configured = [...agents].flatMap(([agent, settings]) =>
      settings.knowledge ? [[agent, settings.knowledge] as const] : [],
    );
    if (configured.length === 0) return undefined;
    const { openKnowledge } = await import('./open.ts');
    const open = async ([agent, settings]: (typeof configured)[number]): Promise<[string, CountedKnowledge]> => {
      const print = fingerprint(settings);
      const known = former?.byAgent.get(agent);
      if (known?.fingerprint === print) return [agent, known];
      const deps = { store, logger, tracing };
      const opened = await atConfigPath(['agents', agent, 'knowledge'], () => openKnowledge(agent, settings, deps));
      const refs = new RefCount();
      const counted = refCountedKnowledge(opened.knowledge, refs);
      return [agent, { knowledge: counted, store: opened.store, refs, fingerprint: print }];
    };
    const outcomes = await Promise.allSettled(configured.map(open));
    const set = new KnowledgeSet(
      new Map(outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))),
      retention.changes,
      logger,
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (!failed) return set;
    await Promise.all(set.replacedBy(former).map(({ close }) => close()));
    throw failed.reason;
  }

  /**
   * Deletes old changes. A failing store does not hold up the others; only the first of consecutive failures is logged.
   */
  async expire(limit: number): Promise<boolean> {
    if (!Number.isFinite(this.#retention)) return false;
    const stores = new Set([...this.byAgent.values()].map(({ store }) => store));
    const deleted = await Promise.all([...stores].map((store) => this.#expireIn(store, limit)));
    return deleted.some((count) => count > 0);
  }

  async #expireIn(store: KnowledgeStore, limit: number): Promise<number> {
    try {
      const deleted = await store.expireChanges(store.now() - this.#retention, limit);
      this.#failing.delete(store);
      return deleted;
    } catch (err) {
      if (!this.#failing.has(store)) this.#logger.error({ err }, 'expired knowledge changes could not be deleted');
      this.#failing.add(store);
      return 0;
    }
  }

  replacedBy(other: KnowledgeSet | undefined): ReplacedThing[] {
    return [...this.byAgent].flatMap(([agent, { knowledge: opened, refs, fingerprint: print }]) =>
      other?.byAgent.get(agent)?.fingerprint === print ? [] : [replaced(agent, opened, refs)],
    );
  }
}

const replaced = (agent: string, opened: AgentKnowledge, refs: RefCount): ReplacedThing => ({
  name: `knowledge of ${agent}`,
  refs,
  close: async () => opened.close?.(),
  refuses: (stream) =>
    stream.operation === 'Subscribe' && stream.agent === agent
      ? new A2AError('unavailable', "The agent's knowledge was reconfigured; subscribe again", { retryAfter: 1 })
      : undefined,
});
