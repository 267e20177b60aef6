import type { Message, StreamResponse, Task, TaskState, TaskStatusUpdateEvent } from '../../core/model/a2a.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { isObject } from '../../core/model/json.ts';
import type {
  TaskArtifactUpdateEvent as PlainArtifactUpdate,
  TaskStatusUpdateEvent as PlainStatusUpdate,
} from '../../gen/a2a-0.3/types.ts';
import {
  decodeEvent as decodePlain,
  encodeEvent as encodePlain,
  endsAtRest,
  type WireEvent,
} from '../a2a-0.3/stream.ts';
import { encodeState } from '../a2a-0.3/tasks.ts';
import type { Codec, CodecContext, Frame, StreamDecoder, StreamEncoder, StreamShape } from '../kernel/codec.ts';
import { plainArtifact, plainStatus } from './aliases.ts';
import {
  decodeMessage,
  decodeTask,
  encodeMessage,
  encodeTask,
  keepRole,
  restoreMessage,
  restoreParts,
} from './messages.ts';
import { keep, keptIn } from './metadata.ts';
import { objectOf, read } from './read.ts';

/** Streams: events of A2A 0.3 under names, and one at the end that says that it is the end. */

/** Name of the event that ends every stream; it has no data. */
export const closing = 'close';

const closingFrames: readonly Frame[] = [{ event: closing, data: '' }];

type Decode = (wire: unknown) => StreamResponse;

const decoders: Readonly<Record<string, Decode>> = {
  task: (wire) => ({ task: decodeTask(read('Task', wire)) }),
  message: (wire) => ({ message: decodeMessage(read('Message', wire), '') }),
  'status-update'(wire) {
    const update = read('TaskStatusUpdateEvent', wire);
    const status = plainStatus(update.status, 'status.');
    const metadata = objectOf(update.metadata, 'metadata') ?? null;
    const event = decodePlain({ ...update, status, metadata } as PlainStatusUpdate, endsAtRest);
    keepRole(event.statusUpdate?.status.message, update.status.message);
    return event;
  },
  'artifact-update'(wire) {
    const update = read('TaskArtifactUpdateEvent', wire);
    const artifact = plainArtifact(update.artifact, 'artifact.');
    const metadata = objectOf(update.metadata, 'metadata') ?? null;
    return decodePlain({ ...update, artifact, metadata } as PlainArtifactUpdate, endsAtRest);
  },
};

/** The members that tell the kinds apart where `kind` is left out. */
function kindOf(wire: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof wire.kind === 'string') return wire.kind;
  if (wire.artifact !== undefined) return 'artifact-update';
  if (wire.status !== undefined) return wire.taskId === undefined ? 'task' : 'status-update';
  return wire.parts === undefined ? undefined : 'message';
}

/** An event; undefined for what is none of A2A: executors may publish objects of their own. */
function decodeEvent(wire: unknown): StreamResponse | undefined {
  if (!isObject(wire)) return undefined;
  const kind = kindOf(wire);
  const decode = kind !== undefined && Object.hasOwn(decoders, kind) ? decoders[kind] : undefined;
  return decode?.(wire);
}

/** An event as it is written. */
function encodeEvent(event: StreamResponse, cx: CodecContext): WireEvent {
  const { task, message, statusUpdate, artifactUpdate } = event;
  if (task) return encodeTask(task, cx, 'task.');
  if (message) return encodeMessage(message, cx, 'message.');
  const wire = encodePlain(event, cx, endsAtRest);
  if (statusUpdate) {
    const { status } = wire as PlainStatusUpdate;
    status.state = encodeState(statusUpdate.status.state);
    if (status.message && statusUpdate.status.message) restoreMessage(status.message, statusUpdate.status.message);
  }
  if (artifactUpdate) restoreParts((wire as PlainArtifactUpdate).artifact.parts, artifactUpdate.artifact.parts);
  return wire;
}

/** Events as objects. */
export const eventCodec: Codec<unknown, StreamResponse> = {
  // What is no event is told as A2A 0.3 tells it.
  decode: (wire) => decodeEvent(wire) ?? decodePlain(wire, endsAtRest),
  encode: encodeEvent,
};

/** The task or the message that message/send is answered with. */
export const decodeAnswer = (wire: unknown): StreamResponse => eventCodec.decode(wire, { losses: new Set() });

