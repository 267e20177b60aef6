// Generated from proto/a2agateway/admin/v1/admin.proto by `npm run generate`. Do not edit.

import type { Validator } from '../api.ts';
import * as c from '../checks.ts';
import * as is from './guards.ts';

const AgentMode = c.once(() => c.names(['AGENT_MODE_UNSPECIFIED', 'AGENT_MODE_ENABLED', 'AGENT_MODE_DRAINING', 'AGENT_MODE_DISABLED']));
const someAgentMode = c.once(() => c.names(['AGENT_MODE_ENABLED', 'AGENT_MODE_DRAINING', 'AGENT_MODE_DISABLED']));

const AgentStatus = c.once(() =>
  c.message({
    name: c.someText,
    title: c.optional(c.text),
    description: c.optional(c.text),
    kind: c.optional(c.text),
    mode: c.optional(AgentMode()),
    modeChangedAt: c.optional(c.timestamp),
    modeChangedBy: c.optional(c.text),
    state: c.optional(c.text),
    reason: c.optional(c.text),
    url: c.optional(c.text),
    dialect: c.optional(c.text),
    binding: c.optional(c.text),
    breaker: c.optional(c.text),
    calls: c.optional(c.double),
    failedCalls: c.optional(c.double),
    latencyMedianMs: c.optional(c.double),
    latencyP95Ms: c.optional(c.double),
    cardReadAt: c.optional(c.timestamp),
    liveTasks: c.optional(c.uint32),
    knowledge: c.optional(c.bool),
    isDefault: c.optional(c.bool),
    queryLanguages: c.optional(c.list(c.text, c.isString)),
  }),
);

const ListAgentsRequest = c.once(() =>
  c.message({
  }),
);

const ListAgentsResponse = c.once(() =>
  c.message({
    agents: c.optional(c.list(AgentStatus(), is.isAgentStatus)),
  }),
);

const GetAgentRequest = c.once(() =>
  c.message({
    name: c.someText,
  }),
);

const AgentDetails = c.once(() =>
  c.message({
    status: AgentStatus(),
    cards: c.optional(c.list(DialectCard(), is.isDialectCard)),
    upstreamCard: c.optional(c.struct),
    upstreamSignature: c.optional(CardSignature()),
    findings: c.optional(c.list(CardFinding(), is.isCardFinding)),
  }),
);

const DialectCard = c.once(() =>
  c.message({
    dialect: c.someText,
    path: c.optional(c.text),
    card: c.optional(c.struct),
    bytes: c.optional(c.double),
    signature: c.optional(CardSignature()),
  }),
);

const CardSignature = c.once(() =>
  c.message({
    verdict: c.someText,
    keyIds: c.optional(c.list(c.text, c.isString)),
    reason: c.optional(c.text),
  }),
);

const CardFinding = c.once(() =>
  c.message({
    severity: c.someText,
    dialect: c.optional(c.text),
    field: c.optional(c.text),
    message: c.someText,
    section: c.optional(c.text),
  }),
);

const SetAgentModeRequest = c.once(() =>
  c.message({
    name: c.someText,
    mode: someAgentMode(),
  }),
);

const FindTasksRequest = c.once(() =>
  c.message({
    agent: c.optional(c.text),
    tenant: c.optional(c.text),
    principal: c.optional(c.text),
    contextId: c.optional(c.text),
    id: c.optional(c.text),
    states: c.optional(c.list(c.text, c.isString)),
    changedAfter: c.optional(c.timestamp),
    changedBefore: c.optional(c.timestamp),
    pageSize: c.optional(c.uint32),
    pageToken: c.optional(c.text),
  }),
);

const FindTasksResponse = c.once(() =>
  c.message({
    tasks: c.optional(c.list(TaskSummary(), is.isTaskSummary)),
    nextPageToken: c.optional(c.text),
  }),
);

const TaskSummary = c.once(() =>
  c.message({
    key: c.someText,
    id: c.someText,
    contextId: c.optional(c.text),
    agent: c.someText,
    tenant: c.optional(c.text),
    principal: c.optional(c.text),
    state: c.someText,
    stateChangedAt: c.optional(c.timestamp),
    createdAt: c.optional(c.timestamp),
    updatedAt: c.optional(c.timestamp),
    lastPosition: c.optional(c.uint32),
    dialect: c.optional(c.text),
    replica: c.optional(c.text),
  }),
);

