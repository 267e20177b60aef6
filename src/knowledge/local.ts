import type { AgentKnowledge, KnowledgeCallContext } from '../core/model/agent.ts';
import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import type { KnowledgeStore } from '../core/ports/knowledge-store.ts';
import type { Alignment, QueryContext, QueryEngine } from './ports.ts';
import { defaultLanguage, metaOf, recordedPatches } from './requests.ts';

/**
 * Knowledge in a store: every update is verified.
 *
 * @param engines by the names of their query languages
 */
export function createLocalKnowledge(
  store: KnowledgeStore,
  engines: ReadonlyMap<string, QueryEngine>,
  alignment: Alignment,
): AgentKnowledge {
  const languages = [...engines.keys()];
  const engineFor = (language: string | undefined, refusal: ErrorKind): QueryEngine => {
    const name = language ?? defaultLanguage;
    const engine = engines.get(name.toLowerCase());
    if (engine) return engine;
    const known = languages.join(', ');
    throw new A2AError(refusal, `The query language ${name.slice(0, 64)} is not supported; supported: ${known}`, {
      metadata: { supportedQueryLanguages: known },
    });
  };
  const contextOf = ({ space, call, signal }: KnowledgeCallContext): QueryContext => {
    const hidden = alignment.hiddenFrom(call.principal);
    const { principal, reservation: memory } = call;
    return { space, store, principal: principal.id, signal, ...(hidden && { hidden }), ...(memory && { memory }) };
  };
  return {
    languages,
    async query(request, context) {
      return engineFor(request.queryLanguage, 'queryLanguageNotSupported').query(contextOf(context), request);
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
      const engine = engineFor(request.queryLanguage, 'subscriptionLanguageNotSupported');
      return engine.subscribe(contextOf(context), request, context.after);
    },
  };
}
