import type { KnowledgeConfig, SparqlConfig } from '../../config/sections/knowledge.ts';
import type { AgentKnowledge } from '../../core/model/agent.ts';
import type { KGStatement } from '../../core/model/knowledge.ts';
import type { KnowledgeStore } from '../../core/ports/knowledge-store.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Tracing } from '../../core/telemetry/tracing.ts';
import { createAlignment } from '../../knowledge/alignment/alignment.ts';
import { expireChanges } from '../../knowledge/change-retention.ts';
import { createGraphqlEngine } from '../../knowledge/graphql/index.ts';
import { checkStatements, importInitial } from '../../knowledge/initial-import.ts';
import { createLocalKnowledge } from '../../knowledge/local.ts';
import type { QueryEngine } from '../../knowledge/ports.ts';
import { clientTls } from '../../net/client-tls.ts';
import { createHttpClient } from '../../net/http-client.ts';
import { createStore } from '../../stores/index.ts';

/** The query languages of every agent with knowledge, by name. All agents share the engines. */
export const queryEngines = (): ReadonlyMap<string, QueryEngine> => new Map([['graphql', createGraphqlEngine()]]);

/** Opens the knowledge of one agent, in the gateway's own store or in a graph database. */
export async function openKnowledge(
  agent: string,
  { alignment, sparql, import: files }: KnowledgeConfig,
  { store, engines, logger, tracing, keepChanges }: KnowledgeDeps,
): Promise<AgentKnowledge> {
  const aligned = await createAlignment(alignment);
  const database = sparql && (await openDatabase(sparql, { logger, tracing }));
  const knowledgeStore = database?.store ?? store;
  const { faultsOf } = aligned;
  const judge =
    faultsOf &&
    ((statements: AsyncIterable<KGStatement>) =>
      checkStatements(statements, faultsOf, createStore('memory:', { instance: 'scratch' })));
  await importInitial({ store: knowledgeStore, space: { agent, tenant: '' }, files, judge, logger });
  const knowledge = createLocalKnowledge({ store: knowledgeStore, engines, alignment: aligned });
  if (!database) return knowledge;
  const forget = { store: database.store, retention: keepChanges ?? 0, logger };
  const stop = keepChanges === undefined ? undefined : expireChanges(forget);
  return {
    ...knowledge,
    async close() {
      stop?.();
      database.close();
    },
  };
}

export interface KnowledgeDeps {
  /** The gateway's own store. */
  readonly store: KnowledgeStore;
  readonly engines: ReadonlyMap<string, QueryEngine>;
  readonly logger: Logger;
  /** Creates spans for queries to graph databases. Absent: none. */
  readonly tracing?: Tracing | undefined;
  /** Milliseconds that changes stay in the logs of graph databases. Undefined: forever. */
  readonly keepChanges?: number | undefined;
}

/** Connects to a graph database. Its URL is the operator's, so no guard checks it. */
async function openDatabase(
  settings: SparqlConfig,
  deps: Pick<KnowledgeDeps, 'logger' | 'tracing'>,
): Promise<{ store: KnowledgeStore; close(): void }> {
  const { createSparqlKnowledge } = await import('../../knowledge/sparql/store.ts');
  const tls = await clientTls(settings.auth);
  const http = createHttpClient(tls && { tls, tlsOrigin: new URL(settings.query).origin });
  const store = createSparqlKnowledge({ ...settings, http, ...deps });
  const close = (): void => {
    store.close();
    http.close();
  };
  return { store, close };
}
