import { timestamp } from '../../core/model/agent-events.ts';
import type { RuleDecision } from '../../core/model/call-decisions.ts';
import { defined } from '../../core/model/json.ts';
import { withoutControls } from '../../core/model/text.ts';
import type { CallLog, CallRecord } from '../../core/telemetry/call-log.ts';
import type { CallOutcome, CallSummary, ListCallsRequest } from '../../gen/admin-v1/types.ts';
import type { CallPosition } from '../requests.ts';
import { isRefused, isSlow } from './model.ts';

/** Filter of calls. '' and false count as absent. */
export type CallFilter = Omit<ListCallsRequest, 'after' | 'before' | 'pageSize' | 'pageToken'>;

export interface FoundCall extends CallPosition {
  readonly call: CallSummary;
}

/** Returns the id of a call of this replica. */
export const idOf = ({ instance }: CallLog, { seq }: Pick<CallRecord, 'seq'>): string => `${instance}-${seq}`;

/** Returns the id of the replica's run that received a call, from the id of the call. */
export const instanceIn = (id: string): string => id.slice(0, id.indexOf('-'));

export const equalFields = ['agent', 'principal', 'operation', 'dialect', 'binding', 'error'] as const;
const searched = ['reason', 'principal', 'address', 'agent', 'operation', 'taskId', 'requestId', 'traceId'] as const;

/** @param slow milliseconds */
export function matches(record: CallRecord, filter: CallFilter, slow: number): boolean {
  for (const name of equalFields) if (filter[name] && filter[name] !== record[name]) return false;
  const { failed, outcome, taskId, requestId, text } = filter;
  if (isOfDecisions(filter) && !(record.decisions ?? []).some((one) => isDecision(one, filter))) return false;
  if (failed && record.error === undefined) return false;
  if (outcome && !outcomes[outcome](record, slow)) return false;
  if (taskId && taskId !== record.taskId && taskId !== record.taskKey) return false;
  if (requestId && requestId !== record.requestId && requestId !== record.traceId) return false;
  const wanted = text?.toLowerCase();
  return !wanted || searched.some((name) => record[name]?.toLowerCase().includes(wanted));
}

/** Whether a filter selects calls by decisions of rules. */
export const isOfDecisions = ({ decided, rule, decision }: CallFilter): boolean => Boolean(decided || rule || decision);

const isDecision = ({ rule, outcome }: RuleDecision, wanted: CallFilter): boolean =>
  (!wanted.rule || wanted.rule === rule) && (!wanted.decision || wanted.decision === outcome);

const outcomes: Readonly<Record<CallOutcome, (record: CallRecord, slow: number) => boolean>> = {
  CALL_OUTCOME_UNSPECIFIED: () => true,
  CALL_OUTCOME_FAILED: (record) => record.error !== undefined && !isRefused(record),
  CALL_OUTCOME_REFUSED: isRefused,
  CALL_OUTCOME_SLOW: isSlow,
};

/** Whether a filter selects only calls with an error, which replicas remember for longer. */
export const isOfErrors = ({ failed, error, outcome }: CallFilter): boolean =>
  Boolean(failed || error) || outcome === 'CALL_OUTCOME_FAILED' || outcome === 'CALL_OUTCOME_REFUSED';

/** Whether the store keeps all calls that a filter selects. Of calls that rules decided about, it keeps a selection for each caller. */
export const isOfKept = (filter: CallFilter): boolean => isOfErrors(filter) || filter.outcome === 'CALL_OUTCOME_SLOW';

/** Returns a record as it is shown and stored. The message of a refused request stays, since the gateway itself wrote it. */
export function readable(record: CallRecord, hides: boolean): CallRecord {
  if (!hides || record.ms === undefined) return record;
  const { reason: _, decisions, ...others } = record;
  const withoutWords = decisions?.map(({ reason: words, ...decision }) => decision);
  return { reason: undefined, ...others, ...(withoutWords && { decisions: withoutWords }) };
}

const shownDecision = ({ reason, ...decision }: RuleDecision): RuleDecision => ({
  ...decision,
  ...(reason !== undefined && { reason: oneLine(reason) }),
});

const oneLine = (text: string): string => withoutControls(text.replace(/\s/g, ' '));

export function foundCall(id: string, record: CallRecord): FoundCall {
  const { seq: _, at, ms, lossPaths, reason, decisions, ...rest } = record;
  const call = {
    id,
    time: timestamp(at),
    lossPaths: [...lossPaths],
    ...(decisions && decisions.length > 0 && { decisions: decisions.map(shownDecision) }),
    ...(reason !== undefined && { reason: oneLine(reason) }),
    ...defined({ ...rest, durationMs: ms === undefined ? undefined : Math.round(ms * 1_000) / 1_000 }),
  };
  return { at, id, call: call as CallSummary };
}
