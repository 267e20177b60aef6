/**
 * `a2a-gateway/grpc`: typed clients of agents that speak A2A 1.0, for `@grpc/grpc-js`, which the program installs itself.
 *
 * ```ts
 * const client = new A2AServiceClient('localhost:8080', credentials.createInsecure());
 * const { response } = await unary(client, 'getTask', { id });
 * for await (const event of stream(client, 'sendStreamingMessage', { message })) console.log(event);
 * ```
 */

export * from '../gen/clients/v1/grpc.ts';
export * from './grpc-calls.ts';
