// Generated from proto/a2agateway/admin/v1/admin.proto by `npm run generate`. Do not edit.

import type { Guard } from '../api.ts';
import * as g from '../checks.ts';

type Fields = Readonly<Record<string, unknown>>;

const namesAgentMode = new Set<unknown>(['AGENT_MODE_UNSPECIFIED', 'AGENT_MODE_ENABLED', 'AGENT_MODE_DRAINING', 'AGENT_MODE_DISABLED']);
export const isAgentMode = (value: unknown): boolean => namesAgentMode.has(value);
const namesTaskGrouping = new Set<unknown>(['TASK_GROUPING_UNSPECIFIED', 'TASK_GROUPING_REASON', 'TASK_GROUPING_CONTEXT']);
export const isTaskGrouping = (value: unknown): boolean => namesTaskGrouping.has(value);
const namesCallOutcome = new Set<unknown>(['CALL_OUTCOME_UNSPECIFIED', 'CALL_OUTCOME_FAILED', 'CALL_OUTCOME_REFUSED', 'CALL_OUTCOME_SLOW']);
export const isCallOutcome = (value: unknown): boolean => namesCallOutcome.has(value);
const namesNumberGrouping = new Set<unknown>(['NUMBER_GROUPING_UNSPECIFIED', 'NUMBER_GROUPING_AGENT', 'NUMBER_GROUPING_PRINCIPAL', 'NUMBER_GROUPING_DIALECT']);
export const isNumberGrouping = (value: unknown): boolean => namesNumberGrouping.has(value);
const namesRevisionState = new Set<unknown>(['REVISION_STATE_UNSPECIFIED', 'REVISION_STATE_WAITING', 'REVISION_STATE_APPROVED', 'REVISION_STATE_FORMER', 'REVISION_STATE_REFUSED']);
export const isRevisionState = (value: unknown): boolean => namesRevisionState.has(value);

export function isAgentStatus(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.name === 'string' && v.name !== '')) return false;
  if (v.title !== undefined && !(typeof v.title === 'string')) return false;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  if (v.kind !== undefined && !(typeof v.kind === 'string')) return false;
  if (v.mode !== undefined && !(namesAgentMode.has(v.mode))) return false;
  if (v.modeChangedAt !== undefined && !(g.isTimestamp(v.modeChangedAt))) return false;
  if (v.modeChangedBy !== undefined && !(typeof v.modeChangedBy === 'string')) return false;
  if (v.state !== undefined && !(typeof v.state === 'string')) return false;
  if (v.reason !== undefined && !(typeof v.reason === 'string')) return false;
  if (v.url !== undefined && !(typeof v.url === 'string')) return false;
  if (v.dialect !== undefined && !(typeof v.dialect === 'string')) return false;
  if (v.binding !== undefined && !(typeof v.binding === 'string')) return false;
  if (v.breaker !== undefined && !(typeof v.breaker === 'string')) return false;
  if (v.calls !== undefined && !(g.isDouble(v.calls))) return false;
  if (v.failedCalls !== undefined && !(g.isDouble(v.failedCalls))) return false;
  if (v.latencyMedianMs !== undefined && !(g.isDouble(v.latencyMedianMs))) return false;
  if (v.latencyP95Ms !== undefined && !(g.isDouble(v.latencyP95Ms))) return false;
  if (v.cardReadAt !== undefined && !(g.isTimestamp(v.cardReadAt))) return false;
  if (v.liveTasks !== undefined && !(g.isUint32(v.liveTasks))) return false;
  if (v.knowledge !== undefined && !(typeof v.knowledge === 'boolean')) return false;
  if (v.isDefault !== undefined && !(typeof v.isDefault === 'boolean')) return false;
  if (v.queryLanguages !== undefined && !(g.isList(v.queryLanguages, g.isString))) return false;
  if (v.lastHour !== undefined && !(isAgentActivity(v.lastHour))) return false;
  return true;
}

export function isAgentActivity(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.tasksEnded !== undefined && !(g.isDouble(v.tasksEnded))) return false;
  if (v.tasksFailed !== undefined && !(g.isDouble(v.tasksFailed))) return false;
  if (v.calls !== undefined && !(g.isDouble(v.calls))) return false;
  if (v.failedCalls !== undefined && !(g.isDouble(v.failedCalls))) return false;
  if (v.latencyP95Ms !== undefined && !(g.isDouble(v.latencyP95Ms))) return false;
  return true;
}

export function isListAgentsRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  return true;
}

export function isListAgentsResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.agents !== undefined && !(g.isList(v.agents, isAgentStatus))) return false;
  if (v.missingReplicas !== undefined && !(g.isList(v.missingReplicas, g.isString))) return false;
  if (v.completeSince !== undefined && !(g.isTimestamp(v.completeSince))) return false;
  return true;
}

export function isGetAgentRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.name === 'string' && v.name !== '')) return false;
  return true;
}

export function isAgentDetails(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(isAgentStatus(v.status))) return false;
  if (v.cards !== undefined && !(g.isList(v.cards, isDialectCard))) return false;
  if (v.upstreamCard !== undefined && !(g.isObject(v.upstreamCard))) return false;
  if (v.upstreamSignature !== undefined && !(isCardSignature(v.upstreamSignature))) return false;
  if (v.findings !== undefined && !(g.isList(v.findings, isCardFinding))) return false;
  if (v.copies !== undefined && !(g.isList(v.copies, isAgentCopy))) return false;
  return true;
}

export function isAgentCopy(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.url === 'string' && v.url !== '')) return false;
  if (v.state !== undefined && !(typeof v.state === 'string')) return false;
  if (v.reason !== undefined && !(typeof v.reason === 'string')) return false;
  if (v.breaker !== undefined && !(typeof v.breaker === 'string')) return false;
  if (v.outstanding !== undefined && !(g.isUint32(v.outstanding))) return false;
  if (v.leftOut !== undefined && !(typeof v.leftOut === 'boolean')) return false;
  return true;
}

export function isDialectCard(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.dialect === 'string' && v.dialect !== '')) return false;
  if (v.path !== undefined && !(typeof v.path === 'string')) return false;
  if (v.card !== undefined && !(g.isObject(v.card))) return false;
  if (v.bytes !== undefined && !(g.isDouble(v.bytes))) return false;
  if (v.signature !== undefined && !(isCardSignature(v.signature))) return false;
  return true;
}

export function isCardSignature(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.verdict === 'string' && v.verdict !== '')) return false;
  if (v.keyIds !== undefined && !(g.isList(v.keyIds, g.isString))) return false;
  if (v.reason !== undefined && !(typeof v.reason === 'string')) return false;
  return true;
}

export function isCardFinding(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.severity === 'string' && v.severity !== '')) return false;
  if (v.dialect !== undefined && !(typeof v.dialect === 'string')) return false;
  if (v.field !== undefined && !(typeof v.field === 'string')) return false;
  if (!(typeof v.message === 'string' && v.message !== '')) return false;
  if (v.section !== undefined && !(typeof v.section === 'string')) return false;
  return true;
}

export function isSetAgentModeRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.name === 'string' && v.name !== '')) return false;
  if (!(namesAgentMode.has(v.mode) && v.mode !== 'AGENT_MODE_UNSPECIFIED')) return false;
  return true;
}

export function isFindTasksRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  if (v.principal !== undefined && !(typeof v.principal === 'string')) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string')) return false;
  if (v.id !== undefined && !(typeof v.id === 'string')) return false;
  if (v.states !== undefined && !(g.isList(v.states, g.isString))) return false;
  if (v.changedAfter !== undefined && !(g.isTimestamp(v.changedAfter))) return false;
  if (v.changedBefore !== undefined && !(g.isTimestamp(v.changedBefore))) return false;
  if (v.pageSize !== undefined && !(g.isUint32(v.pageSize))) return false;
  if (v.pageToken !== undefined && !(typeof v.pageToken === 'string')) return false;
  if (v.parents !== undefined && !(g.isList(v.parents, g.isString))) return false;
  if (v.text !== undefined && !(typeof v.text === 'string')) return false;
  if (v.dialect !== undefined && !(typeof v.dialect === 'string')) return false;
  if (v.binding !== undefined && !(typeof v.binding === 'string')) return false;
  if (v.root !== undefined && !(typeof v.root === 'string')) return false;
  if (v.gateways !== undefined && !(typeof v.gateways === 'boolean')) return false;
  if (v.reason !== undefined && !(typeof v.reason === 'string')) return false;
  return true;
}

