// Generated from proto/a2agateway/admin/v1/admin.proto by `npm run generate`. Do not edit.

import type { OperationName } from './operations.ts';

/** What an operation does, and what the fields of its request mean. */
export interface OperationHelp {
  readonly summary: string;
  /** By their names in JSON. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The comments of `a2agateway.admin.v1.AdminService`. */
export const help: Readonly<Record<OperationName, OperationHelp>> = {
  ListAgents: {
    summary: 'Lists the agents with their state.',
    fields: {},
  },
  GetAgent: {
    summary: 'Returns one agent with its cards.',
    fields: {
      name: 'The agent\'s name.',
    },
  },
  SetAgentMode: {
    summary: 'Disables, drains or enables an agent, at every replica and across restarts.',
    fields: {
      name: 'The agent\'s name.',
      mode: 'The wanted mode.',
    },
  },
  FindTasks: {
    summary: 'Lists the tasks of all callers, the latest change first.',
    fields: {
      agent: 'Only tasks of this agent.',
      tenant: 'Only tasks of this tenant.',
      principal: 'Only tasks of this principal.',
      contextId: 'Only tasks of this context.',
      id: 'Only tasks with this id.',
      states: 'Only tasks in one of these states, such as TASK_STATE_WORKING.',
      changedAfter: 'Only tasks that changed at this time or later.',
      changedBefore: 'Only tasks that changed before this time.',
      pageSize: 'At most so many tasks. The default is 50, the maximum 500.',
      pageToken: 'Token of a previous answer.',
    },
  },
  WatchTasks: {
    summary: 'Streams the tasks of all callers as they change.',
    fields: {
      agent: 'Only tasks of this agent.',
      contextId: 'Only tasks of this context.',
      states: 'Only tasks in one of these states.',
      changedAfter: 'Begin with the tasks that changed at this time or later, and with those of a few seconds before, since a change can be stored after its time. To resume, give the time of the latest change. Default: now.',
    },
  },
  InspectTask: {
    summary: 'Returns one task of any caller.',
    fields: {
      key: 'The task\'s key.',
    },
  },
  ListTaskEvents: {
    summary: 'Lists events of a task\'s log in their order.',
    fields: {
      key: 'The task\'s key.',
      after: 'Only events after this position.',
      pageSize: 'At most so many events. The default is 100, the maximum 1000.',
    },
  },
  FollowTask: {
    summary: 'Streams a task\'s log from a position on, and ends when the task has ended.',
    fields: {
      key: 'The task\'s key.',
      after: 'Begin after this position. Default: with the first event.',
    },
  },
  StopTask: {
    summary: 'Cancels a task of any caller.',
    fields: {
      key: 'The task\'s key.',
    },
  },
  AnswerTask: {
    summary: 'Sends a message to a task of any caller, on behalf of the caller. Does not wait for the agent.',
    fields: {
      key: 'The task\'s key.',
      parts: 'The parts of the message, as A2A 1.0 has them.',
    },
  },
  ListDeliveries: {
    summary: 'Lists the push configurations with undelivered events: dead letters first, then those that wait.',
    fields: {
      taskId: 'Only those of the task with this id.',
      pageSize: 'At most so many. The default is 100, the maximum 1000.',
      pageToken: 'Token of a previous answer.',
    },
  },
  RetryDeliveries: {
    summary: 'Delivers undelivered events again, from the first dead letter on.',
    fields: {
      taskId: 'Only those of the task with this id. Default: all.',
    },
  },
  ListCallers: {
    summary: 'Lists the callers that this replica knows, the latest first.',
    fields: {},
  },
  ListReplicas: {
    summary: 'Lists the replicas on the gateway\'s store.',
    fields: {},
  },
  ListLosses: {
    summary: 'Lists what this replica\'s conversions between dialects dropped.',
    fields: {},
  },
  ListRefusedUpdates: {
    summary: 'Lists the latest changes of knowledge that this replica\'s rules refused.',
    fields: {
      agent: 'Only those of this agent\'s knowledge.',
    },
  },
  GetConfig: {
    summary: 'Returns the active configuration. Secrets are masked.',
    fields: {},
  },
  ReloadConfig: {
    summary: 'Reads the configuration file of this replica again and applies it.',
    fields: {},
  },
};
