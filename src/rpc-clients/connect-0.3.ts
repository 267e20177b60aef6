/** `a2a-gateway/connect/v0.3`: the same as `a2a-gateway/connect`, for agents that speak A2A 0.3. */

export * from '../gen/clients/v0_3/connect.ts';
export * from './connect-calls.ts';
