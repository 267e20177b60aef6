import type { Message, StreamResponse, Task, TaskState, TaskStatusUpdateEvent } from '../../core/model/a2a.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { isResting } from '../../core/model/lifecycle.ts';
import type { WireEvent } from '../a2a-0.3/events.ts';
import type { CodecContext, Frame, StreamDecoder, StreamEncoder, StreamShape } from '../kernel/codec.ts';
import { preservedIn, preserving } from '../kernel/metadata.ts';
import { codecs } from './codecs.ts';
import { key } from './mapping.ts';
import { isEvent } from './read.ts';

/** Streams: named events of A2A 0.3, and one event that marks the end. */

/** Name of the event that ends every stream; it has no data. */
export const closing = 'close';

const closingFrames: readonly Frame[] = [{ event: closing, data: '' }];

const { event: eventCodec, message: messageCodec, task: taskCodec } = codecs;

const messageFrame = (message: Message, cx: CodecContext, at: string): Frame => ({
  event: 'message',
  data: JSON.stringify(messageCodec.encode(message, cx, at)),
});

/**
 * Returns the name of an event, by the member of v1's. An event that is neither a status nor a message has the last
 * one.
 */
function nameOf({ statusUpdate, message }: StreamResponse): string {
  if (statusUpdate) return 'task-status';
  return message ? 'message' : 'event';
}

/**
 * Encodes a stream. Clients of this dialect look for the end in a status: a stream that ends with the task has its
 * status after it.
 */
class Writer implements StreamEncoder {
  readonly #cx: CodecContext;
  /** The task, while no status has followed it. */
  #task: Task | undefined;

  constructor(cx: CodecContext) {
    this.#cx = cx;
  }

  encode({ event }: LoggedEvent): readonly Frame[] {
    const { task, statusUpdate } = event;
    if (task) this.#task = task;
    else if (statusUpdate) this.#task = undefined;
    const message = statusUpdate?.status.message;
    if (message && preservedIn(statusUpdate.metadata, key).event === 'message')
      return [messageFrame(message, this.#cx, 'message.')];
    return [this.#frameOf(event)];
  }

  end(): readonly Frame[] {
    if (!this.#task || !isResting(this.#task.status.state)) return closingFrames;
    const { id: taskId, contextId = '', status } = this.#task;
    return [this.#frameOf({ statusUpdate: { taskId, contextId, status } }), ...closingFrames];
  }

  #frameOf(event: StreamResponse): Frame {
    return { event: nameOf(event), data: JSON.stringify(eventCodec.encode(event, this.#cx, '')) };
  }
}

/** The task of the stream, as far as it is known. */
interface Known {
  readonly taskId: string;
  readonly contextId: string;
  readonly state: TaskState;
}

/**
 * Decodes the events of one stream. In A2A 1.0 a message stands alone or belongs to a status: a message after the task
 * has appeared becomes a status update with the task's current state.
 *
 * By the document a stream begins with the history, message by message, so a message before the task is held until the
 * next event decides about it. Followed by the task it is the agent's message within that task; followed by the
 * caller's own message it is older than this call; followed by nothing it is the answer.
 */
class Reader implements StreamDecoder {
  readonly #cx: CodecContext;
  #known: Known | undefined;
  #held: Message[] = [];

  constructor(cx: CodecContext) {
    this.#cx = cx;
  }

  decode({ data }: { readonly data: unknown }): readonly StreamResponse[] {
    if (!isEvent(data)) return [];
    const event = eventCodec.decode(data as WireEvent, this.#cx);
    const { task, statusUpdate, artifactUpdate, message } = event;
    if (message) {
      if (this.#known) return [this.#statusOf(message, this.#known)];
      if (isPrompt(message) || message.messageId === this.#cx.sent) this.#held = [];
      else this.#held.push(message);
      return [];
    }
    const held = this.#held;
    this.#held = [];
    if (task) {
      this.#known = { taskId: task.id, contextId: task.contextId ?? '', state: task.status.state };
      return [{ task: withMessages(task, held) }];
    }
    const { taskId, contextId } = (statusUpdate ?? artifactUpdate) as TaskStatusUpdateEvent;
    const before = this.#known?.state ?? 'TASK_STATE_WORKING';
    this.#known = { taskId, contextId, state: statusUpdate?.status.state ?? before };
    return [...held.map((one) => this.#statusOf(one, { taskId, contextId, state: before })), event];
  }

  end(): readonly StreamResponse[] {
    return this.#held.map((message) => ({ message }));
  }

  #statusOf(message: Message, { taskId, contextId, state }: Known): StreamResponse {
    const statusUpdate: TaskStatusUpdateEvent = { taskId, contextId, status: { state, message } };
    return { statusUpdate: { ...statusUpdate, metadata: preserving(undefined, key, { event: 'message' }) } };
  }
}

/** Whether a message is a user's. One with a role that A2A does not know may be the agent's. */
const isPrompt = ({ role, metadata }: Message): boolean =>
  role === 'ROLE_USER' && preservedIn(metadata, key).role === undefined;

/** Returns the task with messages that came before it, unless it contains them itself. */
function withMessages(task: Task, before: readonly Message[]): Task {
  const { history = [], status } = task;
  const known = new Set([...history, ...(status.message ? [status.message] : [])].map(({ messageId }) => messageId));
  const others = before.filter(({ messageId }) => !known.has(messageId));
  return others.length === 0 ? task : { ...task, history: [...history, ...others] };
}

/** Stream of message/stream. */
export const liveStream: StreamShape = {
  encoder: (cx) => new Writer(cx),
  decoder: (cx) => new Reader(cx),
};

const framesOf = (task: Task, cx: CodecContext): Frame[] => [
  ...(task.history ?? []).map((message) => messageFrame(message, cx, 'task.history.')),
  { event: 'task-status', data: JSON.stringify(taskCodec.encode(task, cx, 'task.')) },
];

/** Stream of tasks/resubscribe: the messages of the task so far, and the complete task. Nothing follows. */
export const replayStream: StreamShape = {
  encoder: (cx) => ({
    encode: ({ event }) => (event.task ? framesOf(event.task, cx) : []),
    end: () => closingFrames,
  }),
  decoder: (cx) => ({
    // The task repeats its messages.
    decode: ({ data }) => {
      const event = isEvent(data) ? eventCodec.decode(data as WireEvent, cx) : undefined;
      return event && !event.message ? [event] : [];
    },
  }),
};
