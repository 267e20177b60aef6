import { fields } from '../../gen/grpc/fields.ts';
import { decode, encode } from '../../wire/protobuf.ts';
import {
  maxReflectionRequest,
  type ReflectionRequest,
  type Reflector,
  reflectionRequest,
  reflectionResponse,
  reflectOn,
} from '../rpc/reflection.ts';
import { GrpcStream, type IncomingCall } from './grpc-stream.ts';

/** Milliseconds in which a client must read a response. */
const readTimeout = 30_000;

/** One client's stream of requests, answered one after the other. */
export class ReflectionCall extends GrpcStream {
  readonly #reflect: Reflector;
  constructor(incoming: IncomingCall, reflect: Reflector) {
    super(incoming, maxReflectionRequest);
    this.#reflect = reflect;
  }

  /** Clients keep the stream open between requests. */
  override isLate(): boolean {
    return false;
  }

  start(): void {
    this.begin([]);
    this.read();
  }

  /** The next request waits for the answer, so that none is buffered for a client that does not read the responses. */
  protected async received(message: Buffer): Promise<void> {
    const request = decode<ReflectionRequest>({ fields }, reflectionRequest, message);
    const response = await reflectOn(this.#reflect, request);
    if (!this.send(encode({ fields }, reflectionResponse, response))) await this.drained(readTimeout);
  }

  protected halfClosed(): void {
    this.end();
  }
}