const WatchTasksRequest = c.once(() =>
  c.message({
    agent: c.optional(c.text),
    contextId: c.optional(c.text),
    states: c.optional(c.list(c.text, c.isString)),
    changedAfter: c.optional(c.timestamp),
  }),
);

const InspectTaskRequest = c.once(() =>
  c.message({
    key: c.someText,
  }),
);

const TaskDetails = c.once(() =>
  c.message({
    summary: TaskSummary(),
    task: c.optional(c.struct),
    bytes: c.optional(c.double),
    upstreamTaskId: c.optional(c.text),
    upstreamContextId: c.optional(c.text),
    pushConfigs: c.optional(c.list(c.struct, c.isObject)),
    traceId: c.optional(c.text),
  }),
);

const ListTaskEventsRequest = c.once(() =>
  c.message({
    key: c.someText,
    after: c.optional(c.uint32),
    pageSize: c.optional(c.uint32),
  }),
);

const ListTaskEventsResponse = c.once(() =>
  c.message({
    events: c.optional(c.list(TaskLogEvent(), is.isTaskLogEvent)),
    lastPosition: c.optional(c.uint32),
  }),
);

const TaskLogEvent = c.once(() =>
  c.message({
    position: c.uint32,
    time: c.optional(c.timestamp),
    event: c.struct,
  }),
);

const FollowTaskRequest = c.once(() =>
  c.message({
    key: c.someText,
    after: c.optional(c.uint32),
  }),
);

const StopTaskRequest = c.once(() =>
  c.message({
    key: c.someText,
  }),
);

const AnswerTaskRequest = c.once(() =>
  c.message({
    key: c.someText,
    parts: c.someOf(c.struct, c.isObject),
  }),
);

const ListDeliveriesRequest = c.once(() =>
  c.message({
    taskId: c.optional(c.text),
    pageSize: c.optional(c.uint32),
    pageToken: c.optional(c.text),
  }),
);

const ListDeliveriesResponse = c.once(() =>
  c.message({
    deliveries: c.optional(c.list(DeliveryStatus(), is.isDeliveryStatus)),
    nextPageToken: c.optional(c.text),
  }),
);

const DeliveryStatus = c.once(() =>
  c.message({
    state: c.someText,
    taskKey: c.optional(c.text),
    taskId: c.someText,
    configId: c.optional(c.text),
    agent: c.optional(c.text),
    principal: c.optional(c.text),
    receiver: c.optional(c.text),
    dialect: c.optional(c.text),
    firstPosition: c.optional(c.uint32),
    lastPosition: c.optional(c.uint32),
    attempts: c.optional(c.uint32),
    reason: c.optional(c.text),
    time: c.optional(c.timestamp),
  }),
);

const RetryDeliveriesRequest = c.once(() =>
  c.message({
    taskId: c.optional(c.text),
  }),
);

const RetryDeliveriesResponse = c.once(() =>
  c.message({
    retried: c.optional(c.uint32),
  }),
);

const ListCallersRequest = c.once(() =>
  c.message({
  }),
);

const ListCallersResponse = c.once(() =>
  c.message({
    callers: c.optional(c.list(CallerStatus(), is.isCallerStatus)),
    since: c.optional(c.timestamp),
  }),
);

const CallerStatus = c.once(() =>
  c.message({
    principal: c.someText,
    calls: c.optional(c.double),
    failedCalls: c.optional(c.double),
    lastUsedAt: c.optional(c.timestamp),
    lastOperation: c.optional(c.text),
    lastAgent: c.optional(c.text),
    lastDialect: c.optional(c.text),
    lastBinding: c.optional(c.text),
    configured: c.optional(c.bool),
    scopes: c.optional(c.list(c.text, c.isString)),
  }),
);

const ListReplicasRequest = c.once(() =>
  c.message({
  }),
);

const ListReplicasResponse = c.once(() =>
  c.message({
    replicas: c.optional(c.list(ReplicaStatus(), is.isReplicaStatus)),
  }),
);

