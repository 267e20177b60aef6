import type { AgentCard, Part, StreamResponse, Task } from '../../core/model/a2a.ts';
import type { Counterpart, Implied, LoggedEvent, Quirks, TaskFacts } from '../../core/model/call.ts';
import type { A2AError, ErrorKind, GrpcStatusName } from '../../core/model/errors.ts';
import type { Api } from '../../gen/api.ts';
import type { HttpRule } from '../../gen/operations.ts';
import type { OperationName, RequestOf, ResponseOf } from '../../gen/services.ts';
import type { CardSigning } from './card-signing.ts';

/** The generations of the protocol, and their variations, that the gateway speaks. */
export type DialectName = 'a2a-1.0' | 'a2a-0.3' | 'a2a-0.2' | 'a2a-0.1' | 'agentvault-0.2' | 'a2a-php-0.3';

/** What codecs share in one conversion. */
export interface CodecContext {
  /** Filled with the schema paths that could not be carried, such as `message.parts.metadata`. */
  readonly losses: Set<string>;
  /**
   * Filled in the same way with what nobody can miss: ids and framing that the dialect has no notion of, and what stands
   * elsewhere in the same document. Absent in serving, where callers are told of `losses` only; the same set as `losses`
   * where all that is dropped is to be listed.
   */
  readonly minor?: Set<string>;
  /**
   * The document was written by the gateway: the gateway's own metadata in it are kept. Absent for documents of callers and
   * agents, from which these keys are removed.
   */
  readonly keepsOwn?: true;
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
  readonly counterpart?: Counterpart;
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
  readonly implied?: Implied;
  /** What the request says besides and v1 has no place for; `encode` puts it back. */
  readonly kept?: Readonly<Record<string, unknown>>;
}

/** A unary answer in v1. */
export interface DecodedResult<K extends OperationName = OperationName> {
  readonly value: ResponseOf<K>;
  readonly facts?: TaskFacts;
}

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

/** What the wire calls fields of a v1 request, and all that is below them. */
export type FieldNames = Readonly<Record<string, string>>;

/** One method of a dialect: its name on the wire, the v1 operation that it stands for, and how both convert. */
export interface Method<K extends OperationName = OperationName> {
  readonly name: string;
  readonly operation: K;
  readonly request: Codec<unknown, DecodedRequest<K>>;
  /** Those fields of the v1 request for which the wire has other names. */
  readonly fields?: FieldNames;
  /** Absent when the method only streams. */
  readonly result?: Codec<unknown, DecodedResult<K>> & {
    /** An error that this dialect answers with a result instead (AgentVault's `success: false`). */
    fromError?(error: A2AError): unknown;
    /** The value's v1 JSON is what this dialect sends, so that text which is there already is sent as it is. */
    readonly verbatim?: true;
  };
  /** Present when the method streams. */
  readonly stream?: StreamShape;
}

export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/**
 * How an agent that speaks this dialect is called for one operation. The request of the operation is encoded by
 * `method`. With `next`, a second call follows, whose request is `{ id }` of the task that the first answer named; where
 * that one streams, the task that the first answer held leads the stream, and otherwise its answer, passed through
 * `answer`, is the operation's.
 */
export interface CallPlan {
  readonly method: Method;
  readonly next?: Method;
  /** The second call's stream is left when the task rests, where its method would follow it further. */
  readonly endsAtRest?: true;
  answer?(value: unknown): unknown;
  /** The first call does the operation's work: where the second fails, its answer stands. */
  readonly firstCounts?: true;
}

/** What there is at hand where a method is answered on the spot. */
export interface LocalFacts {
  /** The agent's card as this dialect writes it. */
  card(): unknown;
}

/** A method that no operation stands for: it has no parameters, and its result is made on the spot. */
export type LocalMethod = (facts: LocalFacts) => unknown;

/** How a caller who is not known is told so. */
export interface Challenge {
  /** Value of `WWW-Authenticate`. */
  readonly challenge: string;
  /** In place of the error's own. */
  readonly message?: string;
}

/** A dialect over JSON-RPC. */
export interface JsonRpcFace {
  readonly methods: ReadonlyMap<string, Method>;
  /** By operation, for calling. An operation without a plan cannot be carried out by an agent of this dialect. */
  readonly calls: ReadonlyMap<OperationName, CallPlan>;
  readonly error: Codec<JsonRpcError, A2AError>;
  /** Methods by name that are answered on the spot. */
  readonly local?: ReadonlyMap<string, LocalMethod>;
  /** HTTP statuses other than 200 that errors of this dialect travel with, by the error's own HTTP status. */
  readonly errorStatuses: ReadonlySet<number>;
  /**
   * How callers who are not known are told so, where not as in the other dialects.
   *
   * @param given whether the caller presented credentials
   * @param method name of the method, where it is known by then
   */
  unauthenticated?(given: boolean, method: string | undefined): Challenge;
  /** Files are known by URL only: encoders of answers are given `fileUrl`. */
  readonly filesByUrl?: true;
  readonly stream: {
    /** Whether frames are wrapped into JSON-RPC responses. */
    readonly enveloped: boolean;
    /** Events bear no id: clients of this dialect cannot read events that do, so that none of their streams is resumed. */
    readonly withoutIds?: true;
    /** Name of the event, without data, that says that the stream is over; whatever an agent sends after it is no part of it. */
    readonly closing?: string;
    /** The frames that tell of an error after the stream began, to its end. Wrapped already where frames are. */
    error(error: A2AError, id: unknown): readonly Frame[];
    /** Whether a stream that is refused before its first event is answered by an event stream too. */
    readonly refusedAsStream: boolean;
    /** The `User-Agent` of clients that are answered so where others get plain JSON. */
    readonly refusedAsStreamTo?: RegExp;
    /** HTTP statuses besides `errorStatuses` that a stream is refused with, by the error's own HTTP status. */
    readonly refusalStatuses?: ReadonlySet<number>;
  };
}

