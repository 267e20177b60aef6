import { isObject } from '../../../core/model/json.ts';
import { api } from '../../../gen/a2a-v0_3/index.ts';
import { losses as shapeLosses } from '../../../gen/dialects/a2a-0.3-protobuf.ts';
import type { HttpRule } from '../../../gen/operations.ts';
import type { Losses } from '../../kernel/codec.ts';
import type { GrpcBinding, Method, RestBinding, RestRoute } from '../../kernel/wire.ts';
import { grpcError, grpcKind, restError } from './errors.ts';
import { tables } from './mapping.ts';
import { methods } from './methods.ts';

/** Losses of the protobuf shapes. */
const losses: Losses = { ...shapeLosses, error: [] };

/** A2A 0.3 over gRPC. */
export const grpc: GrpcBinding = {
  service: api.service,
  api,
  methods,
  tables,
  losses,
  encodeError: grpcError,
  kindOf: grpcKind,
};

/** Statuses of responses of the JavaScript server 0.3.13; 200 otherwise. */
const statuses: Readonly<Record<string, number>> = {
  SendMessage: 201,
  CancelTask: 202,
  CreateTaskPushNotificationConfig: 201,
  DeleteTaskPushNotificationConfig: 204,
};

const createName = 'CreateTaskPushNotificationConfig';

/**
 * Rule with the whole request as the body. In the proto, the body of this request is its `config`. The servers of 0.3
 * and the clients in Python have the whole request there instead; the client in JavaScript writes the `config` alone.
 */
const wholeBody = (rule: HttpRule): HttpRule => ({ ...rule, body: '*' });

/** Returns the whole request, whether its body was the request, its `config`, or only the configuration in it. */
function wholeRequest(wire: unknown): unknown {
  if (!isObject(wire) || isObject(wire.config)) return wire;
  const { parent, configId, config_id: configIdAlias, ...config } = wire;
  const isConfig = isObject(config.pushNotificationConfig) || isObject(config.push_notification_config);
  if (!isConfig && config.url === undefined) return wire;
  const id = configId ?? configIdAlias;
  return {
    parent,
    ...(id !== undefined && { configId: id }),
    config: isConfig ? config : { pushNotificationConfig: config },
  };
}

const create = methods.get(createName) as Method;
const createOverHttp: Method = {
  ...create,
  request: { ...create.request, decode: (wire, cx) => create.request.decode(wholeRequest(wire), cx) },
};

const routes = api.operations.flatMap(({ rpc, http, request: requestType }): RestRoute[] => {
  const method = rpc === createName ? createOverHttp : (methods.get(rpc) as Method);
  const status = statuses[rpc];
  return http.map((rule) => ({
    rule: rpc === createName ? wholeBody(rule) : rule,
    method,
    requestType,
    ...(status !== undefined && { status }),
    // The server in JavaScript reads the task from the body.
    ...(rpc === createName && { repeatsPath: true }),
  }));
});

/** A2A 0.3 over HTTP+JSON. */
export const rest: RestBinding = { routes, api, losses, tables, mediaType: 'application/json', error: restError };
