import type { AgentKnowledge, KnowledgeCallContext } from '../core/model/agent.ts';
import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import type { KnowledgeStore } from '../core/ports/knowledge-store.ts';
import type { Alignment, QueryContext, QueryEngine } from './ports.ts';
import { defaultLanguage, metaOf, recordedPatches } from './requests.ts';

export interface LocalKnowledgeOptions {
  readonly store: KnowledgeStore;
  /** By language name. */
  readonly engines: ReadonlyMap<string, QueryEngine>;
  readonly alignment: Alignment;
}

/** Knowledge in a store: each query language is an engine over it, and every update is verified. */
export function createLocalKnowledge({ store, engines, alignment }: LocalKnowledgeOptions): AgentKnowledge {
  const languages = [...engines.keys()];
  const engineFor = (language: string | undefined, refusal: ErrorKind): QueryEngine => {
    const asked = language ?? defaultLanguage;
    const engine = engines.get(asked.toLowerCase());
    if (engine) return engine;
    const known = languages.join(', ');
    throw new A2AError(refusal, `The query language ${asked.slice(0, 64)} is not supported; supported: ${known}`, {
      metadata: { supportedQueryLanguages: known },
    });
  };
  const askingFor = ({ space, call, signal }: KnowledgeCallContext): QueryContext => {
    const hidden = alignment.hiddenFrom(call.principal);
    const { principal, reservation: room } = call;
    const asking = { space, reader: store, log: store, principal: principal.id, signal };
    return { ...asking, ...(hidden && { hidden }), ...(room && { room }) };
  };
  return {
    languages,
    async query(request, context) {
      return engineFor(request.queryLanguage, 'queryLanguageNotSupported').query(askingFor(context), request);
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
      if (!engine.subscribe) throw new A2AError('subscriptionLanguageNotSupported');
      return engine.subscribe(askingFor(context), request, context.after);
    },
  };
}
