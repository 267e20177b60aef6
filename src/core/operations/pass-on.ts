import { type OperationName, operations, type SendMessageRequest } from '../model/a2a.ts';
import type { Agent } from '../model/agent.ts';
import { type Call, type Invoke, isStream, type Reply } from '../model/call.ts';
import { A2AError } from '../model/errors.ts';
import { tapStream } from '../model/streams.ts';
import type { ServiceDeps } from './handler.ts';
import { pushConfigHandlers, withoutOptionalWebhook } from './push-configs.ts';
import { requireCapability, requireExtensions, requireMessage } from './rules.ts';

const streaming: ReadonlySet<string> = new Set(operations.flatMap((one) => (one.streaming ? [one.name] : [])));

/** Names of operations that send a message. */
const sending: ReadonlySet<string> = new Set(
  operations.flatMap(({ name, request }) => (request === 'lf.a2a.v1.SendMessageRequest' ? [name] : [])),
);

/** Names of operations that answer with the agent's card, which the gateway has. */
const cards: ReadonlySet<string> = new Set(
  operations.flatMap(({ name, response }) => (response === 'lf.a2a.v1.AgentCard' ? [name] : [])),
);

/** Whether a call for an agent that keeps its own tasks is passed on. */
export const isPassedOn = ({ operation }: Pick<Call, 'operation'>): boolean => !cards.has(operation);

/**
 * Passes a call on to an agent that keeps its own tasks, with `invoke`. The rules that need no task apply, and the limit of
 * open streams.
 */
export function passOn(call: Call, agent: Agent, invoke: Invoke, deps: Pick<ServiceDeps, 'streams'>): Promise<Reply> {
  if (call.context.asks) throw cannotWait(call.context.agent);
  const ready = judged(call as Call<OperationName>, agent);
  return streaming.has(call.operation) ? withSlot(ready, invoke, deps) : invoke(ready);
}

const cannotWait = (agent: string): A2AError =>
  new A2AError(
    'permissionDenied',
    `People must agree to this call first, and it cannot wait: the gateway keeps no tasks of the agent ${agent} (keep: none)`,
  );

/** The call for the agent. Throws an A2AError for a call that the agent's card rules out. */
function judged(call: Call<OperationName>, agent: Agent): Call {
  const { operation, request, context } = call;
  if (call.requests) throw new A2AError('methodNotFound', `${operation} cannot be passed on, since its client streams`);
  const replaysHere = typeof context.semantics.replay === 'string';
  if (streaming.has(operation) && !replaysHere) requireCapability(agent, 'streaming');
  if (Object.hasOwn(pushConfigHandlers, operation)) requireCapability(agent, 'pushNotifications');
  if (!sending.has(operation)) return call;
  const sent = request as SendMessageRequest;
  requireMessage(sent);
  requireExtensions(agent, context);
  return { ...call, request: withoutOptionalWebhook(sent, agent, context) } as Call;
}

/** Invokes a call that counts as one of its caller's open streams until it is over. */
export async function withSlot(call: Call, invoke: Invoke, { streams }: Pick<ServiceDeps, 'streams'>): Promise<Reply> {
  const slot = streams?.take(call.context);
  if (!slot) return invoke(call);
  try {
    const reply = await invoke(call);
    if (!isStream(reply)) {
      slot.release();
      return reply;
    }
    return { ...reply, events: tapStream(reply.events[Symbol.asyncIterator](), { onEnd: () => slot.release() }) };
  } catch (thrown) {
    slot.release();
    throw thrown;
  }
}
