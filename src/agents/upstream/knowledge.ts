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
import { errorForCaller } from './error-mapping.ts';
import type { IdMapping } from './id-mapping.ts';

export interface UpstreamKnowledgeOptions {
  /** Query languages that the agent's card tells of; undefined as long as it has not been read. */
  readonly languages: readonly string[] | undefined;
  readonly link: UpstreamConnection;
  /** Milliseconds that an answer, or the beginning of a stream, may take. */
  readonly timeout: number;
  /** What tasks and contexts of a caller are called there. */
  names(call: CallContext, tenant: string): IdMapping;
}

/** What agents without knowledge answer that have no card to say so. */
const unknownMethods: ReadonlySet<ErrorKind> = new Set(['methodNotFound', 'routeNotFound', 'knowledgeNotSupported']);

/** What every request may link to. */
interface Linked {
  readonly tenant?: string;
  readonly taskId?: string;
  readonly sessionId?: string;
}

/**
 * What an upstream agent knows that implements the knowledge graph extension: it is asked, in its own dialect and over
 * its own binding, and answers for itself. It is not told who the caller is, unless what the caller shows is passed on;
 * so what it verifies, and what it shows, is for this gateway as a whole.
 */
export function upstreamKnowledge({ languages, link, timeout, names }: UpstreamKnowledgeOptions): AgentKnowledge {
  /** A request under the agent's own names for the task and the context that it links to, where they are known there. */
  const renamed = async <R extends Linked>(request: R, { space, call }: KnowledgeCallContext): Promise<R> => {
    const { tenant: _, ...rest } = request;
    const known = names(call, space.tenant);
    const { taskId, sessionId } = request;
    const task = taskId !== undefined && looksGenerated(taskId) ? await known.task(taskId) : undefined;
    const context = sessionId === undefined ? undefined : await known.context(sessionId);
    return { ...rest, ...(task?.id && { taskId: task.id }), ...(context && { sessionId: context }) } as R;
  };

  const asking = async <T>(call: CallContext, work: (calls: UpstreamCalls) => Promise<T>): Promise<T> => {
    const { extensions: activated, losses } = call.notes;
    const origin = {
      ...call,
      activate: (extension: string) => void activated.add(extension),
      drop: (path: string) => void losses.add(path),
    };
    try {
      await link.open();
      const { card } = link;
      if (card && !queryLanguagesOf(card.capabilities.extensions)) throw new A2AError('knowledgeNotSupported');
      return await work(new UpstreamCalls(link, origin));
    } catch (thrown) {
      throw told(thrown, call);
    }
  };

  const told = (thrown: unknown, call: CallContext): A2AError => {
    const error = A2AError.from(thrown);
    if (unknownMethods.has(error.kind)) {
      return new A2AError('knowledgeNotSupported', 'The upstream agent has no knowledge graph', { cause: error });
    }
    return errorForCaller(error, { upstreamTask: undefined, taskId: '', ...link.errorMappingOf(call) });
  };

  const one = <K extends 'Query' | 'Update'>(
    operation: K,
    request: RequestOf<K>,
    context: KnowledgeCallContext,
  ): Promise<ResponseOf<K>> =>
    asking(context.call, async (calls) =>
      calls.value(operation, await renamed(request, context), { signal: context.signal, timeout }),
    );

  async function* follow(
    events: AsyncIterable<KnowledgeChangeEvent>,
    { call }: KnowledgeSubscribeContext,
  ): AsyncGenerator<KnowledgeChangeEvent> {
    try {
      yield* events;
    } catch (thrown) {
      throw told(thrown, call);
    }
  }

  return {
    languages,
    query: (request, context) => one('Query', request, context),
    update: (request, context) => one('Update', request, context),
    subscribe: (request, context) =>
      asking(context.call, async (calls) => {
        const { signal, after } = context;
        const bounds: CallBounds = { signal, timeout, ...(after !== undefined && { after }) };
        const reply = await calls.invoke('Subscribe', await renamed(request, context), bounds);
        if (!isStream(reply)) {
          throw new A2AError('invalidAgentResponse', 'The upstream agent answered without a stream');
        }
        // The events of a stream are those of the operation that was called.
        return follow(reply.events as unknown as AsyncIterable<KnowledgeChangeEvent>, context);
      }),
  };
}
