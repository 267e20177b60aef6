import type {
  Artifact,
  Message,
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskState,
  TaskStatusUpdateEvent,
} from '../../core/model/a2a.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { fold } from '../../core/model/fold.ts';
import { newId } from '../../core/model/ids.ts';
import { isResting, isTerminal } from '../../core/model/lifecycle.ts';
import type {
  StreamError,
  TaskMessageEvent,
  TaskArtifactUpdateEvent as VaultArtifactEvent,
  TaskStatusUpdateEvent as VaultStatusEvent,
} from '../../gen/agentvault-0.2/types.ts';
import { validators } from '../../gen/agentvault-0.2/validators.ts';
import { parseWith } from '../../wire/validate.ts';
import type { CodecContext, Frame, StreamDecoder, StreamEncoder } from '../kernel/codec.ts';
import { decodeArtifact, encodeArtifact } from './artifacts.ts';
import { decodeStreamError } from './errors.ts';
import { decodeMessage, decodeMetadata, encodeMessage, type Preserved, preserved, textOf } from './messages.ts';
import { decodeState, decodeTime, encodeState, isForeign } from './tasks.ts';

/** One event with its payload as an object. */
export interface VaultEvent {
  readonly event: 'task_status' | 'task_message' | 'task_artifact';
  readonly data: VaultStatusEvent | TaskMessageEvent | VaultArtifactEvent;
}

/**
 * v1 events as events of the profile. A status with a message becomes a `task_message` and a `task_status`, in this
 * order, so that a status which ends the task comes last: clients stop reading there. AgentVault has no chunks: an
 * artifact is sent when it appears, and sent again, whole, when its last chunk is there or the task comes to rest.
 */
export class VaultEvents {
  readonly #cx: CodecContext;
  /** Holds the artifacts as they have become. */
  readonly #growing: Task = { id: '', status: { state: 'TASK_STATE_WORKING' }, artifacts: [] };
  /** Those that have grown since they were sent. */
  readonly #unsent = new Set<string>();
  /** Messages that came within a task and were sent. */
  readonly #sent = new Set<string>();
  #taskId = '';
  #at = 0;

  /** @param cx with the task as it was before the first event, where there was one: later events may add to it. */
  constructor(cx: CodecContext) {
    this.#cx = cx;
    const { artifacts, history = [], status } = cx.before ?? {};
    if (artifacts) this.#growing.artifacts = artifacts;
    for (const { messageId } of history) this.#sent.add(messageId);
    if (status?.message) this.#sent.add(status.message.messageId);
  }

