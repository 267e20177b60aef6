import type { AgentCard } from '../core/model/a2a.ts';
import { A2AError, type ErrorKind } from '../core/model/errors.ts';
import { queryLanguagesOf } from '../core/model/knowledge.ts';
import type {
  KnowledgeGraphChangeEvent,
  KnowledgeQueryParams,
  KnowledgeQueryResponseResult,
  KnowledgeSubscribeParams,
  KnowledgeUpdateParams,
  KnowledgeUpdateResponseResult,
} from '../gen/knowledge-v1/types.ts';
import type { Caller, CallOptions } from './caller.ts';

/**
 * An agent's knowledge graph (the knowledge graph extension). A call that the agent's card rules out is refused without
 * being sent, with `knowledgeNotSupported` or a similar error.
 */
export interface KnowledgeClient {
  /** The query languages on the card; undefined if the card has no knowledge graph. */
  readonly languages: readonly string[] | undefined;
  /** Queries in GraphQL or another language of the agent. Rejects with an A2AError. */
  query(request: KnowledgeQueryParams, options?: CallOptions): Promise<KnowledgeQueryResponseResult>;
  /** Proposes changes; the answer says which were made. Rejects with an A2AError. */
  update(request: KnowledgeUpdateParams, options?: CallOptions): Promise<KnowledgeUpdateResponseResult>;
  /**
   * Follows changes. Leaving the loop closes the connection. `after` resumes a broken subscription at the position in the
   * metadata of this gateway's events. Throws an A2AError.
   */
  subscribe(request: KnowledgeSubscribeParams, options?: CallOptions): AsyncIterable<KnowledgeGraphChangeEvent>;
}

/** The client of the knowledge graph of the agent with this card. */
export function createKnowledgeClient(caller: Caller, { capabilities, name }: AgentCard): KnowledgeClient {
  const languages = queryLanguagesOf(capabilities.extensions);

  const check = (language?: string, refusal: ErrorKind = 'queryLanguageNotSupported'): void => {
    if (!languages) throw new A2AError('knowledgeNotSupported', `The card of ${name} lists no knowledge graph`);
    if (language === undefined || languages.length === 0) return;
    if (languages.some((known) => known.toLowerCase() === language.toLowerCase())) return;
    throw new A2AError(refusal, `${name} does not support ${language}; its card lists ${languages.join(', ')}`);
  };

  return {
    languages,
    async query(request, options) {
      check(request.queryLanguage);
      return caller.value('Query', request, options);
    },
    async update(request, options) {
      check();
      return caller.value('Update', request, options);
    },
    async *subscribe(request, options) {
      check(request.queryLanguage, 'subscriptionLanguageNotSupported');
      if (capabilities.streaming === false) {
        throw new A2AError('unsupportedOperation', `The card of ${name} says that it does not stream`);
      }
      // The type of a stream's events depends on the operation.
      for await (const { event } of caller.events('Subscribe', request, options)) {
        yield event as unknown as KnowledgeGraphChangeEvent;
      }
    },
  };
}
