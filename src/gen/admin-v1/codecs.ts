// Generated from proto/a2agateway/admin/v1/admin.proto by `npm run generate`. Do not edit.

import type { Codec } from '../api.ts';
import { Empty } from '../proto/google/protobuf/empty.ts';
import * as codec from '../proto/a2agateway/admin/v1/admin.ts';

/** Protobuf codecs of `a2agateway.admin.v1` by full message name. */
export const codecs: Readonly<Record<string, Codec>> = {
  'google.protobuf.Empty': Empty,
  'a2agateway.admin.v1.AgentStatus': codec.AgentStatus,
  'a2agateway.admin.v1.ListAgentsRequest': codec.ListAgentsRequest,
  'a2agateway.admin.v1.ListAgentsResponse': codec.ListAgentsResponse,
  'a2agateway.admin.v1.GetAgentRequest': codec.GetAgentRequest,
  'a2agateway.admin.v1.AgentDetails': codec.AgentDetails,
  'a2agateway.admin.v1.DialectCard': codec.DialectCard,
  'a2agateway.admin.v1.CardSignature': codec.CardSignature,
  'a2agateway.admin.v1.CardFinding': codec.CardFinding,
  'a2agateway.admin.v1.SetAgentModeRequest': codec.SetAgentModeRequest,
  'a2agateway.admin.v1.FindTasksRequest': codec.FindTasksRequest,
  'a2agateway.admin.v1.FindTasksResponse': codec.FindTasksResponse,
  'a2agateway.admin.v1.TaskSummary': codec.TaskSummary,
  'a2agateway.admin.v1.WatchTasksRequest': codec.WatchTasksRequest,
  'a2agateway.admin.v1.InspectTaskRequest': codec.InspectTaskRequest,
  'a2agateway.admin.v1.TaskDetails': codec.TaskDetails,
  'a2agateway.admin.v1.ListTaskEventsRequest': codec.ListTaskEventsRequest,
  'a2agateway.admin.v1.ListTaskEventsResponse': codec.ListTaskEventsResponse,
  'a2agateway.admin.v1.TaskLogEvent': codec.TaskLogEvent,
  'a2agateway.admin.v1.FollowTaskRequest': codec.FollowTaskRequest,
  'a2agateway.admin.v1.StopTaskRequest': codec.StopTaskRequest,
  'a2agateway.admin.v1.AnswerTaskRequest': codec.AnswerTaskRequest,
  'a2agateway.admin.v1.ListDeliveriesRequest': codec.ListDeliveriesRequest,
  'a2agateway.admin.v1.ListDeliveriesResponse': codec.ListDeliveriesResponse,
  'a2agateway.admin.v1.DeliveryStatus': codec.DeliveryStatus,
  'a2agateway.admin.v1.RetryDeliveriesRequest': codec.RetryDeliveriesRequest,
  'a2agateway.admin.v1.RetryDeliveriesResponse': codec.RetryDeliveriesResponse,
  'a2agateway.admin.v1.ListCallersRequest': codec.ListCallersRequest,
  'a2agateway.admin.v1.ListCallersResponse': codec.ListCallersResponse,
  'a2agateway.admin.v1.CallerStatus': codec.CallerStatus,
  'a2agateway.admin.v1.ListReplicasRequest': codec.ListReplicasRequest,
  'a2agateway.admin.v1.ListReplicasResponse': codec.ListReplicasResponse,
  'a2agateway.admin.v1.ReplicaStatus': codec.ReplicaStatus,
  'a2agateway.admin.v1.ListLossesRequest': codec.ListLossesRequest,
  'a2agateway.admin.v1.ListLossesResponse': codec.ListLossesResponse,
  'a2agateway.admin.v1.LossCount': codec.LossCount,
  'a2agateway.admin.v1.ListRefusedUpdatesRequest': codec.ListRefusedUpdatesRequest,
  'a2agateway.admin.v1.ListRefusedUpdatesResponse': codec.ListRefusedUpdatesResponse,
  'a2agateway.admin.v1.RefusedUpdate': codec.RefusedUpdate,
  'a2agateway.admin.v1.GetConfigRequest': codec.GetConfigRequest,
  'a2agateway.admin.v1.ActiveConfig': codec.ActiveConfig,
  'a2agateway.admin.v1.ReloadConfigRequest': codec.ReloadConfigRequest,
  'a2agateway.admin.v1.ReloadConfigResponse': codec.ReloadConfigResponse,
  'a2agateway.admin.v1.BackUpStoreRequest': codec.BackUpStoreRequest,
  'a2agateway.admin.v1.BackupChunk': codec.BackupChunk,
};

