/** `a2a-gateway/grpc/v0.3`: the same as `a2a-gateway/grpc`, for agents that speak A2A 0.3. */

export * from '../gen/clients/v0_3/grpc.ts';
export * from './grpc-calls.ts';