export function isFindTasksResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.tasks !== undefined && !(g.isList(v.tasks, isTaskSummary))) return false;
  if (v.nextPageToken !== undefined && !(typeof v.nextPageToken === 'string')) return false;
  if (v.missing !== undefined && !(g.isList(v.missing, g.isString))) return false;
  return true;
}

export function isGroupTasksRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  if (v.principal !== undefined && !(typeof v.principal === 'string')) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string')) return false;
  if (v.id !== undefined && !(typeof v.id === 'string')) return false;
  if (v.states !== undefined && !(g.isList(v.states, g.isString))) return false;
  if (v.changedAfter !== undefined && !(g.isTimestamp(v.changedAfter))) return false;
  if (v.changedBefore !== undefined && !(g.isTimestamp(v.changedBefore))) return false;
  if (v.parents !== undefined && !(g.isList(v.parents, g.isString))) return false;
  if (v.text !== undefined && !(typeof v.text === 'string')) return false;
  if (v.dialect !== undefined && !(typeof v.dialect === 'string')) return false;
  if (v.binding !== undefined && !(typeof v.binding === 'string')) return false;
  if (v.by !== undefined && !(namesTaskGrouping.has(v.by))) return false;
  if (v.pageToken !== undefined && !(typeof v.pageToken === 'string')) return false;
  if (v.reason !== undefined && !(typeof v.reason === 'string')) return false;
  if (v.totals !== undefined && !(typeof v.totals === 'boolean')) return false;
  return true;
}

export function isGroupTasksResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.groups !== undefined && !(g.isList(v.groups, isTaskGroup))) return false;
  if (v.tasks !== undefined && !(g.isUint32(v.tasks))) return false;
  if (v.complete !== undefined && !(typeof v.complete === 'boolean')) return false;
  if (v.nextPageToken !== undefined && !(typeof v.nextPageToken === 'string')) return false;
  if (v.times !== undefined && !(g.isList(v.times, g.isTimestamp))) return false;
  if (v.totals !== undefined && !(g.isList(v.totals, isAgentTasks))) return false;
  return true;
}

export function isAgentTasks(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.agent === 'string' && v.agent !== '')) return false;
  if (v.count !== undefined && !(g.isUint32(v.count))) return false;
  if (v.complete !== undefined && !(typeof v.complete === 'boolean')) return false;
  return true;
}

export function isCallerTasks(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.principal === 'string' && v.principal !== '')) return false;
  if (v.count !== undefined && !(g.isUint32(v.count))) return false;
  return true;
}

export function isTaskGroup(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.agent === 'string' && v.agent !== '')) return false;
  if (!(typeof v.state === 'string' && v.state !== '')) return false;
  if (v.reason !== undefined && !(typeof v.reason === 'string')) return false;
  if (v.count !== undefined && !(g.isUint32(v.count))) return false;
  if (v.latestKey !== undefined && !(typeof v.latestKey === 'string')) return false;
  if (v.latestAt !== undefined && !(g.isTimestamp(v.latestAt))) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string')) return false;
  if (v.preview !== undefined && !(typeof v.preview === 'string')) return false;
  if (v.agents !== undefined && !(g.isList(v.agents, g.isString))) return false;
  if (v.principals !== undefined && !(g.isList(v.principals, g.isString))) return false;
  if (v.firstAt !== undefined && !(g.isTimestamp(v.firstAt))) return false;
  if (v.callers !== undefined && !(g.isUint32(v.callers))) return false;
  if (v.topCallers !== undefined && !(g.isList(v.topCallers, isCallerTasks))) return false;
  if (v.line !== undefined && !(g.isList(v.line, g.isUint32))) return false;
  return true;
}

export function isTaskSummary(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.key === 'string' && v.key !== '')) return false;
  if (!(typeof v.id === 'string' && v.id !== '')) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string')) return false;
  if (!(typeof v.agent === 'string' && v.agent !== '')) return false;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  if (v.principal !== undefined && !(typeof v.principal === 'string')) return false;
  if (!(typeof v.state === 'string' && v.state !== '')) return false;
  if (v.stateChangedAt !== undefined && !(g.isTimestamp(v.stateChangedAt))) return false;
  if (v.createdAt !== undefined && !(g.isTimestamp(v.createdAt))) return false;
  if (v.updatedAt !== undefined && !(g.isTimestamp(v.updatedAt))) return false;
  if (v.lastPosition !== undefined && !(g.isUint32(v.lastPosition))) return false;
  if (v.dialect !== undefined && !(typeof v.dialect === 'string')) return false;
  if (v.replica !== undefined && !(typeof v.replica === 'string')) return false;
  if (v.parent !== undefined && !(typeof v.parent === 'string')) return false;
  if (v.binding !== undefined && !(typeof v.binding === 'string')) return false;
  if (v.preview !== undefined && !(typeof v.preview === 'string')) return false;
  if (v.reason !== undefined && !(typeof v.reason === 'string')) return false;
  if (v.root !== undefined && !(typeof v.root === 'string')) return false;
  if (v.cost !== undefined && !(g.isDouble(v.cost))) return false;
  if (v.gateway !== undefined && !(typeof v.gateway === 'string')) return false;
  return true;
}

export function isWatchTasksRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.contextId !== undefined && !(typeof v.contextId === 'string')) return false;
  if (v.states !== undefined && !(g.isList(v.states, g.isString))) return false;
  if (v.changedAfter !== undefined && !(g.isTimestamp(v.changedAfter))) return false;
  if (v.dialect !== undefined && !(typeof v.dialect === 'string')) return false;
  if (v.binding !== undefined && !(typeof v.binding === 'string')) return false;
  return true;
}

export function isInspectTaskRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.key === 'string' && v.key !== '')) return false;
  return true;
}

export function isTaskDetails(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(isTaskSummary(v.summary))) return false;
  if (v.task !== undefined && !(g.isObject(v.task))) return false;
  if (v.bytes !== undefined && !(g.isDouble(v.bytes))) return false;
  if (v.upstreamTaskId !== undefined && !(typeof v.upstreamTaskId === 'string')) return false;
  if (v.upstreamContextId !== undefined && !(typeof v.upstreamContextId === 'string')) return false;
  if (v.pushConfigs !== undefined && !(g.isList(v.pushConfigs, g.isObject))) return false;
  if (v.traceId !== undefined && !(typeof v.traceId === 'string')) return false;
  if (v.path !== undefined && !(g.isList(v.path, isTreeStep))) return false;
  if (v.retryOf !== undefined && !(typeof v.retryOf === 'string')) return false;
  if (v.retriedAs !== undefined && !(typeof v.retriedAs === 'string')) return false;
  return true;
}

export function isRetryTasksRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.keys !== undefined && !(g.isList(v.keys, g.isString))) return false;
  if (v.dryRun !== undefined && !(typeof v.dryRun === 'boolean')) return false;
  return true;
}

export function isRetryTasksResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.outcomes !== undefined && !(g.isList(v.outcomes, isRetryOutcome))) return false;
  return true;
}

export function isRetryOutcome(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.key === 'string' && v.key !== '')) return false;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.newKey !== undefined && !(typeof v.newKey === 'string')) return false;
  if (v.repeated !== undefined && !(typeof v.repeated === 'boolean')) return false;
  if (v.restart !== undefined && !(typeof v.restart === 'boolean')) return false;
  if (v.furtherMessages !== undefined && !(g.isUint32(v.furtherMessages))) return false;
  if (v.refusal !== undefined && !(typeof v.refusal === 'string')) return false;
  return true;
}

export function isTreeStep(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.gateway !== undefined && !(typeof v.gateway === 'string')) return false;
  if (!(typeof v.agent === 'string' && v.agent !== '')) return false;
  if (!(typeof v.task === 'string' && v.task !== '')) return false;
  return true;
}

export function isListTaskEventsRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.key === 'string' && v.key !== '')) return false;
  if (v.after !== undefined && !(g.isUint32(v.after))) return false;
  if (v.pageSize !== undefined && !(g.isUint32(v.pageSize))) return false;
  return true;
}

export function isListTaskEventsResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.events !== undefined && !(g.isList(v.events, isTaskLogEvent))) return false;
  if (v.lastPosition !== undefined && !(g.isUint32(v.lastPosition))) return false;
  return true;
}

export function isTaskLogEvent(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(g.isUint32(v.position))) return false;
  if (v.time !== undefined && !(g.isTimestamp(v.time))) return false;
  if (!(g.isObject(v.event))) return false;
  return true;
}

export function isFollowTaskRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.key === 'string' && v.key !== '')) return false;
  if (v.after !== undefined && !(g.isUint32(v.after))) return false;
  return true;
}

