import type { StreamResponse, Task } from '../../../core/model/a2a.ts';
import { type Call, type Invoke, isStream, type LoggedEvent, type Reply } from '../../../core/model/call.ts';
import { A2AError, isUndelivered } from '../../../core/model/errors.ts';
import { tapStream } from '../../../core/model/streams.ts';
import { idsIn } from '../ids.ts';
import { type Copy, noCopy } from './copy.ts';

/** Tasks and conversations whose copies are remembered. */
const maxPlaces = 50_000;

interface TranslatedCopies {
  /** Rejects where there are none yet. */
  readonly copies: () => Promise<readonly Copy[]>;
  /** The copy for new work: none of `tried`. */
  readonly choose: (tried?: ReadonlySet<Copy>) => Copy | undefined;
  /** Counts work of a copy until it is over. */
  readonly begin: (copy: Copy) => () => void;
  readonly onFailure: (copy: Copy, error: A2AError) => void;
}

/** What requests have of the ids of their task and conversation. */
interface RequestIds {
  readonly id?: string;
  readonly taskId?: string;
  readonly contextId?: string;
  readonly message?: { readonly taskId?: string; readonly contextId?: string };
  readonly pageToken?: string;
}

/**
 * Passes calls on to copies of an agent whose tasks the gateway does not keep. It remembers for a while which copy has which
 * task and conversation. The copy of another task is found by asking each; an unknown conversation goes to any copy.
 */
export function translateAtCopies({ copies, choose, begin, onFailure }: TranslatedCopies): Invoke {
  /** Copies by the ids of tasks and conversations, the ones used last at the end. */
  const places = new Map<string, Copy>();
  const remember = (kind: 'task' | 'context', id: string | undefined, copy: Copy): void => {
    if (!id) return;
    places.delete(`${kind} ${id}`);
    places.set(`${kind} ${id}`, copy);
    for (const oldest of places.keys()) {
      if (places.size <= maxPlaces) break;
      places.delete(oldest);
    }
  };
  const recall = async (kind: 'task' | 'context', id: string | undefined): Promise<Copy | undefined> => {
    const copy = id ? places.get(`${kind} ${id}`) : undefined;
    return copy && (await copies()).includes(copy) ? copy : undefined;
  };
  const learn = (copy: Copy, event: StreamResponse): void => {
    const { id, contextId } = idsIn(event);
    remember('task', id, copy);
    remember('context', contextId, copy);
  };

  const ask = async (copy: Copy, call: Call): Promise<Reply> => {
    const done = begin(copy);
    let reply: Reply | undefined;
    try {
      reply = await copy.agent.invoke?.(call);
      if (!reply) throw new A2AError('internal');
    } finally {
      if (!reply || !isStream(reply)) done();
    }
    if (!isStream(reply)) {
      if (call.operation === 'SendMessage') learn(copy, reply.value as StreamResponse);
      return reply;
    }
    const onValue = ({ event }: LoggedEvent): void => learn(copy, event);
    return { ...reply, events: tapStream(reply.events[Symbol.asyncIterator](), { onValue, onEnd: done }) };
  };

  /** The copy that has a task. Undefined: none has. Rejects where one that may have it does not answer. */
  const search = async (id: string, { context }: Call): Promise<Copy | undefined> => {
    let failure: unknown;
    for (const copy of await copies()) {
      try {
        const reply = await ask(copy, { operation: 'GetTask', request: { id, historyLength: 0 }, context } as Call);
        if (isStream(reply)) continue;
        learn(copy, { task: reply.value as Task });
        return copy;
      } catch (thrown) {
        if (A2AError.from(thrown).kind !== 'taskNotFound') failure ??= thrown;
      }
    }
    if (failure !== undefined) throw failure;
    return undefined;
  };

  /** All tasks of a copy after those of the one before it. Tokens begin with the copy's mark. */
  const list = async (call: Call, { pageToken = '' }: RequestIds): Promise<Reply> => {
    const all = await copies();
    const end = pageToken.indexOf('/');
    const at = pageToken === '' ? 0 : all.findIndex(({ mark }) => mark === pageToken.slice(0, end));
    const copy = all[at];
    if (!copy) throw A2AError.invalidField('pageToken', 'is not a token of this list');
    const request = { ...call.request, pageToken: pageToken.slice(end + 1) };
    const reply = await ask(copy, { ...call, request } as Call);
    if (isStream(reply)) return reply;
    const value = reply.value as { readonly nextPageToken: string };
    const next = value.nextPageToken === '' ? all[at + 1] : copy;
    return { ...reply, value: { ...value, nextPageToken: next ? `${next.mark}/${value.nextPageToken}` : '' } } as Reply;
  };

  return async (call) => {
    const request = call.request as RequestIds;
    const { message, taskId = message?.taskId ?? request.id, contextId = message?.contextId } = request;
    const known = (await recall('task', taskId)) ?? (await recall('context', contextId));
    if (known) return ask(known, call);
    if (call.operation === 'ListTasks') return list(call, request);
    const found = taskId ? await search(taskId, call) : undefined;
    if (found) return ask(found, call);
    // No copy has the task: any says so, or opens it for a caller who chose its id.
    const tried = new Set<Copy>();
    await copies();
    for (let copy = choose(); ; ) {
      if (!copy) throw new A2AError('upstreamUnreachable', noCopy);
      try {
        return await ask(copy, call);
      } catch (thrown) {
        tried.add(copy);
        const error = A2AError.from(thrown);
        const next = isUndelivered(error) && !call.context.signal.aborted ? choose(tried) : undefined;
        if (!next) throw thrown;
        onFailure(copy, error);
        copy = next;
      }
    }
  };
}
