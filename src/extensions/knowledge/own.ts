import { singleValue } from '../../client/caller.ts';
import { RefCountedAgent } from '../../core/middleware/ref-count.ts';
import type { Agent } from '../../core/model/agent.ts';
import { type CallContext, isStream, type Reply } from '../../core/model/call.ts';
import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import { looksGenerated } from '../../core/model/ids.ts';
import type { RemoteAgent } from '../../core/model/remote-agent.ts';
import type { RequestOf, ResponseOf } from '../../gen/services.ts';
import { refCountedKnowledge } from './counted.ts';
import { languagesOfCard } from './languages.ts';
import type { AgentKnowledge, KnowledgeCallContext, KnowledgeChangeEvent } from './model/knowledge.ts';

/** Kinds of errors with which agents without a knowledge graph answer, if their card does not say so. */
const unsupportedKinds: ReadonlySet<ErrorKind> = new Set(['methodNotFound', 'routeNotFound', 'knowledgeNotSupported']);

type KnowledgeOperation = 'Query' | 'Update' | 'Subscribe';

/**
 * Errors by operation, for agents whose own error, such as a bare HTTP 501 or UNIMPLEMENTED, does not name what is
 * missing.
 */
const unsupported: Readonly<Record<KnowledgeOperation, ErrorKind>> = {
  Query: 'queryLanguageNotSupported',
  Update: 'knowledgeNotSupported',
  Subscribe: 'subscriptionLanguageNotSupported',
};

interface LinkedRequest {
  readonly tenant?: string;
  readonly taskId?: string;
  readonly sessionId?: string;
}

/**
 * Returns the knowledge of an agent's own code or of the remote agent behind it; undefined if there is none. Its calls
 * and subscriptions are counted like runs.
 */
export function ownKnowledge(served: Agent): AgentKnowledge | undefined {
  const { agent, refs } = RefCountedAgent.behind(served);
  const knowledge = agent.knowledge ?? (agent.remote && knowledgeAt(agent.remote));
  return knowledge && refs ? refCountedKnowledge(knowledge, refs) : knowledge;
}

/** Returns the knowledge graph of a remote agent; undefined if its card lists none. */
function knowledgeAt(remote: RemoteAgent): AgentKnowledge | undefined {
  const languages = languagesOfCard(remote.card);
  if (remote.card && !languages) return undefined;
  const calls = new KnowledgeCalls(remote);
  return {
    languages,
    query: (request, context) => calls.value('Query', request, context),
    update: (request, context) => calls.value('Update', request, context),
    subscribe: (request, context) => calls.subscribe(request, context),
  };
}

class KnowledgeCalls {
  readonly #remote: RemoteAgent;

  constructor(remote: RemoteAgent) {
    this.#remote = remote;
  }

  async value<K extends 'Query' | 'Update'>(
    operation: K,
    request: RequestOf<K>,
    context: KnowledgeCallContext,
  ): Promise<ResponseOf<K>> {
    return singleValue(await this.#invoke(operation, request, context), 'The upstream agent');
  }

  async subscribe(
    request: RequestOf<'Subscribe'>,
    context: KnowledgeCallContext & { readonly after?: number },
  ): Promise<AsyncGenerator<KnowledgeChangeEvent, void>> {
    const reply = await this.#invoke('Subscribe', request, context);
    if (!isStream(reply)) throw new A2AError('invalidAgentResponse', 'The upstream agent answered without a stream');
    // The type of a stream's events depends on the operation.
    return this.#follow(reply.events as unknown as AsyncIterable<KnowledgeChangeEvent>, context.call);
  }

  async #invoke<K extends KnowledgeOperation>(
    operation: K,
    request: RequestOf<K>,
    context: KnowledgeCallContext & { readonly after?: number },
  ): Promise<Reply> {
    const remote = this.#remote;
    const { call, signal, after } = context;
    try {
      await remote.open();
      if (remote.card && !languagesOfCard(remote.card)) throw new A2AError('knowledgeNotSupported');
      const linked = await this.#withTheirIds(request, context);
      return await remote.call(operation, linked, call, { signal, ...(after !== undefined && { after }) });
    } catch (thrown) {
      throw this.#errorFor(thrown, call, operation);
    }
  }

  /** Returns the request with the gateway's ids replaced by the agent's ids, where these are known. */
  async #withTheirIds<R extends LinkedRequest>(
    { tenant: _, ...request }: R,
    { space, call }: KnowledgeCallContext,
  ): Promise<R> {
    const ids = this.#remote.idsOf(call.principal.id, space.tenant);
    const { taskId, sessionId } = request;
    const task = taskId !== undefined && looksGenerated(taskId) ? await ids.task(taskId) : undefined;
    const context = sessionId === undefined ? undefined : await ids.context(sessionId);
    return { ...request, ...(task && { taskId: task }), ...(context && { sessionId: context }) } as R;
  }

  async *#follow(events: AsyncIterable<KnowledgeChangeEvent>, call: CallContext) {
    try {
      yield* events;
    } catch (thrown) {
      throw this.#errorFor(thrown, call, 'Subscribe');
    }
  }

  #errorFor(thrown: unknown, call: CallContext, operation: KnowledgeOperation): A2AError {
    const error = A2AError.from(thrown);
    if (unsupportedKinds.has(error.kind)) {
      return new A2AError('knowledgeNotSupported', 'The upstream agent has no knowledge graph', { cause: error });
    }
    const shown = this.#remote.errorFor(error, call);
    return shown.kind === 'unsupportedOperation'
      ? new A2AError(unsupported[operation], shown.message, { cause: error })
      : shown;
  }
}