export function isStopTaskRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.key === 'string' && v.key !== '')) return false;
  return true;
}

export function isAnswerTaskRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.key === 'string' && v.key !== '')) return false;
  if (!(g.isSomeOf(v.parts, g.isObject))) return false;
  return true;
}

export function isListQuestionsRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.pageSize !== undefined && !(g.isUint32(v.pageSize))) return false;
  if (v.pageToken !== undefined && !(typeof v.pageToken === 'string')) return false;
  if (v.mine !== undefined && !(typeof v.mine === 'boolean')) return false;
  if (v.states !== undefined && !(g.isList(v.states, g.isString))) return false;
  return true;
}

export function isListQuestionsResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.questions !== undefined && !(g.isList(v.questions, isQuestion))) return false;
  if (v.nextPageToken !== undefined && !(typeof v.nextPageToken === 'string')) return false;
  return true;
}

export function isQuestion(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(isTaskSummary(v.task))) return false;
  if (v.text !== undefined && !(typeof v.text === 'string')) return false;
  if (v.schema !== undefined && !(g.isObject(v.schema))) return false;
  if (v.by !== undefined && !(typeof v.by === 'string')) return false;
  if (v.until !== undefined && !(g.isTimestamp(v.until))) return false;
  if (!(typeof v.generation === 'string' && v.generation !== '')) return false;
  if (v.for !== undefined && !(typeof v.for === 'string')) return false;
  if (v.remind !== undefined && !(g.isTimestamp(v.remind))) return false;
  if (v.asks !== undefined && !(g.isList(v.asks, isCallAsk))) return false;
  if (v.message !== undefined && !(typeof v.message === 'string')) return false;
  return true;
}

export function isCallAsk(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.by !== undefined && !(typeof v.by === 'string')) return false;
  if (v.reason !== undefined && !(typeof v.reason === 'string')) return false;
  if (v.of !== undefined && !(g.isList(v.of, g.isString))) return false;
  if (v.delegate !== undefined && !(typeof v.delegate === 'string')) return false;
  if (v.quorum !== undefined && !(g.isUint32(v.quorum))) return false;
  if (v.given !== undefined && !(g.isList(v.given, isCallAgreement))) return false;
  return true;
}

export function isCallAgreement(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.by !== undefined && !(typeof v.by === 'string')) return false;
  if (v.way !== undefined && !(typeof v.way === 'string')) return false;
  if (v.at !== undefined && !(g.isTimestamp(v.at))) return false;
  return true;
}

export function isAnswerQuestionRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.key === 'string' && v.key !== '')) return false;
  if (!(g.isSomeOf(v.parts, g.isObject))) return false;
  if (v.generation !== undefined && !(typeof v.generation === 'string')) return false;
  return true;
}

export function isListDeliveriesRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string')) return false;
  if (v.pageSize !== undefined && !(g.isUint32(v.pageSize))) return false;
  if (v.pageToken !== undefined && !(typeof v.pageToken === 'string')) return false;
  return true;
}

export function isListDeliveriesResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.deliveries !== undefined && !(g.isList(v.deliveries, isDeliveryStatus))) return false;
  if (v.nextPageToken !== undefined && !(typeof v.nextPageToken === 'string')) return false;
  return true;
}

export function isDeliveryStatus(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.state === 'string' && v.state !== '')) return false;
  if (v.taskKey !== undefined && !(typeof v.taskKey === 'string')) return false;
  if (!(typeof v.taskId === 'string' && v.taskId !== '')) return false;
  if (v.configId !== undefined && !(typeof v.configId === 'string')) return false;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.principal !== undefined && !(typeof v.principal === 'string')) return false;
  if (v.receiver !== undefined && !(typeof v.receiver === 'string')) return false;
  if (v.dialect !== undefined && !(typeof v.dialect === 'string')) return false;
  if (v.firstPosition !== undefined && !(g.isUint32(v.firstPosition))) return false;
  if (v.lastPosition !== undefined && !(g.isUint32(v.lastPosition))) return false;
  if (v.attempts !== undefined && !(g.isUint32(v.attempts))) return false;
  if (v.reason !== undefined && !(typeof v.reason === 'string')) return false;
  if (v.time !== undefined && !(g.isTimestamp(v.time))) return false;
  return true;
}

export function isRetryDeliveriesRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string')) return false;
  if (v.receiver !== undefined && !(typeof v.receiver === 'string')) return false;
  return true;
}

export function isRetryDeliveriesResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.retried !== undefined && !(g.isUint32(v.retried))) return false;
  return true;
}

export function isListCallsRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.principal !== undefined && !(typeof v.principal === 'string')) return false;
  if (v.operation !== undefined && !(typeof v.operation === 'string')) return false;
  if (v.dialect !== undefined && !(typeof v.dialect === 'string')) return false;
  if (v.binding !== undefined && !(typeof v.binding === 'string')) return false;
  if (v.failed !== undefined && !(typeof v.failed === 'boolean')) return false;
  if (v.error !== undefined && !(typeof v.error === 'string')) return false;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string')) return false;
  if (v.requestId !== undefined && !(typeof v.requestId === 'string')) return false;
  if (v.text !== undefined && !(typeof v.text === 'string')) return false;
  if (v.after !== undefined && !(g.isTimestamp(v.after))) return false;
  if (v.before !== undefined && !(g.isTimestamp(v.before))) return false;
  if (v.pageSize !== undefined && !(g.isUint32(v.pageSize))) return false;
  if (v.pageToken !== undefined && !(typeof v.pageToken === 'string')) return false;
  if (v.outcome !== undefined && !(namesCallOutcome.has(v.outcome))) return false;
  if (v.rule !== undefined && !(typeof v.rule === 'string')) return false;
  if (v.decided !== undefined && !(typeof v.decided === 'boolean')) return false;
  if (v.decision !== undefined && !(typeof v.decision === 'string')) return false;
  return true;
}

export function isListCallsResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.calls !== undefined && !(g.isList(v.calls, isCallSummary))) return false;
  if (v.nextPageToken !== undefined && !(typeof v.nextPageToken === 'string')) return false;
  if (v.missingReplicas !== undefined && !(g.isList(v.missingReplicas, g.isString))) return false;
  if (v.completeSince !== undefined && !(g.isTimestamp(v.completeSince))) return false;
  if (v.keptSince !== undefined && !(g.isTimestamp(v.keptSince))) return false;
  if (v.gaps !== undefined && !(g.isList(v.gaps, isCallGap))) return false;
  if (v.leftOut !== undefined && !(g.isList(v.leftOut, isLeftOutCalls))) return false;
  return true;
}

export function isCallGap(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.replica !== undefined && !(typeof v.replica === 'string')) return false;
  if (!(g.isTimestamp(v.from))) return false;
  if (!(g.isTimestamp(v.until))) return false;
  return true;
}

export function isLeftOutCalls(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.principal !== undefined && !(typeof v.principal === 'string')) return false;
  if (v.count !== undefined && !(g.isDouble(v.count))) return false;
  if (v.lastAt !== undefined && !(g.isTimestamp(v.lastAt))) return false;
  return true;
}

export function isListNumbersRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.principal !== undefined && !(typeof v.principal === 'string')) return false;
  if (v.dialect !== undefined && !(typeof v.dialect === 'string')) return false;
  if (v.after !== undefined && !(g.isTimestamp(v.after))) return false;
  if (v.before !== undefined && !(g.isTimestamp(v.before))) return false;
  if (v.by !== undefined && !(g.isList(v.by, isNumberGrouping))) return false;
  if (v.step !== undefined && !(g.isUint32(v.step))) return false;
  if (v.pageSize !== undefined && !(g.isUint32(v.pageSize))) return false;
  return true;
}

export function isListNumbersResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.total !== undefined && !(isNumberGroup(v.total))) return false;
  if (v.groups !== undefined && !(g.isList(v.groups, isNumberGroup))) return false;
  if (v.moreGroups !== undefined && !(g.isUint32(v.moreGroups))) return false;
  if (v.times !== undefined && !(g.isList(v.times, g.isTimestamp))) return false;
  if (v.step !== undefined && !(g.isUint32(v.step))) return false;
  if (v.boundsMs !== undefined && !(g.isList(v.boundsMs, g.isDouble))) return false;
  if (v.completeSince !== undefined && !(g.isTimestamp(v.completeSince))) return false;
  if (v.keptSince !== undefined && !(g.isTimestamp(v.keptSince))) return false;
  if (v.gaps !== undefined && !(g.isList(v.gaps, isCallGap))) return false;
  if (v.missingReplicas !== undefined && !(g.isList(v.missingReplicas, g.isString))) return false;
  if (v.countedWithOthers !== undefined && !(g.isDouble(v.countedWithOthers))) return false;
  return true;
}