/** Names of the events, by the member of v1's. Whatever is neither a status nor a message has the last one. */
function nameOf({ statusUpdate, message }: StreamResponse): string {
  if (statusUpdate) return 'task-status';
  return message ? 'message' : 'event';
}

class Writer implements StreamEncoder {
  readonly #cx: CodecContext;

  constructor(cx: CodecContext) {
    this.#cx = cx;
  }

  encode({ event }: LoggedEvent): readonly Frame[] {
    const { statusUpdate } = event;
    const said = statusUpdate?.status.message;
    if (said && keptIn(statusUpdate.metadata).event === 'message') {
      return [{ event: 'message', data: JSON.stringify(encodeMessage(said, this.#cx, 'message.')) }];
    }
    return [{ event: nameOf(event), data: JSON.stringify(encodeEvent(event, this.#cx)) }];
  }

  end(): readonly Frame[] {
    return closingFrames;
  }
}

/** What the stream has said of its task so far. */
interface Known {
  readonly taskId: string;
  readonly contextId: string;
  readonly state: TaskState;
}

/**
 * Events of one stream. In A2A 1.0 a message stands alone or belongs to a status: one that comes after the task has shown
 * itself becomes a status update with the state that the task is in.
 *
 * The document has a stream begin with the history, message by message, so that a message before the task is held until
 * the next event tells what it is. Followed by the task it is something that the agent said within it; followed by the
 * caller's own message it is older than this call; followed by nothing it is the answer.
 */
class Reader implements StreamDecoder {
  readonly #sent: string | undefined;
  #known: Known | undefined;
  #held: Message[] = [];

  /** @param sent id of the message that the stream answers */
  constructor(sent: string | undefined) {
    this.#sent = sent;
  }

  decode({ data }: { readonly data: unknown }): readonly StreamResponse[] {
    const event = decodeEvent(data);
    if (!event) return [];
    const { task, statusUpdate, artifactUpdate, message } = event;
    if (message) {
      if (this.#known) return [this.#said(message, this.#known)];
      if (isPrompt(message) || message.messageId === this.#sent) this.#held = [];
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
    return [...held.map((one) => this.#said(one, { taskId, contextId, state: before })), event];
  }

  end(): readonly StreamResponse[] {
    return this.#held.map((message) => ({ message }));
  }

  #said(message: Message, { taskId, contextId, state }: Known): StreamResponse {
    const statusUpdate: TaskStatusUpdateEvent = { taskId, contextId, status: { state, message } };
    keep(statusUpdate, { event: 'message' });
    return { statusUpdate };
  }
}

/** Whether a message is a user's. One with a role that A2A does not know may be anybody's. */
const isPrompt = ({ role, metadata }: Message): boolean => role === 'ROLE_USER' && keptIn(metadata).role === undefined;

/** The task with messages that came before it, where it does not hold them itself. */
function withMessages(task: Task, said: readonly Message[]): Task {
  const { history = [], status } = task;
  const known = new Set([...history, ...(status.message ? [status.message] : [])].map(({ messageId }) => messageId));
  const others = said.filter(({ messageId }) => !known.has(messageId));
  return others.length === 0 ? task : { ...task, history: [...history, ...others] };
}

/** Of message/stream. */
export const liveStream: StreamShape = {
  encoder: (cx) => new Writer(cx),
  decoder: ({ sent }) => new Reader(sent),
};

const framesOf = (task: Task, cx: CodecContext): Frame[] => {
  const messages = (task.history ?? []).map((message) => ({
    event: 'message',
    data: JSON.stringify(encodeMessage(message, cx, 'task.history.')),
  }));
  return [...messages, { event: 'task-status', data: JSON.stringify(encodeTask(task, cx, 'task.')) }];
};

/** Of tasks/resubscribe: the messages of the task so far, and the task with all that it holds. Nothing follows. */
export const replayStream: StreamShape = {
  encoder: (cx) => ({
    encode: ({ event }) => (event.task ? framesOf(event.task, cx) : []),
    end: () => closingFrames,
  }),
  decoder: () => ({
    // The task holds its messages once more.
    decode: ({ data }) => {
      const event = decodeEvent(data);
      return event && !event.message ? [event] : [];
    },
  }),
};
