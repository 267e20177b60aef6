import { A2AError } from '../../core/model/errors.ts';
import { fields } from '../../gen/grpc/fields.ts';
import { decode, encode } from '../../wire/protobuf.ts';
import { GrpcStream, type IncomingCall } from './grpc-stream.ts';

/** gRPC's health service (grpc.health.v1), which load balancers and orchestrators call. */

export const healthService = 'grpc.health.v1.Health';

/** Largest number of watchers. It is low, because callers need no credentials. */
const maxWatchers = 100;
/** Bytes of a request, which contains one service name. */
const maxRequest = 4096;

type ServingStatus = 'SERVING' | 'NOT_SERVING' | 'SERVICE_UNKNOWN';

type HealthHandler = (call: HealthCall, service: string) => void;

/** @param services full names of the services that are served. '' means the server as a whole */
export function createHealth(services: readonly string[]) {
  const known = ['', ...services];
  const watchers = new Map<HealthCall, string>();
  let serving: ServingStatus = 'SERVING';
  const responseFor = (service: string): { status: ServingStatus } => ({
    status: known.includes(service) ? serving : 'SERVICE_UNKNOWN',
  });
  const encodeStatus = (service: string): Uint8Array =>
    encode({ fields }, 'grpc.health.v1.HealthCheckResponse', responseFor(service));
  const handlers: Readonly<Record<string, HealthHandler>> = {
    Check(call, service) {
      if (known.includes(service)) call.answer(encodeStatus(service), []);
      // The protocol prescribes NOT_FOUND, which is this error's gRPC status.
      else call.fail(new A2AError('agentNotFound', 'Unknown service'));
    },
    List(call) {
      const statuses = Object.fromEntries(known.map((service) => [service, responseFor(service)]));
      call.answer(encode({ fields }, 'grpc.health.v1.HealthListResponse', { statuses }), []);
    },
    Watch(call, service) {
      if (watchers.size >= maxWatchers) {
        call.fail(new A2AError('tooManyRequests', 'Too many watchers'));
        return;
      }
      call.begin([]);
      call.send(encodeStatus(service));
      if (serving !== 'SERVING') {
        call.end();
        return;
      }
      watchers.set(call, service);
      call.onEnd = () => watchers.delete(call);
    },
  };
  return {
    /** Handlers by rpc. */
    handlers,
    /** Sets every service to NOT_SERVING. Watchers receive this state, and their streams end. */
    announceShutdown(): void {
      serving = 'NOT_SERVING';
      for (const [call, service] of watchers) {
        call.send(encodeStatus(service));
        call.end();
      }
      watchers.clear();
    },
  };
}

export class HealthCall extends GrpcStream {
  onEnd: (() => void) | undefined;
  readonly #handler: HealthHandler;
  #service: string | undefined;

  constructor(incoming: IncomingCall, handler: HealthHandler) {
    super(incoming, maxRequest);
    this.#handler = handler;
  }

  start(): void {
    this.read();
  }

  protected received(message: Buffer): undefined {
    try {
      const { service } = decode<{ service?: string }>({ fields }, 'grpc.health.v1.HealthCheckRequest', message);
      this.#service = service ?? '';
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  protected halfClosed(): void {
    if (this.#service === undefined) this.fail(new A2AError('invalidRequest', 'The call has no request message'));
    else this.#handler(this, this.#service);
  }

  protected override closed(): void {
    this.onEnd?.();
  }
}
