// Generated from proto/a2agateway/admin/v1/admin.proto by `npm run generate`. Do not edit.

import type { OperationName } from './operations.ts';

/** What the operations of `a2agateway.admin.v1.AdminService` do. */
export const summaries: Readonly<Record<OperationName, string>> = {
  ListAgents: 'Lists the agents with their state.',
  GetAgent: 'Returns one agent with its cards.',
  SetAgentMode: 'Disables, drains or enables an agent, at every replica and across restarts.',
  FindTasks: 'Lists the tasks of all callers, the latest change first.',
  GroupTasks: 'Counts the tasks of all callers by agent, state and reason.',
  WatchTasks: 'Streams the tasks of all callers as they change.',
  InspectTask: 'Returns one task of any caller.',
  ListTaskEvents: 'Lists events of a task\'s log in their order.',
  FollowTask: 'Streams a task\'s log from a position on, and ends when the task has ended.',
  StopTask: 'Cancels a task of any caller.',
  AnswerTask: 'Sends a message to a task of any caller, on behalf of the caller. Does not wait for the agent.',
  ListQuestions: 'Lists the questions of tasks that wait for their callers, the latest change first. With the scope questions: those that are for the caller.',
  AnswerQuestion: 'Answers the question of a task of any caller, once: a question that has been answered is not answered again. Does not wait for the agent. With the scope questions: one that is for the caller, and the answer has only the row of the task.',
  ListDeliveries: 'Lists the push configurations with undelivered events: dead letters first, then those that wait.',
  RetryDeliveries: 'Delivers undelivered events again, from the first dead letter on.',
  ListCalls: 'Lists the latest calls of all replicas, the latest first: each replica remembers a bounded number since it started. Calls of this service that only read are not listed.',
  WatchCalls: 'Streams the calls of all replicas as they end, within a few seconds.',
  ListCallers: 'Lists the callers that the replicas know, the latest first.',
  ListReplicas: 'Lists the replicas on the gateway\'s store.',
  ListLosses: 'Lists what conversions between dialects dropped, at all replicas.',
  ListRefusedUpdates: 'Lists the latest changes of knowledge that this replica\'s rules refused.',
  GetConfig: 'Returns the active configuration. Secrets are masked.',
  ReloadConfig: 'Reads the configuration file of this replica again and applies it.',
  BackUpStore: 'Streams a backup of the SQLite database, taken at one moment while the gateway works.',
};

