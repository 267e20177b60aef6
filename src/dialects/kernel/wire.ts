import type { Quirks, UnaryReply } from '../../core/model/call.ts';
import type { A2AError, ErrorKind, GrpcStatusName } from '../../core/model/errors.ts';
import type { Api } from '../../gen/api.ts';
import type { HttpRule } from '../../gen/operations.ts';
import type { OperationName } from '../../gen/services.ts';
import type { Codec, DecodedRequest, DecodedResult, Frame, Losses, StreamShape } from './codec.ts';
import type { Table } from './record.ts';

/** Wire names of fields of a v1 request, and of everything below them. */
export type FieldNames = Readonly<Record<string, string>>;

/** One method of a dialect: its name, its v1 operation, and how both convert. */
export interface Method<K extends OperationName = OperationName> {
  readonly name: string;
  readonly operation: K;
  readonly request: Codec<unknown, DecodedRequest<K>>;
  /** Fields of the v1 request that have other names on the wire. */
  readonly fields?: FieldNames;
  /** Codec of the answer. Absent if the method only streams. */
  readonly result?: Codec<unknown, DecodedResult<K>> & {
    /** Returns a result that this dialect sends in place of an error (AgentVault's `success: false`). */
    fromError?(error: A2AError): unknown;
    /**
     * Returns the answer, made from the JSON text of the value in v1. Undefined if the value has none, or must be
     * encoded.
     */
    textOf?(reply: UnaryReply): string | undefined;
  };
  /** Streams of the method; present if it streams. */
  readonly stream?: StreamShape;
}

export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/**
 * Calls of an agent of this dialect for one operation, whose request `method` encodes. With `next`, a second call
 * follows with the request `{ id }`, the id of the task in the first answer. If the second call streams, the task of
 * the first answer leads the stream; otherwise the second answer, passed through `answer`, is the operation's.
 */
export interface CallPlan {
  readonly method: Method;
  readonly next?: Method;
  /** Set if the reader's stream ends when the task rests, although the second call's stream goes on. */
  readonly endsAtRest?: true;
  answer?(value: unknown): unknown;
  /** Set if the first call does the operation's work: if the second fails, the first answer is the operation's. */
  readonly firstCounts?: true;
}

/** Facts for answering methods without an operation. */
export interface LocalFacts {
  /** Returns the agent's card in the form of this dialect. */
  card(): unknown;
}

/** A method without operation and parameters, answered without a call of the core. */
export type LocalMethod = (facts: LocalFacts) => unknown;

/** The answer to an unauthenticated caller. */
export interface Challenge {
  /** Value of `WWW-Authenticate`. */
  readonly challenge: string;
  /** Message in place of the error's own. */
  readonly message?: string;
}

/** The tables of a binding's shapes by name. Absent: its members have the names of v1. */
interface Named {
  readonly tables?: Readonly<Record<string, Table>>;
}

export interface JsonRpcBinding extends Named {
  readonly methods: ReadonlyMap<string, Method>;
  /** Plans by operation, for calling. Agents of this dialect cannot carry out an operation without a plan. */
  readonly calls: ReadonlyMap<OperationName, CallPlan>;
  readonly error: Codec<JsonRpcError, A2AError>;
  readonly local?: ReadonlyMap<string, LocalMethod>;
  /** HTTP statuses other than 200 that errors of this dialect travel with, by the error's own HTTP status. */
  readonly errorStatuses: ReadonlySet<number>;
  /**
   * Returns the challenge of this dialect, if it differs from the other dialects' challenge.
   *
   * @param hasCredentials whether the caller presented credentials
   * @param method name of the method, if it is already known
   */
  unauthenticated?(hasCredentials: boolean, method: string | undefined): Challenge;
  /** Set if files are known only by URL: encoders of answers get `fileUrl`. */
  readonly filesByUrl?: true;
  readonly stream: {
    /** Whether frames are wrapped into JSON-RPC responses. */
    readonly enveloped: boolean;
    /** Set if events have no id, because clients of this dialect cannot read events with one. Streams cannot be resumed. */
    readonly withoutIds?: true;
    /** Name of the event, without data, that ends a stream. Later data of an agent are ignored. */
    readonly closing?: string;
    /** Returns the last frames of a stream that fails, already enveloped if frames are. */
    error(error: A2AError, id: unknown): readonly Frame[];
    /** Whether a stream that is refused before its first event is answered by an event stream too. */
    readonly refusedAsStream: boolean;
    /** The `User-Agent` of clients that get such a response although others get plain JSON. */
    readonly refusedAsStreamTo?: RegExp;
    /** HTTP statuses besides `errorStatuses` that a stream is refused with, by the error's own HTTP status. */
    readonly refusalStatuses?: ReadonlySet<number>;
  };
}

