import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { A2AError } from '../../core/model/errors.ts';
import type { Http2Connection } from '../listener/http2-compat.ts';
import { GrpcStream } from './grpc-stream.ts';

/** The health service of gRPC (grpc.health.v1), which load balancers and orchestrators ask. */

export const healthService = 'grpc.health.v1.Health';

/** As grpc.health.v1.HealthCheckResponse.ServingStatus numbers them. */
const servingStatus = { SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } as const;

/** Callers need no credentials, so that they are few. */
const maxWatchers = 100;
/** Bytes of a request: there is one short name in it. */
const maxRequest = 4096;

type Left = (call: GrpcStream) => void;
type Handler = (call: HealthCall, service: string) => void;

export interface Health {
  /** By rpc. */
  readonly handlers: Readonly<Record<string, Handler>>;
  /** Everything is NOT_SERVING from now on; watchers are told, and let go. */
  announceShutdown(): void;
}

/** @param services full names of those that are served; '' stands for the server as a whole */
export function createHealth(services: Iterable<string>): Health {
  const known = new Set(['', ...services]);
  const watchers = new Map<HealthCall, string>();
  let serving: number = servingStatus.SERVING;
  const statusOf = (service: string): Uint8Array =>
    writeStatus(known.has(service) ? serving : servingStatus.SERVICE_UNKNOWN);
  return {
    handlers: {
      Check(call, service) {
        if (known.has(service)) call.tell(statusOf(service));
        // The code is fixed by the service's own definition; a task has nothing to do with it.
        else call.fail(new A2AError('agentNotFound', 'Unknown service'));
      },
      List(call) {
        call.tell(writeStatuses(known, serving));
      },
      Watch(call, service) {
        if (watchers.size >= maxWatchers) {
          call.fail(new A2AError('tooManyRequests', 'Too many watchers'));
          return;
        }
        call.watch(statusOf(service));
        if (serving !== servingStatus.SERVING) {
          call.stop();
          return;
        }
        watchers.set(call, service);
        call.whenLeft = () => watchers.delete(call);
      },
    },
    announceShutdown() {
      serving = servingStatus.NOT_SERVING;
      for (const [call, service] of watchers) {
        call.watch(statusOf(service));
        call.stop();
      }
      watchers.clear();
    },
  };
}

/** One call of the health service. */
export class HealthCall extends GrpcStream {
  whenLeft: (() => void) | undefined;
  readonly #handler: Handler;
  readonly #left: Left;
  #service: string | undefined;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    connection: Http2Connection,
    handler: Handler,
    left: Left,
  ) {
    super(stream, headers, connection, maxRequest);
    this.#handler = handler;
    this.#left = left;
  }

  start(): void {
    this.read();
  }

  /** The one answer. */
  tell(message: Uint8Array): void {
    this.answer(message, {});
  }

  /** One of several. */
  watch(message: Uint8Array): void {
    this.begin({});
    this.send(message);
  }

  stop(): void {
    this.end();
  }

  protected received(message: Buffer): void {
    try {
      this.#service = readService(message);
    } catch (error) {
      this.fail(new A2AError('parse', 'Invalid protobuf message', { cause: error }));
    }
  }

  protected halfClosed(): void {
    if (this.#service === undefined) this.fail(new A2AError('invalidRequest', 'The call has no request message'));
    else this.#handler(this, this.#service);
  }

  protected aborted(): void {
    this.whenLeft?.();
  }

  protected left(): void {
    this.#left(this);
    this.whenLeft?.();
  }

  protected errorHeaders(): Record<string, string> {
    return {};
  }
}

/** HealthCheckRequest.service. */
function readService(bytes: Uint8Array): string {
  const reader = new BinaryReader(bytes);
  let service = '';
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1 && type === 2) service = reader.string();
    else reader.skip(type);
  }
  return service;
}

/** HealthCheckResponse. */
const writeStatus = (value: number): Uint8Array => new BinaryWriter().uint32(8).int32(value).finish();

/** HealthListResponse: a map from service to HealthCheckResponse. */
function writeStatuses(services: Iterable<string>, value: number): Uint8Array {
  const writer = new BinaryWriter();
  for (const service of services) {
    writer.uint32(10).fork().uint32(10).string(service).uint32(18).bytes(writeStatus(value)).join();
  }
  return writer.finish();
}
