import { timestamp } from '../../core/model/agent-events.ts';
import { defined } from '../../core/model/json.ts';
import { withoutControls } from '../../core/model/text.ts';
import type { CallLog, CallRecord } from '../../core/telemetry/call-log.ts';
import type { CallOutcome, CallSummary, ListCallsRequest } from '../../gen/admin-v1/types.ts';
import type { CallPosition } from '../requests.ts';
import { isSlow } from './model.ts';

/** Filter of calls. '' and false count as absent. */
export type CallFilter = Omit<ListCallsRequest, 'after' | 'before' | 'pageSize' | 'pageToken'>;

export interface FoundCall extends CallPosition {
  readonly call: CallSummary;
}

/** The id of a call of this replica. */
export const idOf = ({ instance }: CallLog, { seq }: Pick<CallRecord, 'seq'>): string => `${instance}-${seq}`;

/** The run of a replica that a call came to, by the id of the call. */
export const instanceIn = (id: string): string => id.slice(0, id.indexOf('-'));

export const equalFields = ['agent', 'principal', 'operation', 'dialect', 'binding', 'error'] as const;
const searched = ['reason', 'principal', 'address', 'agent', 'operation', 'taskId', 'requestId', 'traceId'] as const;

/** @param slow milliseconds */
export function matches(record: CallRecord, filter: CallFilter, slow: number): boolean {
  for (const name of equalFields) if (filter[name] && filter[name] !== record[name]) return false;
  const { failed, outcome, taskId, requestId, text } = filter;
  if (failed && record.error === undefined) return false;
  if (outcome && !outcomes[outcome](record, slow)) return false;
  if (taskId && taskId !== record.taskId && taskId !== record.taskKey) return false;
  if (requestId && requestId !== record.requestId && requestId !== record.traceId) return false;
  const wanted = text?.toLowerCase();
  return !wanted || searched.some((name) => record[name]?.toLowerCase().includes(wanted));
}

const outcomes: Readonly<Record<CallOutcome, (record: CallRecord, slow: number) => boolean>> = {
  CALL_OUTCOME_UNSPECIFIED: () => true,
  CALL_OUTCOME_FAILED: ({ ms, error }) => ms !== undefined && error !== undefined,
  CALL_OUTCOME_REFUSED: ({ ms }) => ms === undefined,
  CALL_OUTCOME_SLOW: isSlow,
};

/** Whether a filter selects only calls with an error, which replicas remember for longer. */
export const isOfErrors = ({ failed, error, outcome }: CallFilter): boolean =>
  Boolean(failed || error) || outcome === 'CALL_OUTCOME_FAILED' || outcome === 'CALL_OUTCOME_REFUSED';

/** Whether the store keeps all calls that a filter selects. */
export const isOfKept = (filter: CallFilter): boolean => isOfErrors(filter) || filter.outcome === 'CALL_OUTCOME_SLOW';

/** A record as readers may see it, and as it is stored. Requests that became no call were refused in the gateway's own words. */
export function readable(record: CallRecord, hides: boolean): CallRecord {
  if (!hides || record.ms === undefined) return record;
  const { reason: _, ...others } = record;
  return { reason: undefined, ...others };
}

export function foundCall(id: string, record: CallRecord): FoundCall {
  const { seq: _, at, ms, lossPaths, reason, ...rest } = record;
  const call = {
    id,
    time: timestamp(at),
    lossPaths: [...lossPaths],
    ...(reason !== undefined && { reason: withoutControls(reason.replace(/\s/g, ' ')) }),
    ...defined({ ...rest, durationMs: ms === undefined ? undefined : Math.round(ms * 1_000) / 1_000 }),
  };
  return { at, id, call: call as CallSummary };
}