  /** The events for one v1 event that was logged at `at` (milliseconds). */
  encode(event: StreamResponse, at: number): VaultEvent[] {
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

  /** What is left when the stream has ended. */
  flush(): VaultEvent[] {
    const grown = this.#growing.artifacts?.filter(({ artifactId }) => this.#unsent.has(artifactId)) ?? [];
    this.#unsent.clear();
    return grown.map((artifact) => this.#whole(artifact));
  }

  #status({ taskId, contextId, status, metadata }: TaskStatusUpdateEvent): VaultEvent[] {
    const at = 'statusUpdate.';
    this.#taskId = taskId;
    if (contextId !== taskId) this.#cx.unreported?.add(`${at}contextId`);
    if (metadata) this.#cx.losses.add(`${at}metadata`);
    const { state, message } = status;
    if (isForeign(state)) this.#cx.losses.add(`${at}status.state`);
    const events = isResting(state) ? this.flush() : [];
    const came = message && preserved(message.metadata).event;
    if (message && came !== 'task_status')
      events.push(this.#message(message, taskId, `${at}status.message.`, status.timestamp));
    // What came as a message alone goes out as one.
    if (came === 'task_message' && !isTerminal(state)) return events;
    const text = message ? textOf(message.parts) : null;
    events.push({
      event: 'task_status',
      data: { taskId, state: encodeState(state), timestamp: status.timestamp ?? this.#time(), message: text },
    });
    return events;
  }

  #message(message: Message, taskId: string, at: string, time?: string): VaultEvent {
    this.#sent.add(message.messageId);
    const encoded = encodeMessage(message, this.#cx, at, taskId, taskId);
    return { event: 'task_message', data: { taskId, message: encoded, timestamp: time ?? this.#time() } };
  }

  #artifact(update: TaskArtifactUpdateEvent): VaultEvent[] {
    const { artifact, append, lastChunk, metadata, taskId, contextId } = update;
    const at = 'artifactUpdate.';
    this.#taskId = taskId;
    if (contextId !== taskId) this.#cx.unreported?.add(`${at}contextId`);
    // Chunks are added up.
    if (append) this.#cx.unreported?.add(`${at}append`);
    if (lastChunk) this.#cx.unreported?.add(`${at}lastChunk`);
    const { timestamp: time, ...others } = preserved(metadata);
    if (metadata && (Object.keys(metadata).length > 1 || Object.keys(others).length > 0 || !time)) {
      this.#cx.losses.add(`${at}metadata`);
    }
    const { artifactId } = artifact;
    const known = this.#growing.artifacts?.some((other) => other.artifactId === artifactId);
    fold(this.#growing, { artifactUpdate: update });
    const grows = append === true && known === true;
    if (grows && !lastChunk) {
      this.#unsent.add(artifactId);
      return [];
    }
    this.#unsent.delete(artifactId);
    const whole = this.#growing.artifacts?.find((other) => other.artifactId === artifactId) ?? artifact;
    return [this.#whole(whole, time)];
  }

  #whole(artifact: Artifact, time?: string): VaultEvent {
    const encoded = encodeArtifact(artifact, this.#cx, 'artifactUpdate.artifact.', this.#taskId);
    return {
      event: 'task_artifact',
      data: { taskId: this.#taskId, artifact: encoded, timestamp: time ?? this.#time() },
    };
  }

  /** A snapshot within a stream: what the agent has said and made, then its state. */
  #task({ id, contextId = '', history = [], artifacts = [], status }: Task): VaultEvent[] {
    // The current message is told with the status.
    const current = status.message?.messageId;
    const said = history.filter(
      ({ messageId, role, metadata }) =>
        role === 'ROLE_AGENT' && !preserved(metadata).prompt && messageId !== current && !this.#sent.has(messageId),
    );
    return [
      ...said.map((message) => this.#message(message, id, 'task.history.')),
      ...artifacts.flatMap((artifact) => this.#artifact({ taskId: id, contextId, artifact })),
      ...this.#status({ taskId: id, contextId, status }),
    ];
  }

  #time(): string {
    return timestamp(this.#at);
  }
}

const frameOf = ({ event, data }: VaultEvent): Frame => ({ event, data: JSON.stringify(data) });

/** Bare payloads under named events. */
export function createEncoder(cx: CodecContext): StreamEncoder {
  const events = new VaultEvents(cx);
  return {
    encode: ({ event, at }: LoggedEvent) => events.encode(event, at).map(frameOf),
    end: () => events.flush().map(frameOf),
    get pending() {
      return events.pending;
    },
  };
}

/**
 * Events of the profile as v1 events. A `task_message` becomes a status update with the state that the task is in. An
 * event of another name is skipped, as the real client does; an unnamed one is a message.
 */
export class VaultReader implements StreamDecoder {
  #state: TaskState = 'TASK_STATE_WORKING';
  #last: Message | undefined;
  readonly #readers: Readonly<Record<string, (data: unknown) => StreamResponse>> = {
    task_status: (data) => this.#status(parseWith(validators.TaskStatusUpdateEvent, data)),
    task_message: (data) => this.#message(parseWith(validators.TaskMessageEvent, data)),
    task_artifact: (data) => readArtifact(parseWith(validators.TaskArtifactUpdateEvent, data)),
    error: (data) => {
      throw decodeStreamError(parseWith<StreamError>(validators.StreamError, data));
    },
  };

  decode({ event, data }: { readonly event?: string; readonly data: unknown }): readonly StreamResponse[] {
    const name = event === undefined || event === '' || event === 'message' ? 'task_message' : event;
    const read = Object.hasOwn(this.#readers, name) ? this.#readers[name] : undefined;
    return read ? [read(data)] : [];
  }

  #status({ taskId, state, timestamp: time, message }: VaultStatusEvent): StreamResponse {
    this.#state = decodeState(state);
    const said = typeof message === 'string' ? this.#statusMessage(message, taskId) : undefined;
    this.#last = undefined;
    const status = { state: this.#state, timestamp: decodeTime(time, 'timestamp'), ...(said && { message: said }) };
    return { statusUpdate: { taskId, contextId: taskId, status } };
  }

  /** The text of a status; where it repeats the message before, that message, so that readers know it for the same. */
  #statusMessage(text: string, taskId: string): Message {
    const last = this.#last;
    const ids = { taskId, contextId: taskId };
    const role = 'ROLE_AGENT';
    const repeats = last !== undefined && textOf(last.parts) === text;
    const said: Message = repeats ? last : { messageId: newId(), role, parts: [{ text }], ...ids };
    const { metadata: _, ...rest } = said;
    const keep: Preserved = { ...preserved(said.metadata), event: 'task_status', ...(repeats && { repeats }) };
    return { ...rest, ...decodeMetadata(said.metadata, keep) };
  }

  #message({ taskId, message, timestamp: time }: TaskMessageEvent): StreamResponse {
    const said = decodeMessage(message, { taskId, contextId: taskId }, { event: 'task_message' });
    this.#last = said;
    const state = isTerminal(this.#state) ? 'TASK_STATE_WORKING' : this.#state;
    const status = { state, timestamp: decodeTime(time, 'timestamp'), message: said };
    return { statusUpdate: { taskId, contextId: taskId, status } };
  }
}

function readArtifact({ taskId, artifact, timestamp: time }: VaultArtifactEvent): StreamResponse {
  const metadata = decodeMetadata(undefined, { timestamp: decodeTime(time, 'timestamp') });
  return { artifactUpdate: { taskId, contextId: taskId, artifact: decodeArtifact(artifact), ...metadata } };
}
