import type {
  Artifact,
  Message,
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskState,
  TaskStatus,
  TaskStatusUpdateEvent,
} from '../../core/model/a2a.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { fieldsIn, fold } from '../../core/model/fold.ts';
import { isObject } from '../../core/model/json.ts';
import { isResting, isTerminal } from '../../core/model/lifecycle.ts';
import { withoutOwnKeys } from '../../core/model/own-metadata.ts';
import type * as wire from '../../gen/agentvault-0.2/types.ts';
import type { Codec, CodecContext, Frame, StreamDecoder, StreamEncoder } from '../kernel/codec.ts';
import { ContentIds, nameMessage, noteIds, preserving } from '../kernel/metadata.ts';
import { codecs, read } from './codecs.ts';
import { decodeStreamError } from './errors.ts';
import { decodeTime, key, type Preserved, preserved, textOf } from './mapping.ts';
import { within } from './parts.ts';

/** One event with its payload as an object. */
interface NamedEvent {
  readonly event: 'task_status' | 'task_message' | 'task_artifact';
  readonly data: wire.TaskStatusUpdateEvent | wire.TaskMessageEvent | wire.TaskArtifactUpdateEvent;
}

/**
 * Encodes v1 events as events of the profile. A status with a message becomes a `task_message` and a `task_status`, in
 * this order, so that a status which ends the task comes last: clients stop reading there. AgentVault has no chunks: an
 * artifact is sent when it appears, and sent again, whole, when its last chunk arrives or the task comes to rest.
 */
class EventWriter {
  readonly #cx: CodecContext;
  /** The artifacts in their current state. */
  readonly #growing: Task = { id: '', status: { state: 'TASK_STATE_WORKING' }, artifacts: [] };
  /** Ids of artifacts that have grown since they were sent. */
  readonly #unsent = new Set<string>();
  /** Ids of messages within a task that were sent. */
  readonly #sent = new Set<string>();
  #taskId = '';
  #at = 0;

  /** @param cx with the task in its state before the first event, if it existed: later events may add to it. */
  constructor(cx: CodecContext) {
    this.#cx = cx;
    const { artifacts, history = [], status } = cx.before ?? {};
    if (artifacts) this.#growing.artifacts = artifacts;
    for (const { messageId } of history) this.#sent.add(messageId);
    if (status?.message) this.#sent.add(status.message.messageId);
  }

