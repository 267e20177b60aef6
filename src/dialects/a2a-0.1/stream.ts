import type { StreamResponse, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '../../core/model/a2a.ts';
import { timestamp } from '../../core/model/agent-events.ts';
import type { LoggedEvent } from '../../core/model/call.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { isTerminal } from '../../core/model/lifecycle.ts';
import type * as wire from '../../gen/a2a-0.1/types.ts';
import { isLast } from '../a2a-0.3/mapping.ts';
import type { Codec, CodecContext, Frame, StreamDecoder, StreamEncoder, StreamShape } from '../kernel/codec.ts';
import { ContentIds, noteIds } from '../kernel/metadata.ts';
import { codecs, read } from './codecs.ts';
import { ArtifactPlaces, nameArtifact, nameStatus, placeArtifact, withChunk } from './names.ts';

/** One event; `status` and `artifact` distinguish the two kinds. */
type WireEvent = wire.TaskStatusUpdateEvent | wire.TaskArtifactUpdateEvent;

/**
 * Encodes v1 events as events of A2A 0.1, whose streams hold neither tasks nor messages: a task becomes its artifacts
 * and its status, a message a completed status.
 */
class EventWriter {
  readonly #cx: CodecContext;
  readonly #places = new ArtifactPlaces();
  #began = false;
  /** A leading task that waits for its client: sent only if nothing follows. */
  #waiting: Task | undefined;

  /** @param cx with the task in its state before the first event, if it existed: it determines the positions */
  constructor(cx: CodecContext) {
    this.#cx = cx;
    for (const artifact of cx.before?.artifacts ?? []) this.#places.of(artifact);
  }

  /** Returns the events for one v1 event that was logged at `at` (milliseconds). */
  encode({ statusUpdate, artifactUpdate, task, message }: StreamResponse, at: number): WireEvent[] {
    const leads = !this.#began;
    this.#began = true;
    // The client has answered already: the earlier status is no longer current, and would end its stream.
    this.#waiting = undefined;
    if (statusUpdate) return [this.#status(statusUpdate, 'statusUpdate.')];
    if (artifactUpdate) return [this.#artifact(artifactUpdate)];
    if (task) {
      const { state } = task.status;
      if (!leads || isTerminal(state) || !isLast(this.#cx, state)) return this.#task(task);
      this.#waiting = task;
      for (const artifact of task.artifacts ?? []) this.#places.of(artifact);
      return [];
    }
    if (!message) return [];
    this.#cx.unreported?.add('message');
    const encoded = codecs.message.encode(message, this.#cx, 'message.');
    const status: wire.TaskStatus = { state: 'completed', message: encoded, timestamp: timestamp(at) };
    return [{ id: message.taskId ?? '', status, final: true }];
  }

  /** Returns events held back until the end of the stream. */
  end(): WireEvent[] {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting ? this.#task(waiting) : [];
  }

  #status(update: TaskStatusUpdateEvent, at: string): WireEvent {
    const { taskId, contextId, status } = update;
    noteIds(status.message, this.#cx, `${at}status.message.`, taskId, contextId || undefined);
    return codecs.statusUpdate.encode(update, this.#cx, at);
  }

  #artifact(update: TaskArtifactUpdateEvent): WireEvent {
    const { artifact } = update;
    const encoded = codecs.artifactUpdate.encode(update, this.#cx, 'artifactUpdate.');
    const index = this.#places.of(artifact);
    withChunk(placeArtifact(encoded.artifact, artifact, index, this.#cx, 'artifactUpdate.artifact.'), update);
    return encoded;
  }

  #task({ id, contextId, status, artifacts = [] }: Task): WireEvent[] {
    this.#cx.unreported?.add('task');
    const at = 'task.artifacts.';
    const events = artifacts.map((artifact): WireEvent => {
      const encoded = codecs.artifact.encode(artifact, this.#cx, at);
      return { id, artifact: placeArtifact(encoded, artifact, this.#places.of(artifact), this.#cx, at) };
    });
    noteIds(status.message, this.#cx, 'task.status.message.', id, contextId);
    return [...events, codecs.statusUpdate.encode({ taskId: id, contextId: '', status }, this.#cx, 'task.')];
  }
}

/** Decodes events of A2A 0.1 to v1 events. They do not contain the session; `final` may be missing. */
class EventReader implements StreamDecoder {
  readonly #cx: CodecContext;
  /** Positions in the order in which they appeared. */
  readonly #places = new Set<number>();
  readonly #ids = new ContentIds();

  constructor(cx: CodecContext) {
    this.#cx = cx;
  }

  decode({ data }: { readonly data: unknown }): readonly StreamResponse[] {
    if (isObject(data) && isObject(data.artifact)) return [this.#artifact(read('TaskArtifactUpdateEvent', data))];
    if (isObject(data) && isObject(data.status)) return [this.#status(read('TaskStatusUpdateEvent', data))];
    throw A2AError.invalidField('status', 'must be there, or artifact');
  }

  #status(update: wire.TaskStatusUpdateEvent): StreamResponse {
    const statusUpdate = codecs.statusUpdate.decode(update, this.#cx);
    nameStatus(statusUpdate.status, update.status, this.#ids, update.id);
    return { statusUpdate };
  }

  #artifact(update: wire.TaskArtifactUpdateEvent): StreamResponse {
    const artifactUpdate = codecs.artifactUpdate.decode(update, this.#cx);
    const { index, append, lastChunk } = update.artifact;
    const place = index ?? 0;
    nameArtifact(artifactUpdate.artifact, place, this.#isExpected(place) ? {} : { index: place });
    if (typeof append === 'boolean') artifactUpdate.append = append;
    if (typeof lastChunk === 'boolean') artifactUpdate.lastChunk = lastChunk;
    return { artifactUpdate };
  }

  /** Whether an artifact would get this position by default, since the same number of others came before it. */
  #isExpected(index: number): boolean {
    if (!this.#places.has(index) && index !== this.#places.size) return false;
    this.#places.add(index);
    return true;
  }
}

const frameOf = (event: WireEvent): Frame => ({ data: JSON.stringify(event) });

function createEncoder(cx: CodecContext): StreamEncoder {
  const writer = new EventWriter(cx);
  return {
    encode: ({ event, at }: LoggedEvent) => writer.encode(event, at).map(frameOf),
    end: () => writer.end().map(frameOf),
  };
}

/**
 * A stream that a message began: it ends when the task is over or waits for its client, as the JavaScript server's
 * stream does.
 */
export const turnStream: StreamShape = { encoder: createEncoder, decoder: (cx) => new EventReader(cx) };

/** A stream that follows a task until it is over. */
export const taskStream: StreamShape = {
  encoder: (cx) => createEncoder({ ...cx, untilOver: true }),
  decoder: (cx) => new EventReader({ ...cx, untilOver: true }),
};

/** A single event, or a list if one event of v1 needs several of A2A 0.1. Such a list has the meaning of its last event. */
export const event: Codec<unknown, StreamResponse> = {
  decode: (json, cx) => {
    const reader = new EventReader(cx);
    const last = [json]
      .flat()
      .flatMap((data) => reader.decode({ data }))
      .at(-1);
    if (!last) throw new A2AError('invalidParams', 'There is no such event');
    return last;
  },
  encode: (v1, cx) => {
    const writer = new EventWriter(cx);
    const events = [...writer.encode(v1, Date.now()), ...writer.end()];
    return events.length === 1 ? events[0] : events;
  },
};
