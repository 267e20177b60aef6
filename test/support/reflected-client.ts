import { fileURLToPath } from 'node:url';
import {
  create,
  createFileRegistry,
  type DescMethod,
  type FileRegistry,
  fromBinary,
  fromJson,
  getOption,
  type JsonValue,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import grpc from '@grpc/grpc-js';
import { loadSync, type ServiceDefinition } from '@grpc/proto-loader';
import { paced } from './pace.ts';
import { decodeSse } from './sse.ts';

/** The bindings over which `ReflectedClient` calls. */
export const bindings = ['jsonrpc', 'rest', 'grpc', 'connect', 'connect+proto', 'grpc-web'] as const;

export type Binding = (typeof bindings)[number];

/** The parts of google.api.HttpRule that are used here. */
interface HttpRule {
  readonly pattern: { readonly case?: string; readonly value?: unknown };
  readonly body: string;
}

/** Refusal of a call: a gRPC status by its name. */
export class Refused extends Error {
  readonly status: string;

  constructor(status: string, message: string) {
    super(`${status}: ${message}`);
    this.status = status;
  }
}

const statusNames = new Map(Object.entries(grpc.status).map(([name, code]) => [code, name]));
const media = { 'Content-Type': 'application/json' };

/**
 * A client that knows a server's address alone: services, rpcs, HTTP rules and messages come from gRPC's server reflection,
 * and messages are those of protobuf-es. Calls any rpc over any binding, and has each message as canonical ProtoJSON.
 */
export class ReflectedClient {
  readonly #origin: string;
  readonly #client: grpc.Client;
  readonly #headers: Readonly<Record<string, string>>;
  readonly registry: FileRegistry;

  private constructor(origin: string, client: grpc.Client, registry: FileRegistry, headers: Record<string, string>) {
    this.#origin = origin;
    this.#client = client;
    this.registry = registry;
    this.#headers = headers;
  }

  /**
   * @param origin such as `http://localhost:8080`
   * @param version value of `A2A-Version`
   */
  static async open(origin: string, version: string): Promise<ReflectedClient> {
    const headers = { 'A2A-Version': version };
    const client = new grpc.Client(new URL(origin).host, grpc.credentials.createInsecure());
    return new ReflectedClient(origin, client, await reflect(client), headers);
  }

  close(): void {
    this.#client.close();
  }

  /** An rpc of any service, by its name. */
  method(rpc: string): DescMethod {
    for (const file of this.registry.files) {
      for (const service of file.services) {
        const found = service.methods.find(({ name }) => name === rpc);
        if (found && !service.typeName.startsWith('a2a.v1.')) return found;
      }
    }
    throw new Error(`the server lists no rpc ${rpc}`);
  }

  /** The names of all rpcs of A2A 1.x. */
  get rpcs(): string[] {
    const services = [...this.registry.files].flatMap(({ services: list }) => list);
    return services
      .filter(({ typeName }) => /^lf\.a2a\./.test(typeName))
      .flatMap(({ methods }) => methods.map(({ name }) => name));
  }

  /**
   * Calls an rpc with one message.
   *
   * @returns the messages of the answer
   * @throws Refused
   */
  async call(binding: Binding, rpc: string, request: JsonValue): Promise<JsonValue[]> {
    const method = this.method(rpc);
    const canonical = toJson(method.input, fromJson(method.input, request, { registry: this.registry }));
    switch (binding) {
      case 'jsonrpc':
        return this.#jsonRpc(method, canonical);
      case 'rest':
        return this.#rest(method, canonical as Record<string, JsonValue>);
      case 'grpc':
        return this.converse(rpc, [request]);
      default:
        return this.#enveloped(binding, method, canonical);
    }
  }

  /** Calls an rpc over gRPC with all messages, and ends its side. */
  converse(rpc: string, requests: readonly JsonValue[]): Promise<JsonValue[]> {
    const call = this.stream(rpc);
    for (const request of requests) call.write(request);
    call.end();
    return collected(received(call));
  }

  /** Opens a call over gRPC whose client writes messages as it likes. */
  stream(rpc: string, timeout = paced(10_000)): grpc.ClientDuplexStream<JsonValue, JsonValue> {
    const { input, output, parent, name } = this.method(rpc);
    const { registry } = this;
    const metadata = new grpc.Metadata();
    for (const [key, value] of Object.entries(this.#headers)) metadata.set(key, value);
    return this.#client.makeBidiStreamRequest<JsonValue, JsonValue>(
      `/${parent.typeName}/${name}`,
      (json) => Buffer.from(toBinary(input, fromJson(input, json, { registry }))),
      (bytes) => toJson(output, fromBinary(output, bytes), { registry }),
      metadata,
      { deadline: Date.now() + timeout },
    );
  }

  async #jsonRpc(method: DescMethod, params: JsonValue): Promise<JsonValue[]> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: method.name, params });
    const answer = await fetch(this.#origin, { method: 'POST', headers: { ...media, ...this.#headers }, body });
    const results = await Promise.all((await textsOf(answer)).map((text) => JSON.parse(text)));
    return results.map(({ result, error }) => {
      if (error) throw new Refused(error.code === -32601 ? 'UNIMPLEMENTED' : String(error.code), error.message);
      return this.#canonical(method, result);
    });
  }

  async #rest(method: DescMethod, request: Record<string, JsonValue>): Promise<JsonValue[]> {
    const http = this.registry.getExtension('google.api.http');
    if (!http) throw new Error('the server does not describe google.api.http');
    const { pattern, body } = getOption(method, http) as unknown as HttpRule;
    if (pattern.case === undefined) throw new Refused('UNIMPLEMENTED', `${method.name} has no HTTP rule`);
    const rest = new Map(Object.entries(request));
    const path = String(pattern.value).replaceAll(/\{(\w+)(?:=[^}]*)?\}/g, (_, field: string) => {
      const name = method.input.fields.find((one) => one.name === field)?.jsonName ?? field;
      const value = rest.get(name);
      rest.delete(name);
      return encodeURIComponent(String(value ?? ''));
    });
    const query = body === '*' ? [] : [...rest].flatMap(([name, value]) => queryOf(name, value));
    const url = `${this.#origin}${path}${query.length > 0 ? `?${new URLSearchParams(query)}` : ''}`;
    const answer = await fetch(url, {
      method: String(pattern.case).toUpperCase(),
      headers: { ...media, ...this.#headers },
      ...(body === '*' && { body: JSON.stringify(Object.fromEntries(rest)) }),
    });
    if (!answer.ok) {
      const { error } = (await answer.json()) as { error: { status: string; message: string } };
      throw new Refused(error.status, error.message);
    }
    return (await textsOf(answer)).map((text) => this.#canonical(method, JSON.parse(text)));
  }

  /** Connect and gRPC-Web. */
  async #enveloped(binding: Binding, method: DescMethod, request: JsonValue): Promise<JsonValue[]> {
    const { input, output, parent, name, methodKind } = method;
    const isUnary = methodKind === 'unary';
    const isJson = binding === 'connect';
    const isWeb = binding === 'grpc-web';
    const codec = isJson ? 'json' : 'proto';
    const type = isWeb ? 'grpc-web+proto' : isUnary ? codec : `connect+${codec}`;
    const message = isJson
      ? Buffer.from(JSON.stringify(request))
      : Buffer.from(toBinary(input, fromJson(input, request, { registry: this.registry })));
    const answer = await fetch(`${this.#origin}/${parent.typeName}/${name}`, {
      method: 'POST',
      headers: { 'Content-Type': `application/${type}`, ...this.#headers },
      body: isUnary && !isWeb ? message : envelope(message),
    });
    const read = (bytes: Buffer): JsonValue =>
      isJson
        ? this.#canonical(method, JSON.parse(bytes.toString('utf8')))
        : toJson(output, fromBinary(output, bytes), { registry: this.registry });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const refuseWeb = (status: string | null | undefined, text = ''): void => {
      if (status && status !== '0') throw new Refused(statusNames.get(Number(status)) ?? status, text);
    };
    if (isWeb) refuseWeb(answer.headers.get('grpc-status'), answer.headers.get('grpc-message') ?? '');
    if (isUnary && !isWeb) {
      if (!answer.ok) throw connectError(JSON.parse(bytes.toString('utf8')));
      return [read(bytes)];
    }
    if (!answer.ok) throw new Refused(`HTTP ${answer.status}`, '');
    const found: JsonValue[] = [];
    for (const { flags, data } of envelopes(bytes)) {
      if (flags === 0) found.push(read(data));
      else if (isWeb) refuseWeb(/grpc-status: (\d+)/.exec(data.toString('latin1'))?.[1]);
      else {
        const { error } = JSON.parse(data.toString('utf8'));
        if (error) throw connectError(error);
      }
    }
    return found;
  }

  /** JSON of a message as protobuf-es would print it, so that answers of all bindings can be compared. */
  #canonical({ output }: DescMethod, json: JsonValue): JsonValue {
    const { registry } = this;
    return toJson(output, fromJson(output, json, { registry }), { registry });
  }
}

/** All values of an iteration. */
export async function collected<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** The messages of an answer over gRPC. Throws Refused when it ends with an error. */
export async function* received(call: grpc.ClientDuplexStream<JsonValue, JsonValue>): AsyncGenerator<JsonValue> {
  try {
    for await (const message of call) yield message;
  } catch (thrown) {
    const { code, details } = thrown as grpc.ServiceError;
    throw new Refused(statusNames.get(code) ?? String(code), details);
  }
}

const connectError = ({ code, message }: { code: string; message?: string }): Refused =>
  new Refused(code.toUpperCase(), message ?? '');

function envelope(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function* envelopes(body: Buffer): Generator<{ flags: number; data: Buffer }> {
  for (let at = 0; at + 5 <= body.length; ) {
    const end = at + 5 + body.readUInt32BE(at + 1);
    yield { flags: body.readUInt8(at), data: body.subarray(at + 5, end) };
    at = end;
  }
}

/** The JSON texts of an answer: one, or one for each event of a stream. */
async function textsOf(answer: Response): Promise<string[]> {
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return [await answer.text()];
  const texts: string[] = [];
  for await (const { data } of decodeSse(answer.body as AsyncIterable<Uint8Array>)) texts.push(data);
  return texts;
}

/** Query parameters of a field: repeated ones and those of messages by their paths. */
function queryOf(name: string, value: JsonValue | undefined): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((each) => queryOf(name, each));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, each]) => queryOf(`${name}.${key}`, each));
  return [[name, String(value)]];
}