/** One way to call one method over HTTP+JSON. */
export interface RestRoute {
  readonly rule: HttpRule;
  readonly method: Method;
  /** Full name of the message that path, query and body make up. */
  readonly requestType: string;
  /** HTTP status of a unary answer. 204 has no body. Default 200. */
  readonly status?: number;
  /** Whether a request's body says again what is in its path already: some servers want it there. */
  readonly repeatsPath?: true;
}

/** A dialect over HTTP+JSON. */
export interface RestFace {
  readonly routes: readonly RestRoute[];
  readonly api: Api;
  /** Media type of requests, and of answers to whoever does not prefer `application/json`. */
  readonly mediaType: string;
  /** Media type of errors. Default: `mediaType`. */
  readonly errorMediaType?: string;
  readonly error: Codec<{ readonly status: number; readonly body: unknown }, A2AError>;
  /** What the shapes of this face cannot carry, where they are not the dialect's own. */
  readonly losses?: Dialect['losses'];
}

/** A dialect over gRPC, and over Connect and gRPC-Web, which serve the same services. */
export interface GrpcFace {
  readonly service: string;
  readonly api: Api;
  /** By rpc name. Codecs convert canonical ProtoJSON of this face's own messages. */
  readonly methods: ReadonlyMap<string, Method>;
  /** How an error is told, where not as in A2A 1.0. Its details are packed in any case. */
  encodeError?(error: A2AError): { readonly status: GrpcStatusName; readonly message: string };
  /** What the shapes of this face cannot carry, where they are not the dialect's own. */
  readonly losses?: Dialect['losses'];
  /** What a status tells that comes with neither details nor an error's name, where it depends on the operation. */
  kindOf?(status: GrpcStatusName, operation: OperationName): ErrorKind | undefined;
}

/** How a dialect's card is derived from the v1 card, where it is found, and how a v1 card is read from it. */
export interface CardShape extends Codec<unknown, AgentCard> {
  /** Paths below an agent's base at which clients of this dialect look, the preferred one first. */
  readonly paths: readonly string[];
  /** What v1 cards call the version of this dialect's interfaces. */
  readonly protocolVersion: string;
  /** Absent where cards have no place for signatures. */
  readonly signing?: CardSigning;
}

/** What webhooks of a dialect receive. */
export interface PushShape {
  readonly mediaType: string;
  /**
   * What a body is: an event by itself, the whole task as it was after an event, or a frame of a stream, its name added to
   * its data as `event`.
   */
  readonly body: 'event' | 'task' | Pick<StreamShape, 'encoder'>;
  /** Headers besides those that tell whose notification it is. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Software that does something otherwise than its dialect has it, and how it is recognised. */
export interface Software {
  readonly name: string;
  readonly quirks: Readonly<Quirks>;
  /** User agents of its clients. */
  readonly userAgent: RegExp;
  /** Whether one of its agents answers so when it is asked for a task that it does not have. */
  answersSo(error: A2AError): boolean;
}

/** 0: no sign; 1: a hint, such as the request id's prefix; 2: the shape can only be this dialect's. */
export type Claim = 0 | 1 | 2;

/**
 * Methods as they are on the wire, over each binding that has them: those of a generation of the protocol, or those of an
 * extension, which are called in the same way whatever generation a caller speaks.
 */
export interface Spoken {
  readonly name: string;
  /** Values of `A2A-Version` (major.minor) that choose this dialect; none where it has no such header. */
  readonly versions: readonly string[];
  /** Headers that name extensions: the first is sent to agents, all are sent back to callers. */
  readonly extensionHeaders: readonly string[];
  readonly jsonrpc?: JsonRpcFace;
  readonly rest?: RestFace;
  readonly grpc?: GrpcFace;
  /** A request to send a message says which media types are accepted, even where its caller did not say. */
  readonly namesOutputModes?: true;
  /** The software whose quirks matter over HTTP+JSON and gRPC. */
  readonly software?: readonly Software[];
}

/** One generation of the protocol, as data, used to serve clients and to call agents. */
export interface Dialect extends Spoken {
  readonly name: DialectName;
  /** Agents give tasks no ids: whoever calls them does, with the message that opens a task. */
  readonly callersName?: true;
  readonly card: CardShape;
  /** Absent where the dialect has no push notifications. */
  readonly push?: PushShape;
  /** The types that stand alone: golden frames, round-trip properties and `translate` loop over them. */
  readonly types: Readonly<Record<string, Codec<unknown, unknown>>>;
  /** v1 paths that this dialect cannot carry, by type. A property test proves that nothing else is lost. */
  readonly losses: Readonly<Record<string, readonly string[]>>;
  /** How surely a request is this dialect's own where its method name is shared. */
  claim?(method: string, params: unknown, id: unknown): Claim;
}
