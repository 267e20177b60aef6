// Generated from proto/a2a-1.0/lf/a2a/v1/a2a.proto by `npm run generate`. Do not edit.

import type * as json from '../../a2a-1.1/types.ts';

/** A message of which each field may be missing, some fields have types of their own, and an older version lacks some. */
type Fields<Json, Own extends object = object, Lacking = never> = {
  [K in keyof Json as Exclude<K, Lacking>]?: (K extends keyof Own ? Own[K] : Json[K]) | undefined;
};

export type TaskState = 'TASK_STATE_UNSPECIFIED' | 'TASK_STATE_SUBMITTED' | 'TASK_STATE_WORKING' | 'TASK_STATE_COMPLETED' | 'TASK_STATE_FAILED' | 'TASK_STATE_CANCELED' | 'TASK_STATE_INPUT_REQUIRED' | 'TASK_STATE_REJECTED' | 'TASK_STATE_AUTH_REQUIRED' | 'UNRECOGNIZED';
export type Role = 'ROLE_UNSPECIFIED' | 'ROLE_USER' | 'ROLE_AGENT' | 'UNRECOGNIZED';
export interface SendMessageConfiguration extends Fields<json.SendMessageConfiguration, { taskPushNotificationConfig: TaskPushNotificationConfig }, 'ifGenerationMatch'> {}
export interface Task extends Fields<json.Task, { status: TaskStatus; artifacts: Artifact[]; history: Message[]; metadata: { [key: string]: any } }, 'generation'> {}
export interface TaskStatus extends Fields<json.TaskStatus, { state: TaskState; message: Message }> {}
export interface Part extends Fields<json.Part, { raw: Buffer; data: any; metadata: { [key: string]: any } }> {}
export interface Message extends Fields<json.Message, { role: Role; parts: Part[]; metadata: { [key: string]: any } }> {}
export interface Artifact extends Fields<json.Artifact, { parts: Part[]; metadata: { [key: string]: any } }> {}
export interface TaskStatusUpdateEvent extends Fields<json.TaskStatusUpdateEvent, { status: TaskStatus; metadata: { [key: string]: any } }, 'generation'> {}
export interface TaskArtifactUpdateEvent extends Fields<json.TaskArtifactUpdateEvent, { artifact: Artifact; metadata: { [key: string]: any } }, 'generation'> {}
export interface AuthenticationInfo extends Fields<json.AuthenticationInfo> {}
export interface AgentInterface extends Fields<json.AgentInterface> {}
export interface AgentCard extends Fields<json.AgentCard, { supportedInterfaces: AgentInterface[]; provider: AgentProvider; capabilities: AgentCapabilities; securitySchemes: { [key: string]: SecurityScheme }; securityRequirements: SecurityRequirement[]; skills: AgentSkill[]; signatures: AgentCardSignature[] }> {}
export interface AgentProvider extends Fields<json.AgentProvider> {}
export interface AgentCapabilities extends Fields<json.AgentCapabilities, { extensions: AgentExtension[] }> {}
export interface AgentExtension extends Fields<json.AgentExtension, { params: { [key: string]: any } }> {}
export interface AgentSkill extends Fields<json.AgentSkill, { securityRequirements: SecurityRequirement[] }> {}
export interface AgentCardSignature extends Fields<json.AgentCardSignature, { header: { [key: string]: any } }> {}
export interface TaskPushNotificationConfig extends Fields<json.TaskPushNotificationConfig, { authentication: AuthenticationInfo }> {}
export interface StringList extends Fields<json.StringList> {}
export interface SecurityRequirement extends Fields<json.SecurityRequirement, { schemes: { [key: string]: StringList } }> {}
export interface SecurityScheme extends Fields<json.SecurityScheme, { apiKeySecurityScheme: APIKeySecurityScheme; httpAuthSecurityScheme: HTTPAuthSecurityScheme; oauth2SecurityScheme: OAuth2SecurityScheme; openIdConnectSecurityScheme: OpenIdConnectSecurityScheme; mtlsSecurityScheme: MutualTlsSecurityScheme }> {}
export interface APIKeySecurityScheme extends Fields<json.APIKeySecurityScheme> {}
export interface HTTPAuthSecurityScheme extends Fields<json.HTTPAuthSecurityScheme> {}
export interface OAuth2SecurityScheme extends Fields<json.OAuth2SecurityScheme, { flows: OAuthFlows }> {}
export interface OpenIdConnectSecurityScheme extends Fields<json.OpenIdConnectSecurityScheme> {}
export interface MutualTlsSecurityScheme extends Fields<json.MutualTlsSecurityScheme> {}
export interface OAuthFlows extends Fields<json.OAuthFlows, { authorizationCode: AuthorizationCodeOAuthFlow; clientCredentials: ClientCredentialsOAuthFlow; implicit: ImplicitOAuthFlow; password: PasswordOAuthFlow; deviceCode: DeviceCodeOAuthFlow }> {}
export interface AuthorizationCodeOAuthFlow extends Fields<json.AuthorizationCodeOAuthFlow> {}
export interface ClientCredentialsOAuthFlow extends Fields<json.ClientCredentialsOAuthFlow> {}
export interface ImplicitOAuthFlow extends Fields<json.ImplicitOAuthFlow> {}
export interface PasswordOAuthFlow extends Fields<json.PasswordOAuthFlow> {}
export interface DeviceCodeOAuthFlow extends Fields<json.DeviceCodeOAuthFlow> {}
export interface SendMessageRequest extends Fields<json.SendMessageRequest, { message: Message; configuration: SendMessageConfiguration; metadata: { [key: string]: any } }> {}
export interface GetTaskRequest extends Fields<json.GetTaskRequest, object, 'currentGeneration'> {}
export interface ListTasksRequest extends Fields<json.ListTasksRequest, { status: TaskState }> {}
export interface ListTasksResponse extends Fields<json.ListTasksResponse, { tasks: Task[] }> {}
export interface CancelTaskRequest extends Fields<json.CancelTaskRequest, { metadata: { [key: string]: any } }> {}
export interface GetTaskPushNotificationConfigRequest extends Fields<json.GetTaskPushNotificationConfigRequest> {}
export interface DeleteTaskPushNotificationConfigRequest extends Fields<json.DeleteTaskPushNotificationConfigRequest> {}
export interface SubscribeToTaskRequest extends Fields<json.SubscribeToTaskRequest> {}
export interface ListTaskPushNotificationConfigsRequest extends Fields<json.ListTaskPushNotificationConfigsRequest> {}
export interface GetExtendedAgentCardRequest extends Fields<json.GetExtendedAgentCardRequest> {}
export interface SendMessageResponse extends Fields<json.SendMessageResponse, { task: Task; message: Message }> {}
export interface StreamResponse extends Fields<json.StreamResponse, { task: Task; message: Message; statusUpdate: TaskStatusUpdateEvent; artifactUpdate: TaskArtifactUpdateEvent }> {}
export interface ListTaskPushNotificationConfigsResponse extends Fields<json.ListTaskPushNotificationConfigsResponse, { configs: TaskPushNotificationConfig[] }> {}
