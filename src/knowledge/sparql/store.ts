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

/** Where a graph database is, and how it is spoken to. */
export interface SparqlKnowledgeOptions {
  /** URLs of its SPARQL 1.1 endpoints, http or https, of one origin. */
  readonly query: string;
  readonly update: string;
  /** A pool of connections, whose owner closes it. */
  readonly http: HttpClient;
  /** What it knows the gateway by; shown to the origin of `query` only. Default: nothing. */
  readonly auth?: OutboundAuthSettings | undefined;
  /** Id of the graph that statements without one are in. Default: the database's default graph. */
  readonly defaultGraph?: string | undefined;
  /** Milliseconds that one request may take. Default 30,000. */
  readonly timeout?: number | undefined;
  /** Bytes that one answer may have. Default 64 MiB. */
  readonly maxAnswer?: number;
  readonly logger: Logger;
  /** Makes a span of each request that somebody waits for. Absent: none. */
  readonly tracing?: Tracing | undefined;
}

/**
 * What an agent knows, kept in a graph database that speaks SPARQL 1.1. Statements are plain triples in the default and
 * in named graphs, as whoever else uses the database sees and writes them; the gateway's own graphs beside them hold
 * what SPARQL has no place for, and the change log. What others write without the gateway is seen, and not logged.
 *
 * A database is one space for each tenant, whichever agent uses it.
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
  // A place in a list is no secret: the seal only tells apart what is none, at every gateway alike.
  const reader = new SparqlReader({ endpoint, tokens: new PageTokens(query), defaultGraph });
  const log = new SparqlLog(endpoint);
  const writer = new SparqlWriter({ endpoint, reader, log, defaultGraph });
  const watchers = new Watchers({
    every: 1_000,
    // A database is one space for each tenant, whichever agent uses it.
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
