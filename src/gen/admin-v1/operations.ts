// Generated from proto/a2agateway/admin/v1/admin.proto and codegen/overlay.ts by `npm run generate`. Do not edit.

import type { Operation } from '../operations.ts';
import type {
  AcknowledgeReplicasRequest,
  AcknowledgeReplicasResponse,
  ActiveConfig,
  AgentDetails,
  AgentStatus,
  AnswerQuestionRequest,
  AnswerTaskRequest,
  ApproveAgentRequest,
  BackUpStoreRequest,
  BackupChunk,
  CallEvent,
  EraseCallerRequest,
  Erasure,
  FindTasksRequest,
  FindTasksResponse,
  FollowTaskRequest,
  GatewayStatus,
  GetAgentRequest,
  GetConfigRequest,
  GetMetricsRequest,
  GetMetricsResponse,
  GroupTasksRequest,
  GroupTasksResponse,
  InspectTaskRequest,
  ListAgentsRequest,
  ListAgentsResponse,
  ListCallersRequest,
  ListCallersResponse,
  ListCallsRequest,
  ListCallsResponse,
  ListDeliveriesRequest,
  ListDeliveriesResponse,
  ListGenerationsRequest,
  ListGenerationsResponse,
  ListLossesRequest,
  ListLossesResponse,
  ListNumbersRequest,
  ListNumbersResponse,
  ListQuestionsRequest,
  ListQuestionsResponse,
  ListRecordsRequest,
  ListRecordsResponse,
  ListRefusedUpdatesRequest,
  ListRefusedUpdatesResponse,
  ListRegistrationsRequest,
  ListRegistrationsResponse,
  ListReplicasRequest,
  ListReplicasResponse,
  ListStopsRequest,
  ListStopsResponse,
  ListTaskEventsRequest,
  ListTaskEventsResponse,
  RecordRequest,
  RecordResponse,
  RegisterAgentRequest,
  RegisterCatalogRequest,
  RegisterCatalogResponse,
  RegisteredAgent,
  ReloadConfigRequest,
  ReloadConfigResponse,
  RemoveAgentRequest,
  RemoveAgentResponse,
  RenewAgentRequest,
  ResumeAgentRequest,
  ResumeCallerRequest,
  ResumeRootRequest,
  RetryDeliveriesRequest,
  RetryDeliveriesResponse,
  RetryTasksRequest,
  RetryTasksResponse,
  SetAgentModeRequest,
  Stop,
  StopAgentRequest,
  StopCallerRequest,
  StopRootRequest,
  StopTaskRequest,
  TaskDetails,
  TaskLogEvent,
  TaskSummary,
  WatchCallsRequest,
  WatchStatusRequest,
  WatchTasksRequest,
} from './types.ts';

