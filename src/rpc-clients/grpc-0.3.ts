/** `a2a-gateway/grpc/v0.3`: the same as `a2a-gateway/grpc`, for agents that speak A2A 0.3. */

import type { Client } from '@grpc/grpc-js';
import { fields, type Rpcs, rpcs } from '../gen/clients/v0_3/service.ts';
import { clientClass, type Handlers, type Methods, serviceOf } from './grpc-service.ts';

export type * from '../gen/clients/v0_3/grpc.ts';
export * from './grpc-calls.ts';
export type { StreamingMethod, UnaryMethod } from './grpc-service.ts';

export const A2AServiceService = serviceOf<Rpcs>(fields, rpcs);
export type A2AServiceService = typeof A2AServiceService;

/** What a server has to have, for `server.addService(A2AServiceService, …)`. */
export type A2AServiceServer = Handlers<Rpcs>;

export interface A2AServiceClient extends Client, Methods<Rpcs> {}
export const A2AServiceClient = clientClass<A2AServiceClient, Rpcs>(A2AServiceService, 'a2a.v1.A2AService');