const ReplicaStatus = c.once(() =>
  c.message({
    id: c.someText,
    host: c.optional(c.text),
    pid: c.optional(c.uint32),
    startedAt: c.optional(c.timestamp),
    heartbeatAt: c.optional(c.timestamp),
    alive: c.optional(c.bool),
    isThis: c.optional(c.bool),
    tasks: c.optional(c.uint32),
    version: c.optional(c.text),
  }),
);

const ListLossesRequest = c.once(() =>
  c.message({
  }),
);

const ListLossesResponse = c.once(() =>
  c.message({
    losses: c.optional(c.list(LossCount(), is.isLossCount)),
  }),
);

const LossCount = c.once(() =>
  c.message({
    dialect: c.someText,
    path: c.someText,
    count: c.optional(c.double),
    lastAt: c.optional(c.timestamp),
    lastAgent: c.optional(c.text),
  }),
);

const ListRefusedUpdatesRequest = c.once(() =>
  c.message({
    agent: c.optional(c.text),
  }),
);

const ListRefusedUpdatesResponse = c.once(() =>
  c.message({
    updates: c.optional(c.list(RefusedUpdate(), is.isRefusedUpdate)),
  }),
);

const RefusedUpdate = c.once(() =>
  c.message({
    time: c.timestamp,
    agent: c.someText,
    principal: c.optional(c.text),
    verificationStatus: c.optional(c.text),
    verificationDetails: c.optional(c.text),
    mutations: c.optional(c.list(c.struct, c.isObject)),
    proposed: c.optional(c.uint32),
  }),
);

const GetConfigRequest = c.once(() =>
  c.message({
  }),
);

const ActiveConfig = c.once(() =>
  c.message({
    settings: c.optional(c.struct),
    file: c.optional(c.text),
    activeSince: c.optional(c.timestamp),
    reloadable: c.optional(c.bool),
  }),
);

const ReloadConfigRequest = c.once(() =>
  c.message({
  }),
);

const ReloadConfigResponse = c.once(() =>
  c.message({
    added: c.optional(c.list(c.text, c.isString)),
    changed: c.optional(c.list(c.text, c.isString)),
    removed: c.optional(c.list(c.text, c.isString)),
    endedStreams: c.optional(c.uint32),
    restart: c.optional(c.list(c.text, c.isString)),
  }),
);

const BackUpStoreRequest = c.once(() =>
  c.message({
  }),
);

const BackupChunk = c.once(() =>
  c.message({
    data: c.optional(c.bytes),
    size: c.optional(c.int64),
    sha256: c.optional(c.text),
  }),
);

