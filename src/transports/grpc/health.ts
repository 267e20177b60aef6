import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  status,
} from '@grpc/grpc-js';
import { definitionOf } from './definition.ts';

/** The health service of gRPC (grpc.health.v1), which load balancers and orchestrators ask. */

/** As grpc.health.v1.HealthCheckResponse.ServingStatus numbers them. */
const servingStatus = { SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } as const;

/** Callers need no credentials, so that they are few. */
const maxWatchers = 100;

/** An object, since grpc-js takes a request that is '' for none. */
export interface HealthRequest {
  readonly service: string;
}

export interface HealthService {
  readonly definition: ServiceDefinition;
  readonly handlers: {
    readonly Check: handleUnaryCall<HealthRequest, Uint8Array>;
    readonly List: handleUnaryCall<HealthRequest, Uint8Array>;
    readonly Watch: handleServerStreamingCall<HealthRequest, Uint8Array>;
  };
  /** Everything is NOT_SERVING from now on; watchers are told, and let go. */
  retire(): void;
}

/** @param services full names of those that are served; '' stands for the server as a whole */
export function createHealthService(services: Iterable<string>): HealthService {
  const known = new Set(['', ...services]);
  const watchers = new Set<ServerWritableStream<HealthRequest, Uint8Array>>();
  let serving: number = servingStatus.SERVING;
  const statusOf = (service: string): number => (known.has(service) ? serving : servingStatus.SERVICE_UNKNOWN);
  return {
    definition: definitionOf('grpc.health.v1.Health', ['Check', 'List', 'Watch'], {
      decode: readRequest,
      responseStream: (rpc) => rpc === 'Watch',
    }),
    handlers: {
      Check(call, respond) {
        const { service } = call.request;
        if (known.has(service)) respond(null, writeStatus(serving));
        else respond({ code: status.NOT_FOUND, details: 'Unknown service' });
      },
      List(_call, respond) {
        respond(null, writeStatuses(known, serving));
      },
      Watch(call) {
        if (watchers.size >= maxWatchers) {
          call.emit('error', { code: status.RESOURCE_EXHAUSTED, details: 'Too many watchers' });
          return;
        }
        call.write(writeStatus(statusOf(call.request.service)));
        if (serving !== servingStatus.SERVING) {
          call.end();
          return;
        }
        watchers.add(call);
        call.once('close', () => watchers.delete(call));
      },
    },
    retire() {
      serving = servingStatus.NOT_SERVING;
      for (const watcher of watchers) {
        watcher.write(writeStatus(statusOf(watcher.request.service)));
        watcher.end();
      }
      watchers.clear();
    },
  };
}

/** HealthCheckRequest. */
function readRequest(bytes: Uint8Array): HealthRequest {
  const reader = new BinaryReader(bytes);
  let service = '';
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1 && type === 2) service = reader.string();
    else reader.skip(type);
  }
  return { service };
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
