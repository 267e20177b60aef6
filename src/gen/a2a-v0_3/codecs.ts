// Generated from proto/a2a/v1/a2a.proto by `npm run generate`. Do not edit.

import type { Codec } from '../api.ts';
import { Empty } from '../proto/google/protobuf/empty.ts';
import * as codec from '../proto/a2a/v1/a2a.ts';

/** Protobuf codecs of `a2a.v1` by full message name. */
export const codecs: Readonly<Record<string, Codec>> = {
  'google.protobuf.Empty': Empty,
  'a2a.v1.SendMessageConfiguration': codec.SendMessageConfiguration,
  'a2a.v1.Task': codec.Task,
  'a2a.v1.TaskStatus': codec.TaskStatus,
  'a2a.v1.Part': codec.Part,
  'a2a.v1.FilePart': codec.FilePart,
  'a2a.v1.DataPart': codec.DataPart,
  'a2a.v1.Message': codec.Message,
  'a2a.v1.Artifact': codec.Artifact,
  'a2a.v1.TaskStatusUpdateEvent': codec.TaskStatusUpdateEvent,
  'a2a.v1.TaskArtifactUpdateEvent': codec.TaskArtifactUpdateEvent,
  'a2a.v1.PushNotificationConfig': codec.PushNotificationConfig,
  'a2a.v1.AuthenticationInfo': codec.AuthenticationInfo,
  'a2a.v1.AgentInterface': codec.AgentInterface,
  'a2a.v1.AgentCard': codec.AgentCard,
  'a2a.v1.AgentProvider': codec.AgentProvider,
  'a2a.v1.AgentCapabilities': codec.AgentCapabilities,
  'a2a.v1.AgentExtension': codec.AgentExtension,
  'a2a.v1.AgentSkill': codec.AgentSkill,
  'a2a.v1.AgentCardSignature': codec.AgentCardSignature,
  'a2a.v1.TaskPushNotificationConfig': codec.TaskPushNotificationConfig,
  'a2a.v1.StringList': codec.StringList,
  'a2a.v1.Security': codec.Security,
  'a2a.v1.SecurityScheme': codec.SecurityScheme,
  'a2a.v1.APIKeySecurityScheme': codec.APIKeySecurityScheme,
  'a2a.v1.HTTPAuthSecurityScheme': codec.HTTPAuthSecurityScheme,
  'a2a.v1.OAuth2SecurityScheme': codec.OAuth2SecurityScheme,
  'a2a.v1.OpenIdConnectSecurityScheme': codec.OpenIdConnectSecurityScheme,
  'a2a.v1.MutualTlsSecurityScheme': codec.MutualTlsSecurityScheme,
  'a2a.v1.OAuthFlows': codec.OAuthFlows,
  'a2a.v1.AuthorizationCodeOAuthFlow': codec.AuthorizationCodeOAuthFlow,
  'a2a.v1.ClientCredentialsOAuthFlow': codec.ClientCredentialsOAuthFlow,
  'a2a.v1.ImplicitOAuthFlow': codec.ImplicitOAuthFlow,
  'a2a.v1.PasswordOAuthFlow': codec.PasswordOAuthFlow,
  'a2a.v1.SendMessageRequest': codec.SendMessageRequest,
  'a2a.v1.GetTaskRequest': codec.GetTaskRequest,
  'a2a.v1.CancelTaskRequest': codec.CancelTaskRequest,
  'a2a.v1.GetTaskPushNotificationConfigRequest': codec.GetTaskPushNotificationConfigRequest,
  'a2a.v1.DeleteTaskPushNotificationConfigRequest': codec.DeleteTaskPushNotificationConfigRequest,
  'a2a.v1.CreateTaskPushNotificationConfigRequest': codec.CreateTaskPushNotificationConfigRequest,
  'a2a.v1.TaskSubscriptionRequest': codec.TaskSubscriptionRequest,
  'a2a.v1.ListTaskPushNotificationConfigRequest': codec.ListTaskPushNotificationConfigRequest,
  'a2a.v1.GetAgentCardRequest': codec.GetAgentCardRequest,
  'a2a.v1.SendMessageResponse': codec.SendMessageResponse,
  'a2a.v1.StreamResponse': codec.StreamResponse,
  'a2a.v1.ListTaskPushNotificationConfigResponse': codec.ListTaskPushNotificationConfigResponse,
};

