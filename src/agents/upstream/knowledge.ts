import type {
  AgentKnowledge,
  KnowledgeCallContext,
  KnowledgeChangeEvent,
  KnowledgeSubscribeContext,
} from '../../core/model/agent-knowledge.ts';
import { type CallContext, isStream } from '../../core/model/call.ts';
import { A2AError, type ErrorKind } from '../../core/model/errors.ts';
import { looksGenerated } from '../../core/model/ids.ts';
import { queryLanguagesOf } from '../../core/model/knowledge.ts';
import type { RequestOf, ResponseOf } from '../../gen/services.ts';
import { type CallBounds, UpstreamCalls } from './calls.ts';
import type { UpstreamConnection } from './connection.ts';
import type { IdMapping } from './id-mapping.ts';

export interface UpstreamKnowledgeOptions {
  /** Query languages that the agent's card lists; undefined until the card has been read. */
  readonly languages: readonly string[] | undefined;
  readonly connection: UpstreamConnection;
  /** Milliseconds that an answer, or the beginning of a stream, may take. */
  readonly timeout: number;
  /** The id mapping of the caller's tasks and contexts. */
  ids(call: CallContext, tenant: string): IdMapping;
}

/** Errors of agents without knowledge graph and without a card that says so. */
const unsupportedKinds: ReadonlySet<ErrorKind> = new Set(['methodNotFound', 'routeNotFound', 'knowledgeNotSupported']);

/** The fields of requests that link to a task or context. */
interface LinkedRequest {
  readonly tenant?: string;
  readonly taskId?: string;
  readonly sessionId?: string;
}

/**
 * The knowledge graph of an agent, called in the agent's dialect over its binding. The agent does not learn who the
 * caller is, unless the caller's credentials are forwarded: it answers the gateway as a whole.
 */
export function upstreamKnowledge({ languages, connection, timeout, ids }: UpstreamKnowledgeOptions): AgentKnowledge {
  /** The request under the agent's ids, as far as they are known. */
  const withTheirIds = async <R extends LinkedRequest>(
    request: R,
    { space, call }: KnowledgeCallContext,
  ): Promise<R> => {
    const { tenant: _, ...rest } = request;
    const mapping = ids(call, space.tenant);
    const { taskId, sessionId } = request;
    const task = taskId !== undefined && looksGenerated(taskId) ? await mapping.task(taskId) : undefined;
    const context = sessionId === undefined ? undefined : await mapping.context(sessionId);
    return { ...rest, ...(task?.id && { taskId: task.id }), ...(context && { sessionId: context }) } as R;
  };

  const withCalls = async <T>(call: CallContext, work: (calls: UpstreamCalls) => Promise<T>): Promise<T> => {
    const { extensions, losses } = call.notes;
    const origin = {
      ...call,
      activate: (extension: string) => void extensions.add(extension),
      drop: (path: string) => void losses.add(path),
    };
    try {
      await connection.open();
      const { card } = connection;
      if (card && !queryLanguagesOf(card.capabilities.extensions)) throw new A2AError('knowledgeNotSupported');
      return await work(new UpstreamCalls(connection, origin));
    } catch (thrown) {
      throw mapError(thrown, call);
    }
  };

  const mapError = (thrown: unknown, call: CallContext): A2AError => {
    const error = A2AError.from(thrown);
    if (unsupportedKinds.has(error.kind)) {
      return new A2AError('knowledgeNotSupported', 'The upstream agent has no knowledge graph', { cause: error });
    }
    return connection.errorForCaller(error, call);
  };

  const value = <K extends 'Query' | 'Update'>(
    operation: K,
    request: RequestOf<K>,
    context: KnowledgeCallContext,
  ): Promise<ResponseOf<K>> =>
    withCalls(context.call, async (calls) =>
      calls.value(operation, await withTheirIds(request, context), { signal: context.signal, timeout }),
    );

  async function* follow(
    events: AsyncIterable<KnowledgeChangeEvent>,
    { call }: KnowledgeSubscribeContext,
  ): AsyncGenerator<KnowledgeChangeEvent> {
    try {
      yield* events;
    } catch (thrown) {
      throw mapError(thrown, call);
    }
  }

  return {
    languages,
    query: (request, context) => value('Query', request, context),
    update: (request, context) => value('Update', request, context),
    subscribe: (request, context) =>
      withCalls(context.call, async (calls) => {
        const { signal, after } = context;
        const bounds: CallBounds = { signal, timeout, ...(after !== undefined && { after }) };
        const reply = await calls.invoke('Subscribe', await withTheirIds(request, context), bounds);
        if (!isStream(reply)) {
          throw new A2AError('invalidAgentResponse', 'The upstream agent answered without a stream');
        }
        // The type of a stream's events depends on the operation.
        return follow(reply.events as unknown as AsyncIterable<KnowledgeChangeEvent>, context);
      }),
  };
}
