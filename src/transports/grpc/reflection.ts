import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { A2AError, grpcStatus } from '../../core/model/errors.ts';
import type { Http2Connection } from '../listener/http2-compat.ts';
import { createDescriptorIndex, type DescriptorIndex } from './descriptor-index.ts';
import { GrpcStream } from './grpc-stream.ts';

/**
 * Server reflection (grpc.reflection.v1, and v1alpha, which is the same under another name): tools such as grpcurl ask
 * it what there is to call. Files are sent as they were compiled, their options included.
 */

/** The services under which it is registered; each has one rpc. */
export const reflectionServices: readonly string[] = [
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
];

export const reflectionRpc = 'ServerReflectionInfo';

/** ServerReflectionRequest: its bytes, which the answer repeats, and the one question in it. */
interface ReflectionRequest {
  readonly bytes: Uint8Array;
  readonly host: string;
  /** Field number of the question; 0 when there is none. */
  readonly question: number;
  readonly text: string;
  /** Of a question for an extension. */
  readonly extension: number;
}

const questions = { file: 3, symbol: 4, extension: 5, extensions: 6, services: 7 } as const;

/** What all calls of the service share. */
export interface Reflection {
  /** Full names that a listing shows. */
  readonly services: readonly string[];
  readonly symbols: () => Promise<DescriptorIndex>;
}

/**
 * @param loadImage a serialised FileDescriptorSet of everything that is served; called when somebody asks
 * @param services full names that a listing shows
 */
export function createReflection(loadImage: () => Promise<Uint8Array>, services: readonly string[]): Reflection {
  let index: Promise<DescriptorIndex> | undefined;
  return {
    services,
    symbols: () => {
      index ??= loadImage().then(createDescriptorIndex);
      return index;
    },
  };
}

/** Bytes of a question. */
const maxQuestion = 64 * 1024;
/** Milliseconds that a client may take to read an answer. */
const patience = 30_000;

/** One client's questions, answered one after the other. */
export class ReflectionCall extends GrpcStream {
  readonly #reflection: Reflection;
  readonly #left: (call: GrpcStream) => void;
  #answered: Promise<void> = Promise.resolve();

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    connection: Http2Connection,
    reflection: Reflection,
    left: (call: GrpcStream) => void,
  ) {
    super(stream, headers, connection, maxQuestion);
    this.#reflection = reflection;
    this.#left = left;
  }

  /** Clients keep the stream open between their questions. */
  override get arriving(): boolean {
    return false;
  }

  start(): void {
    this.begin({});
    this.read();
  }

  protected received(message: Buffer): void {
    // A client that asks without listening does not fill the memory.
    this.pause();
    this.#answered = this.#answered
      .then(() => this.#answer(message))
      .then(
        () => this.resume(),
        (thrown) => this.fail(thrown),
      );
  }

  async #answer(message: Buffer): Promise<void> {
    let request: ReflectionRequest;
    try {
      request = readReflectionRequest(message);
    } catch (error) {
      throw new A2AError('parse', 'Invalid protobuf message', { cause: error });
    }
    const symbols = await this.#reflection.symbols();
    if (!this.send(answer(request, symbols, this.#reflection.services))) await this.drained(patience);
  }

  protected halfClosed(): void {
    void this.#answered.then(() => this.end());
  }

  protected aborted(): void {}

  protected left(): void {
    this.#left(this);
  }

  protected errorHeaders(): Record<string, string> {
    return {};
  }
}

function readReflectionRequest(bytes: Uint8Array): ReflectionRequest {
  const reader = new BinaryReader(bytes);
  let host = '';
  let question = 0;
  let text = '';
  let extension = 0;
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type !== 2) {
      reader.skip(type);
    } else if (field === 1) {
      host = reader.string();
    } else if (field === questions.extension) {
      question = field;
      const end = reader.uint32() + reader.pos;
      while (reader.pos < end) {
        const [inner, innerType] = reader.tag();
        if (inner === 1 && innerType === 2) text = reader.string();
        else if (inner === 2 && innerType === 0) extension = reader.int32();
        else reader.skip(innerType);
      }
    } else if (field >= questions.file && field <= questions.services) {
      question = field;
      text = reader.string();
    } else {
      reader.skip(type);
    }
  }
  return { bytes, host, question, text, extension };
}

/** ServerReflectionResponse. */
function answer(request: ReflectionRequest, symbols: DescriptorIndex, services: readonly string[]): Uint8Array {
  const writer = new BinaryWriter();
  if (request.host !== '') writer.uint32(tag(1)).string(request.host);
  writer.uint32(tag(2)).bytes(request.bytes);
  const { question, text, extension } = request;
  if (question === questions.services) {
    writer.uint32(tag(6)).fork();
    for (const name of services) writer.uint32(tag(1)).fork().uint32(tag(1)).string(name).join();
    return writer.join().finish();
  }
  if (question === questions.extensions) {
    const numbers = symbols.extensionsOf(text);
    if (!numbers) return refuse(writer, grpcStatus.NOT_FOUND, `No such message: ${text}`);
    writer.uint32(tag(5)).fork().uint32(tag(1)).string(text);
    writer.uint32(tag(2)).fork();
    for (const number of numbers) writer.int32(number);
    return writer.join().join().finish();
  }
  if (question === 0) return refuse(writer, grpcStatus.INVALID_ARGUMENT, 'The request asks nothing');
  const files =
    question === questions.file
      ? symbols.file(text)
      : question === questions.symbol
        ? symbols.fileOf(text)
        : symbols.fileOfExtension(text, extension);
  if (!files) return refuse(writer, grpcStatus.NOT_FOUND, `Not found: ${text}`);
  writer.uint32(tag(4)).fork();
  for (const file of files) writer.uint32(tag(1)).bytes(file);
  return writer.join().finish();
}

function refuse(writer: BinaryWriter, code: number, message: string): Uint8Array {
  writer.uint32(tag(7)).fork().uint32(8).int32(code).uint32(tag(2)).string(message);
  return writer.join().finish();
}

/** The tag of a length-delimited field. */
const tag = (field: number): number => (field << 3) | 2;
