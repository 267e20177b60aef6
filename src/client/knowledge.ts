import type { AgentCard } from '../core/model/a2a.ts';
import { type Invoke, isStream, type Reply } from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import { queryLanguagesOf } from '../core/model/knowledge.ts';
import type { OperationName, RequestOf } from '../gen/knowledge-v1/operations.ts';
import type {
  KnowledgeGraphChangeEvent,
  KnowledgeQueryParams,
  KnowledgeQueryResponseResult,
  KnowledgeSubscribeParams,
  KnowledgeUpdateParams,
  KnowledgeUpdateResponseResult,
} from '../gen/knowledge-v1/types.ts';
import { type CallOptions, callContext } from './call-context.ts';

/**
 * What an agent knows (the knowledge graph extension). Calls are refused here, with `knowledgeNotSupported` and its like,
 * where the agent's card says that it does not have what is asked for.
 */
export interface KnowledgeClient {
  /** Query languages that the card tells of; undefined where it tells of no knowledge graph. */
  readonly languages: readonly string[] | undefined;
  /** Asks in GraphQL, or in another language that the agent knows. Rejects with an A2AError. */
  query(request: KnowledgeQueryParams, options?: CallOptions): Promise<KnowledgeQueryResponseResult>;
  /** Proposes changes; what became of them is in the answer. Rejects with an A2AError. */
  update(request: KnowledgeUpdateParams, options?: CallOptions): Promise<KnowledgeUpdateResponseResult>;
  /**
   * Follows changes. Leaving the loop closes the connection. A subscription that broke goes on with `after`: the position
   * that the metadata of this gateway's events has. Throws an A2AError.
   */
  subscribe(request: KnowledgeSubscribeParams, options?: CallOptions): AsyncIterable<KnowledgeGraphChangeEvent>;
}

/** The methods of knowledge of an agent that `invoke` calls. */
export function createKnowledgeClient(invoke: Invoke, card: AgentCard, tenant: string): KnowledgeClient {
  const { capabilities, name } = card;
  const languages = queryLanguagesOf(capabilities.extensions);

  const run = <K extends OperationName>(
    operation: K,
    request: RequestOf<K>,
    options: CallOptions = {},
  ): Promise<Reply> =>
    invoke({
      operation,
      request: tenant === '' ? request : { tenant, ...request },
      context: callContext(name, tenant, options),
    });

  const check = (
    language: string | undefined,
    refusal: 'queryLanguageNotSupported' | 'subscriptionLanguageNotSupported',
  ) => {
    if (!languages) throw new A2AError('knowledgeNotSupported', `The card of ${name} tells of no knowledge graph`);
    const asked = language?.toLowerCase();
    if (asked === undefined || languages.length === 0) return;
    if (languages.some((known) => known.toLowerCase() === asked)) return;
    throw new A2AError(refusal, `${name} does not understand ${language}; its card tells of ${languages.join(', ')}`);
  };

  const one = async <T>(reply: Promise<Reply>): Promise<T> => {
    const answer = await reply;
    if (!isStream(answer)) return answer.value as T;
    await answer.events[Symbol.asyncIterator]().return?.();
    throw new A2AError('invalidAgentResponse', 'The agent answered with a stream where one value was expected');
  };

  return {
    languages,
    async query(request, options) {
      check(request.queryLanguage, 'queryLanguageNotSupported');
      return one(run('Query', request, options));
    },
    async update(request, options) {
      check(undefined, 'queryLanguageNotSupported');
      return one(run('Update', request, options));
    },
    async *subscribe(request, options) {
      check(request.queryLanguage, 'subscriptionLanguageNotSupported');
      if (capabilities.streaming === false) {
        throw new A2AError('unsupportedOperation', `The card of ${name} says that it does not stream`);
      }
      const reply = await run('Subscribe', request, options);
      if (!isStream(reply)) throw new A2AError('invalidAgentResponse', 'The agent answered without a stream');
      // Streams bear the events of the operation that was called.
      for await (const { event } of reply.events) yield event as unknown as KnowledgeGraphChangeEvent;
    },
  };
}