const { 'grpc.reflection.v1.ServerReflection': reflection } = loadSync('grpc/reflection/v1/reflection.proto', {
  includeDirs: [fileURLToPath(new URL('../../proto', import.meta.url))],
});

/** The parts of a grpc.reflection.v1.ServerReflectionResponse that are used here. */
interface ReflectionResponse {
  readonly errorResponse?: { readonly errorMessage: string };
  readonly listServicesResponse?: { readonly service: readonly { readonly name: string }[] };
  readonly fileDescriptorResponse?: { readonly fileDescriptorProto: readonly Uint8Array[] };
}

/** Reads the descriptors of every service that the server lists, and of what they import. */
async function reflect(client: grpc.Client): Promise<FileRegistry> {
  const { ServerReflectionInfo: rpc } = reflection as ServiceDefinition;
  if (!rpc) throw new Error('the proto lacks ServerReflectionInfo');
  const deadline = Date.now() + paced(10_000);
  const call = client.makeBidiStreamRequest(rpc.path, rpc.requestSerialize, rpc.responseDeserialize, { deadline });
  const answers = call[Symbol.asyncIterator]() as AsyncIterator<ReflectionResponse>;
  const ask = async (request: object): Promise<ReflectionResponse> => {
    call.write(request);
    const { value } = await answers.next();
    if (value?.errorResponse) throw new Error(value.errorResponse.errorMessage);
    return value;
  };
  const files = new Map<string, FileDescriptorProto>();
  const add = (bytes: readonly Uint8Array[] = []): void => {
    for (const file of bytes.map((each) => fromBinary(FileDescriptorProtoSchema, each))) files.set(file.name, file);
  };
  const { listServicesResponse } = await ask({ listServices: '*' });
  for (const { name } of listServicesResponse?.service ?? []) {
    add((await ask({ fileContainingSymbol: name })).fileDescriptorResponse?.fileDescriptorProto);
  }
  // In the order of imports, as a registry needs them.
  const sorted: FileDescriptorProto[] = [];
  const visit = async (name: string): Promise<void> => {
    if (!files.has(name)) add((await ask({ fileByFilename: name })).fileDescriptorResponse?.fileDescriptorProto);
    const file = files.get(name);
    if (!file || sorted.includes(file)) return;
    for (const dependency of file.dependency) await visit(dependency);
    sorted.push(file);
  };
  for (const name of [...files.keys()]) await visit(name);
  call.end();
  return createFileRegistry(create(FileDescriptorSetSchema, { file: sorted }));
}
