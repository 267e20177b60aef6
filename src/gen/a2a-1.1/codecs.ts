// Generated from proto/a2a-1.1/lf/a2a/v1/a2a.proto by `npm run generate`. Do not edit.

import type { Codec } from '../api.ts';
import { Empty } from '../proto/google/protobuf/empty.ts';
import * as codec from '../proto/a2a-1.1/lf/a2a/v1/a2a.ts';

/** Protobuf codecs of `lf.a2a.v1` by full message name. */
export const codecs: Readonly<Record<string, Codec>> = {
  'google.protobuf.Empty': Empty,
  'lf.a2a.v1.SendMessageConfiguration': codec.SendMessageConfiguration,
  'lf.a2a.v1.Task': codec.Task,
  'lf.a2a.v1.TaskStatus': codec.TaskStatus,
  'lf.a2a.v1.Part': codec.Part,
  'lf.a2a.v1.Message': codec.Message,
  'lf.a2a.v1.Artifact': codec.Artifact,
  'lf.a2a.v1.TaskStatusUpdateEvent': codec.TaskStatusUpdateEvent,
  'lf.a2a.v1.TaskArtifactUpdateEvent': codec.TaskArtifactUpdateEvent,
  'lf.a2a.v1.AuthenticationInfo': codec.AuthenticationInfo,
  'lf.a2a.v1.AgentInterface': codec.AgentInterface,
  'lf.a2a.v1.AgentCard': codec.AgentCard,
  'lf.a2a.v1.AgentProvider': codec.AgentProvider,
  'lf.a2a.v1.AgentCapabilities': codec.AgentCapabilities,
  'lf.a2a.v1.AgentExtension': codec.AgentExtension,
  'lf.a2a.v1.AgentSkill': codec.AgentSkill,
  'lf.a2a.v1.AgentCardSignature': codec.AgentCardSignature,
  'lf.a2a.v1.TaskPushNotificationConfig': codec.TaskPushNotificationConfig,
  'lf.a2a.v1.StringList': codec.StringList,
  'lf.a2a.v1.SecurityRequirement': codec.SecurityRequirement,
  'lf.a2a.v1.SecurityScheme': codec.SecurityScheme,
  'lf.a2a.v1.APIKeySecurityScheme': codec.APIKeySecurityScheme,
  'lf.a2a.v1.HTTPAuthSecurityScheme': codec.HTTPAuthSecurityScheme,
  'lf.a2a.v1.OAuth2SecurityScheme': codec.OAuth2SecurityScheme,
  'lf.a2a.v1.OpenIdConnectSecurityScheme': codec.OpenIdConnectSecurityScheme,
  'lf.a2a.v1.MutualTlsSecurityScheme': codec.MutualTlsSecurityScheme,
  'lf.a2a.v1.OAuthFlows': codec.OAuthFlows,
  'lf.a2a.v1.AuthorizationCodeOAuthFlow': codec.AuthorizationCodeOAuthFlow,
  'lf.a2a.v1.ClientCredentialsOAuthFlow': codec.ClientCredentialsOAuthFlow,
  'lf.a2a.v1.ImplicitOAuthFlow': codec.ImplicitOAuthFlow,
  'lf.a2a.v1.PasswordOAuthFlow': codec.PasswordOAuthFlow,
  'lf.a2a.v1.DeviceCodeOAuthFlow': codec.DeviceCodeOAuthFlow,
  'lf.a2a.v1.SendMessageRequest': codec.SendMessageRequest,
  'lf.a2a.v1.GetTaskRequest': codec.GetTaskRequest,
  'lf.a2a.v1.ListTasksRequest': codec.ListTasksRequest,
  'lf.a2a.v1.ListTasksResponse': codec.ListTasksResponse,
  'lf.a2a.v1.CancelTaskRequest': codec.CancelTaskRequest,
  'lf.a2a.v1.GetTaskPushNotificationConfigRequest': codec.GetTaskPushNotificationConfigRequest,
  'lf.a2a.v1.DeleteTaskPushNotificationConfigRequest': codec.DeleteTaskPushNotificationConfigRequest,
  'lf.a2a.v1.SubscribeToTaskRequest': codec.SubscribeToTaskRequest,
  'lf.a2a.v1.ListTaskPushNotificationConfigsRequest': codec.ListTaskPushNotificationConfigsRequest,
  'lf.a2a.v1.GetExtendedAgentCardRequest': codec.GetExtendedAgentCardRequest,
  'lf.a2a.v1.SendMessageResponse': codec.SendMessageResponse,
  'lf.a2a.v1.StreamResponse': codec.StreamResponse,
  'lf.a2a.v1.ListTaskPushNotificationConfigsResponse': codec.ListTaskPushNotificationConfigsResponse,
};