/** The operations of `a2agateway.admin.v1.AdminService`, in the proto's order. */
export const operations = [
  {
    name: 'ListAgents',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ListAgents',
    grpcPath: '/a2agateway.admin.v1.AdminService/ListAgents',
    request: 'a2agateway.admin.v1.ListAgentsRequest',
    response: 'a2agateway.admin.v1.ListAgentsResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/agents' },
    ],
  },
  {
    name: 'GetAgent',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'GetAgent',
    grpcPath: '/a2agateway.admin.v1.AdminService/GetAgent',
    request: 'a2agateway.admin.v1.GetAgentRequest',
    response: 'a2agateway.admin.v1.AgentDetails',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/agents/{name=*}' },
    ],
  },
  {
    name: 'SetAgentMode',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'SetAgentMode',
    grpcPath: '/a2agateway.admin.v1.AdminService/SetAgentMode',
    request: 'a2agateway.admin.v1.SetAgentModeRequest',
    response: 'a2agateway.admin.v1.AgentStatus',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/agents/{name=*}:setMode', body: '*' },
    ],
  },
  {
    name: 'StopCaller',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'StopCaller',
    grpcPath: '/a2agateway.admin.v1.AdminService/StopCaller',
    request: 'a2agateway.admin.v1.StopCallerRequest',
    response: 'a2agateway.admin.v1.Stop',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/callers:stop', body: '*' },
    ],
  },
  {
    name: 'ResumeCaller',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ResumeCaller',
    grpcPath: '/a2agateway.admin.v1.AdminService/ResumeCaller',
    request: 'a2agateway.admin.v1.ResumeCallerRequest',
    response: 'a2agateway.admin.v1.Stop',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/callers:resume', body: '*' },
    ],
  },
  {
    name: 'EraseCaller',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'EraseCaller',
    grpcPath: '/a2agateway.admin.v1.AdminService/EraseCaller',
    request: 'a2agateway.admin.v1.EraseCallerRequest',
    response: 'a2agateway.admin.v1.Erasure',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/callers:erase', body: '*' },
    ],
  },
  {
    name: 'StopAgent',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'StopAgent',
    grpcPath: '/a2agateway.admin.v1.AdminService/StopAgent',
    request: 'a2agateway.admin.v1.StopAgentRequest',
    response: 'a2agateway.admin.v1.Stop',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/agents/{name=*}:stop', body: '*' },
    ],
  },
  {
    name: 'ResumeAgent',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ResumeAgent',
    grpcPath: '/a2agateway.admin.v1.AdminService/ResumeAgent',
    request: 'a2agateway.admin.v1.ResumeAgentRequest',
    response: 'a2agateway.admin.v1.Stop',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/agents/{name=*}:resume', body: '*' },
    ],
  },
  {
    name: 'StopRoot',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'StopRoot',
    grpcPath: '/a2agateway.admin.v1.AdminService/StopRoot',
    request: 'a2agateway.admin.v1.StopRootRequest',
    response: 'a2agateway.admin.v1.Stop',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/tasks/{key=*}:stopRoot', body: '*' },
    ],
  },
  {
    name: 'ResumeRoot',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ResumeRoot',
    grpcPath: '/a2agateway.admin.v1.AdminService/ResumeRoot',
    request: 'a2agateway.admin.v1.ResumeRootRequest',
    response: 'a2agateway.admin.v1.Stop',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/tasks/{key=*}:resumeRoot', body: '*' },
    ],
  },
  {
    name: 'ListStops',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ListStops',
    grpcPath: '/a2agateway.admin.v1.AdminService/ListStops',
    request: 'a2agateway.admin.v1.ListStopsRequest',
    response: 'a2agateway.admin.v1.ListStopsResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/stops' },
    ],
  },
  {
    name: 'RegisterAgent',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'RegisterAgent',
    grpcPath: '/a2agateway.admin.v1.AdminService/RegisterAgent',
    request: 'a2agateway.admin.v1.RegisterAgentRequest',
    response: 'a2agateway.admin.v1.RegisteredAgent',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/registrations', body: '*' },
    ],
  },
  {
    name: 'RegisterCatalog',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'RegisterCatalog',
    grpcPath: '/a2agateway.admin.v1.AdminService/RegisterCatalog',
    request: 'a2agateway.admin.v1.RegisterCatalogRequest',
    response: 'a2agateway.admin.v1.RegisterCatalogResponse',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/registrations:catalog', body: '*' },
    ],
  },
  {
    name: 'ListRegistrations',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ListRegistrations',
    grpcPath: '/a2agateway.admin.v1.AdminService/ListRegistrations',
    request: 'a2agateway.admin.v1.ListRegistrationsRequest',
    response: 'a2agateway.admin.v1.ListRegistrationsResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/registrations' },
    ],
  },
  {
    name: 'RenewAgent',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'RenewAgent',
    grpcPath: '/a2agateway.admin.v1.AdminService/RenewAgent',
    request: 'a2agateway.admin.v1.RenewAgentRequest',
    response: 'a2agateway.admin.v1.RegisteredAgent',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/registrations/{name=*}:renew', body: '*' },
    ],
  },
  {
    name: 'ApproveAgent',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ApproveAgent',
    grpcPath: '/a2agateway.admin.v1.AdminService/ApproveAgent',
    request: 'a2agateway.admin.v1.ApproveAgentRequest',
    response: 'a2agateway.admin.v1.RegisteredAgent',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/registrations/{name=*}:approve', body: '*' },
    ],
  },
  {
    name: 'RemoveAgent',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'RemoveAgent',
    grpcPath: '/a2agateway.admin.v1.AdminService/RemoveAgent',
    request: 'a2agateway.admin.v1.RemoveAgentRequest',
    response: 'a2agateway.admin.v1.RemoveAgentResponse',
    streaming: false,
    http: [
      { verb: 'DELETE', path: '/admin/v1/registrations/{name=*}' },
    ],
  },
  {
    name: 'FindTasks',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'FindTasks',
    grpcPath: '/a2agateway.admin.v1.AdminService/FindTasks',
    request: 'a2agateway.admin.v1.FindTasksRequest',
    response: 'a2agateway.admin.v1.FindTasksResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/tasks' },
    ],
  },
  {
    name: 'GroupTasks',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'GroupTasks',
    grpcPath: '/a2agateway.admin.v1.AdminService/GroupTasks',
    request: 'a2agateway.admin.v1.GroupTasksRequest',
    response: 'a2agateway.admin.v1.GroupTasksResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/tasks:group' },
    ],
  },
  {
    name: 'WatchTasks',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'WatchTasks',
    grpcPath: '/a2agateway.admin.v1.AdminService/WatchTasks',
    request: 'a2agateway.admin.v1.WatchTasksRequest',
    response: 'a2agateway.admin.v1.TaskSummary',
    streaming: true,
    reads: true,
    longLived: true,
    http: [
      { verb: 'GET', path: '/admin/v1/tasks:watch' },
    ],
  },
  {
    name: 'InspectTask',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'InspectTask',
    grpcPath: '/a2agateway.admin.v1.AdminService/InspectTask',
    request: 'a2agateway.admin.v1.InspectTaskRequest',
    response: 'a2agateway.admin.v1.TaskDetails',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/tasks/{key=*}' },
    ],
  },
  {
    name: 'ListTaskEvents',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ListTaskEvents',
    grpcPath: '/a2agateway.admin.v1.AdminService/ListTaskEvents',
    request: 'a2agateway.admin.v1.ListTaskEventsRequest',
    response: 'a2agateway.admin.v1.ListTaskEventsResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/tasks/{key=*}/events' },
    ],
  },
  {
    name: 'FollowTask',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'FollowTask',
    grpcPath: '/a2agateway.admin.v1.AdminService/FollowTask',
    request: 'a2agateway.admin.v1.FollowTaskRequest',
    response: 'a2agateway.admin.v1.TaskLogEvent',
    streaming: true,
    reads: true,
    longLived: true,
    http: [
      { verb: 'GET', path: '/admin/v1/tasks/{key=*}:follow' },
    ],
  },
  {
    name: 'StopTask',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'StopTask',
    grpcPath: '/a2agateway.admin.v1.AdminService/StopTask',
    request: 'a2agateway.admin.v1.StopTaskRequest',
    response: 'a2agateway.admin.v1.TaskDetails',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/tasks/{key=*}:stop', body: '*' },
    ],
  },
  {
    name: 'AnswerTask',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'AnswerTask',
    grpcPath: '/a2agateway.admin.v1.AdminService/AnswerTask',
    request: 'a2agateway.admin.v1.AnswerTaskRequest',
    response: 'a2agateway.admin.v1.TaskDetails',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/tasks/{key=*}:answer', body: '*' },
    ],
  },
  {
    name: 'RetryTasks',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'RetryTasks',
    grpcPath: '/a2agateway.admin.v1.AdminService/RetryTasks',
    request: 'a2agateway.admin.v1.RetryTasksRequest',
    response: 'a2agateway.admin.v1.RetryTasksResponse',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/tasks:retry', body: '*' },
    ],
  },
  {
    name: 'ListQuestions',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ListQuestions',
    grpcPath: '/a2agateway.admin.v1.AdminService/ListQuestions',
    request: 'a2agateway.admin.v1.ListQuestionsRequest',
    response: 'a2agateway.admin.v1.ListQuestionsResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/questions' },
    ],
  },
  {
    name: 'AnswerQuestion',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'AnswerQuestion',
    grpcPath: '/a2agateway.admin.v1.AdminService/AnswerQuestion',
    request: 'a2agateway.admin.v1.AnswerQuestionRequest',
    response: 'a2agateway.admin.v1.TaskDetails',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/questions/{key=*}:answer', body: '*' },
    ],
  },
  {
    name: 'ListDeliveries',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ListDeliveries',
    grpcPath: '/a2agateway.admin.v1.AdminService/ListDeliveries',
    request: 'a2agateway.admin.v1.ListDeliveriesRequest',
    response: 'a2agateway.admin.v1.ListDeliveriesResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/deliveries' },
    ],
  },
  {
    name: 'RetryDeliveries',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'RetryDeliveries',
    grpcPath: '/a2agateway.admin.v1.AdminService/RetryDeliveries',
    request: 'a2agateway.admin.v1.RetryDeliveriesRequest',
    response: 'a2agateway.admin.v1.RetryDeliveriesResponse',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/deliveries:retry', body: '*' },
    ],
  },
  {
    name: 'ListCalls',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ListCalls',
    grpcPath: '/a2agateway.admin.v1.AdminService/ListCalls',
    request: 'a2agateway.admin.v1.ListCallsRequest',
    response: 'a2agateway.admin.v1.ListCallsResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/calls' },
    ],
  },
  {
    name: 'WatchCalls',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'WatchCalls',
    grpcPath: '/a2agateway.admin.v1.AdminService/WatchCalls',
    request: 'a2agateway.admin.v1.WatchCallsRequest',
    response: 'a2agateway.admin.v1.CallEvent',
    streaming: true,
    reads: true,
    longLived: true,
    http: [
      { verb: 'GET', path: '/admin/v1/calls:watch' },
    ],
  },
  {
    name: 'ListNumbers',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ListNumbers',
    grpcPath: '/a2agateway.admin.v1.AdminService/ListNumbers',
    request: 'a2agateway.admin.v1.ListNumbersRequest',
    response: 'a2agateway.admin.v1.ListNumbersResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/numbers' },
    ],
  },
  {
    name: 'GetMetrics',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'GetMetrics',
    grpcPath: '/a2agateway.admin.v1.AdminService/GetMetrics',
    request: 'a2agateway.admin.v1.GetMetricsRequest',
    response: 'a2agateway.admin.v1.GetMetricsResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/metrics' },
    ],
  },
  {
    name: 'Record',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'Record',
    grpcPath: '/a2agateway.admin.v1.AdminService/Record',
    request: 'a2agateway.admin.v1.RecordRequest',
    response: 'a2agateway.admin.v1.RecordResponse',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/recordings', body: '*' },
    ],
  },
  {
    name: 'ListRecords',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ListRecords',
    grpcPath: '/a2agateway.admin.v1.AdminService/ListRecords',
    request: 'a2agateway.admin.v1.ListRecordsRequest',
    response: 'a2agateway.admin.v1.ListRecordsResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/records' },
    ],
  },
  {
    name: 'ListCallers',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ListCallers',
    grpcPath: '/a2agateway.admin.v1.AdminService/ListCallers',
    request: 'a2agateway.admin.v1.ListCallersRequest',
    response: 'a2agateway.admin.v1.ListCallersResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/callers' },
    ],
  },
  {
    name: 'ListReplicas',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ListReplicas',
    grpcPath: '/a2agateway.admin.v1.AdminService/ListReplicas',
    request: 'a2agateway.admin.v1.ListReplicasRequest',
    response: 'a2agateway.admin.v1.ListReplicasResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/replicas' },
    ],
  },
  {
    name: 'AcknowledgeReplicas',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'AcknowledgeReplicas',
    grpcPath: '/a2agateway.admin.v1.AdminService/AcknowledgeReplicas',
    request: 'a2agateway.admin.v1.AcknowledgeReplicasRequest',
    response: 'a2agateway.admin.v1.AcknowledgeReplicasResponse',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/replicas:acknowledge', body: '*' },
    ],
  },
  {
    name: 'WatchStatus',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'WatchStatus',
    grpcPath: '/a2agateway.admin.v1.AdminService/WatchStatus',
    request: 'a2agateway.admin.v1.WatchStatusRequest',
    response: 'a2agateway.admin.v1.GatewayStatus',
    streaming: true,
    reads: true,
    longLived: true,
    http: [
      { verb: 'GET', path: '/admin/v1/status:watch' },
    ],
  },
  {
    name: 'ListLosses',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ListLosses',
    grpcPath: '/a2agateway.admin.v1.AdminService/ListLosses',
    request: 'a2agateway.admin.v1.ListLossesRequest',
    response: 'a2agateway.admin.v1.ListLossesResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/losses' },
    ],
  },
  {
    name: 'ListGenerations',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ListGenerations',
    grpcPath: '/a2agateway.admin.v1.AdminService/ListGenerations',
    request: 'a2agateway.admin.v1.ListGenerationsRequest',
    response: 'a2agateway.admin.v1.ListGenerationsResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/generations' },
    ],
  },
  {
    name: 'ListRefusedUpdates',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ListRefusedUpdates',
    grpcPath: '/a2agateway.admin.v1.AdminService/ListRefusedUpdates',
    request: 'a2agateway.admin.v1.ListRefusedUpdatesRequest',
    response: 'a2agateway.admin.v1.ListRefusedUpdatesResponse',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/knowledge/refusals' },
    ],
  },
  {
    name: 'GetConfig',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'GetConfig',
    grpcPath: '/a2agateway.admin.v1.AdminService/GetConfig',
    request: 'a2agateway.admin.v1.GetConfigRequest',
    response: 'a2agateway.admin.v1.ActiveConfig',
    streaming: false,
    reads: true,
    http: [
      { verb: 'GET', path: '/admin/v1/config' },
    ],
  },
  {
    name: 'ReloadConfig',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'ReloadConfig',
    grpcPath: '/a2agateway.admin.v1.AdminService/ReloadConfig',
    request: 'a2agateway.admin.v1.ReloadConfigRequest',
    response: 'a2agateway.admin.v1.ReloadConfigResponse',
    streaming: false,
    http: [
      { verb: 'POST', path: '/admin/v1/config:reload', body: '*' },
    ],
  },
  {
    name: 'BackUpStore',
    service: 'a2agateway.admin.v1.AdminService',
    rpc: 'BackUpStore',
    grpcPath: '/a2agateway.admin.v1.AdminService/BackUpStore',
    request: 'a2agateway.admin.v1.BackUpStoreRequest',
    response: 'a2agateway.admin.v1.BackupChunk',
    streaming: true,
    longLived: true,
    http: [
      { verb: 'POST', path: '/admin/v1/store:backUp', body: '*' },
    ],
  },
] as const satisfies readonly Operation[];