export function isNumberGroup(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.principal !== undefined && !(typeof v.principal === 'string')) return false;
  if (v.dialect !== undefined && !(typeof v.dialect === 'string')) return false;
  if (v.numbers !== undefined && !(isNumbers(v.numbers))) return false;
  if (v.line !== undefined && !(g.isList(v.line, isNumbers))) return false;
  return true;
}

export function isNumbers(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.calls !== undefined && !(g.isDouble(v.calls))) return false;
  if (v.failed !== undefined && !(g.isDouble(v.failed))) return false;
  if (v.refused !== undefined && !(g.isDouble(v.refused))) return false;
  if (v.tasksEnded !== undefined && !(g.isDouble(v.tasksEnded))) return false;
  if (v.tasksFailed !== undefined && !(g.isDouble(v.tasksFailed))) return false;
  if (v.p50Ms !== undefined && !(g.isDouble(v.p50Ms))) return false;
  if (v.p90Ms !== undefined && !(g.isDouble(v.p90Ms))) return false;
  if (v.p99Ms !== undefined && !(g.isDouble(v.p99Ms))) return false;
  if (v.buckets !== undefined && !(g.isList(v.buckets, g.isDouble))) return false;
  return true;
}

export function isCallSummary(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string' && v.id !== '')) return false;
  if (!(g.isTimestamp(v.time))) return false;
  if (v.replica !== undefined && !(typeof v.replica === 'string')) return false;
  if (v.principal !== undefined && !(typeof v.principal === 'string')) return false;
  if (v.address !== undefined && !(typeof v.address === 'string')) return false;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.tenant !== undefined && !(typeof v.tenant === 'string')) return false;
  if (v.operation !== undefined && !(typeof v.operation === 'string')) return false;
  if (v.dialect !== undefined && !(typeof v.dialect === 'string')) return false;
  if (v.binding !== undefined && !(typeof v.binding === 'string')) return false;
  if (v.status !== undefined && !(typeof v.status === 'string')) return false;
  if (v.error !== undefined && !(typeof v.error === 'string')) return false;
  if (v.reason !== undefined && !(typeof v.reason === 'string')) return false;
  if (v.durationMs !== undefined && !(g.isDouble(v.durationMs))) return false;
  if (v.events !== undefined && !(g.isUint32(v.events))) return false;
  if (v.losses !== undefined && !(g.isUint32(v.losses))) return false;
  if (v.lossPaths !== undefined && !(g.isList(v.lossPaths, g.isString))) return false;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string')) return false;
  if (v.taskKey !== undefined && !(typeof v.taskKey === 'string')) return false;
  if (v.requestId !== undefined && !(typeof v.requestId === 'string')) return false;
  if (v.traceId !== undefined && !(typeof v.traceId === 'string')) return false;
  if (v.policy !== undefined && !(typeof v.policy === 'string')) return false;
  if (v.refusedBy !== undefined && !(typeof v.refusedBy === 'string')) return false;
  if (v.decisions !== undefined && !(g.isList(v.decisions, isRuleDecision))) return false;
  return true;
}

export function isRuleDecision(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.rule === 'string' && v.rule !== '')) return false;
  if (!(typeof v.outcome === 'string' && v.outcome !== '')) return false;
  if (v.would !== undefined && !(typeof v.would === 'string')) return false;
  if (v.reason !== undefined && !(typeof v.reason === 'string')) return false;
  if (v.phase !== undefined && !(typeof v.phase === 'string')) return false;
  return true;
}

export function isWatchCallsRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.principal !== undefined && !(typeof v.principal === 'string')) return false;
  if (v.operation !== undefined && !(typeof v.operation === 'string')) return false;
  if (v.dialect !== undefined && !(typeof v.dialect === 'string')) return false;
  if (v.binding !== undefined && !(typeof v.binding === 'string')) return false;
  if (v.failed !== undefined && !(typeof v.failed === 'boolean')) return false;
  if (v.error !== undefined && !(typeof v.error === 'string')) return false;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string')) return false;
  if (v.requestId !== undefined && !(typeof v.requestId === 'string')) return false;
  if (v.text !== undefined && !(typeof v.text === 'string')) return false;
  if (v.after !== undefined && !(g.isTimestamp(v.after))) return false;
  if (v.rule !== undefined && !(typeof v.rule === 'string')) return false;
  if (v.decided !== undefined && !(typeof v.decided === 'boolean')) return false;
  if (v.decision !== undefined && !(typeof v.decision === 'string')) return false;
  return true;
}

export function isCallEvent(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.call !== undefined && !(isCallSummary(v.call))) return false;
  if (v.missingReplicas !== undefined && !(g.isList(v.missingReplicas, g.isString))) return false;
  return true;
}

export function isGetMetricsRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.names !== undefined && !(g.isList(v.names, g.isString))) return false;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.after !== undefined && !(g.isTimestamp(v.after))) return false;
  if (v.before !== undefined && !(g.isTimestamp(v.before))) return false;
  if (v.step !== undefined && !(g.isUint32(v.step))) return false;
  return true;
}

export function isGetMetricsResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.times !== undefined && !(g.isList(v.times, g.isTimestamp))) return false;
  if (v.step !== undefined && !(g.isUint32(v.step))) return false;
  if (v.series !== undefined && !(g.isList(v.series, isMetricSeries))) return false;
  if (v.missingReplicas !== undefined && !(g.isList(v.missingReplicas, g.isString))) return false;
  if (v.completeSince !== undefined && !(g.isTimestamp(v.completeSince))) return false;
  return true;
}

export function isMetricSeries(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.name === 'string' && v.name !== '')) return false;
  if (v.labels !== undefined && !(g.isMap(v.labels, g.isString))) return false;
  if (v.values !== undefined && !(g.isList(v.values, g.isAny))) return false;
  return true;
}

export function isRecordRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.principal !== undefined && !(typeof v.principal === 'string')) return false;
  if (v.taskKey !== undefined && !(typeof v.taskKey === 'string')) return false;
  if (v.calls !== undefined && !(g.isUint32(v.calls))) return false;
  if (v.seconds !== undefined && !(g.isUint32(v.seconds))) return false;
  if (v.stop !== undefined && !(typeof v.stop === 'string')) return false;
  return true;
}

export function isRecordResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.recording !== undefined && !(isRecording(v.recording))) return false;
  if (v.missingReplicas !== undefined && !(g.isList(v.missingReplicas, g.isString))) return false;
  return true;
}

export function isRecording(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string' && v.id !== '')) return false;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.principal !== undefined && !(typeof v.principal === 'string')) return false;
  if (v.taskKey !== undefined && !(typeof v.taskKey === 'string')) return false;
  if (v.calls !== undefined && !(g.isUint32(v.calls))) return false;
  if (v.recorded !== undefined && !(g.isUint32(v.recorded))) return false;
  if (v.dropped !== undefined && !(g.isUint32(v.dropped))) return false;
  if (!(g.isTimestamp(v.started))) return false;
  if (!(g.isTimestamp(v.until))) return false;
  if (v.ended !== undefined && !(typeof v.ended === 'boolean')) return false;
  if (v.startedBy !== undefined && !(typeof v.startedBy === 'string')) return false;
  return true;
}

export function isListRecordsRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.recording !== undefined && !(typeof v.recording === 'string')) return false;
  if (v.pageSize !== undefined && !(g.isUint32(v.pageSize))) return false;
  if (v.pageToken !== undefined && !(typeof v.pageToken === 'string')) return false;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.requestId !== undefined && !(typeof v.requestId === 'string')) return false;
  if (v.lastFailed !== undefined && !(typeof v.lastFailed === 'boolean')) return false;
  return true;
}

export function isListRecordsResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.records !== undefined && !(g.isList(v.records, isRecordedCall))) return false;
  if (v.recordings !== undefined && !(g.isList(v.recordings, isRecording))) return false;
  if (v.nextPageToken !== undefined && !(typeof v.nextPageToken === 'string')) return false;
  if (v.missingReplicas !== undefined && !(g.isList(v.missingReplicas, g.isString))) return false;
  if (v.lastFailedSince !== undefined && !(g.isTimestamp(v.lastFailedSince))) return false;
  return true;
}

