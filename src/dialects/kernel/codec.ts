import type { Part, StreamResponse, Task } from '../../core/model/a2a.ts';
import type { CallSemantics, LoggedEvent, PeerSoftware, TaskFacts } from '../../core/model/call.ts';
import type { OperationName, RequestOf, ResponseOf } from '../../gen/services.ts';

/** What codecs share in one conversion. */
export interface CodecContext {
  /** Filled with the schema paths that could not be carried, such as `message.parts.metadata`. */
  readonly losses: Set<string>;
  /**
   * Filled in the same way with what nobody can miss: ids and framing that the dialect has no notion of, and what stands
   * elsewhere in the same document. Absent in serving, where callers are told of `losses` only; the same set as `losses`
   * where all that is dropped is to be listed.
   */
  readonly unreported?: Set<string>;
  /**
   * The document was written by the gateway: the gateway's own metadata in it are kept. Absent for documents of callers and
   * agents, from which these keys are removed.
   */
  readonly keepsOwn?: true;
  /** The stream goes on until the task is over, and not only until it rests: what an event says of its end follows. */
  readonly untilOver?: true;
  /** The task that the call is about, where it is known: some answers do not name it. */
  readonly taskId?: string;
  /** Id of the message that the request sent, for those who read the answer: some agents repeat the message. */
  readonly sent?: string;
  /**
   * URL at which the gateway serves the inline bytes of a part of a task, as long as the task lives: for dialects that
   * know files by URL only. Absent where nothing is served.
   */
  readonly fileUrl?: (taskId: string, part: Part) => string;
  /** The task as it was before the first event of a stream that does not begin with it. The encoder's own. */
  readonly before?: Task;
  /** Whose software reads or wrote the document. Absent: what the dialect's schema says is all there is. */
  readonly peerSoftware?: PeerSoftware;
}

/**
 * Converts one shape both ways: `decode` from the dialect to v1, `encode` from v1 to the dialect. Pure. `decode` takes
 * whatever arrived and throws A2AError `invalidParams` naming the field, in the dialect's own names.
 */
export interface Codec<Wire, V1> {
  decode(wire: unknown, cx: CodecContext): V1;
  encode(v1: V1, cx: CodecContext): Wire;
}

/** A request in v1, and what the dialect's method implies besides. */
export interface DecodedRequest<K extends OperationName = OperationName> {
  readonly request: RequestOf<K>;
  readonly semantics?: CallSemantics;
  /** What the request says besides and v1 has no place for; `encode` puts it back. */
  readonly preserved?: Readonly<Record<string, unknown>>;
}

/** A unary answer in v1. */
export interface DecodedResult<K extends OperationName = OperationName> {
  readonly value: ResponseOf<K>;
  readonly facts?: TaskFacts;
}

/** v1 paths that cannot be carried, by type. */
export type Losses = Readonly<Record<string, readonly string[]>>;

/** One server-sent event's payload: JSON text, and the event name where the dialect names its events. */
export interface Frame {
  readonly event?: string;
  readonly data: string;
}

/** Encodes one stream. Made anew for each, since a dialect may have to remember (chunks to add up, say). */
export interface StreamEncoder {
  /** No frame, one, or several for one event. */
  encode(event: LoggedEvent): readonly Frame[];
  /** Frames after the last event. */
  end?(): readonly Frame[];
  /** Whether `end` would tell of something that was encoded and not told yet. */
  readonly pending?: boolean;
}

/** Decodes one stream. */
export interface StreamDecoder {
  /** No event, one, or several for one frame. Throws the A2AError that an error frame tells of. */
  decode(frame: { readonly event?: string; readonly data: unknown }): readonly StreamResponse[];
  /** Events that were held back to the end of the stream, until it was known what they mean. */
  end?(): readonly StreamResponse[];
}

/** Streams of one method, both ways. */
export interface StreamShape {
  encoder(cx: CodecContext): StreamEncoder;
  decoder(cx: CodecContext): StreamDecoder;
  /**
   * The same, one event at a time, as objects: where every event stands for itself, as in the protobuf faces, it spares
   * those the way through JSON text. The identity for v1.
   */
  readonly event?: Codec<unknown, StreamResponse>;
  /** The first event may be long in coming: an answer begins as soon as nothing is refused any more, without it. */
  readonly atOnce?: true;
}
