import type * as api from '../../../gen/admin-v1/types.ts';

/** A message whose numbers are numbers: ProtoJSON could also write what is not finite, which the gateway never sends. */
export type Finite<T> = 'NaN' extends T
  ? Exclude<T, 'NaN' | 'Infinity' | '-Infinity'>
  : T extends object
    ? { [K in keyof T]: Finite<T[K]> }
    : T;

export type AgentDetails = Finite<api.AgentDetails>;
export type AgentStatus = Finite<api.AgentStatus>;
export type CallerStatus = Finite<api.CallerStatus>;
export type ListCallersResponse = Finite<api.ListCallersResponse>;
export type ListLossesResponse = Finite<api.ListLossesResponse>;
export type LossCount = Finite<api.LossCount>;