/** What the codecs code, by full message name. */
export interface CodecTypes {
  'a2a.v1.SendMessageConfiguration': codec.SendMessageConfiguration;
  'a2a.v1.Task': codec.Task;
  'a2a.v1.TaskStatus': codec.TaskStatus;
  'a2a.v1.Part': codec.Part;
  'a2a.v1.FilePart': codec.FilePart;
  'a2a.v1.DataPart': codec.DataPart;
  'a2a.v1.Message': codec.Message;
  'a2a.v1.Artifact': codec.Artifact;
  'a2a.v1.TaskStatusUpdateEvent': codec.TaskStatusUpdateEvent;
  'a2a.v1.TaskArtifactUpdateEvent': codec.TaskArtifactUpdateEvent;
  'a2a.v1.PushNotificationConfig': codec.PushNotificationConfig;
  'a2a.v1.AuthenticationInfo': codec.AuthenticationInfo;
  'a2a.v1.AgentInterface': codec.AgentInterface;
  'a2a.v1.AgentCard': codec.AgentCard;
  'a2a.v1.AgentProvider': codec.AgentProvider;
  'a2a.v1.AgentCapabilities': codec.AgentCapabilities;
  'a2a.v1.AgentExtension': codec.AgentExtension;
  'a2a.v1.AgentSkill': codec.AgentSkill;
  'a2a.v1.AgentCardSignature': codec.AgentCardSignature;
  'a2a.v1.TaskPushNotificationConfig': codec.TaskPushNotificationConfig;
  'a2a.v1.StringList': codec.StringList;
  'a2a.v1.Security': codec.Security;
  'a2a.v1.SecurityScheme': codec.SecurityScheme;
  'a2a.v1.APIKeySecurityScheme': codec.APIKeySecurityScheme;
  'a2a.v1.HTTPAuthSecurityScheme': codec.HTTPAuthSecurityScheme;
  'a2a.v1.OAuth2SecurityScheme': codec.OAuth2SecurityScheme;
  'a2a.v1.OpenIdConnectSecurityScheme': codec.OpenIdConnectSecurityScheme;
  'a2a.v1.MutualTlsSecurityScheme': codec.MutualTlsSecurityScheme;
  'a2a.v1.OAuthFlows': codec.OAuthFlows;
  'a2a.v1.AuthorizationCodeOAuthFlow': codec.AuthorizationCodeOAuthFlow;
  'a2a.v1.ClientCredentialsOAuthFlow': codec.ClientCredentialsOAuthFlow;
  'a2a.v1.ImplicitOAuthFlow': codec.ImplicitOAuthFlow;
  'a2a.v1.PasswordOAuthFlow': codec.PasswordOAuthFlow;
  'a2a.v1.SendMessageRequest': codec.SendMessageRequest;
  'a2a.v1.GetTaskRequest': codec.GetTaskRequest;
  'a2a.v1.CancelTaskRequest': codec.CancelTaskRequest;
  'a2a.v1.GetTaskPushNotificationConfigRequest': codec.GetTaskPushNotificationConfigRequest;
  'a2a.v1.DeleteTaskPushNotificationConfigRequest': codec.DeleteTaskPushNotificationConfigRequest;
  'a2a.v1.CreateTaskPushNotificationConfigRequest': codec.CreateTaskPushNotificationConfigRequest;
  'a2a.v1.TaskSubscriptionRequest': codec.TaskSubscriptionRequest;
  'a2a.v1.ListTaskPushNotificationConfigRequest': codec.ListTaskPushNotificationConfigRequest;
  'a2a.v1.GetAgentCardRequest': codec.GetAgentCardRequest;
  'a2a.v1.SendMessageResponse': codec.SendMessageResponse;
  'a2a.v1.StreamResponse': codec.StreamResponse;
  'a2a.v1.ListTaskPushNotificationConfigResponse': codec.ListTaskPushNotificationConfigResponse;
}