  /** Returns the events for one v1 event that was logged at `at` (milliseconds). */
  encode(event: StreamResponse, at: number): NamedEvent[] {
    this.#at = at;
    if (event.statusUpdate) return this.#status(event.statusUpdate);
    if (event.artifactUpdate) return this.#artifact(event.artifactUpdate);
    if (event.task) return this.#task(event.task);
    return event.message ? [this.#message(event.message, event.message.taskId ?? '', 'message.')] : [];
  }

  /** Whether an artifact has grown since it was sent. */
  get pending(): boolean {
    return this.#unsent.size > 0;
  }

  /** Returns events held back until the end of the stream. */
  flush(): NamedEvent[] {
    const grown = this.#growing.artifacts?.filter(({ artifactId }) => this.#unsent.has(artifactId)) ?? [];
    this.#unsent.clear();
    return grown.map((artifact) => this.#whole(artifact));
  }

  #status(update: TaskStatusUpdateEvent): NamedEvent[] {
    const { taskId } = update;
    const status = { ...update.status, timestamp: update.status.timestamp ?? this.#time() };
    const { state, message, timestamp: time } = status;
    this.#taskId = taskId;
    const { metadata, ...others } = update;
    const own = metadata && withoutOwnKeys(metadata);
    const data = codecs.statusUpdate.encode(
      { ...others, status, ...(own && { metadata: own }) },
      this.#cx,
      'statusUpdate.',
    );
    const { history } = fieldsIn(metadata);
    const events = history ? this.#unsentOf(history, message, taskId) : [];
    if (isResting(state)) events.push(...this.flush());
    const came = message && preserved(message.metadata).event;
    const isRepeated = history !== undefined && message !== undefined && this.#sent.has(message.messageId);
    if (message && came !== 'task_status' && !isRepeated)
      events.push(this.#message(message, taskId, 'statusUpdate.status.message.', time));
    // A message that arrived alone is sent alone.
    if (came !== 'task_message' || isTerminal(state)) events.push({ event: 'task_status', data });
    return events;
  }

  #message(message: Message, taskId: string, at: string, time = this.#time()): NamedEvent {
    this.#sent.add(message.messageId);
    noteIds(message, this.#cx, at, taskId, taskId);
    const encoded = codecs.message.encode(message, within(this.#cx, taskId), at);
    return { event: 'task_message', data: { taskId, message: encoded, timestamp: time } };
  }

  #artifact(update: TaskArtifactUpdateEvent): NamedEvent[] {
    const { artifact, append, lastChunk, metadata, taskId, contextId } = update;
    const { losses, unreported } = this.#cx;
    this.#taskId = taskId;
    if (update.generation) losses.add('artifactUpdate.generation');
    if (contextId !== taskId) unreported?.add('artifactUpdate.contextId');
    // Chunks are accumulated.
    if (append) unreported?.add('artifactUpdate.append');
    if (lastChunk) unreported?.add('artifactUpdate.lastChunk');
    const { timestamp: time, ...others } = preserved(metadata);
    if (metadata && (Object.keys(metadata).length > 1 || Object.keys(others).length > 0 || !time))
      losses.add('artifactUpdate.metadata');
    const { artifactId } = artifact;
    const find = (): Artifact | undefined => this.#growing.artifacts?.find((other) => other.artifactId === artifactId);
    const grows = append === true && find() !== undefined;
    fold(this.#growing, { artifactUpdate: update });
    if (grows && !lastChunk) {
      this.#unsent.add(artifactId);
      return [];
    }
    this.#unsent.delete(artifactId);
    return [this.#whole(find() ?? artifact, time)];
  }

  #whole(artifact: Artifact, time = this.#time()): NamedEvent {
    const taskId = this.#taskId;
    const encoded = codecs.artifact.encode(artifact, within(this.#cx, taskId), 'artifactUpdate.artifact.');
    return { event: 'task_artifact', data: { taskId, artifact: encoded, timestamp: time } };
  }

  /** Returns the events of a snapshot within a stream: the agent's messages and artifacts, then the state. */
  #task({ id, contextId = '', history = [], artifacts = [], status }: Task): NamedEvent[] {
    return [
      ...this.#unsentOf(history, status.message, id),
      ...artifacts.flatMap((artifact) => this.#artifact({ taskId: id, contextId, artifact })),
      ...this.#status({ taskId: id, contextId, status }),
    ];
  }

  /** Returns the agent's unsent messages of a history, without the current one: it is sent with the status. */
  #unsentOf(history: readonly Message[], current: Message | undefined, taskId: string): NamedEvent[] {
    const unsent = history.filter(
      ({ messageId, role, metadata }) =>
        role === 'ROLE_AGENT' &&
        !preserved(metadata).prompt &&
        messageId !== current?.messageId &&
        !this.#sent.has(messageId),
    );
    return unsent.map((message) => this.#message(message, taskId, 'task.history.'));
  }

  #time(): string {
    return timestamp(this.#at);
  }
}

const frameOf = ({ event, data }: NamedEvent): Frame => ({ event, data: JSON.stringify(data) });

/** Returns an encoder for named events with payloads that have no envelope. */
export function createEncoder(cx: CodecContext): StreamEncoder {
  const writer = new EventWriter(cx);
  return {
    encode: ({ event, at }: LoggedEvent) => writer.encode(event, at).map(frameOf),
    end: () => writer.flush().map(frameOf),
    get pending() {
      return writer.pending;
    },
  };
}

const eventNames: ReadonlySet<unknown> = new Set(['task_status', 'task_message', 'task_artifact', 'error']);

/** Whether a frame is an event: by its name, or, without one, by its message. */
export const isNamedEvent = ({ event, data }: { readonly event?: string; readonly data: unknown }): boolean =>
  eventNames.has(event) || ((event === undefined || event === 'message') && isObject(data) && isObject(data.message));

/**
 * Decodes events of the profile to v1 events. A `task_message` becomes a status update with the task's current state.
 * An event of another name is skipped, as in the real client; an unnamed one is a message.
 */
export class EventReader implements StreamDecoder {
  readonly #cx: CodecContext;
  #state: TaskState = 'TASK_STATE_WORKING';
  #last: Message | undefined;
  readonly #ids = new ContentIds();
  readonly #readers: Readonly<Record<string, (data: unknown) => StreamResponse>> = {
    task_status: (data) => this.#status(read('TaskStatusUpdateEvent', data)),
    task_message: (data) => this.#message(read('TaskMessageEvent', data)),
    task_artifact: (data) => this.#artifact(read('TaskArtifactUpdateEvent', data)),
    error: (data) => {
      throw decodeStreamError(read('StreamError', data));
    },
  };

  constructor(cx: CodecContext) {
    this.#cx = cx;
  }

  decode({ event, data }: { readonly event?: string; readonly data: unknown }): readonly StreamResponse[] {
    const name = event === undefined || event === '' || event === 'message' ? 'task_message' : event;
    const readEvent = Object.hasOwn(this.#readers, name) ? this.#readers[name] : undefined;
    return readEvent ? [readEvent(data)] : [];
  }

  #status(update: wire.TaskStatusUpdateEvent): StreamResponse {
    const statusUpdate = codecs.statusUpdate.decode(update, this.#cx);
    const { status, taskId } = statusUpdate;
    this.#state = status.state;
    if (typeof update.message === 'string') status.message = this.#statusMessage(update.message, taskId, status);
    this.#last = undefined;
    return { statusUpdate };
  }

  /**
   * Returns the text of a status as a message; if it repeats the message before, that message, so that readers
   * recognize it.
   */
  #statusMessage(text: string, taskId: string, { state, timestamp: time }: TaskStatus): Message {
    const last = this.#last;
    const repeats = last !== undefined && textOf(last) === text;
    const message: Message = repeats ? { ...last } : { messageId: '', role: 'ROLE_AGENT', parts: [{ text }] };
    if (!repeats) nameMessage(message, this.#ids.of(taskId, time, state, text), taskId, taskId);
    return preserve(message, { event: 'task_status', ...(repeats && { repeats }) });
  }

  #message({ taskId, message, timestamp: time }: wire.TaskMessageEvent): StreamResponse {
    const decoded = codecs.message.decode(message, this.#cx);
    const at = decodeTime(time, 'timestamp');
    const named = nameMessage(decoded, this.#ids.of(taskId, at, decoded.role, decoded.parts), taskId, taskId);
    this.#last = preserve(named, { event: 'task_message' });
    const state = isTerminal(this.#state) ? 'TASK_STATE_WORKING' : this.#state;
    const status = { state, timestamp: at, message: named };
    return { statusUpdate: { taskId, contextId: taskId, status } };
  }

  #artifact({ taskId, artifact, timestamp: time }: wire.TaskArtifactUpdateEvent): StreamResponse {
    const decoded = codecs.artifact.decode(artifact, this.#cx);
    const facts: Preserved = { timestamp: decodeTime(time, 'timestamp') };
    const metadata = preserving(undefined, key, facts);
    return { artifactUpdate: { taskId, contextId: taskId, artifact: decoded, metadata } };
  }
}

/** Adds facts to those preserved in the metadata of a message. */
function preserve(message: Message, facts: Preserved): Message {
  message.metadata = preserving(message.metadata, key, facts);
  return message;
}

/**
 * A single event, `{ event, data }`, or a list if one event of v1 needs several of AgentVault. Such a list has the meaning of its
 * last event.
 */
export const event: Codec<unknown, StreamResponse> = {
  decode: (json, cx) => {
    const reader = new EventReader(cx);
    const events = [json].flat().flatMap((one) => {
      if (isObject(one) && typeof one.event === 'string') return reader.decode({ event: one.event, data: one.data });
      throw A2AError.invalidField('event', 'must be task_status, task_message or task_artifact');
    });
    const last = events.at(-1);
    if (!last) throw new A2AError('invalidParams', 'There is no such event');
    const before = events.at(-2)?.statusUpdate?.status.message;
    if (last.statusUpdate && before) last.statusUpdate.status.message ??= before;
    return last;
  },
  encode: (v1, cx) => {
    for (const name of ['task', 'message'] as const) if (v1[name]) cx.unreported?.add(name);
    const events = new EventWriter(cx).encode(v1, Date.now());
    return events.length === 1 ? events[0] : events;
  },
};
