import type { AgentContext } from '../../core/model/agent.ts';
import {
  type Call,
  type CallContext,
  isStream,
  nothingImplied,
  ownDialect,
  type Reply,
} from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { traceOf } from '../../core/telemetry/trace-context.ts';
import type { OperationName, RequestOf, ResponseOf } from '../../gen/services.ts';
import type { Link } from './connection.ts';

/** How a call to an upstream is bounded. */
export interface CallBounds {
  readonly signal: AbortSignal;
  /** Milliseconds that the answer, or the beginning of a stream, may take. */
  readonly timeout: number;
  /** For a subscription: the position after which events are wanted. */
  readonly after?: number;
}

/** Of whose call an upstream is called. */
export type CallOrigin = Pick<
  AgentContext,
  'requestId' | 'extensions' | 'traceparent' | 'tracestate' | 'hops' | 'credentials'
> &
  Partial<Pick<AgentContext, 'activate' | 'drop'>>;

/**
 * Calls an upstream for one call of ours: with its trace, its extensions and one hop more, and nothing of who the caller
 * is. Rejects as the transports do, except that a time that has run out is the upstream's: `upstreamTimeout`.
 */
export class Calls {
  readonly #link: Link;
  readonly #context: CallOrigin;

  constructor(link: Link, context: CallOrigin) {
    this.#link = link;
    this.#context = context;
  }

  async invoke<K extends OperationName>(operation: K, request: RequestOf<K>, bounds: CallBounds): Promise<Reply> {
    const context = this.#contextFor(bounds);
    try {
      return await this.#link.invoke({ operation, request, context } as Call);
    } catch (thrown) {
      const error = A2AError.from(thrown);
      if (error.kind !== 'deadlineExceeded') throw error;
      const said = `The upstream agent did not answer within ${bounds.timeout} ms`;
      throw new A2AError('upstreamTimeout', said, { cause: error });
    } finally {
      for (const extension of context.notes.extensions) this.#context.activate?.(extension);
      for (const path of context.notes.losses) this.#context.drop?.(path);
    }
  }

  /** The same for an operation that answers with one value. */
  async value<K extends OperationName>(
    operation: K,
    request: RequestOf<K>,
    bounds: CallBounds,
  ): Promise<ResponseOf<K>> {
    const reply = await this.invoke(operation, request, bounds);
    if (!isStream(reply)) return reply.value as ResponseOf<K>;
    await reply.events[Symbol.asyncIterator]().return?.();
    throw new A2AError(
      'invalidAgentResponse',
      'The upstream agent answered with a stream where one value was expected',
    );
  }

  #contextFor({ signal, timeout, after }: CallBounds): CallContext {
    const { requestId, extensions, hops, credentials } = this.#context;
    return {
      requestId,
      agent: '',
      tenant: '',
      principal: { id: '', anonymous: true },
      dialect: ownDialect,
      implied: nothingImplied,
      extensions,
      signal,
      deadline: Date.now() + timeout,
      ...traceOf(this.#context),
      ...(credentials && { credentials }),
      ...(after !== undefined && { replay: { after } }),
      hops: hops + 1,
      notes: { extensions: new Set(), losses: new Set() },
    };
  }
}