/** What fields mean, by the full name of their message and their own name in JSON. */
export const fieldTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a2agateway.admin.v1.GetAgentRequest': {
    name: 'The agent\'s name.',
  },
  'a2agateway.admin.v1.SetAgentModeRequest': {
    name: 'The agent\'s name.',
    mode: 'The wanted mode.',
  },
  'a2agateway.admin.v1.FindTasksRequest': {
    agent: 'Only tasks of this agent.',
    tenant: 'Only tasks of this tenant.',
    principal: 'Only tasks of this principal.',
    contextId: 'Only tasks of this context.',
    id: 'Only tasks with this id or key.',
    states: 'Only tasks in one of these states, such as TASK_STATE_WORKING.',
    changedAfter: 'Only tasks that changed at this time or later.',
    changedBefore: 'Only tasks that changed before this time.',
    pageSize: 'At most so many tasks. The default is 50, the maximum 500.',
    pageToken: 'Token of a previous answer.',
    parents: 'Only tasks that the agents of these tasks opened at other agents: keys of tasks, at most 500.',
    text: 'Only tasks with an id, key, context, principal or agent that begins or ends with this text, or with a preview or reason that contains it, in upper or lower case. At most 200 characters.',
  },
  'a2agateway.admin.v1.GroupTasksRequest': {
    agent: 'Only tasks of this agent.',
    tenant: 'Only tasks of this tenant.',
    principal: 'Only tasks of this principal.',
    contextId: 'Only tasks of this context.',
    id: 'Only tasks with this id or key.',
    states: 'Only tasks in one of these states, such as TASK_STATE_FAILED.',
    changedAfter: 'Only tasks that changed at this time or later.',
    changedBefore: 'Only tasks that changed before this time.',
    parents: 'Only tasks that the agents of these tasks opened at other agents: keys of tasks, at most 500.',
    text: 'Only tasks with this text, as in FindTasks.',
  },
  'a2agateway.admin.v1.WatchTasksRequest': {
    agent: 'Only tasks of this agent.',
    contextId: 'Only tasks of this context.',
    states: 'Only tasks in one of these states.',
    changedAfter: 'Begin with the tasks that changed at this time or later, and with those of a few seconds before, since a change can be stored after its time. To resume, give the time of the latest change. Default: now.',
  },
  'a2agateway.admin.v1.InspectTaskRequest': {
    key: 'The task\'s key.',
  },
  'a2agateway.admin.v1.ListTaskEventsRequest': {
    key: 'The task\'s key.',
    after: 'Only events after this position.',
    pageSize: 'At most so many events. The default is 100, the maximum 1000.',
  },
  'a2agateway.admin.v1.FollowTaskRequest': {
    key: 'The task\'s key.',
    after: 'Begin after this position. Default: with the first event.',
  },
  'a2agateway.admin.v1.StopTaskRequest': {
    key: 'The task\'s key.',
  },
  'a2agateway.admin.v1.AnswerTaskRequest': {
    key: 'The task\'s key.',
    parts: 'The parts of the message, as A2A 1.0 has them.',
  },
  'a2agateway.admin.v1.ListQuestionsRequest': {
    agent: 'Only questions of this agent.',
    pageSize: 'At most so many questions. The default is 50, the maximum 500.',
    pageToken: 'Token of a previous answer.',
  },
  'a2agateway.admin.v1.AnswerQuestionRequest': {
    key: 'The task\'s key.',
    parts: 'The parts of the answer, as A2A 1.0 has them: a text, or data that follows the question\'s schema.',
    generation: 'The question\'s generation. Default: that of the open question.',
  },
  'a2agateway.admin.v1.ListDeliveriesRequest': {
    taskId: 'Only those of the task with this id.',
    pageSize: 'At most so many. The default is 100, the maximum 1000.',
    pageToken: 'Token of a previous answer.',
  },
  'a2agateway.admin.v1.RetryDeliveriesRequest': {
    taskId: 'Only those of the task with this id. Default: all.',
  },
  'a2agateway.admin.v1.ListCallsRequest': {
    agent: 'Only calls of this agent.',
    principal: 'Only calls of this principal.',
    operation: 'Only calls of this operation, such as SendMessage.',
    dialect: 'Only calls in this dialect, such as a2a-1.0.',
    binding: 'Only calls over this binding, such as jsonrpc.',
    failed: 'Only calls that failed, and requests that were refused.',
    error: 'Only calls with this kind of error, such as upstreamUnreachable.',
    taskId: 'Only calls about the task with this id or key.',
    requestId: 'Only the call with this request id, or those of this trace.',
    text: 'Only calls with this text anywhere in their reason, principal, address, agent, operation or ids, in any case.',
    after: 'Only calls that arrived at this time or later.',
    before: 'Only calls that arrived before this time.',
    pageSize: 'At most so many calls. The default is 50, the maximum 500.',
    pageToken: 'Token of a previous answer.',
  },
  'a2agateway.admin.v1.WatchCallsRequest': {
    agent: 'Only calls of this agent.',
    principal: 'Only calls of this principal.',
    operation: 'Only calls of this operation.',
    dialect: 'Only calls in this dialect.',
    binding: 'Only calls over this binding.',
    failed: 'Only calls that failed, and requests that were refused.',
    error: 'Only calls with this kind of error.',
    taskId: 'Only calls about the task with this id or key.',
    requestId: 'Only the call with this request id, or those of this trace.',
    text: 'Only calls with this text, as of ListCalls.',
    after: 'Begin with the calls that arrived at this time or later, the latest 500 of them. To resume, give the time of the latest call; that one comes again. Default: now.',
  },
  'a2agateway.admin.v1.ListRefusedUpdatesRequest': {
    agent: 'Only those of this agent\'s knowledge.',
  },
};