/** Schemas of `a2agateway.admin.v1` by full message name. */
export const schemas: Readonly<Record<string, () => c.Schema>> = {
  'a2agateway.admin.v1.AgentStatus': AgentStatus,
  'a2agateway.admin.v1.ListAgentsRequest': ListAgentsRequest,
  'a2agateway.admin.v1.ListAgentsResponse': ListAgentsResponse,
  'a2agateway.admin.v1.GetAgentRequest': GetAgentRequest,
  'a2agateway.admin.v1.AgentDetails': AgentDetails,
  'a2agateway.admin.v1.DialectCard': DialectCard,
  'a2agateway.admin.v1.CardSignature': CardSignature,
  'a2agateway.admin.v1.CardFinding': CardFinding,
  'a2agateway.admin.v1.SetAgentModeRequest': SetAgentModeRequest,
  'a2agateway.admin.v1.FindTasksRequest': FindTasksRequest,
  'a2agateway.admin.v1.FindTasksResponse': FindTasksResponse,
  'a2agateway.admin.v1.TaskSummary': TaskSummary,
  'a2agateway.admin.v1.WatchTasksRequest': WatchTasksRequest,
  'a2agateway.admin.v1.InspectTaskRequest': InspectTaskRequest,
  'a2agateway.admin.v1.TaskDetails': TaskDetails,
  'a2agateway.admin.v1.ListTaskEventsRequest': ListTaskEventsRequest,
  'a2agateway.admin.v1.ListTaskEventsResponse': ListTaskEventsResponse,
  'a2agateway.admin.v1.TaskLogEvent': TaskLogEvent,
  'a2agateway.admin.v1.FollowTaskRequest': FollowTaskRequest,
  'a2agateway.admin.v1.StopTaskRequest': StopTaskRequest,
  'a2agateway.admin.v1.AnswerTaskRequest': AnswerTaskRequest,
  'a2agateway.admin.v1.ListDeliveriesRequest': ListDeliveriesRequest,
  'a2agateway.admin.v1.ListDeliveriesResponse': ListDeliveriesResponse,
  'a2agateway.admin.v1.DeliveryStatus': DeliveryStatus,
  'a2agateway.admin.v1.RetryDeliveriesRequest': RetryDeliveriesRequest,
  'a2agateway.admin.v1.RetryDeliveriesResponse': RetryDeliveriesResponse,
  'a2agateway.admin.v1.ListCallersRequest': ListCallersRequest,
  'a2agateway.admin.v1.ListCallersResponse': ListCallersResponse,
  'a2agateway.admin.v1.CallerStatus': CallerStatus,
  'a2agateway.admin.v1.ListReplicasRequest': ListReplicasRequest,
  'a2agateway.admin.v1.ListReplicasResponse': ListReplicasResponse,
  'a2agateway.admin.v1.ReplicaStatus': ReplicaStatus,
  'a2agateway.admin.v1.ListLossesRequest': ListLossesRequest,
  'a2agateway.admin.v1.ListLossesResponse': ListLossesResponse,
  'a2agateway.admin.v1.LossCount': LossCount,
  'a2agateway.admin.v1.ListRefusedUpdatesRequest': ListRefusedUpdatesRequest,
  'a2agateway.admin.v1.ListRefusedUpdatesResponse': ListRefusedUpdatesResponse,
  'a2agateway.admin.v1.RefusedUpdate': RefusedUpdate,
  'a2agateway.admin.v1.GetConfigRequest': GetConfigRequest,
  'a2agateway.admin.v1.ActiveConfig': ActiveConfig,
  'a2agateway.admin.v1.ReloadConfigRequest': ReloadConfigRequest,
  'a2agateway.admin.v1.ReloadConfigResponse': ReloadConfigResponse,
  'a2agateway.admin.v1.BackUpStoreRequest': BackUpStoreRequest,
  'a2agateway.admin.v1.BackupChunk': BackupChunk,
};

