import type {
  Artifact,
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskState,
  TaskStatusUpdateEvent,
} from '../../core/model/a2a.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { isResting, isTerminal } from '../../core/model/lifecycle.ts';
import type {
  TaskArtifactUpdateEvent as LegacyArtifactUpdate,
  TaskStatusUpdateEvent as LegacyStatusUpdate,
} from '../../gen/a2a-0.1/types.ts';
import type { CodecContext, Frame, StreamDecoder, StreamEncoder, StreamShape } from '../kernel/codec.ts';
import { ArtifactPlaces, artifactIdAt, artifactPaths, decodeArtifact, encodeArtifact } from './artifacts.ts';
import { messagePaths } from './messages.ts';
import { decodeMetadata, encodeMetadata, factsIn, type Preserved, preserved } from './metadata.ts';
import { read } from './read.ts';
import { decodeStatus, encodeStatus, stateFacts } from './tasks.ts';

/** One event; the two kinds are told apart by `status` and `artifact`. */
export type LegacyEvent = LegacyStatusUpdate | LegacyArtifactUpdate;

/** Whether a state is the last of a stream: of one that a message began, or of one that follows a task. */
export type Ending = (state: TaskState) => boolean;

const statusPaths = messagePaths('statusUpdate.status.message.');
const taskStatusPaths = messagePaths('task.status.message.');
const messageEventPaths = messagePaths('message.');
const updatePaths = artifactPaths('artifactUpdate.artifact.');
const taskPaths = artifactPaths('task.artifacts.');

/**
 * v1 events as events of A2A 0.1, whose streams hold neither tasks nor messages: a task becomes its artifacts and its
 * status, a message a completed status.
 */
export class EventWriter {
  readonly #cx: CodecContext;
  readonly #isEnd: Ending;
  readonly #places = new ArtifactPlaces();
  #began = false;
  /** A leading task that waits for its client: told only if nothing follows. */
  #waiting: Task | undefined;

  /** @param cx with the task as it was before the first event, where there was one: it tells the places */
  constructor(cx: CodecContext, isEnd: Ending) {
    this.#cx = cx;
    this.#isEnd = isEnd;
    for (const artifact of cx.before?.artifacts ?? []) this.#places.of(artifact);
  }

