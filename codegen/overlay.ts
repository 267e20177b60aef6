import type { HttpRule } from '../src/gen/operations.ts';

/**
 * Facts that the protos lack or contradict, each with its source. "A2A 1.0" is the published specification text, "0.3
 * servers" are the Python and JavaScript SDKs of that generation.
 */
export interface Overlay {
  /** HTTP rules that are served in addition to those of the proto. */
  readonly extraRules: readonly { rpc: string; rules: readonly HttpRule[]; source: string }[];
  /** Corrections of HTTP paths in the proto. */
  readonly paths: readonly { rpc: string; from: string; to: string; source: string }[];
  /**
   * Meanings of the rpcs of the program's own services. An rpc without a row counts as changing something and creating
   * no task.
   */
  readonly meanings: readonly Meaning[];
  /** Oneofs of which one member is required, which proto3 cannot express. */
  readonly requiredOneofs: readonly { oneof: string; source: string }[];
  /** REQUIRED fields that may nevertheless be empty, so that absent means empty. */
  readonly mayBeEmpty: readonly { fields: readonly string[]; source: string }[];
  /** Fields that are never stored in tasks and events, because the gateway adds them to its responses. */
  readonly added: readonly { fields: readonly string[]; source: string }[];
  /** Known and harmless differences between a proto and its JSON Schema bundle. */
  readonly disagreements: readonly { at: string; says: string; source: string }[];
}

/** Properties of rpcs that neither the HTTP verb nor the signature expresses. */
export interface Meaning {
  readonly rpcs: readonly string[];
  /** Set if the rpcs change nothing, so that callers with read-only scopes may call them. */
  readonly reads?: true;
  /** Set if the rpcs may open a task. */
  readonly createsTask?: true;
  /** Set if calls may stay open for as long as a task runs. */
  readonly longLived?: true;
  readonly source: string;
}

const a2a = 'lf.a2a.v1.A2AService';
const knowledge = 'a2agateway.knowledge.v1.KnowledgeService';
const admin = 'a2agateway.admin.v1.AdminService';

