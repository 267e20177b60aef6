import type { KnowledgeConfig, SparqlConfig } from '../../config/sections/knowledge.ts';
import type { AgentKnowledge } from '../../core/model/agent.ts';
import type { KnowledgeStore } from '../../core/ports/knowledge-store.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Tracing } from '../../core/telemetry/tracing.ts';
import { createAlignment } from '../../knowledge/alignment/alignment.ts';
import { createGraphqlEngine } from '../../knowledge/graphql/index.ts';
import { importInitial } from '../../knowledge/initial-import.ts';
import { createLocalKnowledge } from '../../knowledge/local.ts';
import type { Alignment } from '../../knowledge/ports.ts';
import { clientTls, tlsAt } from '../../net/client-tls.ts';
import { createHttpClient } from '../../net/http-client.ts';
import { createStore } from '../../stores/index.ts';

/** All agents share the engine. */
const engine = createGraphqlEngine();

/** Opens the knowledge of one agent, in the gateway's own store or in a graph database. */
export async function openKnowledge(
  agent: string,
  { alignment: settings, sparql, import: files }: KnowledgeConfig,
  deps: KnowledgeDeps,
): Promise<AgentKnowledge> {
  const { logger } = deps;
  const database = sparql && (await openDatabase(sparql, deps));
  const store = database ?? deps.store;
  const space = { agent, tenant: '' };
  const createScratch = () => createStore('memory:', { instance: 'scratch' });
  let alignment: Alignment | undefined;
  const close = async (): Promise<void> => {
    alignment?.close?.();
    database?.close();
  };
  try {
    alignment = await createAlignment(settings);
    await importInitial({ store, space, files, faultsOf: alignment.faultsOf, createScratch, logger });
    return { ...createLocalKnowledge(store, engine, alignment), close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

export interface KnowledgeDeps {
  /** The gateway's own store. */
  readonly store: KnowledgeStore;
  readonly logger: Logger;
  /** Creates spans for queries to graph databases. Absent: none. */
  readonly tracing?: Tracing | undefined;
  /** Milliseconds that changes stay in the logs of graph databases. Undefined: forever. */
  readonly keepChanges?: number | undefined;
}

/** Connects to a graph database. Its URL is the operator's, so no guard checks it. */
async function openDatabase(
  settings: SparqlConfig,
  { logger, tracing, keepChanges }: KnowledgeDeps,
): Promise<KnowledgeStore & { close(): void }> {
  const { createSparqlKnowledge, expireChanges } = await import('../../knowledge/sparql/store.ts');
  const tls = await clientTls(settings.auth);
  const http = createHttpClient(tls && { tls: tlsAt(new URL(settings.query).origin, tls) });
  const store = createSparqlKnowledge({ ...settings, http, logger, tracing });
  const stop = keepChanges === undefined ? undefined : expireChanges(store, keepChanges, logger);
  return {
    ...store,
    close() {
      stop?.();
      store.close();
      http.close();
    },
  };
}