  /** The events for one v1 event that was logged at `at` (milliseconds). */
  encode({ statusUpdate, artifactUpdate, task, message }: StreamResponse, at: number): LegacyEvent[] {
    const leads = !this.#began;
    this.#began = true;
    // The client has answered already: that it was waited for is no news, and would end its stream.
    this.#waiting = undefined;
    if (statusUpdate) return [this.#status(statusUpdate)];
    if (artifactUpdate) return [this.#artifact(artifactUpdate)];
    if (task) {
      if (!leads || isTerminal(task.status.state) || !this.#isEnd(task.status.state)) return this.#task(task);
      this.#waiting = task;
      for (const artifact of task.artifacts ?? []) this.#places.of(artifact);
      return [];
    }
    if (!message) return [];
    this.#cx.unreported?.add('message');
    const { taskId: id = '', contextId } = message;
    const said = { state: 'TASK_STATE_COMPLETED' as const, message, timestamp: timestamp(at) };
    return [{ id, status: encodeStatus(said, this.#cx, messageEventPaths, id, contextId), final: true }];
  }

  /** What is left when the stream has ended. */
  end(): LegacyEvent[] {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting ? this.#task(waiting) : [];
  }

  #status({ taskId: id, contextId, status, metadata }: TaskStatusUpdateEvent): LegacyEvent {
    if (contextId) this.#cx.unreported?.add('statusUpdate.contextId');
    const { final = this.#isEnd(status.state) } = preserved(metadata);
    const event: LegacyStatusUpdate = {
      id,
      status: encodeStatus(status, this.#cx, statusPaths, id, contextId || undefined),
      final,
    };
    const own = encodeMetadata(metadata, stateFacts(status.state));
    if (own) event.metadata = own;
    return event;
  }

  #artifact({ taskId: id, contextId, artifact, append, lastChunk, metadata }: TaskArtifactUpdateEvent): LegacyEvent {
    if (contextId) this.#cx.unreported?.add('artifactUpdate.contextId');
    const encoded = encodeArtifact(artifact, this.#places.of(artifact), this.#cx, updatePaths);
    if (append !== undefined) encoded.append = append;
    if (lastChunk !== undefined) encoded.lastChunk = lastChunk;
    const own = encodeMetadata(metadata);
    return own ? { id, artifact: encoded, metadata: own } : { id, artifact: encoded };
  }

  #task({ id, contextId, status, artifacts = [] }: Task): LegacyEvent[] {
    this.#cx.unreported?.add('task');
    const events: LegacyEvent[] = artifacts.map((artifact: Artifact) => ({
      id,
      artifact: encodeArtifact(artifact, this.#places.of(artifact), this.#cx, taskPaths),
    }));
    const facts = stateFacts(status.state);
    events.push({
      id,
      status: encodeStatus(status, this.#cx, taskStatusPaths, id, contextId),
      final: this.#isEnd(status.state),
      ...(facts && { metadata: encodeMetadata(undefined, facts) as Record<string, unknown> }),
    });
    return events;
  }
}

/** Events of A2A 0.1 as v1 events. They do not tell the session; `final` may be missing. */
export class EventReader implements StreamDecoder {
  readonly #isEnd: Ending;
  /** Places in the order in which they appeared. */
  readonly #places = new Set<number>();

  constructor(isEnd: Ending) {
    this.#isEnd = isEnd;
  }

  decode({ data }: { readonly data: unknown }): readonly StreamResponse[] {
    if (isObject(data) && isObject(data.artifact)) return [this.#artifact(read('TaskArtifactUpdateEvent', data))];
    if (isObject(data) && isObject(data.status)) return [this.#status(read('TaskStatusUpdateEvent', data))];
    const description = 'must be there, or artifact';
    throw A2AError.invalidParams(undefined, [{ field: 'status', description }]);
  }

  #status({ id, status, final, metadata }: LegacyStatusUpdate): StreamResponse {
    const decoded = decodeStatus(status, factsIn(metadata), id, undefined);
    const differs = typeof final === 'boolean' && final !== this.#isEnd(decoded.state);
    const own = decodeMetadata(metadata, differs ? { final } : undefined);
    const update: TaskStatusUpdateEvent = { taskId: id, contextId: '', status: decoded };
    if (own) update.metadata = own;
    return { statusUpdate: update };
  }

  #artifact({ id, artifact, metadata }: LegacyArtifactUpdate): StreamResponse {
    const index = artifact.index ?? 0;
    const keep: Preserved = this.#isExpected(index) ? {} : { index };
    const update: TaskArtifactUpdateEvent = {
      taskId: id,
      contextId: '',
      artifact: decodeArtifact(artifact, artifactIdAt(index), 'artifact.', keep),
    };
    if (typeof artifact.append === 'boolean') update.append = artifact.append;
    if (typeof artifact.lastChunk === 'boolean') update.lastChunk = artifact.lastChunk;
    const own = decodeMetadata(metadata);
    if (own) update.metadata = own;
    return { artifactUpdate: update };
  }

  /** Whether an artifact would get this place anyway, since as many others came before it. */
  #isExpected(index: number): boolean {
    if (!this.#places.has(index) && index !== this.#places.size) return false;
    this.#places.add(index);
    return true;
  }
}

const frameOf = (event: LegacyEvent): Frame => ({ data: JSON.stringify(event) });

function createEncoder(cx: CodecContext, isEnd: Ending): StreamEncoder {
  const writer = new EventWriter(cx, isEnd);
  return {
    encode: ({ event, at }: LoggedEvent) => writer.encode(event, at).map(frameOf),
    end: () => writer.end().map(frameOf),
  };
}

/** Streams of one method, which end with certain states. */
const streamUntil = (isEnd: Ending): StreamShape => ({
  encoder: (cx) => createEncoder(cx, isEnd),
  decoder: () => new EventReader(isEnd),
});

/** A stream that a message began: it ends when the task is over or waits for its client, as the JavaScript server's. */
export const turnStream: StreamShape = streamUntil(isResting);

/** A stream that follows a task until it is over. */
export const taskStream: StreamShape = streamUntil(isTerminal);