/** What the codecs code, by full message name. */
export interface CodecTypes {
  'a2agateway.admin.v1.AgentStatus': codec.AgentStatus;
  'a2agateway.admin.v1.ListAgentsRequest': codec.ListAgentsRequest;
  'a2agateway.admin.v1.ListAgentsResponse': codec.ListAgentsResponse;
  'a2agateway.admin.v1.GetAgentRequest': codec.GetAgentRequest;
  'a2agateway.admin.v1.AgentDetails': codec.AgentDetails;
  'a2agateway.admin.v1.DialectCard': codec.DialectCard;
  'a2agateway.admin.v1.CardSignature': codec.CardSignature;
  'a2agateway.admin.v1.CardFinding': codec.CardFinding;
  'a2agateway.admin.v1.SetAgentModeRequest': codec.SetAgentModeRequest;
  'a2agateway.admin.v1.FindTasksRequest': codec.FindTasksRequest;
  'a2agateway.admin.v1.FindTasksResponse': codec.FindTasksResponse;
  'a2agateway.admin.v1.TaskSummary': codec.TaskSummary;
  'a2agateway.admin.v1.WatchTasksRequest': codec.WatchTasksRequest;
  'a2agateway.admin.v1.InspectTaskRequest': codec.InspectTaskRequest;
  'a2agateway.admin.v1.TaskDetails': codec.TaskDetails;
  'a2agateway.admin.v1.ListTaskEventsRequest': codec.ListTaskEventsRequest;
  'a2agateway.admin.v1.ListTaskEventsResponse': codec.ListTaskEventsResponse;
  'a2agateway.admin.v1.TaskLogEvent': codec.TaskLogEvent;
  'a2agateway.admin.v1.FollowTaskRequest': codec.FollowTaskRequest;
  'a2agateway.admin.v1.StopTaskRequest': codec.StopTaskRequest;
  'a2agateway.admin.v1.AnswerTaskRequest': codec.AnswerTaskRequest;
  'a2agateway.admin.v1.ListDeliveriesRequest': codec.ListDeliveriesRequest;
  'a2agateway.admin.v1.ListDeliveriesResponse': codec.ListDeliveriesResponse;
  'a2agateway.admin.v1.DeliveryStatus': codec.DeliveryStatus;
  'a2agateway.admin.v1.RetryDeliveriesRequest': codec.RetryDeliveriesRequest;
  'a2agateway.admin.v1.RetryDeliveriesResponse': codec.RetryDeliveriesResponse;
  'a2agateway.admin.v1.ListCallersRequest': codec.ListCallersRequest;
  'a2agateway.admin.v1.ListCallersResponse': codec.ListCallersResponse;
  'a2agateway.admin.v1.CallerStatus': codec.CallerStatus;
  'a2agateway.admin.v1.ListReplicasRequest': codec.ListReplicasRequest;
  'a2agateway.admin.v1.ListReplicasResponse': codec.ListReplicasResponse;
  'a2agateway.admin.v1.ReplicaStatus': codec.ReplicaStatus;
  'a2agateway.admin.v1.ListLossesRequest': codec.ListLossesRequest;
  'a2agateway.admin.v1.ListLossesResponse': codec.ListLossesResponse;
  'a2agateway.admin.v1.LossCount': codec.LossCount;
  'a2agateway.admin.v1.ListRefusedUpdatesRequest': codec.ListRefusedUpdatesRequest;
  'a2agateway.admin.v1.ListRefusedUpdatesResponse': codec.ListRefusedUpdatesResponse;
  'a2agateway.admin.v1.RefusedUpdate': codec.RefusedUpdate;
  'a2agateway.admin.v1.GetConfigRequest': codec.GetConfigRequest;
  'a2agateway.admin.v1.ActiveConfig': codec.ActiveConfig;
  'a2agateway.admin.v1.ReloadConfigRequest': codec.ReloadConfigRequest;
  'a2agateway.admin.v1.ReloadConfigResponse': codec.ReloadConfigResponse;
  'a2agateway.admin.v1.BackUpStoreRequest': codec.BackUpStoreRequest;
  'a2agateway.admin.v1.BackupChunk': codec.BackupChunk;
}