/** Validators of `a2agateway.admin.v1` by full message name. */
export const validators: Readonly<Record<string, Validator>> = {
  'google.protobuf.Empty': c.validator(c.isObject, () => c.struct),
  'a2agateway.admin.v1.AgentStatus': c.validator(is.isAgentStatus, AgentStatus),
  'a2agateway.admin.v1.ListAgentsRequest': c.validator(is.isListAgentsRequest, ListAgentsRequest),
  'a2agateway.admin.v1.ListAgentsResponse': c.validator(is.isListAgentsResponse, ListAgentsResponse),
  'a2agateway.admin.v1.GetAgentRequest': c.validator(is.isGetAgentRequest, GetAgentRequest),
  'a2agateway.admin.v1.AgentDetails': c.validator(is.isAgentDetails, AgentDetails),
  'a2agateway.admin.v1.DialectCard': c.validator(is.isDialectCard, DialectCard),
  'a2agateway.admin.v1.CardSignature': c.validator(is.isCardSignature, CardSignature),
  'a2agateway.admin.v1.CardFinding': c.validator(is.isCardFinding, CardFinding),
  'a2agateway.admin.v1.SetAgentModeRequest': c.validator(is.isSetAgentModeRequest, SetAgentModeRequest),
  'a2agateway.admin.v1.FindTasksRequest': c.validator(is.isFindTasksRequest, FindTasksRequest),
  'a2agateway.admin.v1.FindTasksResponse': c.validator(is.isFindTasksResponse, FindTasksResponse),
  'a2agateway.admin.v1.TaskSummary': c.validator(is.isTaskSummary, TaskSummary),
  'a2agateway.admin.v1.WatchTasksRequest': c.validator(is.isWatchTasksRequest, WatchTasksRequest),
  'a2agateway.admin.v1.InspectTaskRequest': c.validator(is.isInspectTaskRequest, InspectTaskRequest),
  'a2agateway.admin.v1.TaskDetails': c.validator(is.isTaskDetails, TaskDetails),
  'a2agateway.admin.v1.ListTaskEventsRequest': c.validator(is.isListTaskEventsRequest, ListTaskEventsRequest),
  'a2agateway.admin.v1.ListTaskEventsResponse': c.validator(is.isListTaskEventsResponse, ListTaskEventsResponse),
  'a2agateway.admin.v1.TaskLogEvent': c.validator(is.isTaskLogEvent, TaskLogEvent),
  'a2agateway.admin.v1.FollowTaskRequest': c.validator(is.isFollowTaskRequest, FollowTaskRequest),
  'a2agateway.admin.v1.StopTaskRequest': c.validator(is.isStopTaskRequest, StopTaskRequest),
  'a2agateway.admin.v1.AnswerTaskRequest': c.validator(is.isAnswerTaskRequest, AnswerTaskRequest),
  'a2agateway.admin.v1.ListDeliveriesRequest': c.validator(is.isListDeliveriesRequest, ListDeliveriesRequest),
  'a2agateway.admin.v1.ListDeliveriesResponse': c.validator(is.isListDeliveriesResponse, ListDeliveriesResponse),
  'a2agateway.admin.v1.DeliveryStatus': c.validator(is.isDeliveryStatus, DeliveryStatus),
  'a2agateway.admin.v1.RetryDeliveriesRequest': c.validator(is.isRetryDeliveriesRequest, RetryDeliveriesRequest),
  'a2agateway.admin.v1.RetryDeliveriesResponse': c.validator(is.isRetryDeliveriesResponse, RetryDeliveriesResponse),
  'a2agateway.admin.v1.ListCallersRequest': c.validator(is.isListCallersRequest, ListCallersRequest),
  'a2agateway.admin.v1.ListCallersResponse': c.validator(is.isListCallersResponse, ListCallersResponse),
  'a2agateway.admin.v1.CallerStatus': c.validator(is.isCallerStatus, CallerStatus),
  'a2agateway.admin.v1.ListReplicasRequest': c.validator(is.isListReplicasRequest, ListReplicasRequest),
  'a2agateway.admin.v1.ListReplicasResponse': c.validator(is.isListReplicasResponse, ListReplicasResponse),
  'a2agateway.admin.v1.ReplicaStatus': c.validator(is.isReplicaStatus, ReplicaStatus),
  'a2agateway.admin.v1.ListLossesRequest': c.validator(is.isListLossesRequest, ListLossesRequest),
  'a2agateway.admin.v1.ListLossesResponse': c.validator(is.isListLossesResponse, ListLossesResponse),
  'a2agateway.admin.v1.LossCount': c.validator(is.isLossCount, LossCount),
  'a2agateway.admin.v1.ListRefusedUpdatesRequest': c.validator(is.isListRefusedUpdatesRequest, ListRefusedUpdatesRequest),
  'a2agateway.admin.v1.ListRefusedUpdatesResponse': c.validator(is.isListRefusedUpdatesResponse, ListRefusedUpdatesResponse),
  'a2agateway.admin.v1.RefusedUpdate': c.validator(is.isRefusedUpdate, RefusedUpdate),
  'a2agateway.admin.v1.GetConfigRequest': c.validator(is.isGetConfigRequest, GetConfigRequest),
  'a2agateway.admin.v1.ActiveConfig': c.validator(is.isActiveConfig, ActiveConfig),
  'a2agateway.admin.v1.ReloadConfigRequest': c.validator(is.isReloadConfigRequest, ReloadConfigRequest),
  'a2agateway.admin.v1.ReloadConfigResponse': c.validator(is.isReloadConfigResponse, ReloadConfigResponse),
  'a2agateway.admin.v1.BackUpStoreRequest': c.validator(is.isBackUpStoreRequest, BackUpStoreRequest),
  'a2agateway.admin.v1.BackupChunk': c.validator(is.isBackupChunk, BackupChunk),
};