export function isRecordedCall(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string' && v.id !== '')) return false;
  if (v.recordings !== undefined && !(g.isList(v.recordings, g.isString))) return false;
  if (!(g.isTimestamp(v.time))) return false;
  if (v.replica !== undefined && !(typeof v.replica === 'string')) return false;
  if (v.principal !== undefined && !(typeof v.principal === 'string')) return false;
  if (v.address !== undefined && !(typeof v.address === 'string')) return false;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.operation !== undefined && !(typeof v.operation === 'string')) return false;
  if (v.dialect !== undefined && !(typeof v.dialect === 'string')) return false;
  if (v.binding !== undefined && !(typeof v.binding === 'string')) return false;
  if (v.error !== undefined && !(typeof v.error === 'string')) return false;
  if (v.reason !== undefined && !(typeof v.reason === 'string')) return false;
  if (v.durationMs !== undefined && !(g.isDouble(v.durationMs))) return false;
  if (v.taskId !== undefined && !(typeof v.taskId === 'string')) return false;
  if (v.taskKey !== undefined && !(typeof v.taskKey === 'string')) return false;
  if (v.requestId !== undefined && !(typeof v.requestId === 'string')) return false;
  if (v.traceId !== undefined && !(typeof v.traceId === 'string')) return false;
  if (v.client !== undefined && !(isWireExchange(v.client))) return false;
  if (v.request !== undefined && !(typeof v.request === 'string')) return false;
  if (v.reply !== undefined && !(typeof v.reply === 'string')) return false;
  if (v.events !== undefined && !(g.isList(v.events, g.isString))) return false;
  if (v.eventCount !== undefined && !(g.isUint32(v.eventCount))) return false;
  if (v.requestLosses !== undefined && !(g.isList(v.requestLosses, g.isString))) return false;
  if (v.replyLosses !== undefined && !(g.isList(v.replyLosses, g.isString))) return false;
  if (v.attempts !== undefined && !(g.isList(v.attempts, isRecordedAttempt))) return false;
  if (v.moreAttempts !== undefined && !(g.isUint32(v.moreAttempts))) return false;
  if (v.lastFailed !== undefined && !(typeof v.lastFailed === 'boolean')) return false;
  return true;
}

export function isRecordedAttempt(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(g.isTimestamp(v.time))) return false;
  if (v.durationMs !== undefined && !(g.isDouble(v.durationMs))) return false;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.operation !== undefined && !(typeof v.operation === 'string')) return false;
  if (v.dialect !== undefined && !(typeof v.dialect === 'string')) return false;
  if (v.binding !== undefined && !(typeof v.binding === 'string')) return false;
  if (v.url !== undefined && !(typeof v.url === 'string')) return false;
  if (v.exchanges !== undefined && !(g.isList(v.exchanges, isWireExchange))) return false;
  if (v.error !== undefined && !(typeof v.error === 'string')) return false;
  if (v.reason !== undefined && !(typeof v.reason === 'string')) return false;
  if (v.losses !== undefined && !(g.isList(v.losses, g.isString))) return false;
  return true;
}

export function isWireExchange(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.request !== undefined && !(isWireFrame(v.request))) return false;
  if (v.answer !== undefined && !(isWireFrame(v.answer))) return false;
  return true;
}

export function isWireFrame(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.head !== undefined && !(typeof v.head === 'string')) return false;
  if (v.headers !== undefined && !(g.isList(v.headers, isWireHeader))) return false;
  if (v.text !== undefined && !(typeof v.text === 'string')) return false;
  if (v.base64 !== undefined && !(typeof v.base64 === 'string')) return false;
  if (v.trailers !== undefined && !(g.isList(v.trailers, isWireHeader))) return false;
  if (v.size !== undefined && !(g.isUint64(v.size))) return false;
  if (v.cut !== undefined && !(g.isUint64(v.cut))) return false;
  return true;
}

export function isWireHeader(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.name === 'string' && v.name !== '')) return false;
  if (v.value !== undefined && !(typeof v.value === 'string')) return false;
  return true;
}

export function isListCallersRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  return true;
}

export function isListCallersResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.callers !== undefined && !(g.isList(v.callers, isCallerStatus))) return false;
  if (v.since !== undefined && !(g.isTimestamp(v.since))) return false;
  if (v.missingReplicas !== undefined && !(g.isList(v.missingReplicas, g.isString))) return false;
  if (v.completeSince !== undefined && !(g.isTimestamp(v.completeSince))) return false;
  return true;
}

export function isCallerStatus(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.principal === 'string' && v.principal !== '')) return false;
  if (v.calls !== undefined && !(g.isDouble(v.calls))) return false;
  if (v.failedCalls !== undefined && !(g.isDouble(v.failedCalls))) return false;
  if (v.lastUsedAt !== undefined && !(g.isTimestamp(v.lastUsedAt))) return false;
  if (v.lastOperation !== undefined && !(typeof v.lastOperation === 'string')) return false;
  if (v.lastAgent !== undefined && !(typeof v.lastAgent === 'string')) return false;
  if (v.lastDialect !== undefined && !(typeof v.lastDialect === 'string')) return false;
  if (v.lastBinding !== undefined && !(typeof v.lastBinding === 'string')) return false;
  if (v.configured !== undefined && !(typeof v.configured === 'boolean')) return false;
  if (v.scopes !== undefined && !(g.isList(v.scopes, g.isString))) return false;
  return true;
}

export function isListReplicasRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  return true;
}

export function isListReplicasResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.replicas !== undefined && !(g.isList(v.replicas, isReplicaStatus))) return false;
  if (v.lost !== undefined && !(g.isList(v.lost, isLostReplica))) return false;
  return true;
}

export function isLostReplica(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string' && v.id !== '')) return false;
  if (v.host !== undefined && !(typeof v.host === 'string')) return false;
  if (v.pid !== undefined && !(g.isUint32(v.pid))) return false;
  if (v.version !== undefined && !(typeof v.version === 'string')) return false;
  if (v.startedAt !== undefined && !(g.isTimestamp(v.startedAt))) return false;
  if (v.aliveAt !== undefined && !(g.isTimestamp(v.aliveAt))) return false;
  if (v.draining !== undefined && !(typeof v.draining === 'boolean')) return false;
  return true;
}

export function isAcknowledgeReplicasRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.ids !== undefined && !(g.isList(v.ids, g.isString))) return false;
  return true;
}

export function isAcknowledgeReplicasResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.ids !== undefined && !(g.isList(v.ids, g.isString))) return false;
  return true;
}

export function isReplicaStatus(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string' && v.id !== '')) return false;
  if (v.host !== undefined && !(typeof v.host === 'string')) return false;
  if (v.pid !== undefined && !(g.isUint32(v.pid))) return false;
  if (v.startedAt !== undefined && !(g.isTimestamp(v.startedAt))) return false;
  if (v.heartbeatAt !== undefined && !(g.isTimestamp(v.heartbeatAt))) return false;
  if (v.alive !== undefined && !(typeof v.alive === 'boolean')) return false;
  if (v.isThis !== undefined && !(typeof v.isThis === 'boolean')) return false;
  if (v.tasks !== undefined && !(g.isUint32(v.tasks))) return false;
  if (v.version !== undefined && !(typeof v.version === 'string')) return false;
  if (v.heartbeatLagMs !== undefined && !(g.isDouble(v.heartbeatLagMs))) return false;
  if (v.draining !== undefined && !(typeof v.draining === 'boolean')) return false;
  return true;
}

export function isWatchStatusRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  return true;
}

export function isGatewayStatus(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(g.isTimestamp(v.time))) return false;
  if (v.replica !== undefined && !(typeof v.replica === 'string')) return false;
  if (v.version !== undefined && !(typeof v.version === 'string')) return false;
  if (v.draining !== undefined && !(typeof v.draining === 'boolean')) return false;
  if (!(isStoreStatus(v.store))) return false;
  if (v.others !== undefined && !(g.isList(v.others, isReplicaStatus))) return false;
  if (v.eventLoopLagP99Ms !== undefined && !(g.isDouble(v.eventLoopLagP99Ms))) return false;
  if (v.configActiveSince !== undefined && !(g.isTimestamp(v.configActiveSince))) return false;
  if (v.waitingTasks !== undefined && !(g.isUint32(v.waitingTasks))) return false;
  if (v.knowledge !== undefined && !(typeof v.knowledge === 'boolean')) return false;
  if (v.stops !== undefined && !(g.isUint32(v.stops))) return false;
  if (v.damagedRows !== undefined && !(g.isList(v.damagedRows, isDamagedRow))) return false;
  if (v.waitingForInput !== undefined && !(g.isUint32(v.waitingForInput))) return false;
  if (v.deadLetters !== undefined && !(g.isUint32(v.deadLetters))) return false;
  if (v.lostReplicas !== undefined && !(g.isUint32(v.lostReplicas))) return false;
  if (v.waitingCards !== undefined && !(g.isUint32(v.waitingCards))) return false;
  return true;
}

