import type { KnowledgeConfig, SparqlConfig } from '../config/knowledge-schema.ts';
import type { KnowledgeStore } from '../core/knowledge.ts';
import type { Logger } from '../core/ports.ts';
import { createAlignment } from '../knowledge/alignment/alignment.ts';
import { beginWith } from '../knowledge/begin.ts';
import { forgetChanges } from '../knowledge/forgetting.ts';
import { createGraphqlEngine } from '../knowledge/graphql/index.ts';
import { createLocalKnowledge } from '../knowledge/local.ts';
import type { Knowledge, QueryEngine } from '../knowledge/ports.ts';
import { clientTls } from '../net/client-tls.ts';
import { createHttpClient } from '../net/http-client.ts';

/** The query languages that every agent with knowledge understands, by name. They are shared by all agents. */
export const queryEngines = (): ReadonlyMap<string, QueryEngine> => new Map([['graphql', createGraphqlEngine()]]);

/** What one agent knows, in the gateway's own store or in a graph database. */
export async function knowledgeOf(
  agent: string,
  { alignment, sparql, import: files }: KnowledgeConfig,
  { store, engines, logger, keepChanges }: KnowledgeDeps,
): Promise<Knowledge> {
  const aligned = await createAlignment(alignment);
  const database = sparql && (await openDatabase(sparql, logger));
  const kept = database?.store ?? store;
  await beginWith(kept, { agent, tenant: '' }, files);
  const knowledge = createLocalKnowledge({ store: kept, engines, alignment: aligned });
  if (!database) return knowledge;
  const forget = { store: database.store, kept: keepChanges ?? 0, logger };
  const stop = keepChanges === undefined ? undefined : forgetChanges(forget);
  return {
    ...knowledge,
    async close() {
      stop?.();
      database.close();
    },
  };
}

export interface KnowledgeDeps {
  /** The gateway's own. */
  readonly store: KnowledgeStore;
  readonly engines: ReadonlyMap<string, QueryEngine>;
  readonly logger: Logger;
  /** Milliseconds that changes stay in the logs of graph databases; undefined keeps them for ever. */
  readonly keepChanges?: number | undefined;
}

/** The way to a graph database. Whoever configured where it is, may have it anywhere: no guard judges it. */
async function openDatabase(settings: SparqlConfig, logger: Logger): Promise<{ store: KnowledgeStore; close(): void }> {
  const { createSparqlKnowledge } = await import('../knowledge/sparql/store.ts');
  const tls = await clientTls(settings.auth);
  const http = createHttpClient(tls && { tls, tlsOrigin: new URL(settings.query).origin });
  const store = createSparqlKnowledge({ ...settings, http, logger });
  const close = (): void => {
    store.close();
    http.close();
  };
  return { store, close };
}