/** One way to call one method over HTTP+JSON. */
export interface RestRoute {
  readonly rule: HttpRule;
  readonly method: Method;
  /** Full name of the message that consists of path, query and body. */
  readonly requestType: string;
  /** HTTP status of a unary answer. 204 has no body. Default 200. */
  readonly status?: number;
  /** Whether a request's body repeats the fields of its path: some servers need them there. */
  readonly repeatsPath?: true;
}

/** Values that operations demand of a message, besides the types of its fields. */
export interface MessageDemands {
  /** Keywords of JSON Schema, by the JSON name of the field. */
  readonly fields?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Members of which a message has exactly one, although the proto does not define it. */
  readonly exactlyOne?: readonly string[];
}

/** A dialect over HTTP+JSON. */
export interface RestBinding extends Named {
  readonly routes: readonly RestRoute[];
  /** Demands for the OpenAPI document, by the message's name without its package. */
  readonly demands?: Readonly<Record<string, MessageDemands>>;
  readonly api: Api;
  /** Media type of requests, and of answers to callers who do not prefer `application/json`. */
  readonly mediaType: string;
  /** Media type of errors for callers who do not name `mediaType`. Default: `mediaType`. */
  readonly errorMediaType?: string;
  readonly error: Codec<{ readonly status: number; readonly body: unknown }, A2AError>;
  /** Losses of this binding, if they differ from the dialect's. */
  readonly losses?: Losses;
}

/** A google.protobuf.Any. */
export interface PackedDetail {
  /** `type.googleapis.com/` and the full name. */
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

export interface EncodedStatus {
  readonly status: GrpcStatusName;
  readonly message: string;
  /** Details. Default: those of the error. */
  readonly details?: readonly PackedDetail[];
}

/** A dialect over gRPC, and over Connect and gRPC-Web, which serve the same services. */
export interface GrpcBinding extends Named {
  readonly service: string;
  readonly api: Api;
  /** Methods by rpc name. Codecs convert the canonical ProtoJSON of this binding's own messages. */
  readonly methods: ReadonlyMap<string, Method>;
  /** Returns status and message of an error, if they differ from A2A 1.0, and its details, if they are not its own. */
  encodeError?(error: A2AError): EncodedStatus;
  /** Losses of this binding, if they differ from the dialect's. */
  readonly losses?: Losses;
  /** Returns the kind of a status without details and without an error's name, if it depends on the operation. */
  kindOf?(status: GrpcStatusName, operation: OperationName): ErrorKind | undefined;
}

/** Software that deviates from its dialect, and the signs by which it is recognized. */
export interface Software {
  readonly name: string;
  readonly quirks: Readonly<Quirks>;
  /** Prefixes of the `User-Agent` of its clients. */
  readonly userAgents: readonly string[];
  /** Whether its agents give this answer to a request for an unknown task. */
  answersSo(error: A2AError): boolean;
}

/** Methods over each binding that has them: those of a dialect, or those of an extension, which every dialect shares. */
export interface WireProtocol {
  readonly name: string;
  /** Values of `A2A-Version` (major.minor) that select this dialect. Empty if it has no such header. */
  readonly versions: readonly string[];
  /**
   * Set if another dialect has the same methods and paths: a request belongs to this one only with its version, or on a path of
   * its own.
   */
  readonly needsVersion?: true;
  /** Headers that name extensions: the first is sent to agents, all are sent back to callers. */
  readonly extensionHeaders: readonly string[];
  /** Set if its answers are read completely or not at all. Default: unreadable parts of an answer are left out by name. */
  readonly exact?: true;
  /** Set if its calls are about the gateway itself, regardless of the agent in their path or host. */
  readonly ofGateway?: true;
  readonly jsonrpc?: JsonRpcBinding;
  readonly rest?: RestBinding;
  readonly grpc?: GrpcBinding;
  /** Set if a request to send a message names the accepted media types, even if its caller did not. */
  readonly namesOutputModes?: true;
  /** The software whose quirks matter over HTTP+JSON and gRPC. */
  readonly software?: readonly Software[];
}