export const overlay: Overlay = {
  extraRules: [
    {
      rpc: 'lf.a2a.v1.A2AService.SubscribeToTask',
      rules: [
        { verb: 'POST', path: '/tasks/{id=*}:subscribe', body: '*' },
        { verb: 'POST', path: '/{tenant}/tasks/{id=*}:subscribe', body: '*' },
      ],
      source: 'A2A 1.0 sections 5.3 and 11.3.2 say POST where the proto says GET; the official SDKs serve both',
    },
    {
      rpc: 'a2a.v1.A2AService.TaskSubscription',
      rules: [{ verb: 'POST', path: '/v1/{name=tasks/*}:subscribe', body: '*' }],
      source: 'A2A 0.3 section 3.5.6 says POST where the proto says GET; JavaScript 0.3 servers serve both',
    },
  ],
  paths: [
    {
      rpc: 'a2a.v1.A2AService.CreateTaskPushNotificationConfig',
      from: '/v1/{parent=task/*/pushNotificationConfigs}',
      to: '/v1/{parent=tasks/*}/pushNotificationConfigs',
      source:
        'the A2A 0.3 proto has a typo (task for tasks) and takes the collection into the parent; 0.3 servers listen on ' +
        '/v1/tasks/{id}/pushNotificationConfigs, the path that the list rpc of the same proto has',
    },
  ],
  meanings: [
    {
      rpcs: [`${a2a}.SendMessage`, `${a2a}.SendStreamingMessage`],
      createsTask: true,
      longLived: true,
      source: 'A2A 1.0 sections 3.1.1 and 3.1.2: a message starts or continues a task; a blocking send waits for it',
    },
    {
      rpcs: [`${a2a}.GetTask`, `${a2a}.ListTasks`],
      reads: true,
      source: 'A2A 1.0 sections 3.1.3 and 3.1.4: they retrieve the state of tasks',
    },
    {
      rpcs: [`${a2a}.CancelTask`],
      source: 'A2A 1.0 section 3.1.5: it changes the state of a task',
    },
    {
      rpcs: [`${a2a}.SubscribeToTask`],
      reads: true,
      longLived: true,
      source: 'A2A 1.0 section 3.1.6: it follows a task, whether it is bound to GET or to POST',
    },
    {
      rpcs: [`${a2a}.CreateTaskPushNotificationConfig`, `${a2a}.DeleteTaskPushNotificationConfig`],
      source: 'A2A 1.0 sections 3.1.7 and 3.1.10: they change where notifications are sent',
    },
    {
      rpcs: [`${a2a}.GetTaskPushNotificationConfig`, `${a2a}.ListTaskPushNotificationConfigs`],
      reads: true,
      source: 'A2A 1.0 sections 3.1.8 and 3.1.9: they retrieve configurations',
    },
    {
      rpcs: [`${a2a}.GetExtendedAgentCard`],
      reads: true,
      source: 'A2A 1.0 section 3.1.11: it retrieves a card',
    },
    {
      rpcs: [`${knowledge}.Query`],
      reads: true,
      source: 'a query is too long and too structured for a URL, so it is posted; asking changes nothing',
    },
    {
      rpcs: [`${knowledge}.Subscribe`],
      reads: true,
      longLived: true,
      source: 'following a graph changes nothing, and lasts until the client leaves',
    },
    {
      rpcs: [`${knowledge}.Update`],
      source: 'it writes statements to a graph',
    },
    {
      rpcs: [
        ...['ListAgents', 'GetAgent', 'FindTasks', 'GroupTasks', 'InspectTask', 'ListTaskEvents', 'ListQuestions'],
        ...['ListCalls', 'ListNumbers', 'ListCallers', 'ListLosses', 'ListRecords', 'GetMetrics'],
        ...['ListDeliveries', 'ListReplicas', 'ListRefusedUpdates', 'GetConfig', 'ListRegistrations', 'ListStops'],
        ...['ListGenerations'],
      ].map((rpc) => `${admin}.${rpc}`),
      reads: true,
      source: 'the proto binds them to GET: they show the state of the gateway',
    },
    {
      rpcs: [`${admin}.WatchTasks`, `${admin}.FollowTask`, `${admin}.WatchCalls`, `${admin}.WatchStatus`],
      reads: true,
      longLived: true,
      source:
        'following tasks, calls and the state of the gateway changes nothing, and lasts until the client leaves or the task ends',
    },
    {
      rpcs: [`${admin}.BackUpStore`],
      longLived: true,
      source: 'a copy of everything in the store needs the scope for changes, and lasts as long as the copying',
    },
    {
      rpcs: [
        'SetAgentMode',
        ...['RegisterAgent', 'RegisterCatalog', 'RenewAgent', 'ApproveAgent', 'RemoveAgent'],
        ...['StopTask', 'RetryTasks'],
        ...['StopCaller', 'ResumeCaller', 'StopAgent', 'ResumeAgent', 'StopRoot', 'ResumeRoot'],
        'EraseCaller',
        'AnswerTask',
        'AnswerQuestion',
        'RetryDeliveries',
        'AcknowledgeReplicas',
        'Record',
        'ReloadConfig',
      ].map((rpc) => `${admin}.${rpc}`),
      source: 'they change agents, tasks, deliveries, what is recorded, or the configuration',
    },
  ],
  requiredOneofs: [
    { oneof: 'lf.a2a.v1.Part.content', source: 'A2A 1.0 section 4.1.6: a part holds exactly one kind of content' },
    { oneof: 'lf.a2a.v1.SendMessageResponse.payload', source: 'A2A 1.0 section 3.1.1: a task or a message' },
    { oneof: 'lf.a2a.v1.StreamResponse.payload', source: 'A2A 1.0 section 3.2.3: exactly one of the four' },
    { oneof: 'a2a.v1.Part.part', source: 'A2A 0.3 section 6.5: a part is a text, a file or data' },
    { oneof: 'a2a.v1.FilePart.file', source: 'A2A 0.3 section 6.6: a file has a URI or bytes' },
    { oneof: 'a2a.v1.SendMessageResponse.payload', source: 'A2A 0.3 section 7.1: a task or a message' },
    { oneof: 'a2a.v1.StreamResponse.payload', source: 'A2A 0.3 section 7.2: exactly one of the four' },
  ],
  mayBeEmpty: [
    {
      fields: [
        'lf.a2a.v1.ListTasksResponse.tasks',
        'lf.a2a.v1.ListTasksResponse.nextPageToken',
        'lf.a2a.v1.ListTasksResponse.pageSize',
        'lf.a2a.v1.ListTasksResponse.totalSize',
      ],
      source: 'A2A 1.0 section 3.1.4: a page may have no tasks, and the last one has an empty token',
    },
    {
      fields: ['lf.a2a.v1.TaskStatus.state'],
      source:
        'the state unknown of A2A 0.1 to 0.3 is TASK_STATE_UNSPECIFIED in 1.0, as in the official compatibility layer',
    },
    {
      fields: [
        'lf.a2a.v1.TaskStatusUpdateEvent.contextId',
        'lf.a2a.v1.TaskArtifactUpdateEvent.contextId',
        'lf.a2a.v1.Artifact.parts',
      ],
      source: 'agents of all generations leave them empty; A2A 0.1 and AgentVault have no context of their own',
    },
    {
      fields: [
        'lf.a2a.v1.AgentCard.description',
        'lf.a2a.v1.AgentCard.version',
        'lf.a2a.v1.AgentCard.supportedInterfaces',
        'lf.a2a.v1.AgentCard.defaultInputModes',
        'lf.a2a.v1.AgentCard.defaultOutputModes',
        'lf.a2a.v1.AgentCard.skills',
        'lf.a2a.v1.AgentInterface.protocolVersion',
        'lf.a2a.v1.AgentProvider.url',
        'lf.a2a.v1.AgentProvider.organization',
        'lf.a2a.v1.AgentSkill.name',
        'lf.a2a.v1.AgentSkill.description',
        'lf.a2a.v1.AgentSkill.tags',
        'lf.a2a.v1.AuthorizationCodeOAuthFlow.scopes',
        'lf.a2a.v1.ClientCredentialsOAuthFlow.scopes',
        'lf.a2a.v1.DeviceCodeOAuthFlow.scopes',
      ],
      source: 'cards of real agents; ProtoJSON printers leave out what is empty, so an empty one looks absent',
    },
    {
      fields: ['a2a.v1.CreateTaskPushNotificationConfigRequest.configId'],
      source: 'over HTTP the body is the configuration alone, and 0.3 clients send no config_id beside it',
    },
  ],
  added: [
    {
      fields: [
        'lf.a2a.v1.Task.generation',
        'lf.a2a.v1.TaskStatusUpdateEvent.generation',
        'lf.a2a.v1.TaskArtifactUpdateEvent.generation',
      ],
      source: 'A2A 1.1 section 3.2.7: the server counts the events of a task, which the log of the task does',
    },
  ],
  disagreements: [],
};
