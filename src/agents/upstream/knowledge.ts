import { singleValue } from '../../client/caller.ts';
import { type CallContext, isStream, noteLoss, type Reply } from '../../core/model/call.ts';
import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import { looksGenerated } from '../../core/model/ids.ts';
import type { AgentKnowledge, KnowledgeCallContext, KnowledgeChangeEvent } from '../../core/model/knowledge.ts';
import { queryLanguagesOf } from '../../core/model/knowledge.ts';
import type { RequestOf, ResponseOf } from '../../gen/services.ts';
import { callUpstream } from './calls.ts';
import type { UpstreamConnection } from './connection/connection.ts';
import type { IdMapping } from './ids.ts';

/** Errors of agents without knowledge graph and without a card that says so. */
const unsupportedKinds: ReadonlySet<ErrorKind> = new Set(['methodNotFound', 'routeNotFound', 'knowledgeNotSupported']);

type KnowledgeOperation = 'Query' | 'Update' | 'Subscribe';

/** Errors by operation, for agents whose own error, such as a bare HTTP 501 or UNIMPLEMENTED, does not say what is missing. */
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

/** The id mapping of a caller's tasks and contexts. */
type IdsOf = (principal: string, tenant: string) => IdMapping;

/**
 * The knowledge graph of an agent, called in the agent's dialect over its binding. The agent does not learn who the
 * caller is, unless the caller's credentials are forwarded: it answers the gateway as a whole.
 *
 * @param languages query languages that the agent's card lists; undefined until the card has been read
 * @param timeout milliseconds that an answer, or the beginning of a stream, may take
 */
export function upstreamKnowledge(
  connection: UpstreamConnection,
  languages: readonly string[] | undefined,
  timeout: number,
  ids: IdsOf,
): AgentKnowledge {
  const calls = new KnowledgeCalls(connection, timeout, ids);
  return {
    languages,
    query: (request, context) => calls.value('Query', request, context),
    update: (request, context) => calls.value('Update', request, context),
    subscribe: (request, context) => calls.subscribe(request, context),
  };
}

class KnowledgeCalls {
  readonly #connection: UpstreamConnection;
  readonly #timeout: number;
  readonly #ids: IdsOf;

  constructor(connection: UpstreamConnection, timeout: number, ids: IdsOf) {
    this.#connection = connection;
    this.#timeout = timeout;
    this.#ids = ids;
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
    const connection = this.#connection;
    const { call, signal, after } = context;
    const { notes } = call;
    const origin = {
      ...call,
      activate: (extension: string) => void notes.extensions.add(extension),
      drop: (path: string, dialect?: string) => noteLoss(notes, path, dialect),
    };
    const bounds = { signal, timeout: this.#timeout, ...(after !== undefined && { after }) };
    try {
      await connection.open();
      const { card } = connection;
      if (card && !queryLanguagesOf(card.capabilities.extensions)) throw new A2AError('knowledgeNotSupported');
      const linked = await this.#withTheirIds(request, context);
      return await callUpstream(connection, origin, operation, linked, bounds);
    } catch (thrown) {
      throw this.#errorFor(thrown, call, operation);
    }
  }

  /** The request under the agent's ids, as far as they are known. */
  async #withTheirIds<R extends LinkedRequest>(
    { tenant: _, ...request }: R,
    { space, call }: KnowledgeCallContext,
  ): Promise<R> {
    const mapping = this.#ids(call.principal.id, space.tenant);
    const { taskId, sessionId } = request;
    const task = taskId !== undefined && looksGenerated(taskId) ? await mapping.task(taskId) : undefined;
    const context = sessionId === undefined ? undefined : await mapping.context(sessionId);
    return { ...request, ...(task?.id && { taskId: task.id }), ...(context && { sessionId: context }) } as R;
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
    const shown = this.#connection.errorForCaller(error, call);
    return shown.kind === 'unsupportedOperation'
      ? new A2AError(unsupported[operation], shown.message, { cause: error })
      : shown;
  }
}
