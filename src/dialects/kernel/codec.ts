import type { Part, StreamResponse, Task } from '../../core/model/a2a.ts';
import type { CallSemantics, LoggedEvent, PeerSoftware, UnaryReply } from '../../core/model/call.ts';
import type { OperationName, RequestOf } from '../../gen/services.ts';
import type { Unread } from '../../wire/salvage-shape.ts';

/** Decodes the answers of one call of an agent. Parts that cannot be read are left out by name. */
export interface Salvaging {
  /**
   * Whether the last event was marked as the end of the stream (A2A 0.3 section 7.2.3), with a state that cannot be
   * read.
   */
  readonly over: boolean;
  /** Parses JSON text that was refused for its content. Throws `refused` for text that is not JSON. */
  mend(text: string, maxDepth: number, refused: unknown): unknown;
  /** Names pieces that were read as something else, by their paths in an answer's JSON. */
  name(unread: readonly Unread[]): void;
  /** Decodes a unary answer. Throws A2AError `invalidParams` if nothing of it can be read. */
  result<T extends { readonly value: unknown }>(wire: unknown, decode: (wire: unknown) => T): T;
  /** Decodes a frame of a stream. Throws the error of an error frame. */
  events(wire: unknown, decode: (wire: unknown) => readonly StreamResponse[]): readonly StreamResponse[];
  /** Ends a stream. Throws A2AError `invalidAgentResponse` if no event of it could be read. */
  end(): readonly StreamResponse[];
}

/** State shared by the codecs of one conversion. */
export interface CodecContext {
  /** Filled with the schema paths that could not be carried, such as `message.parts.metadata`. */
  readonly losses: Set<string>;
  /**
   * Filled with losses that readers cannot miss: ids and framing that the dialect does not have, and facts found
   * elsewhere in the same document. Absent in serving, where only `losses` are reported.
   */
  readonly unreported?: Set<string>;
  /** Filled with the pieces of a card that are not read as written. Absent: such a card is refused. */
  readonly unread?: Unread[];
  /**
   * Set if the gateway wrote the document, so that its own metadata stay. They are removed from documents of callers and agents.
   */
  readonly keepsOwn?: true;
  /** Set if the stream goes on until the task is over, and not only until it rests. */
  readonly untilOver?: true;
  /** The task that the call is about, if known: some answers do not name it. */
  readonly taskId?: string;
  /** Id of the message in the request: some agents repeat the message in their answer. */
  readonly sent?: string;
  /**
   * Returns the URL at which the gateway serves the inline bytes of a part as long as the task lives, for dialects that
   * know files by URL only. Absent if nothing is served.
   */
  readonly fileUrl?: (taskId: string, part: Part) => string;
  /** The task in its state before the first event of a stream that does not begin with the task. For encoders only. */
  readonly before?: Task;
  /** Leaves out by name the unreadable parts of an agent's answer. Absent: such an answer is refused. */
  readonly salvage?: Salvaging;
  /** The peer's software. Absent: it follows the dialect's schema. */
  readonly peerSoftware?: PeerSoftware;
}

/**
 * Converts one shape both ways: `decode` from the dialect to v1, `encode` from v1 to the dialect. Pure. `decode` takes any
 * value, and throws A2AError `invalidParams` that names the field as the dialect does.
 */
export interface Codec<Wire, V1> {
  decode(wire: unknown, cx: CodecContext): V1;
  encode(v1: V1, cx: CodecContext): Wire;
}

/** A request in v1, and the semantics of the dialect's method. */
export interface DecodedRequest<K extends OperationName = OperationName> {
  readonly request: RequestOf<K>;
  readonly semantics?: CallSemantics;
  /** Members of the request that have no place in v1; `encode` restores them. */
  readonly preserved?: Readonly<Record<string, unknown>>;
}

/** A unary answer in v1. */
export type DecodedResult<K extends OperationName = OperationName> = Omit<UnaryReply<K>, 'json'>;

/** v1 paths that cannot be carried, by type. */
export type Losses = Readonly<Record<string, readonly string[]>>;

/** The payload of one server-sent event: JSON text, and the event's name if the dialect has names. */
export interface Frame {
  readonly event?: string;
  readonly data: string;
}

/** Encodes one stream; may have state. */
export interface StreamEncoder {
  /** Encodes one event as any number of frames. */
  encode(event: LoggedEvent): readonly Frame[];
  /** Returns frames after the last event. */
  end?(): readonly Frame[];
  /** Whether `end` would write something that has been held back. */
  readonly pending?: boolean;
}

/** Decodes one stream; may have state. */
export interface StreamDecoder {
  /** Decodes one frame to any number of events. Throws the A2AError of an error frame. */
  decode(frame: { readonly event?: string; readonly data: unknown }): readonly StreamResponse[];
  /** Returns events that were held back until the end of the stream, when their meaning is known. */
  end?(): readonly StreamResponse[];
}

/** The part of a logged event from which a single event is encoded. */
export type UnstringifiedEvent = Pick<LoggedEvent, 'event' | 'generation'>;

/** Streams of one method, both ways. */
export interface StreamShape {
  encoder(cx: CodecContext): StreamEncoder;
  decoder(cx: CodecContext): StreamDecoder;
  /** Converts one event, as an object, if events do not depend on each other: gRPC then needs no JSON text. */
  readonly event?: {
    decode(wire: unknown, cx: CodecContext): StreamResponse;
    encode(event: UnstringifiedEvent, cx: CodecContext): unknown;
  };
  /** Whether a frame is an event. Default: by the members of its data (`isEvent`). Other frames, such as heartbeats, are skipped. */
  isEvent?(frame: { readonly event?: string; readonly data: unknown }): boolean;
  /** Set if the first event may come late: an answer begins without it, as soon as the call is accepted. */
  readonly atOnce?: true;
}
