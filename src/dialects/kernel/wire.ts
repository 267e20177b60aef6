import type { Quirks } from '../../core/model/call.ts';
import type { A2AError, ErrorKind, GrpcStatusName } from '../../core/model/errors.ts';
import type { Api } from '../../gen/api.ts';
import type { HttpRule } from '../../gen/operations.ts';
import type { OperationName } from '../../gen/services.ts';
import type { Codec, DecodedRequest, DecodedResult, Frame, Losses, StreamShape } from './codec.ts';

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
export interface JsonRpcBinding {
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
export interface RestBinding {
  readonly routes: readonly RestRoute[];
  readonly api: Api;
  /** Media type of requests, and of answers to whoever does not prefer `application/json`. */
  readonly mediaType: string;
  /** Media type of errors. Default: `mediaType`. */
  readonly errorMediaType?: string;
  readonly error: Codec<{ readonly status: number; readonly body: unknown }, A2AError>;
  /** What the shapes of this face cannot carry, where they are not the dialect's own. */
  readonly losses?: Losses;
}

/** A dialect over gRPC, and over Connect and gRPC-Web, which serve the same services. */
export interface GrpcBinding {
  readonly service: string;
  readonly api: Api;
  /** By rpc name. Codecs convert canonical ProtoJSON of this face's own messages. */
  readonly methods: ReadonlyMap<string, Method>;
  /** How an error is told, where not as in A2A 1.0. Its details are packed in any case. */
  encodeError?(error: A2AError): { readonly status: GrpcStatusName; readonly message: string };
  /** What the shapes of this face cannot carry, where they are not the dialect's own. */
  readonly losses?: Losses;
  /** What a status tells that comes with neither details nor an error's name, where it depends on the operation. */
  kindOf?(status: GrpcStatusName, operation: OperationName): ErrorKind | undefined;
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

/**
 * Methods as they are on the wire, over each binding that has them: those of a generation of the protocol, or those of an
 * extension, which are called in the same way whatever generation a caller speaks.
 */
export interface WireProtocol {
  readonly name: string;
  /** Values of `A2A-Version` (major.minor) that choose this dialect; none where it has no such header. */
  readonly versions: readonly string[];
  /** Headers that name extensions: the first is sent to agents, all are sent back to callers. */
  readonly extensionHeaders: readonly string[];
  readonly jsonrpc?: JsonRpcBinding;
  readonly rest?: RestBinding;
  readonly grpc?: GrpcBinding;
  /** A request to send a message says which media types are accepted, even where its caller did not say. */
  readonly namesOutputModes?: true;
  /** The software whose quirks matter over HTTP+JSON and gRPC. */
  readonly software?: readonly Software[];
}
