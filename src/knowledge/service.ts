import type { StreamLimit } from '../core/limits/stream-limit.ts';
import { type Call, type Invoke, ownerOf, type Reply, type StreamReply, type UnaryReply } from '../core/model/call.ts';
import { A2AError } from '../core/model/errors.ts';
import type { AgentDirectory } from '../core/ports/agent-directory.ts';
import { runInTrace } from '../core/telemetry/tracing.ts';
import type { OperationName, RequestOf } from '../gen/knowledge-v1/operations.ts';
import type { KnowledgeGraphChangeEvent } from '../gen/knowledge-v1/types.ts';
import { ChangeSubscription } from './change-subscription.ts';
import type { Knowledge, KnowledgeContext } from './ports.ts';
import { patchesOf, requireCertainty } from './requests.ts';

export interface KnowledgeServiceDeps {
  readonly agents: Pick<AgentDirectory, 'get'>;
  /** The knowledge of an agent; undefined for an agent without knowledge. */
  readonly knowledgeOf: (agent: string) => Knowledge | undefined;
  /** Absent: any number of streams. */
  readonly streams?: StreamLimit | undefined;
  /** Milliseconds that one answer may take. */
  readonly answer: number;
}

/** The knowledge service. */
export interface KnowledgeService {
  readonly invoke: Invoke;
  /** Ends every subscription with `unavailable`. */
  close(): void;
}

/** Input of a handler. */
interface Handling<K extends OperationName> {
  readonly request: RequestOf<K>;
  readonly knowledge: Knowledge;
  readonly context: Omit<KnowledgeContext, 'signal'>;
  readonly deps: KnowledgeServiceDeps;
  readonly open: Set<ChangeSubscription>;
}

type ReplyOf<K extends OperationName> = K extends 'Subscribe' ? StreamReply<KnowledgeGraphChangeEvent> : UnaryReply<K>;

type Handler<K extends OperationName> = (handling: Handling<K>) => Promise<ReplyOf<K>>;

/** One row per operation: a new rpc in the proto fails to compile here, and nowhere else. */
type Handlers = { readonly [K in OperationName]: Handler<K> };

/** A handler of any operation. */
type AnyHandler = (handling: Handling<OperationName>) => Promise<Reply>;

/** Creates the knowledge service for all agents and bindings. */
export function createKnowledgeService(deps: KnowledgeServiceDeps): KnowledgeService {
  const open = new Set<ChangeSubscription>();
  const invoke = async (call: Call): Promise<Reply> => {
    const { context } = call;
    if (!deps.agents.get(context.agent)) throw new A2AError('agentNotFound', `No such agent: ${context.agent}`);
    const knowledge = deps.knowledgeOf(context.agent);
    if (!knowledge) {
      throw new A2AError('knowledgeNotSupported', `The agent ${context.agent} has no knowledge graph`);
    }
    const handler = handlers[call.operation as OperationName] as unknown as AnyHandler | undefined;
    if (!handler) throw new A2AError('methodNotFound', `No such operation: ${call.operation}`);
    const { agent, tenant } = ownerOf(call);
    const request = call.request as RequestOf<OperationName>;
    const handling = { request, knowledge, context: { space: { agent, tenant }, call: context }, deps, open };
    return runInTrace(context, () => handler(handling));
  };
  return {
    invoke,
    close() {
      for (const following of open) following.fail(new A2AError('unavailable', 'The gateway is stopping'));
    },
  };
}

/** Aborts when the caller disconnects, or after the time-out. */
const answering = ({ call }: Handling<OperationName>['context'], { answer }: KnowledgeServiceDeps): AbortSignal =>
  AbortSignal.any([call.signal, AbortSignal.timeout(answer)]);

const query: Handler<'Query'> = async ({ request, knowledge, context, deps }) => {
  requireCertainty('requiredCertainty', request.requiredCertainty);
  return { value: await knowledge.query(request, { ...context, signal: answering(context, deps) }) };
};

const update: Handler<'Update'> = async ({ request, knowledge, context, deps }) => {
  // Checked here, since the update may be carried out elsewhere.
  const patches = patchesOf(request.mutations);
  return { value: await knowledge.update(request, { ...context, patches, signal: answering(context, deps) }) };
};

const subscribe: Handler<'Subscribe'> = async ({ request, knowledge, context, deps, open }) => {
  const { call } = context;
  const place = deps.streams?.take(call);
  const end = new AbortController();
  const leave = (): void => end.abort(call.signal.reason);
  call.signal.addEventListener('abort', leave, { once: true });
  try {
    if (call.signal.aborted) throw call.signal.reason;
    const after = typeof call.replay === 'object' ? { after: call.replay.after } : {};
    const changes = await knowledge.subscribe(request, { ...context, ...after, signal: end.signal });
    const events = new ChangeSubscription(changes, end, place, (over) => {
      call.signal.removeEventListener('abort', leave);
      open.delete(over);
    });
    open.add(events);
    return { events, ...(changes.after !== undefined && { after: changes.after }) };
  } catch (thrown) {
    call.signal.removeEventListener('abort', leave);
    place?.release();
    throw A2AError.from(thrown);
  }
};

const handlers: Handlers = { Query: query, Update: update, Subscribe: subscribe };
