import { setTimeout as delay } from 'node:timers/promises';
import type { AppliedUpdate, ChangeMeta, KnowledgePatch, KnowledgeSpace } from '../../core/model/knowledge.ts';
import type { ApplyOptions, KnowledgeStore } from '../../core/ports/knowledge-store.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { Watchers } from '../../stores/knowledge/watchers.ts';
import { PageTokens } from '../../stores/page-token.ts';
import { createKeyQueue } from '../alignment/key-queue.ts';
import { createEndpoint, type EndpointOptions } from './endpoint.ts';
import { graphsOf, type SpaceGraphs } from './graphs.ts';
import { createSparqlLog } from './log.ts';
import { createSparqlReader } from './reader.ts';
import { createSparqlWriter } from './writer.ts';

/** A graph database, and how to access it. */
export interface SparqlKnowledgeOptions extends EndpointOptions {
  /** Id of the graph for statements without one. Default: the database's default graph. */
  readonly defaultGraph?: string | undefined;
}

/**
 * The knowledge of an agent in a graph database that speaks SPARQL 1.1. Statements are plain triples in the default
 * graph and in named graphs, visible to other users of the database; separate graphs of the gateway hold annotations
 * and the change log. What others write directly is visible, but not logged.
 *
 * A database is one space per tenant, whichever agent uses it.
 */
export function createSparqlKnowledge(options: SparqlKnowledgeOptions): KnowledgeStore & { close(): void } {
  const endpoint = createEndpoint(options);
  const graphs = (space: KnowledgeSpace): SpaceGraphs => graphsOf(space, options.defaultGraph);
  // Page tokens need no secret here: the signature only detects foreign tokens, and is the same in every replica.
  const reader = createSparqlReader(endpoint, new PageTokens(options.query), graphs);
  const log = createSparqlLog(endpoint);
  const write = createSparqlWriter(endpoint, reader, log);
  const watchers = new Watchers({
    every: 1_000,
    // A database is one space per tenant, whichever agent uses it.
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
    const applied = await takeTurns(space.tenant, never, () => write(graphs(space), patches, meta, expected));
    if (applied) watchers.changed(space, applied.position);
    return applied;
  };

  return {
    ...reader,
    changes: log.changes,
    extent: log.extent,
    watch: (space, listener) => watchers.watch(space, listener),
    apply: apply as KnowledgeStore['apply'],
    expireChanges: log.expire,
    close: () => watchers.close(),
  };
}

/** Changes that are deleted per update, so that other calls do not wait long for the database. */
const expiredAtOnce = 500;

/**
 * Deletes expired changes periodically, in a store that the maintenance of tasks does not cover. Starts at once; a
 * failure is logged, and the next run tries again. Returns the function that stops it.
 *
 * @param retention milliseconds that changes are kept
 */
export function expireChanges(
  store: Pick<KnowledgeStore, 'expireChanges'>,
  retention: number,
  logger: Pick<Logger, 'error'>,
  every = 60_000,
): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        while (!signal.aborted && (await store.expireChanges(Date.now() - retention, expiredAtOnce)) > 0);
      } catch (err) {
        if (!signal.aborted) logger.error({ err }, 'expired knowledge changes could not be deleted');
      }
      await delay(every, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  void run();
  return () => stop.abort();
}