export function isDamagedRow(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.table === 'string' && v.table !== '')) return false;
  if (!(typeof v.key === 'string' && v.key !== '')) return false;
  if (!(typeof v.reason === 'string' && v.reason !== '')) return false;
  if (v.noticedAt !== undefined && !(g.isTimestamp(v.noticedAt))) return false;
  return true;
}

export function isStoreStatus(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.state === 'string' && v.state !== '')) return false;
  if (v.since !== undefined && !(g.isTimestamp(v.since))) return false;
  if (v.reason !== undefined && !(typeof v.reason === 'string')) return false;
  return true;
}

export function isListGenerationsRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.generation !== undefined && !(typeof v.generation === 'string')) return false;
  if (v.principal !== undefined && !(typeof v.principal === 'string')) return false;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.pageSize !== undefined && !(g.isInt32(v.pageSize))) return false;
  if (v.pageToken !== undefined && !(typeof v.pageToken === 'string')) return false;
  return true;
}

export function isListGenerationsResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.uses !== undefined && !(g.isList(v.uses, isGenerationUse))) return false;
  if (v.nextPageToken !== undefined && !(typeof v.nextPageToken === 'string')) return false;
  if (v.generations !== undefined && !(g.isList(v.generations, isGenerationSummary))) return false;
  if (v.since !== undefined && !(g.isTimestamp(v.since))) return false;
  if (v.uncountedCalls !== undefined && !(g.isDouble(v.uncountedCalls))) return false;
  if (v.missingReplicas !== undefined && !(g.isList(v.missingReplicas, g.isString))) return false;
  return true;
}

export function isGenerationUse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.generation === 'string' && v.generation !== '')) return false;
  if (!(typeof v.principal === 'string' && v.principal !== '')) return false;
  if (!(typeof v.agent === 'string' && v.agent !== '')) return false;
  if (!(typeof v.binding === 'string' && v.binding !== '')) return false;
  if (v.calls !== undefined && !(g.isDouble(v.calls))) return false;
  if (v.newWork !== undefined && !(g.isDouble(v.newWork))) return false;
  if (v.wouldBeRefused !== undefined && !(g.isDouble(v.wouldBeRefused))) return false;
  if (v.refused !== undefined && !(g.isDouble(v.refused))) return false;
  if (v.firstAt !== undefined && !(g.isTimestamp(v.firstAt))) return false;
  if (v.lastAt !== undefined && !(g.isTimestamp(v.lastAt))) return false;
  if (v.lost !== undefined && !(g.isList(v.lost, isLostField))) return false;
  return true;
}

export function isLostField(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.path === 'string' && v.path !== '')) return false;
  if (v.agentDialect !== undefined && !(typeof v.agentDialect === 'string')) return false;
  if (v.count !== undefined && !(g.isDouble(v.count))) return false;
  if (v.lastAt !== undefined && !(g.isTimestamp(v.lastAt))) return false;
  return true;
}

export function isGenerationSummary(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.generation === 'string' && v.generation !== '')) return false;
  if (v.callers !== undefined && !(g.isDouble(v.callers))) return false;
  if (v.calls !== undefined && !(g.isDouble(v.calls))) return false;
  if (v.newWork !== undefined && !(g.isDouble(v.newWork))) return false;
  if (v.wouldBeRefused !== undefined && !(g.isDouble(v.wouldBeRefused))) return false;
  if (v.refused !== undefined && !(g.isDouble(v.refused))) return false;
  if (v.lastAt !== undefined && !(g.isTimestamp(v.lastAt))) return false;
  if (v.sunset !== undefined && !(isSunset(v.sunset))) return false;
  return true;
}

export function isSunset(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(g.isTimestamp(v.since))) return false;
  if (!(g.isTimestamp(v.on))) return false;
  if (!(typeof v.mode === 'string' && v.mode !== '')) return false;
  if (v.link !== undefined && !(typeof v.link === 'string')) return false;
  if (v.refuses !== undefined && !(typeof v.refuses === 'boolean')) return false;
  return true;
}

export function isListLossesRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  return true;
}

export function isListLossesResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.losses !== undefined && !(g.isList(v.losses, isLossCount))) return false;
  if (v.missingReplicas !== undefined && !(g.isList(v.missingReplicas, g.isString))) return false;
  if (v.since !== undefined && !(g.isTimestamp(v.since))) return false;
  if (v.completeSince !== undefined && !(g.isTimestamp(v.completeSince))) return false;
  return true;
}

export function isLossCount(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.dialect === 'string' && v.dialect !== '')) return false;
  if (!(typeof v.path === 'string' && v.path !== '')) return false;
  if (v.count !== undefined && !(g.isDouble(v.count))) return false;
  if (v.lastAt !== undefined && !(g.isTimestamp(v.lastAt))) return false;
  if (v.lastAgent !== undefined && !(typeof v.lastAgent === 'string')) return false;
  if (v.ofAgent !== undefined && !(typeof v.ofAgent === 'boolean')) return false;
  if (v.lastPrincipal !== undefined && !(typeof v.lastPrincipal === 'string')) return false;
  if (v.lastTask !== undefined && !(typeof v.lastTask === 'string')) return false;
  if (v.lastRequestId !== undefined && !(typeof v.lastRequestId === 'string')) return false;
  return true;
}

export function isListRefusedUpdatesRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  return true;
}

export function isListRefusedUpdatesResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.updates !== undefined && !(g.isList(v.updates, isRefusedUpdate))) return false;
  return true;
}

export function isRefusedUpdate(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(g.isTimestamp(v.time))) return false;
  if (!(typeof v.agent === 'string' && v.agent !== '')) return false;
  if (v.principal !== undefined && !(typeof v.principal === 'string')) return false;
  if (v.verificationStatus !== undefined && !(typeof v.verificationStatus === 'string')) return false;
  if (v.verificationDetails !== undefined && !(typeof v.verificationDetails === 'string')) return false;
  if (v.mutations !== undefined && !(g.isList(v.mutations, g.isObject))) return false;
  if (v.proposed !== undefined && !(g.isUint32(v.proposed))) return false;
  return true;
}

export function isGetConfigRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  return true;
}

export function isActiveConfig(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.settings !== undefined && !(g.isObject(v.settings))) return false;
  if (v.file !== undefined && !(typeof v.file === 'string')) return false;
  if (v.activeSince !== undefined && !(g.isTimestamp(v.activeSince))) return false;
  if (v.reloadable !== undefined && !(typeof v.reloadable === 'boolean')) return false;
  if (v.refused !== undefined && !(typeof v.refused === 'string')) return false;
  if (v.refusedAt !== undefined && !(g.isTimestamp(v.refusedAt))) return false;
  return true;
}

export function isReloadConfigRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  return true;
}

export function isReloadConfigResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.added !== undefined && !(g.isList(v.added, g.isString))) return false;
  if (v.changed !== undefined && !(g.isList(v.changed, g.isString))) return false;
  if (v.removed !== undefined && !(g.isList(v.removed, g.isString))) return false;
  if (v.endedStreams !== undefined && !(g.isUint32(v.endedStreams))) return false;
  if (v.restart !== undefined && !(g.isList(v.restart, g.isString))) return false;
  return true;
}

export function isBackUpStoreRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  return true;
}

export function isBackupChunk(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.data !== undefined && !(g.isBase64(v.data))) return false;
  if (v.size !== undefined && !(g.isInt64(v.size))) return false;
  if (v.sha256 !== undefined && !(typeof v.sha256 === 'string')) return false;
  return true;
}

export function isRegisterAgentRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.name === 'string' && v.name !== '')) return false;
  if (!(typeof v.url === 'string' && v.url !== '')) return false;
  if (v.dialect !== undefined && !(typeof v.dialect === 'string')) return false;
  if (v.transport !== undefined && !(typeof v.transport === 'string')) return false;
  if (v.leaseSeconds !== undefined && !(g.isUint32(v.leaseSeconds))) return false;
  if (v.title !== undefined && !(typeof v.title === 'string')) return false;
  if (v.description !== undefined && !(typeof v.description === 'string')) return false;
  if (v.skills !== undefined && !(g.isList(v.skills, g.isString))) return false;
  return true;
}

export function isRegisterCatalogRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.catalog === 'string' && v.catalog !== '')) return false;
  if (v.leaseSeconds !== undefined && !(g.isUint32(v.leaseSeconds))) return false;
  return true;
}

