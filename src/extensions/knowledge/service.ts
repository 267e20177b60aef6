import type { StreamLimit } from '../../core/limits/stream-limit.ts';
import { EndableStream } from '../../core/middleware/endable-stream.ts';
import { type Call, ownerOf, type Reply, type StreamReply, type UnaryReply } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import type { AgentDirectory } from '../../core/ports/agent-directory.ts';
import { runInTrace } from '../../core/telemetry/tracing.ts';
import type { OperationName, RequestOf } from '../../gen/knowledge-v1/operations.ts';
import type { KnowledgeGraphChangeEvent } from '../../gen/knowledge-v1/types.ts';
import type { AgentKnowledge, KnowledgeCallContext } from './model/knowledge.ts';
import { ownKnowledge } from './own.ts';
import { RefusedUpdates } from './refused-updates.ts';
import { patchesOf, requireCertainty } from './requests.ts';

export interface KnowledgeServiceDeps {
  readonly agents: Pick<AgentDirectory, 'get'>;
  /** The configured knowledge of an agent. It takes precedence over the agent's own. */
  readonly configured: (agent: string) => AgentKnowledge | undefined;
  /** Limits open streams. Absent: no limit. */
  readonly streams?: StreamLimit | undefined;
  /** `answer`: maximum milliseconds for one response. Read at every call. */
  readonly limits: { readonly answer: number };
}

export type KnowledgeService = ReturnType<typeof createKnowledgeService>;

type CallerContext = Omit<KnowledgeCallContext, 'signal'>;

type ReplyOf<K extends OperationName> = K extends 'Subscribe' ? StreamReply<KnowledgeGraphChangeEvent> : UnaryReply<K>;

/** One handler per operation: an rpc without a handler fails to compile here. */
type Handlers = {
  readonly [K in OperationName]: (
    request: RequestOf<K>,
    knowledge: AgentKnowledge,
    context: CallerContext,
  ) => Promise<ReplyOf<K>>;
};

/** The open subscriptions. */
class Subscriptions {
  readonly #streams: KnowledgeServiceDeps['streams'];
  /** Functions that end the subscriptions. */
  readonly #open = new Set<(error: A2AError) => void>();

  constructor(streams: KnowledgeServiceDeps['streams']) {
    this.#streams = streams;
  }

  async open(
    request: RequestOf<'Subscribe'>,
    knowledge: AgentKnowledge,
    context: CallerContext,
  ): Promise<ReplyOf<'Subscribe'>> {
    const { signal, replay } = context.call;
    const slot = this.#streams?.take(context.call);
    const end = new AbortController();
    const leave = (): void => end.abort(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    const release = (): void => {
      signal.removeEventListener('abort', leave);
      slot?.release();
    };
    try {
      if (signal.aborted) throw signal.reason;
      const position = typeof replay === 'object' ? { after: replay.after } : {};
      const changes = await knowledge.subscribe(request, { ...context, ...position, signal: end.signal });
      const events = new EndableStream(changes, (fail) => {
        this.#open.add(fail);
        return () => {
          if (!this.#open.delete(fail)) return;
          release();
          end.abort();
        };
      });
      return { events, ...(changes.after !== undefined && { after: changes.after }) };
    } catch (thrown) {
      release();
      throw A2AError.from(thrown);
    }
  }

  /** Ends all subscriptions with `unavailable`. */
  close(): void {
    for (const fail of this.#open) fail(new A2AError('unavailable', 'The gateway is stopping'));
  }
}

export function createKnowledgeService(deps: KnowledgeServiceDeps) {
  const subscriptions = new Subscriptions(deps.streams);
  const refused = new RefusedUpdates();

  /** Returns the context with a signal that aborts when the caller disconnects or the time-out passes. */
  const unary = (context: CallerContext): KnowledgeCallContext => ({
    ...context,
    signal: AbortSignal.any([context.call.signal, AbortSignal.timeout(deps.limits.answer)]),
  });

  const handlers: Handlers = {
    async Query(request, knowledge, context) {
      requireCertainty('requiredCertainty', request.requiredCertainty);
      return { value: await knowledge.query(request, unary(context)) };
    },

    async Update(request, knowledge, context) {
      // Checked here, because the update may be executed elsewhere.
      const patches = patchesOf(request.mutations);
      const proposer = { agent: context.space.agent, principal: context.call.principal.id };
      const update = () => knowledge.update(request, { ...unary(context), patches });
      return { value: await refused.watch(proposer, request, update) };
    },

    Subscribe: (request, knowledge, context) => subscriptions.open(request, knowledge, context),
  };

  return {
    refused,
    async invoke(call: Call): Promise<Reply> {
      const { context } = call;
      const served = deps.agents.get(context.agent);
      if (!served) throw new A2AError('agentNotFound', `No such agent: ${context.agent}`);
      const knowledge = deps.configured(context.agent) ?? ownKnowledge(served);
      if (!knowledge) {
        throw new A2AError('knowledgeNotSupported', `The agent ${context.agent} has no knowledge graph`);
      }
      const handler = handlers[call.operation as OperationName] as
        | ((request: never, knowledge: AgentKnowledge, context: CallerContext) => Promise<Reply>)
        | undefined;
      if (!handler) throw new A2AError('methodNotFound', `No such operation: ${call.operation}`);
      const { agent, tenant } = ownerOf(call);
      const caller = { space: { agent, tenant }, call: context };
      return runInTrace(context, () => handler(call.request as never, knowledge, caller));
    },
    /** Ends all subscriptions with `unavailable`. */
    close: () => subscriptions.close(),
  };
}
