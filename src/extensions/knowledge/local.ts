import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import type { AgentKnowledge, KnowledgeCallContext } from '../../core/model/knowledge.ts';
import type { GraphqlEngine } from './graphql/index.ts';
import type { Alignment, QueryContext } from './ports.ts';
import { metaOf, recordedPatches } from './requests.ts';
import type { KnowledgeStore } from './store/port.ts';

/** The only query language, and the default. */
const language = 'graphql';

/** Knowledge in a store: it is queried by GraphQL, and every update is verified. */
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
    const { principal, reservation: memory } = call;
    return { space, store, principal: principal.id, signal, ...(hidden && { hidden }), ...(memory && { memory }) };
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
