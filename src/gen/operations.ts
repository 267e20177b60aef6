/** One HTTP binding of an operation, from `google.api.http`. */
export interface HttpRule {
  readonly verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path template, such as `/tasks/{id=*}:cancel`. */
  readonly path: string;
  /** `*`: the whole request is the body; a field's proto name: that field is; absent: there is none. */
  readonly body?: string;
  /** The version of A2A 1.x that it came with. Absent: that of its operation. */
  readonly since?: string;
  /** The last version of A2A 1.x that has it. Absent: that of its operation. */
  readonly until?: string;
}

/** One rpc of a service, as every transport sees it. */
export interface Operation {
  /** The operation's name, which is the rpc's, such as `SendMessage`. */
  readonly name: string;
  /** Full name of the service, such as `lf.a2a.v1.A2AService`. */
  readonly service: string;
  readonly rpc: string;
  /** `/{service}/{rpc}`. */
  readonly grpcPath: string;
  /** Full name of the request message. */
  readonly request: string;
  /** Full name of the response message; of each event where `streaming`. */
  readonly response: string;
  /** The server answers with a stream. */
  readonly streaming: boolean;
  /** The client sends a stream: served over gRPC, and UNIMPLEMENTED over every other binding. */
  readonly clientStreaming?: true;
  /** It changes nothing: callers with read-only scopes may call it, and it needs no idempotency key. */
  readonly reads?: true;
  /** It may open a task, and therefore stores its idempotency key with the task. */
  readonly createsTask?: true;
  /** It may stay open for as long as a task runs. */
  readonly longLived?: true;
  /** In the order of the proto; the first is the primary binding. */
  readonly http: readonly HttpRule[];
  /** The version of A2A 1.x that it came with. Absent: the first. */
  readonly since?: string;
  /** The last version of A2A 1.x that has it. Absent: the newest. */
  readonly until?: string;
  /** Its rpc in versions of A2A 1.x that have it by another name. */
  readonly changed?: Readonly<Record<string, Pick<Operation, 'rpc' | 'grpcPath'>>>;
}
