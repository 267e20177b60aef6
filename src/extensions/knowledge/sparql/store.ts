import type { DamagedRows } from '../../../core/ports/damaged-rows.ts';
import { PageTokens } from '../../../stores/page-token.ts';
import { createKeyQueue } from '../alignment/key-queue.ts';
import type { AppliedUpdate, ChangeMeta } from '../model/graph.ts';
import type { KnowledgePatch, KnowledgeSpace } from '../model/knowledge.ts';
import type { ApplyOptions, KnowledgeStore } from '../store/port.ts';
import { Watchers } from '../store/watchers.ts';
import { createEndpoint, type EndpointOptions } from './endpoint.ts';
import { graphsOf, type SpaceGraphs } from './graphs.ts';
import { SparqlLog } from './log.ts';
import { SparqlReader } from './reader.ts';
import { SparqlWriter } from './writer.ts';

/** Options for access to a graph database. */
export interface SparqlKnowledgeOptions extends EndpointOptions {
  /** Id of the graph for statements without a graph. Default: the database's default graph. */
  readonly defaultGraph?: string | undefined;
  readonly damaged: DamagedRows;
}

/**
 * Opens the knowledge of an agent in a graph database that supports SPARQL 1.1. Statements are plain triples in the
 * default graph and in named graphs, visible to other users of the database. Separate graphs of the gateway contain
 * annotations and the change log. Data that other software writes is visible, but not logged.
 *
 * Each tenant has one space in a database, whichever agent uses it.
 */
export function createSparqlKnowledge(options: SparqlKnowledgeOptions): KnowledgeStore & { close(): void } {
  const endpoint = createEndpoint(options);
  const graphs = (space: KnowledgeSpace): SpaceGraphs => graphsOf(space, options.defaultGraph);
  // Page tokens need no secret here: the signature only detects foreign tokens, and must be equal in all replicas.
  const reader = new SparqlReader(endpoint, new PageTokens(options.query), graphs, options.damaged);
  const log = new SparqlLog(endpoint, options.damaged);
  const writer = new SparqlWriter(endpoint, reader, log);
  const watchers = new Watchers({
    every: 1_000,
    // Each tenant has one space in a database, whichever agent uses it.
    keyOf: ({ tenant }) => tenant,
    async lasts(spaces) {
      const lasts: number[] = [];
      for (const space of spaces) lasts.push((await log.extent(space)).last);
      return lasts;
    },
  });
  const takeTurns = createKeyQueue();
  const never = new AbortController().signal;

  const apply = async (
    space: KnowledgeSpace,
    patches: readonly KnowledgePatch[],
    meta: ChangeMeta,
    { expected }: ApplyOptions = {},
  ): Promise<AppliedUpdate | undefined> => {
    const applied = await takeTurns(space.tenant, never, () => writer.write(graphs(space), patches, meta, expected));
    if (applied) watchers.changed(space, applied.position);
    return applied;
  };

  return {
    now: () => reader.now(),
    find: (space, pattern, page) => reader.find(space, pattern, page),
    findEach: (space, patterns, first) => reader.findEach(space, patterns, first),
    count: (space, patterns, atMost) => reader.count(space, patterns, atMost),
    entities: (space, filter, page) => reader.entities(space, filter, page),
    countEntities: (space, filter, atMost) => reader.countEntities(space, filter, atMost),
    typesOf: (space, ids, view) => reader.typesOf(space, ids, view),
    changes: (space, after, limit) => log.changes(space, after, limit),
    extent: (space) => log.extent(space),
    watch: (space, listener) => watchers.watch(space, listener),
    apply: apply as KnowledgeStore['apply'],
    expireChanges: (before, limit) => log.expire(before, limit),
    close: () => watchers.close(),
  };
}