export function isRegisterCatalogResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.registered !== undefined && !(g.isList(v.registered, isCatalogAgent))) return false;
  if (v.skipped !== undefined && !(g.isList(v.skipped, isSkippedAgent))) return false;
  return true;
}

export function isCatalogAgent(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.identifier === 'string' && v.identifier !== '')) return false;
  if (!(typeof v.name === 'string' && v.name !== '')) return false;
  return true;
}

export function isSkippedAgent(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.identifier === 'string' && v.identifier !== '')) return false;
  if (!(typeof v.reason === 'string' && v.reason !== '')) return false;
  return true;
}

export function isListRegistrationsRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.agent !== undefined && !(typeof v.agent === 'string')) return false;
  if (v.pageSize !== undefined && !(g.isInt32(v.pageSize))) return false;
  if (v.pageToken !== undefined && !(typeof v.pageToken === 'string')) return false;
  if (v.removed !== undefined && !(typeof v.removed === 'boolean')) return false;
  return true;
}

export function isListRegistrationsResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.registrations !== undefined && !(g.isList(v.registrations, isRegisteredAgent))) return false;
  if (v.nextPageToken !== undefined && !(typeof v.nextPageToken === 'string')) return false;
  return true;
}

export function isRegisteredAgent(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.name === 'string' && v.name !== '')) return false;
  if (!(typeof v.owner === 'string' && v.owner !== '')) return false;
  if (v.registeredAt !== undefined && !(g.isTimestamp(v.registeredAt))) return false;
  if (v.leaseSeconds !== undefined && !(g.isUint32(v.leaseSeconds))) return false;
  if (v.expiresAt !== undefined && !(g.isTimestamp(v.expiresAt))) return false;
  if (v.active !== undefined && !(typeof v.active === 'boolean')) return false;
  if (v.problem !== undefined && !(typeof v.problem === 'string')) return false;
  if (v.revisions !== undefined && !(g.isList(v.revisions, isCardRevision))) return false;
  if (v.removedAt !== undefined && !(g.isTimestamp(v.removedAt))) return false;
  if (v.removedBy !== undefined && !(typeof v.removedBy === 'string')) return false;
  return true;
}

export function isCardRevision(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string' && v.id !== '')) return false;
  if (v.state !== undefined && !(namesRevisionState.has(v.state))) return false;
  if (v.seenAt !== undefined && !(g.isTimestamp(v.seenAt))) return false;
  if (v.decidedAt !== undefined && !(g.isTimestamp(v.decidedAt))) return false;
  if (v.decidedBy !== undefined && !(typeof v.decidedBy === 'string')) return false;
  if (v.differences !== undefined && !(g.isList(v.differences, isDifference))) return false;
  if (v.offeredBy !== undefined && !(typeof v.offeredBy === 'string')) return false;
  return true;
}

export function isDifference(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.path === 'string' && v.path !== '')) return false;
  if (v.before !== undefined && !(typeof v.before === 'string')) return false;
  if (v.after !== undefined && !(typeof v.after === 'string')) return false;
  return true;
}

export function isRenewAgentRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.name === 'string' && v.name !== '')) return false;
  return true;
}

export function isApproveAgentRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.name === 'string' && v.name !== '')) return false;
  if (!(typeof v.revision === 'string' && v.revision !== '')) return false;
  if (v.reject !== undefined && !(typeof v.reject === 'boolean')) return false;
  return true;
}

export function isRemoveAgentRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.name === 'string' && v.name !== '')) return false;
  if (v.forget !== undefined && !(typeof v.forget === 'boolean')) return false;
  return true;
}

export function isRemoveAgentResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  return true;
}

export function isStopCallerRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.principal === 'string' && v.principal !== '')) return false;
  if (!(typeof v.reason === 'string' && v.reason !== '')) return false;
  return true;
}

export function isResumeCallerRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.principal === 'string' && v.principal !== '')) return false;
  return true;
}

export function isEraseCallerRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.principal === 'string' && v.principal !== '')) return false;
  if (v.again !== undefined && !(typeof v.again === 'boolean')) return false;
  return true;
}

export function isErasure(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.id === 'string' && v.id !== '')) return false;
  if (!(typeof v.state === 'string' && v.state !== '')) return false;
  if (v.begunBy !== undefined && !(typeof v.begunBy === 'string')) return false;
  if (v.begunAt !== undefined && !(g.isTimestamp(v.begunAt))) return false;
  if (v.endedAt !== undefined && !(g.isTimestamp(v.endedAt))) return false;
  if (v.erased !== undefined && !(g.isList(v.erased, isErasedThings))) return false;
  if (v.remaining !== undefined && !(g.isList(v.remaining, isRemainingThings))) return false;
  if (v.missingReplicas !== undefined && !(g.isList(v.missingReplicas, g.isString))) return false;
  return true;
}

export function isErasedThings(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.kind === 'string' && v.kind !== '')) return false;
  if (v.count !== undefined && !(g.isUint32(v.count))) return false;
  return true;
}

export function isRemainingThings(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.kind === 'string' && v.kind !== '')) return false;
  if (v.count !== undefined && !(g.isUint32(v.count))) return false;
  if (v.ids !== undefined && !(g.isList(v.ids, g.isString))) return false;
  return true;
}

export function isStopAgentRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.name === 'string' && v.name !== '')) return false;
  if (!(typeof v.reason === 'string' && v.reason !== '')) return false;
  return true;
}

export function isResumeAgentRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.name === 'string' && v.name !== '')) return false;
  return true;
}

export function isStopRootRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.key === 'string' && v.key !== '')) return false;
  if (!(typeof v.reason === 'string' && v.reason !== '')) return false;
  return true;
}

export function isResumeRootRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.key === 'string' && v.key !== '')) return false;
  return true;
}

export function isListStopsRequest(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  return true;
}

export function isListStopsResponse(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (v.stops !== undefined && !(g.isList(v.stops, isStop))) return false;
  return true;
}

export function isStop(value: unknown): boolean {
  if (!g.isObject(value)) return false;
  const v = value as Fields;
  if (!(typeof v.kind === 'string' && v.kind !== '')) return false;
  if (!(typeof v.subject === 'string' && v.subject !== '')) return false;
  if (v.reason !== undefined && !(typeof v.reason === 'string')) return false;
  if (v.stoppedBy !== undefined && !(typeof v.stoppedBy === 'string')) return false;
  if (v.stoppedAt !== undefined && !(g.isTimestamp(v.stoppedAt))) return false;
  if (v.missing !== undefined && !(g.isList(v.missing, g.isString))) return false;
  return true;
}