/** What the codecs code, by full message name. */
export interface CodecTypes {
  'lf.a2a.v1.SendMessageConfiguration': codec.SendMessageConfiguration;
  'lf.a2a.v1.Task': codec.Task;
  'lf.a2a.v1.TaskStatus': codec.TaskStatus;
  'lf.a2a.v1.Part': codec.Part;
  'lf.a2a.v1.Message': codec.Message;
  'lf.a2a.v1.Artifact': codec.Artifact;
  'lf.a2a.v1.TaskStatusUpdateEvent': codec.TaskStatusUpdateEvent;
  'lf.a2a.v1.TaskArtifactUpdateEvent': codec.TaskArtifactUpdateEvent;
  'lf.a2a.v1.AuthenticationInfo': codec.AuthenticationInfo;
  'lf.a2a.v1.AgentInterface': codec.AgentInterface;
  'lf.a2a.v1.AgentCard': codec.AgentCard;
  'lf.a2a.v1.AgentProvider': codec.AgentProvider;
  'lf.a2a.v1.AgentCapabilities': codec.AgentCapabilities;
  'lf.a2a.v1.AgentExtension': codec.AgentExtension;
  'lf.a2a.v1.AgentSkill': codec.AgentSkill;
  'lf.a2a.v1.AgentCardSignature': codec.AgentCardSignature;
  'lf.a2a.v1.TaskPushNotificationConfig': codec.TaskPushNotificationConfig;
  'lf.a2a.v1.StringList': codec.StringList;
  'lf.a2a.v1.SecurityRequirement': codec.SecurityRequirement;
  'lf.a2a.v1.SecurityScheme': codec.SecurityScheme;
  'lf.a2a.v1.APIKeySecurityScheme': codec.APIKeySecurityScheme;
  'lf.a2a.v1.HTTPAuthSecurityScheme': codec.HTTPAuthSecurityScheme;
  'lf.a2a.v1.OAuth2SecurityScheme': codec.OAuth2SecurityScheme;
  'lf.a2a.v1.OpenIdConnectSecurityScheme': codec.OpenIdConnectSecurityScheme;
  'lf.a2a.v1.MutualTlsSecurityScheme': codec.MutualTlsSecurityScheme;
  'lf.a2a.v1.OAuthFlows': codec.OAuthFlows;
  'lf.a2a.v1.AuthorizationCodeOAuthFlow': codec.AuthorizationCodeOAuthFlow;
  'lf.a2a.v1.ClientCredentialsOAuthFlow': codec.ClientCredentialsOAuthFlow;
  'lf.a2a.v1.ImplicitOAuthFlow': codec.ImplicitOAuthFlow;
  'lf.a2a.v1.PasswordOAuthFlow': codec.PasswordOAuthFlow;
  'lf.a2a.v1.DeviceCodeOAuthFlow': codec.DeviceCodeOAuthFlow;
  'lf.a2a.v1.SendMessageRequest': codec.SendMessageRequest;
  'lf.a2a.v1.GetTaskRequest': codec.GetTaskRequest;
  'lf.a2a.v1.ListTasksRequest': codec.ListTasksRequest;
  'lf.a2a.v1.ListTasksResponse': codec.ListTasksResponse;
  'lf.a2a.v1.CancelTaskRequest': codec.CancelTaskRequest;
  'lf.a2a.v1.GetTaskPushNotificationConfigRequest': codec.GetTaskPushNotificationConfigRequest;
  'lf.a2a.v1.DeleteTaskPushNotificationConfigRequest': codec.DeleteTaskPushNotificationConfigRequest;
  'lf.a2a.v1.SubscribeToTaskRequest': codec.SubscribeToTaskRequest;
  'lf.a2a.v1.ListTaskPushNotificationConfigsRequest': codec.ListTaskPushNotificationConfigsRequest;
  'lf.a2a.v1.GetExtendedAgentCardRequest': codec.GetExtendedAgentCardRequest;
  'lf.a2a.v1.SendMessageResponse': codec.SendMessageResponse;
  'lf.a2a.v1.StreamResponse': codec.StreamResponse;
  'lf.a2a.v1.ListTaskPushNotificationConfigsResponse': codec.ListTaskPushNotificationConfigsResponse;
}
