import { isObject } from '../../../core/model/json.ts';
import { api } from '../../../gen/a2a-v0_3/index.ts';
import { losses as shapeLosses } from '../../../gen/dialects/a2a-0.3-protobuf.ts';
import type { HttpRule } from '../../../gen/operations.ts';
import type { Losses } from '../../kernel/codec.ts';
import type { GrpcBinding, Method, RestBinding, RestRoute } from '../../kernel/wire.ts';
import { grpcError, grpcKind, restError } from './errors.ts';
import { methods } from './methods.ts';

/** What the protobuf shapes of A2A 0.3 have no place for. */
const losses: Losses = { ...shapeLosses, error: [] };

/** A2A 0.3 over gRPC. */
export const grpc: GrpcBinding = {
  service: api.service,
  api,
  methods,
  losses,
  encodeError: grpcError,
  kindOf: grpcKind,
};

/** Statuses of answers as the JavaScript server of 0.3.13 has them; 200 otherwise. */
const statuses: Readonly<Record<string, number>> = {
  SendMessage: 201,
  CancelTask: 202,
  CreateTaskPushNotificationConfig: 201,
  DeleteTaskPushNotificationConfig: 204,
};

const createName = 'CreateTaskPushNotificationConfig';

/**
 * The proto says that the body of this request is its `config`. The servers of 0.3 want the whole request in it instead,
 * and so write the clients in Python, while the client in JavaScript writes the `config` alone.
 */
const wholeBody = (rule: HttpRule): HttpRule => ({ ...rule, body: '*' });

/** A request to create a push configuration, whichever of these its body was, or nothing but the configuration itself. */
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
    // The server in JavaScript reads the task from there.
    ...(rpc === createName && { repeatsPath: true }),
  }));
});

/** A2A 0.3 over HTTP+JSON. */
export const rest: RestBinding = { routes, api, losses, mediaType: 'application/json', error: restError };