/** Guards of `a2agateway.admin.v1` by full message name. */
export const guards: Readonly<Record<string, Guard>> = {
  'google.protobuf.Empty': g.isObject,
  'a2agateway.admin.v1.AgentStatus': isAgentStatus,
  'a2agateway.admin.v1.AgentActivity': isAgentActivity,
  'a2agateway.admin.v1.ListAgentsRequest': isListAgentsRequest,
  'a2agateway.admin.v1.ListAgentsResponse': isListAgentsResponse,
  'a2agateway.admin.v1.GetAgentRequest': isGetAgentRequest,
  'a2agateway.admin.v1.AgentDetails': isAgentDetails,
  'a2agateway.admin.v1.AgentCopy': isAgentCopy,
  'a2agateway.admin.v1.DialectCard': isDialectCard,
  'a2agateway.admin.v1.CardSignature': isCardSignature,
  'a2agateway.admin.v1.CardFinding': isCardFinding,
  'a2agateway.admin.v1.SetAgentModeRequest': isSetAgentModeRequest,
  'a2agateway.admin.v1.FindTasksRequest': isFindTasksRequest,
  'a2agateway.admin.v1.FindTasksResponse': isFindTasksResponse,
  'a2agateway.admin.v1.GroupTasksRequest': isGroupTasksRequest,
  'a2agateway.admin.v1.GroupTasksResponse': isGroupTasksResponse,
  'a2agateway.admin.v1.AgentTasks': isAgentTasks,
  'a2agateway.admin.v1.CallerTasks': isCallerTasks,
  'a2agateway.admin.v1.TaskGroup': isTaskGroup,
  'a2agateway.admin.v1.TaskSummary': isTaskSummary,
  'a2agateway.admin.v1.WatchTasksRequest': isWatchTasksRequest,
  'a2agateway.admin.v1.InspectTaskRequest': isInspectTaskRequest,
  'a2agateway.admin.v1.TaskDetails': isTaskDetails,
  'a2agateway.admin.v1.RetryTasksRequest': isRetryTasksRequest,
  'a2agateway.admin.v1.RetryTasksResponse': isRetryTasksResponse,
  'a2agateway.admin.v1.RetryOutcome': isRetryOutcome,
  'a2agateway.admin.v1.TreeStep': isTreeStep,
  'a2agateway.admin.v1.ListTaskEventsRequest': isListTaskEventsRequest,
  'a2agateway.admin.v1.ListTaskEventsResponse': isListTaskEventsResponse,
  'a2agateway.admin.v1.TaskLogEvent': isTaskLogEvent,
  'a2agateway.admin.v1.FollowTaskRequest': isFollowTaskRequest,
  'a2agateway.admin.v1.StopTaskRequest': isStopTaskRequest,
  'a2agateway.admin.v1.AnswerTaskRequest': isAnswerTaskRequest,
  'a2agateway.admin.v1.ListQuestionsRequest': isListQuestionsRequest,
  'a2agateway.admin.v1.ListQuestionsResponse': isListQuestionsResponse,
  'a2agateway.admin.v1.Question': isQuestion,
  'a2agateway.admin.v1.CallAsk': isCallAsk,
  'a2agateway.admin.v1.CallAgreement': isCallAgreement,
  'a2agateway.admin.v1.AnswerQuestionRequest': isAnswerQuestionRequest,
  'a2agateway.admin.v1.ListDeliveriesRequest': isListDeliveriesRequest,
  'a2agateway.admin.v1.ListDeliveriesResponse': isListDeliveriesResponse,
  'a2agateway.admin.v1.DeliveryStatus': isDeliveryStatus,
  'a2agateway.admin.v1.RetryDeliveriesRequest': isRetryDeliveriesRequest,
  'a2agateway.admin.v1.RetryDeliveriesResponse': isRetryDeliveriesResponse,
  'a2agateway.admin.v1.ListCallsRequest': isListCallsRequest,
  'a2agateway.admin.v1.ListCallsResponse': isListCallsResponse,
  'a2agateway.admin.v1.CallGap': isCallGap,
  'a2agateway.admin.v1.LeftOutCalls': isLeftOutCalls,
  'a2agateway.admin.v1.ListNumbersRequest': isListNumbersRequest,
  'a2agateway.admin.v1.ListNumbersResponse': isListNumbersResponse,
  'a2agateway.admin.v1.NumberGroup': isNumberGroup,
  'a2agateway.admin.v1.Numbers': isNumbers,
  'a2agateway.admin.v1.CallSummary': isCallSummary,
  'a2agateway.admin.v1.RuleDecision': isRuleDecision,
  'a2agateway.admin.v1.WatchCallsRequest': isWatchCallsRequest,
  'a2agateway.admin.v1.CallEvent': isCallEvent,
  'a2agateway.admin.v1.GetMetricsRequest': isGetMetricsRequest,
  'a2agateway.admin.v1.GetMetricsResponse': isGetMetricsResponse,
  'a2agateway.admin.v1.MetricSeries': isMetricSeries,
  'a2agateway.admin.v1.RecordRequest': isRecordRequest,
  'a2agateway.admin.v1.RecordResponse': isRecordResponse,
  'a2agateway.admin.v1.Recording': isRecording,
  'a2agateway.admin.v1.ListRecordsRequest': isListRecordsRequest,
  'a2agateway.admin.v1.ListRecordsResponse': isListRecordsResponse,
  'a2agateway.admin.v1.RecordedCall': isRecordedCall,
  'a2agateway.admin.v1.RecordedAttempt': isRecordedAttempt,
  'a2agateway.admin.v1.WireExchange': isWireExchange,
  'a2agateway.admin.v1.WireFrame': isWireFrame,
  'a2agateway.admin.v1.WireHeader': isWireHeader,
  'a2agateway.admin.v1.ListCallersRequest': isListCallersRequest,
  'a2agateway.admin.v1.ListCallersResponse': isListCallersResponse,
  'a2agateway.admin.v1.CallerStatus': isCallerStatus,
  'a2agateway.admin.v1.ListReplicasRequest': isListReplicasRequest,
  'a2agateway.admin.v1.ListReplicasResponse': isListReplicasResponse,
  'a2agateway.admin.v1.LostReplica': isLostReplica,
  'a2agateway.admin.v1.AcknowledgeReplicasRequest': isAcknowledgeReplicasRequest,
  'a2agateway.admin.v1.AcknowledgeReplicasResponse': isAcknowledgeReplicasResponse,
  'a2agateway.admin.v1.ReplicaStatus': isReplicaStatus,
  'a2agateway.admin.v1.WatchStatusRequest': isWatchStatusRequest,
  'a2agateway.admin.v1.GatewayStatus': isGatewayStatus,
  'a2agateway.admin.v1.DamagedRow': isDamagedRow,
  'a2agateway.admin.v1.StoreStatus': isStoreStatus,
  'a2agateway.admin.v1.ListGenerationsRequest': isListGenerationsRequest,
  'a2agateway.admin.v1.ListGenerationsResponse': isListGenerationsResponse,
  'a2agateway.admin.v1.GenerationUse': isGenerationUse,
  'a2agateway.admin.v1.LostField': isLostField,
  'a2agateway.admin.v1.GenerationSummary': isGenerationSummary,
  'a2agateway.admin.v1.Sunset': isSunset,
  'a2agateway.admin.v1.ListLossesRequest': isListLossesRequest,
  'a2agateway.admin.v1.ListLossesResponse': isListLossesResponse,
  'a2agateway.admin.v1.LossCount': isLossCount,
  'a2agateway.admin.v1.ListRefusedUpdatesRequest': isListRefusedUpdatesRequest,
  'a2agateway.admin.v1.ListRefusedUpdatesResponse': isListRefusedUpdatesResponse,
  'a2agateway.admin.v1.RefusedUpdate': isRefusedUpdate,
  'a2agateway.admin.v1.GetConfigRequest': isGetConfigRequest,
  'a2agateway.admin.v1.ActiveConfig': isActiveConfig,
  'a2agateway.admin.v1.ReloadConfigRequest': isReloadConfigRequest,
  'a2agateway.admin.v1.ReloadConfigResponse': isReloadConfigResponse,
  'a2agateway.admin.v1.BackUpStoreRequest': isBackUpStoreRequest,
  'a2agateway.admin.v1.BackupChunk': isBackupChunk,
  'a2agateway.admin.v1.RegisterAgentRequest': isRegisterAgentRequest,
  'a2agateway.admin.v1.RegisterCatalogRequest': isRegisterCatalogRequest,
  'a2agateway.admin.v1.RegisterCatalogResponse': isRegisterCatalogResponse,
  'a2agateway.admin.v1.CatalogAgent': isCatalogAgent,
  'a2agateway.admin.v1.SkippedAgent': isSkippedAgent,
  'a2agateway.admin.v1.ListRegistrationsRequest': isListRegistrationsRequest,
  'a2agateway.admin.v1.ListRegistrationsResponse': isListRegistrationsResponse,
  'a2agateway.admin.v1.RegisteredAgent': isRegisteredAgent,
  'a2agateway.admin.v1.CardRevision': isCardRevision,
  'a2agateway.admin.v1.Difference': isDifference,
  'a2agateway.admin.v1.RenewAgentRequest': isRenewAgentRequest,
  'a2agateway.admin.v1.ApproveAgentRequest': isApproveAgentRequest,
  'a2agateway.admin.v1.RemoveAgentRequest': isRemoveAgentRequest,
  'a2agateway.admin.v1.RemoveAgentResponse': isRemoveAgentResponse,
  'a2agateway.admin.v1.StopCallerRequest': isStopCallerRequest,
  'a2agateway.admin.v1.ResumeCallerRequest': isResumeCallerRequest,
  'a2agateway.admin.v1.EraseCallerRequest': isEraseCallerRequest,
  'a2agateway.admin.v1.Erasure': isErasure,
  'a2agateway.admin.v1.ErasedThings': isErasedThings,
  'a2agateway.admin.v1.RemainingThings': isRemainingThings,
  'a2agateway.admin.v1.StopAgentRequest': isStopAgentRequest,
  'a2agateway.admin.v1.ResumeAgentRequest': isResumeAgentRequest,
  'a2agateway.admin.v1.StopRootRequest': isStopRootRequest,
  'a2agateway.admin.v1.ResumeRootRequest': isResumeRootRequest,
  'a2agateway.admin.v1.ListStopsRequest': isListStopsRequest,
  'a2agateway.admin.v1.ListStopsResponse': isListStopsResponse,
  'a2agateway.admin.v1.Stop': isStop,
};
