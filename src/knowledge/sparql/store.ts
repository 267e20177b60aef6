import type { AppliedUpdate, KnowledgeSpace } from '../../core/model/knowledge.ts';
import type { KnowledgeStore } from '../../core/ports/knowledge-store.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Tracing } from '../../core/telemetry/tracing.ts';
import type { HttpClient } from '../../net/http-client.ts';
import { createOutboundAuth } from '../../net/outbound-auth.ts';
import type { OutboundAuthSettings } from '../../net/outbound-settings.ts';
import { Watchers } from '../../stores/knowledge/watchers.ts';
import { PageTokens } from '../../stores/page-token.ts';
import { createKeyQueue } from '../alignment/key-queue.ts';
import { createEndpoint } from './endpoint.ts';
import { SparqlLog } from './log.ts';
import { SparqlReader } from './reader.ts';
import { SparqlWriter } from './writer.ts';

/** A graph database, and how to access it. */
export interface SparqlKnowledgeOptions {
  /** URLs of its SPARQL 1.1 endpoints, http or https, on one origin. */
  readonly query: string;
  readonly update: string;
  /** HTTP client; its owner closes it. */
  readonly http: HttpClient;
  /** Credentials, sent to the origin of `query` only. Default: none. */
  readonly auth?: OutboundAuthSettings | undefined;
  /** Id of the graph for statements without one. Default: the database's default graph. */
  readonly defaultGraph?: string | undefined;
  /** Milliseconds per request. Default 30,000. */
  readonly timeout?: number | undefined;
  /** Maximum bytes of a response. Default 64 MiB. */
  readonly maxAnswer?: number;
  readonly logger: Logger;
  /** Creates spans for requests within a trace. Absent: none. */
  readonly tracing?: Tracing | undefined;
}

/**
 * The knowledge of an agent in a graph database that speaks SPARQL 1.1. Statements are plain triples in the default
 * graph and in named graphs, visible to other users of the database; separate graphs of the gateway hold annotations
 * and the change log. What others write directly is visible, but not logged.
 *
 * A database is one space per tenant, whichever agent uses it.
 */
export function createSparqlKnowledge(options: SparqlKnowledgeOptions): KnowledgeStore & { close(): void } {
  const {
    query,
    update,
    http,
    auth,
    defaultGraph,
    timeout = 30_000,
    maxAnswer = 64 * 1024 * 1024,
    logger,
    tracing,
  } = options;
  const { origin } = new URL(query);
  const shown = createOutboundAuth(auth, { origin, http, logger });
  const endpoint = createEndpoint({ query, update, http, auth: shown, timeout, maxAnswer, logger, tracing });
  // Page tokens need no secret here: the signature only detects foreign tokens, and is the same in every replica.
  const reader = new SparqlReader({ endpoint, tokens: new PageTokens(query), defaultGraph });
  const log = new SparqlLog(endpoint);
  const writer = new SparqlWriter({ endpoint, reader, log, defaultGraph });
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
    patches: Parameters<KnowledgeStore['apply']>[1],
    meta: Parameters<KnowledgeStore['apply']>[2],
    { expected }: { readonly expected?: number } = {},
  ): Promise<AppliedUpdate | undefined> => {
    const before = await takeTurns(space.tenant, never, () => writer.apply(space, patches, meta, expected));
    if (before) watchers.changed(space, before.position);
    return before;
  };

  return {
    now: () => reader.now(),
    find: (space, pattern, page) => reader.find(space, pattern, page),
    findEach: (space, patterns, first) => reader.findEach(space, patterns, first),
    count: (space, pattern, atMost) => reader.count(space, pattern, atMost),
    countEach: (space, patterns, atMost) => reader.countEach(space, patterns, atMost),
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