/** Name of an operation. */
export type OperationName = (typeof operations)[number]['name'];

/** Request and response types by operation. For a streaming operation, `response` is the type of its events. */
export interface OperationTypes {
  ListAgents: { request: ListAgentsRequest; response: ListAgentsResponse; streaming: false };
  GetAgent: { request: GetAgentRequest; response: AgentDetails; streaming: false };
  SetAgentMode: { request: SetAgentModeRequest; response: AgentStatus; streaming: false };
  StopCaller: { request: StopCallerRequest; response: Stop; streaming: false };
  ResumeCaller: { request: ResumeCallerRequest; response: Stop; streaming: false };
  EraseCaller: { request: EraseCallerRequest; response: Erasure; streaming: false };
  StopAgent: { request: StopAgentRequest; response: Stop; streaming: false };
  ResumeAgent: { request: ResumeAgentRequest; response: Stop; streaming: false };
  StopRoot: { request: StopRootRequest; response: Stop; streaming: false };
  ResumeRoot: { request: ResumeRootRequest; response: Stop; streaming: false };
  ListStops: { request: ListStopsRequest; response: ListStopsResponse; streaming: false };
  RegisterAgent: { request: RegisterAgentRequest; response: RegisteredAgent; streaming: false };
  RegisterCatalog: { request: RegisterCatalogRequest; response: RegisterCatalogResponse; streaming: false };
  ListRegistrations: { request: ListRegistrationsRequest; response: ListRegistrationsResponse; streaming: false };
  RenewAgent: { request: RenewAgentRequest; response: RegisteredAgent; streaming: false };
  ApproveAgent: { request: ApproveAgentRequest; response: RegisteredAgent; streaming: false };
  RemoveAgent: { request: RemoveAgentRequest; response: RemoveAgentResponse; streaming: false };
  FindTasks: { request: FindTasksRequest; response: FindTasksResponse; streaming: false };
  GroupTasks: { request: GroupTasksRequest; response: GroupTasksResponse; streaming: false };
  WatchTasks: { request: WatchTasksRequest; response: TaskSummary; streaming: true };
  InspectTask: { request: InspectTaskRequest; response: TaskDetails; streaming: false };
  ListTaskEvents: { request: ListTaskEventsRequest; response: ListTaskEventsResponse; streaming: false };
  FollowTask: { request: FollowTaskRequest; response: TaskLogEvent; streaming: true };
  StopTask: { request: StopTaskRequest; response: TaskDetails; streaming: false };
  AnswerTask: { request: AnswerTaskRequest; response: TaskDetails; streaming: false };
  RetryTasks: { request: RetryTasksRequest; response: RetryTasksResponse; streaming: false };
  ListQuestions: { request: ListQuestionsRequest; response: ListQuestionsResponse; streaming: false };
  AnswerQuestion: { request: AnswerQuestionRequest; response: TaskDetails; streaming: false };
  ListDeliveries: { request: ListDeliveriesRequest; response: ListDeliveriesResponse; streaming: false };
  RetryDeliveries: { request: RetryDeliveriesRequest; response: RetryDeliveriesResponse; streaming: false };
  ListCalls: { request: ListCallsRequest; response: ListCallsResponse; streaming: false };
  WatchCalls: { request: WatchCallsRequest; response: CallEvent; streaming: true };
  ListNumbers: { request: ListNumbersRequest; response: ListNumbersResponse; streaming: false };
  GetMetrics: { request: GetMetricsRequest; response: GetMetricsResponse; streaming: false };
  Record: { request: RecordRequest; response: RecordResponse; streaming: false };
  ListRecords: { request: ListRecordsRequest; response: ListRecordsResponse; streaming: false };
  ListCallers: { request: ListCallersRequest; response: ListCallersResponse; streaming: false };
  ListReplicas: { request: ListReplicasRequest; response: ListReplicasResponse; streaming: false };
  AcknowledgeReplicas: { request: AcknowledgeReplicasRequest; response: AcknowledgeReplicasResponse; streaming: false };
  WatchStatus: { request: WatchStatusRequest; response: GatewayStatus; streaming: true };
  ListLosses: { request: ListLossesRequest; response: ListLossesResponse; streaming: false };
  ListGenerations: { request: ListGenerationsRequest; response: ListGenerationsResponse; streaming: false };
  ListRefusedUpdates: { request: ListRefusedUpdatesRequest; response: ListRefusedUpdatesResponse; streaming: false };
  GetConfig: { request: GetConfigRequest; response: ActiveConfig; streaming: false };
  ReloadConfig: { request: ReloadConfigRequest; response: ReloadConfigResponse; streaming: false };
  BackUpStore: { request: BackUpStoreRequest; response: BackupChunk; streaming: true };
}

/** The request type of an operation. */
export type RequestOf<K extends OperationName> = OperationTypes[K]['request'];

/** The response type of an operation; for a streaming operation, the type of its events. */
export type ResponseOf<K extends OperationName> = OperationTypes[K]['response'];
