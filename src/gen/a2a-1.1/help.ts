// Generated from proto/a2a-1.1/lf/a2a/v1/a2a.proto by `npm run generate`. Do not edit.

import type { OperationName } from './operations.ts';

/** Summaries of the operations of `lf.a2a.v1.A2AService`. */
export const summaries: Readonly<Record<OperationName, string>> = {
  SendMessage: 'Sends a message and waits for the outcome, unless told otherwise.',
  SendStreamingMessage: 'Sends a message and streams what happens from there on.',
  GetTask: 'Returns one task.',
  ListTasks: 'Returns the tasks that the caller may see, page by page.',
  CancelTask: 'Asks the agent to stop working on a task, and returns the task.',
  SubscribeToTask: 'Streams the events of a task that has not ended, the task itself first.',
  CreateTaskPushNotificationConfig: 'Registers a webhook for a task.',
  GetTaskPushNotificationConfig: 'Returns one webhook registration of a task.',
  ListTaskPushNotificationConfigs: 'Returns the webhook registrations of a task.',
  GetExtendedAgentCard: 'Returns the card that only authenticated callers see.',
  DeleteTaskPushNotificationConfig: 'Removes a webhook registration from a task.',
};

/** Descriptions of fields, by the full name of their message and their own name in JSON. */
export const fieldTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'lf.a2a.v1.SendMessageConfiguration': {
    acceptedOutputModes: 'Media types that the caller can take, such as text/plain.',
    taskPushNotificationConfig: 'Registered for the task before work on it begins.',
    historyLength: 'How many of the latest messages the returned task may carry; 0 means none.',
    returnImmediately: 'Answer at once instead of waiting for a terminal or interrupted state.',
    ifGenerationMatch: 'The generation that the task must have when the message is added to it. With any other one the call fails.',
  },
  'lf.a2a.v1.Part': {
    text: 'Text.',
    raw: 'The bytes of a file.',
    url: 'Where a file can be fetched.',
    data: 'Any JSON value, null included.',
    metadata: 'Free for applications and extensions to use.',
    filename: 'The name of the file.',
    mediaType: 'The media type of the content, such as image/png.',
  },
  'lf.a2a.v1.Message': {
    messageId: 'Chosen by the sender.',
    contextId: 'Groups the tasks and messages of one conversation.',
    taskId: 'The task that the message belongs to; absent when it begins a new one.',
    role: 'Who speaks.',
    parts: 'What is said; at least one part.',
    metadata: 'Free for applications and extensions to use.',
    extensions: 'URIs of the extensions that this message uses.',
    referenceTaskIds: 'Other tasks that give context.',
  },
  'lf.a2a.v1.AuthenticationInfo': {
    scheme: 'An HTTP authentication scheme, such as Bearer.',
    credentials: 'What follows the scheme in the Authorization header.',
  },
  'lf.a2a.v1.TaskPushNotificationConfig': {
    tenant: 'Which tenant of the agent is meant; in HTTP the first segment of the path.',
    id: '',
    taskId: '',
    url: 'Where notifications are sent.',
    token: 'Opaque to the server, which sends it along so that the receiver can tell its own.',
    authentication: '',
  },
  'lf.a2a.v1.SendMessageRequest': {
    tenant: 'Which tenant of the agent is meant; in HTTP the first segment of the path.',
    message: 'What to say to the agent.',
    configuration: '',
    metadata: 'Free for applications and extensions to use.',
  },
  'lf.a2a.v1.GetTaskRequest': {
    tenant: 'Which tenant of the agent is meant; in HTTP the first segment of the path.',
    id: '',
    historyLength: 'How many of the latest messages the returned task may carry; 0 means none.',
    currentGeneration: 'Answer when the task\'s generation is greater than this, or after a while in any case.',
  },
  'lf.a2a.v1.ListTasksRequest': {
    tenant: 'Which tenant of the agent is meant; in HTTP the first segment of the path.',
    contextId: 'Only tasks of this context.',
    status: 'Only tasks in this state.',
    pageSize: 'The most tasks that one page may hold, 1 to 100; 50 when absent.',
    pageToken: 'The next_page_token of the page before.',
    historyLength: 'How many of the latest messages each returned task may carry; 0 means none.',
    statusTimestampAfter: 'Only tasks whose status was set at this time or later.',
    includeArtifacts: 'Return artifacts too; left out otherwise.',
  },
  'lf.a2a.v1.CancelTaskRequest': {
    tenant: 'Which tenant of the agent is meant; in HTTP the first segment of the path.',
    id: '',
    metadata: 'Free for applications and extensions to use.',
  },
  'lf.a2a.v1.GetTaskPushNotificationConfigRequest': {
    tenant: 'Which tenant of the agent is meant; in HTTP the first segment of the path.',
    taskId: '',
    id: '',
  },
  'lf.a2a.v1.DeleteTaskPushNotificationConfigRequest': {
    tenant: 'Which tenant of the agent is meant; in HTTP the first segment of the path.',
    taskId: '',
    id: '',
  },
  'lf.a2a.v1.SubscribeToTaskRequest': {
    tenant: 'Which tenant of the agent is meant; in HTTP the first segment of the path.',
    id: '',
  },
  'lf.a2a.v1.ListTaskPushNotificationConfigsRequest': {
    taskId: '',
    pageSize: 'The most that one page may hold.',
    pageToken: 'The next_page_token of the page before.',
    tenant: 'Which tenant of the agent is meant; in HTTP the first segment of the path.',
  },
  'lf.a2a.v1.GetExtendedAgentCardRequest': {
    tenant: 'Which tenant of the agent is meant; in HTTP the first segment of the path.',
  },
};
