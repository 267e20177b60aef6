import { fields } from '../../../gen/admin-v1/fields.ts';
import { type OperationTypes, operations } from '../../../gen/admin-v1/operations.ts';
import type * as api from '../../../gen/admin-v1/types.ts';
import { createService, type Finite } from './service.ts';

export type * from '../../../gen/admin-v1/types.ts';

/** The admin service of the gateway. */
export const admin = createService<OperationTypes>(operations, fields);

export type AgentDetails = Finite<api.AgentDetails>;
export type AgentStatus = Finite<api.AgentStatus>;
export type Question = Finite<api.Question>;
export type CallerStatus = Finite<api.CallerStatus>;
export type ListNumbersResponse = Finite<api.ListNumbersResponse>;
export type NumberGroup = Finite<api.NumberGroup>;
export type Numbers = Finite<api.Numbers>;
export type LeftOutCalls = Finite<api.LeftOutCalls>;
export type RegisteredAgent = Finite<api.RegisteredAgent>;
export type CardRevision = Finite<api.CardRevision>;
export type LossCount = Finite<api.LossCount>;
export type GenerationSummary = Finite<api.GenerationSummary>;
export type GenerationUse = Finite<api.GenerationUse>;
