/**
 * `a2a-gateway/grpc/v0.3`: typed clients of agents that speak A2A 0.3, for `@grpc/grpc-js`. Functions are those of
 * `a2a-gateway/grpc`; messages are those of 0.3.
 *
 * ```ts
 * import { credentials } from '@grpc/grpc-js';
 * import { A2AServiceClient, stream } from 'a2a-gateway/grpc/v0.3';
 *
 * const client = new A2AServiceClient('localhost:8080', credentials.createInsecure());
 * const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, content: [{ text: 'hello' }] };
 * for await (const event of stream(client, 'sendStreamingMessage', { message })) console.log(event);
 * client.close();
 * ```
 */

import type { Client } from '@grpc/grpc-js';
import { fields, type Rpcs, rpcs } from '../gen/clients/v0_3/service.ts';
import { clientClass, type Handlers, type Methods, serviceOf } from './grpc-service.ts';

export type * from '../gen/clients/v0_3/grpc.ts';
export * from './grpc-calls.ts';
export type { StreamingMethod, UnaryMethod } from './grpc-service.ts';

/**
 * Definition of the service, for a server of `@grpc/grpc-js`.
 *
 * ```ts
 * import { Server, ServerCredentials } from '@grpc/grpc-js';
 * import { A2AServiceService, type A2AServiceServer } from 'a2a-gateway/grpc/v0.3';
 *
 * const getTask: A2AServiceServer['getTask'] = ({ request }, answer) => answer(null, { id: request.name });
 * const server = new Server();
 * server.addService(A2AServiceService, { getTask });
 * server.bindAsync('localhost:50051', ServerCredentials.createInsecure(), () => undefined);
 * ```
 */
export const A2AServiceService = serviceOf<Rpcs>(fields, rpcs);
export type A2AServiceService = typeof A2AServiceService;

/** Handlers that a server needs, for `server.addService(A2AServiceService, …)`. */
export type A2AServiceServer = Handlers<Rpcs>;

/**
 * Client of the service.
 *
 * ```ts
 * import { credentials } from '@grpc/grpc-js';
 * import { A2AServiceClient, unary } from 'a2a-gateway/grpc/v0.3';
 *
 * const client = new A2AServiceClient('localhost:8080', credentials.createInsecure());
 * const { response } = await unary(client, 'getTask', { name: 'tasks/task-1' }, { timeout: 5_000 });
 * console.log(response.status?.state);
 * ```
 */
export interface A2AServiceClient extends Client, Methods<Rpcs> {}
export const A2AServiceClient = clientClass<A2AServiceClient, Rpcs>(A2AServiceService, 'a2a.v1.A2AService');
