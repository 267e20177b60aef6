import type { KnowledgeConfig, SparqlConfig } from '../../config/sections/knowledge.ts';
import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Store } from '../../core/ports/store.ts';
import type { Tracing } from '../../core/telemetry/tracing.ts';
import { clientTls, tlsAt } from '../../net/client-tls.ts';
import { createHttpClient } from '../../net/http-client.ts';
import { createAlignment } from './alignment/alignment.ts';
import { GraphqlEngine } from './graphql/index.ts';
import { importInitial } from './initial-import.ts';
import type { AgentKnowledge, KnowledgeCallContext } from './model/knowledge.ts';
import type { Alignment, QueryContext } from './ports.ts';
import { metaOf, recordedPatches } from './requests.ts';
import type { KnowledgeStore } from './store/port.ts';
import { openSqlKnowledge } from './store/store.ts';

/** The query engine, shared by all agents. */
const engine = new GraphqlEngine();

/** Opens the knowledge of one agent, in the gateway's store or in a graph database. */
export async function openKnowledge(
  agent: string,
  { alignment: settings, sparql, import: files }: KnowledgeConfig,
  deps: KnowledgeDeps,
): Promise<OpenedKnowledge> {
  const { logger } = deps;
  const database = sparql && (await openDatabase(sparql, deps));
  const store = database ?? (await deps.store.extend(openSqlKnowledge));
  const space = { agent, tenant: '' };
  let alignment: Alignment | undefined;
  const close = async (): Promise<void> => {
    alignment?.close?.();
    database?.close();
  };
  try {
    alignment = await createAlignment(settings);
    await importInitial({ store, space, files, faultsOf: alignment.faultsOf, logger });
    return { knowledge: { ...createLocalKnowledge(store, engine, alignment), close }, store };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

export interface OpenedKnowledge {
  readonly knowledge: AgentKnowledge;
  /** The store that holds the knowledge. Agents share the gateway's own store. */
  readonly store: KnowledgeStore;
}

export interface KnowledgeDeps {
  /** The gateway's own store, which must be open. */
  readonly store: Pick<Store, 'extend' | 'damaged'>;
  readonly logger: Logger;
  /** Creates spans for queries to graph databases. Absent: no spans. */
  readonly tracing?: Tracing | undefined;
}

/** Connects to a graph database. The operator configures its URL, so no URL guard checks it. */
async function openDatabase(
  settings: SparqlConfig,
  { store: own, logger, tracing }: KnowledgeDeps,
): Promise<KnowledgeStore & { close(): void }> {
  const { createSparqlKnowledge } = await import('./sparql/store.ts');
  const tls = await clientTls(settings.auth);
  const http = createHttpClient(tls && { tls: tlsAt(new URL(settings.query).origin, tls) });
  const store = createSparqlKnowledge({ ...settings, http, logger, tracing, damaged: own.damaged });
  return {
    ...store,
    close() {
      store.close();
      http.close();
    },
  };
}

/** The only query language, which is also the default. */
const language = 'graphql';

/** Serves knowledge from a store, with GraphQL as the query language and verification of every update. */
export function createLocalKnowledge(
  store: KnowledgeStore,
  engine: GraphqlEngine,
  alignment: Alignment,
): AgentKnowledge {
  const requireLanguage = (name: string | undefined, refusal: ErrorKind): void => {
    if (name === undefined || name.toLowerCase() === language) return;
    throw new A2AError(refusal, `The query language ${name.slice(0, 64)} is not supported; supported: ${language}`, {
      metadata: { supportedQueryLanguages: language },
    });
  };
  const contextOf = ({ space, call, signal }: KnowledgeCallContext): QueryContext => {
    const hidden = alignment.hiddenFrom(call.principal);
    return { space, store, principal: call.principal.id, requester: call, signal, ...(hidden && { hidden }) };
  };
  return {
    languages: [language],
    async query(request, context) {
      requireLanguage(request.queryLanguage, 'queryLanguageNotSupported');
      return engine.query(contextOf(context), request);
    },
    async update(request, { space, call, patches, signal }) {
      const { applied, verificationStatus, verificationDetails } = await alignment.apply({
        store,
        space,
        patches,
        recorded: recordedPatches(patches, request),
        meta: metaOf(request, call.principal.id),
        ...(request.metadata && { metadata: request.metadata }),
        principal: call.principal,
        signal,
      });
      return {
        success: applied !== undefined,
        statementsAffected: applied ? applied.added + applied.removed + applied.renewed : 0,
        ...(applied && applied.affectedIds.length > 0 && { affectedIds: [...applied.affectedIds] }),
        verificationStatus,
        verificationDetails,
      };
    },
    async subscribe(request, context) {
      requireLanguage(request.queryLanguage, 'subscriptionLanguageNotSupported');
      return engine.subscribe(contextOf(context), request, context.after);
    },
  };
}
