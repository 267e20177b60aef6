/**
 * `a2a-gateway/grpc`: typed clients of agents that speak A2A 1.0, for `@grpc/grpc-js`, which the program installs itself.
 *
 * ```ts
 * const client = new A2AServiceClient('localhost:8080', credentials.createInsecure());
 * const { response } = await unary(client, 'getTask', { id });
 * for await (const event of stream(client, 'sendStreamingMessage', { message })) console.log(event);
 * ```
 */

import type { Client } from '@grpc/grpc-js';
import { fields, type Rpcs, rpcs } from '../gen/clients/v1/service.ts';
import { clientClass, type Handlers, type Methods, serviceOf } from './grpc-service.ts';

export type * from '../gen/clients/v1/grpc.ts';
export * from './grpc-calls.ts';
export type { StreamingMethod, UnaryMethod } from './grpc-service.ts';

export const A2AServiceService = serviceOf<Rpcs>(fields, rpcs);
export type A2AServiceService = typeof A2AServiceService;

/** What a server has to have, for `server.addService(A2AServiceService, …)`. */
export type A2AServiceServer = Handlers<Rpcs>;

export interface A2AServiceClient extends Client, Methods<Rpcs> {}
export const A2AServiceClient = clientClass<A2AServiceClient, Rpcs>(A2AServiceService, 'lf.a2a.v1.A2AService');
