// Generated from proto/a2agateway/admin/v1/admin.proto by `npm run generate`. Do not edit.

/** No content (google.protobuf.Empty). */
export type Empty = Record<string, never>;

/** Calls that an agent accepts. */
export type AgentMode = 'AGENT_MODE_UNSPECIFIED' | 'AGENT_MODE_ENABLED' | 'AGENT_MODE_DRAINING' | 'AGENT_MODE_DISABLED';

/** Member that the tasks of a group have in common. */
export type TaskGrouping = 'TASK_GROUPING_UNSPECIFIED' | 'TASK_GROUPING_REASON' | 'TASK_GROUPING_CONTEXT';

/** The outcome of a call. */
export type CallOutcome =
  'CALL_OUTCOME_UNSPECIFIED' | 'CALL_OUTCOME_FAILED' | 'CALL_OUTCOME_REFUSED' | 'CALL_OUTCOME_SLOW';

/** A fact that calls have in common. */
export type NumberGrouping =
  'NUMBER_GROUPING_UNSPECIFIED' | 'NUMBER_GROUPING_AGENT' | 'NUMBER_GROUPING_PRINCIPAL' | 'NUMBER_GROUPING_DIALECT';

/** Whether a revision is served. */
export type RevisionState =
  | 'REVISION_STATE_UNSPECIFIED'
  | 'REVISION_STATE_WAITING'
  | 'REVISION_STATE_APPROVED'
  | 'REVISION_STATE_FORMER'
  | 'REVISION_STATE_REFUSED';

/** A JSON object (google.protobuf.Struct). */
export interface Struct {
  [k: string]: unknown;
}

/** The state of one agent. */
export interface AgentStatus {
  /** The agent's name in the gateway. */
  name: string;
  /** The name on its card. */
  title?: string;
  /** The description on its card. */
  description?: string;
  /** How it is configured: reference, module, code, mcp or upstream. */
  kind?: string;
  /** Calls that it accepts. */
  mode?: AgentMode;
  /**
   * When the mode was set. Absent for an agent that was never disabled or drained.
   * RFC 3339.
   */
  modeChangedAt?: string;
  /** Id of the principal that set the mode. */
  modeChangedBy?: string;
  /** Whether it can be reached: ok, connecting or unreachable. */
  state?: string;
  /** Why it cannot be reached. */
  reason?: string;
  /** URL of an upstream agent, without credentials. */
  url?: string;
  /** Dialect that the gateway speaks to an upstream agent. */
  dialect?: string;
  /** Binding over which the gateway calls an upstream agent. */
  binding?: string;
  /** State of the circuit breaker of an upstream agent: closed, half-open or open. */
  breaker?: string;
  /** Calls of this agent since this replica started. */
  calls?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Calls that failed, of the calls above. */
  failedCalls?: number | 'NaN' | 'Infinity' | '-Infinity';
  /**
   * Time within which half of the calls were answered, or their streams began: milliseconds, estimated. Absent: no calls.
   */
  latencyMedianMs?: number | 'NaN' | 'Infinity' | '-Infinity';
  /**
   * Time within which 95 of 100 calls were answered, or their streams began: milliseconds, estimated. Absent: no calls.
   */
  latencyP95Ms?: number | 'NaN' | 'Infinity' | '-Infinity';
  /**
   * When the card of an upstream agent was read.
   * RFC 3339.
   */
  cardReadAt?: string;
  /** Tasks of the agent that are in this replica's memory. */
  liveTasks?: number;
  /** Whether the agent has a knowledge graph. */
  knowledge?: boolean;
  /** Whether calls at the root, which name no agent, are for this one. */
  isDefault?: boolean;
  /** Query languages of its knowledge graph. */
  queryLanguages?: string[];
  /**
   * The last hour, at all replicas: tasks and calls as the store has them, also of replicas that have ended, unless `calls` of the
   * configuration is false. Only in ListAgents.
   */
  lastHour?: AgentActivity;
}

/** Activity of an agent in some time. */
export interface AgentActivity {
  /** Tasks that ended. */
  tasksEnded?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Ended tasks that failed or were rejected. */
  tasksFailed?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Calls that were answered. */
  calls?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Those of them that were answered with an error. */
  failedCalls?: number | 'NaN' | 'Infinity' | '-Infinity';
  /**
   * Time within which 95 of 100 calls were answered, or their streams were over: milliseconds, estimated. Absent: no calls.
   */
  latencyP95Ms?: number | 'NaN' | 'Infinity' | '-Infinity';
}

/** Nothing: the request for all agents. */
export interface ListAgentsRequest {}
/** All agents, in the order of the configuration. */
export interface ListAgentsResponse {
  /** The agents. */
  agents?: AgentStatus[];
  /** Ids of replicas that are missing in last_hour, since they did not answer in time, or are of an earlier version. */
  missingReplicas?: string[];
  /**
   * All calls and tasks since then are counted in last_hour, at whatever replica, but those of missing_replicas.
   * RFC 3339.
   */
  completeSince?: string;
}

/** A request for one agent. */
export interface GetAgentRequest {
  /** The agent's name. */
  name: string;
}

/** One agent with its cards. */
export interface AgentDetails {
  /** The agent's state. */
  status: AgentStatus;
  /** The card in every dialect, as the gateway serves it. */
  cards?: DialectCard[];
  /** The upstream agent's own card as it was received. Absent for other agents, and before it was read. */
  upstreamCard?: Struct;
  /** Findings about the signatures of the upstream agent's card. */
  upstreamSignature?: CardSignature;
  /** Findings about the cards: errors, warnings and notes. */
  findings?: CardFinding[];
  /** The copies of an upstream agent that has several, as this replica knows them. Absent for other agents. */
  copies?: AgentCopy[];
}

/** One of several copies of an upstream agent. */
export interface AgentCopy {
  /** Its URL without credentials. */
  url: string;
  /** Whether it can be reached: ok, connecting or unreachable. */
  state?: string;
  /** Why it cannot be reached. */
  reason?: string;
  /** State of its circuit breaker: closed, half-open or open. */
  breaker?: string;
  /** Runs of this replica that are under way at it. */
  outstanding?: number;
  /** Whether it gets no new tasks for now: it has failed, or has not answered yet. */
  leftOut?: boolean;
}

/** An agent's card in one dialect. */
export interface DialectCard {
  /** Name of the dialect, such as a2a-1.0. */
  dialect: string;
  /** Path of the card below the gateway's mount point. */
  path?: string;
  /** The card. Absent where it has more bytes than one answer may have. */
  card?: Struct;
  /** Bytes of its JSON. */
  bytes?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Findings about the card's signatures. */
  signature?: CardSignature;
}

/** Facts about the signatures of a card. */
export interface CardSignature {
  /** unsigned, verified, not-verified or invalid. */
  verdict: string;
  /** Ids of the keys that signed. */
  keyIds?: string[];
  /** Why the verdict is what it is. */
  reason?: string;
}

/** One finding about a card. */
export interface CardFinding {
  /** error, warning or note. */
  severity: string;
  /** Dialect of the card. */
  dialect?: string;
  /** Field that the finding is about, such as skills[0].id. */
  field?: string;
  /** The finding, and what to do about it. */
  message: string;
  /** Section of the specification, such as A2A 1.0.1 section 4.4.1. */
  section?: string;
}

/** A request for another mode of an agent. */
export interface SetAgentModeRequest {
  /** The agent's name. */
  name: string;
  /** The wanted mode. */
  mode: AgentMode;
}

/** Which tasks to list. */
export interface FindTasksRequest {
  /** Only tasks of this agent. */
  agent?: string;
  /** Only tasks of this tenant. */
  tenant?: string;
  /** Only tasks of this principal. */
  principal?: string;
  /** Only tasks of this context. */
  contextId?: string;
  /** Only tasks with this id or key. */
  id?: string;
  /** Only tasks in one of these states, such as TASK_STATE_WORKING. */
  states?: string[];
  /**
   * Only tasks that changed at this time or later.
   * RFC 3339.
   */
  changedAfter?: string;
  /**
   * Only tasks that changed before this time.
   * RFC 3339.
   */
  changedBefore?: string;
  /** At most so many tasks. The default is 50, the maximum 500. */
  pageSize?: number;
  /** Token of a previous answer. */
  pageToken?: string;
  /** Only tasks that the agents of these tasks opened at other agents: keys of tasks, at most 500. */
  parents?: string[];
  /**
   * Only tasks with an id, key, context, principal or agent that begins or ends with this text, or with a preview or reason that
   * contains it, in upper or lower case. At most 200 characters. With fullText: with words that begin with those of the text,
   * unless no task has them.
   */
  text?: string;
  /** Only tasks that their owners last used in this dialect, such as a2a-1.0. */
  dialect?: string;
  /** Only tasks that a call over this binding opened, such as jsonrpc. */
  binding?: string;
  /** Only tasks of the tree with this root. */
  root?: string;
  /**
   * Only with root: also the tasks of the tree at the gateways that this gateway has called, and at the gateways that they have
   * called. At most 500 in total, without further pages.
   */
  gateways?: boolean;
  /**
   * Only tasks with this reason, as in TaskGroup: exactly the tasks that the group counts. Empty: tasks without a reason.
   * Absent: any. With console: { content: false } no task has a reason.
   */
  reason?: string;
}

/**
 * A page of tasks. It may contain fewer tasks than requested, or none, and still have a token with which the search continues.
 */
export interface FindTasksResponse {
  /** The tasks, the latest change first. */
  tasks?: TaskSummary[];
  /** Token of the next page; empty on the last one. */
  nextPageToken?: string;
  /** Other gateways without an answer, with the reason. */
  missing?: string[];
}

/** Which tasks to group. */
export interface GroupTasksRequest {
  /** Only tasks of this agent. */
  agent?: string;
  /** Only tasks of this tenant. */
  tenant?: string;
  /** Only tasks of this principal. */
  principal?: string;
  /** Only tasks of this context. */
  contextId?: string;
  /** Only tasks with this id or key. */
  id?: string;
  /** Only tasks in one of these states, such as TASK_STATE_FAILED. */
  states?: string[];
  /**
   * Only tasks that changed at this time or later.
   * RFC 3339.
   */
  changedAfter?: string;
  /**
   * Only tasks that changed before this time.
   * RFC 3339.
   */
  changedBefore?: string;
  /** Only tasks that the agents of these tasks opened at other agents: keys of tasks, at most 500. */
  parents?: string[];
  /** Only tasks with this text, as in FindTasks. */
  text?: string;
  /** Only tasks in this dialect, as in FindTasks. */
  dialect?: string;
  /** Only tasks that a call over this binding opened. */
  binding?: string;
  /** Member that the tasks of a group have in common. */
  by?: TaskGrouping;
  /**
   * Token of a previous answer. By reason, it counts further tasks; add the counts of both answers. By conversation, it lists
   * further conversations; ignore one that was listed before.
   */
  pageToken?: string;
  /** Only tasks with this reason, as in FindTasks. */
  reason?: string;
  /** Whether to also count all matching tasks of each agent, in any state and for any reason. */
  totals?: boolean;
}

/** Tasks by what they have in common. */
export interface GroupTasksResponse {
  /** The groups, the largest first: at most 500. Conversations: the latest change first, at most 1,000. */
  groups?: TaskGroup[];
  /** Number of tasks that were read: those of groups that are not listed count too. */
  tasks?: number;
  /**
   * Whether all tasks that match were counted, or with a page token the rest of them. Otherwise the latest 10,000 were.
   */
  complete?: boolean;
  /** Token to go on with; empty at the end. */
  nextPageToken?: string;
  /**
   * When each step of the lines begins. Empty for conversations.
   * RFC 3339.
   */
  times?: string[];
  /** All tasks of each agent, of which the groups are a share. Empty unless the request asks for them. */
  totals?: AgentTasks[];
}

/** The tasks of one agent. */
export interface AgentTasks {
  /** The agent's name. */
  agent: string;
  /** Number of its tasks. */
  count?: number;
  /** Whether all of them were counted. Otherwise those among the latest 10,000 of all agents were. */
  complete?: boolean;
}

/** The tasks of one caller. */
export interface CallerTasks {
  /** Id of the principal. */
  principal: string;
  /** Number of its tasks. */
  count?: number;
}

/**
 * Tasks of one agent in one state, for one reason. Or those of one conversation, with the agent, state and reason of the task that
 * changed last.
 */
export interface TaskGroup {
  /** The agent's name. */
  agent: string;
  /** The state, such as TASK_STATE_FAILED. */
  state: string;
  /**
   * The reason that the tasks have in common: ids, times and numbers in it are replaced by an ellipsis. Empty: they have none.
   */
  reason?: string;
  /** Number of tasks. */
  count?: number;
  /** The key of the task that changed last. */
  latestKey?: string;
  /**
   * When it changed.
   * RFC 3339.
   */
  latestAt?: string;
  /** Of a conversation: its context. */
  contextId?: string;
  /** Of a conversation: the request of the task that changed last, as in TaskSummary. */
  preview?: string;
  /** Of a conversation: names of its agents, at most 20. */
  agents?: string[];
  /** Of a conversation: ids of the principals that own its tasks, at most 20. */
  principals?: string[];
  /**
   * When the task changed that changed first.
   * RFC 3339.
   */
  firstAt?: string;
  /** Number of principals that own its tasks. */
  callers?: number;
  /** The callers with the most tasks of the group, at most 5. */
  topCallers?: CallerTasks[];
  /** Number of tasks that changed last in each step. Empty for conversations. */
  line?: number[];
}

/** A task without its content. */
export interface TaskSummary {
  /** The task's key: unique in the gateway. */
  key: string;
  /** The task's id. A caller may have chosen it, so that other callers can have a task of the same id. */
  id: string;
  /** The conversation that the task belongs to. */
  contextId?: string;
  /** The agent's name. */
  agent: string;
  /** The tenant; empty where there is none. */
  tenant?: string;
  /** Id of the principal that owns the task. */
  principal?: string;
  /** The state, such as TASK_STATE_WORKING. */
  state: string;
  /**
   * When the state was entered.
   * RFC 3339.
   */
  stateChangedAt?: string;
  /**
   * When the task was created.
   * RFC 3339.
   */
  createdAt?: string;
  /**
   * When its last event was appended.
   * RFC 3339.
   */
  updatedAt?: string;
  /** Position of the last event in its log. */
  lastPosition?: number;
  /** Dialect in which its owner last used the task. */
  dialect?: string;
  /** Replica that works on the task; empty while the task rests. */
  replica?: string;
  /**
   * Key of the task whose agent opened this one, or GATEWAY/ID where that is at another gateway; empty where a caller did.
   */
  parent?: string;
  /** Binding of the call that opened the task, such as rest; empty where that is unknown. */
  binding?: string;
  /**
   * First line of the request, at most 160 characters and an ellipsis; without text the name of a file, or the keys of data.
   * Empty where it is unknown, and with console: { content: false }.
   */
  preview?: string;
  /**
   * Why the task has failed, was rejected or canceled, or waits: the first line of its status message, in the same form.
   */
  reason?: string;
  /**
   * Root of the tree of calls that the task belongs to: the key of the task that it began with, which may be at another gateway.
   */
  root?: string;
  /**
   * Cost that the task's agent has reported, in its currency. Only in lists of one root and of one task, and only where
   * the gateway counts it.
   */
  cost?: number | 'NaN' | 'Infinity' | '-Infinity';
  /**
   * Name of the gateway at which the task is, where that is another one: the key begins with it, and is no key at this gateway.
   */
  gateway?: string;
}

/** Which tasks to watch. */
export interface WatchTasksRequest {
  /** Only tasks of this agent. */
  agent?: string;
  /** Only tasks of this context. */
  contextId?: string;
  /** Only tasks in one of these states. */
  states?: string[];
  /**
   * Begin with the tasks that changed at this time or later, and with those of a few seconds before, since a change can be
   * stored after its time. To resume, give the time of the latest change. Default: now.
   * RFC 3339.
   */
  changedAfter?: string;
  /** Only tasks in this dialect, as in FindTasks. */
  dialect?: string;
  /** Only tasks that a call over this binding opened. */
  binding?: string;
}

/** A request for one task. */
export interface InspectTaskRequest {
  /** The task's key. */
  key: string;
}

/** One task with its content. */
export interface TaskDetails {
  /** The task's row. */
  summary: TaskSummary;
  /** The task as A2A 1.0 has it. Absent where it has more bytes than one answer may have: read its events then. */
  task?: Struct;
  /** Bytes of its JSON. */
  bytes?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** The task's id at an upstream agent. */
  upstreamTaskId?: string;
  /** The context's id at an upstream agent. */
  upstreamContextId?: string;
  /** Push configurations of the task, at most 100, without tokens, credentials and the paths of their URLs. */
  pushConfigs?: Struct[];
  /** Id of the trace of the latest call that started a turn, where it is known. */
  traceId?: string;
  /** The tasks that led to it, from the root of its tree to its parent. */
  path?: TreeStep[];
  /** Key of the task that it retries. */
  retryOf?: string;
  /** Key of the task that retries it, for a day. */
  retriedAs?: string;
}

/** Which tasks are retried. */
export interface RetryTasksRequest {
  /** Keys of tasks that failed, were rejected or canceled: at most 100. */
  keys?: string[];
  /** Changes nothing: says what a retry would do. */
  dryRun?: boolean;
}

/** The outcomes of a retry, in the order of the request. */
export interface RetryTasksResponse {
  /** One for each key. */
  outcomes?: RetryOutcome[];
}

/** The outcome of the retry of one task. */
export interface RetryOutcome {
  /** Key of the task that is retried. */
  key: string;
  /** Name of its agent. */
  agent?: string;
  /** Key of the new task. Empty where there is none: nothing was done, or the agent has answered without a task. */
  newKey?: string;
  /** Whether the task was retried before: new_key is the task of that retry. */
  repeated?: boolean;
  /**
   * Whether the agent declares that its work may be repeated (restart: true). Otherwise what it did before it failed may happen twice.
   */
  restart?: boolean;
  /** Messages of the caller after the first one, such as answers to questions. They are not sent again. */
  furtherMessages?: number;
  /** Why it is not retried. Empty: it is, or would be. */
  refusal?: string;
}

/** A task on the way from the root of a tree of calls. */
export interface TreeStep {
  /** Name of the gateway that it is at; empty for this one. */
  gateway?: string;
  /** The agent's name. */
  agent: string;
  /** The task's id. */
  task: string;
}

/** Which events to list. */
export interface ListTaskEventsRequest {
  /** The task's key. */
  key: string;
  /** Only events after this position. */
  after?: number;
  /** At most so many events. The default is 100, the maximum 1000. */
  pageSize?: number;
}

/** Events of a log. */
export interface ListTaskEventsResponse {
  /** The events in their order. A page ends early where events are large, but has at least one. */
  events?: TaskLogEvent[];
  /** Position of the last event in the log. */
  lastPosition?: number;
}

/** One event of a task's log. */
export interface TaskLogEvent {
  /** Position in the log, from 1. */
  position: number;
  /**
   * When it was appended.
   * RFC 3339.
   */
  time?: string;
  /** The event as a StreamResponse of A2A 1.0. */
  event: Struct;
}

/** Which task to follow. */
export interface FollowTaskRequest {
  /** The task's key. */
  key: string;
  /** Begin after this position. Default: with the first event. */
  after?: number;
}

/** A request to cancel a task. */
export interface StopTaskRequest {
  /** The task's key. */
  key: string;
}

/** A message for a task. */
export interface AnswerTaskRequest {
  /** The task's key. */
  key: string;
  /** The parts of the message, as A2A 1.0 has them. */
  parts: Struct[];
}

/** Which questions to list. */
export interface ListQuestionsRequest {
  /** Only questions of this agent. */
  agent?: string;
  /** At most so many questions. The default is 50, the maximum 500. */
  pageSize?: number;
  /** Token of a previous answer. */
  pageToken?: string;
  /**
   * Only questions for the caller, and calls about which the caller may decide, also with the scope admin or admin:read.
   */
  mine?: boolean;
  /** Only questions of tasks in one of these states: TASK_STATE_INPUT_REQUIRED, or TASK_STATE_AUTH_REQUIRED. */
  states?: string[];
}

/**
 * A page of questions. It may contain fewer questions than requested, or none, and still have a token with which the search
 * continues.
 */
export interface ListQuestionsResponse {
  /** The questions, the latest change first. */
  questions?: Question[];
  /** Token of the next page; empty on the last one. */
  nextPageToken?: string;
}

/** A question that a task asks. */
export interface Question {
  /** The task. */
  task: TaskSummary;
  /** The question. */
  text?: string;
  /**
   * JSON Schema of the answer, where there is one. An object with several properties asks several questions at once.
   */
  schema?: Struct;
  /** Who asks, where it is not the agent itself. */
  by?: string;
  /**
   * Time after which the one who asks takes no answer any more.
   * RFC 3339.
   */
  until?: string;
  /** The task's generation when it asked, by which the answer names the question. */
  generation: string;
  /** Who may answer besides the owner of the task: a caller's name in the configuration, or the id of its principal. */
  for?: string;
  /**
   * What the gateway does when no answer arrives in time: "fail", or { "answer": … } with the default answer. Absent: nothing.
   */
  otherwise?: unknown;
  /**
   * When the gateway reminds of the question.
   * RFC 3339.
   */
  remind?: string;
  /** Whom the question asks to agree to a call, where it does: all of these must. */
  asks?: CallAsk[];
  /** Text of the call to which they agree. */
  message?: string;
}

/** People who are asked before an agent gets a call. */
export interface CallAsk {
  /** Who asks: a policy, or a guard. */
  by?: string;
  /** Why. */
  reason?: string;
  /** Who may agree: names of callers in the configuration, or ids of their principals. */
  of?: string[];
  /** Who may agree in place of any of them. */
  delegate?: string;
  /** Number of people who must agree. */
  quorum?: number;
  /** Who has agreed so far. */
  given?: CallAgreement[];
}

/** The agreement of one person. */
export interface CallAgreement {
  /** Id of the principal. */
  by?: string;
  /** How: "admin", "delegate", "link" or "chat". */
  way?: string;
  /**
   * When.
   * RFC 3339.
   */
  at?: string;
}

/** An answer to a question. */
export interface AnswerQuestionRequest {
  /** The task's key. */
  key: string;
  /** The parts of the answer, as A2A 1.0 has them: a text, or data that follows the question's schema. */
  parts: Struct[];
  /** The question's generation. Default: the generation of the open question. */
  generation?: string;
}

/** Which deliveries to list. */
export interface ListDeliveriesRequest {
  /** Only those of the task with this id. */
  taskId?: string;
  /** At most so many. The default is 100, the maximum 1000. */
  pageSize?: number;
  /** Token of a previous answer. */
  pageToken?: string;
}

/** A page of deliveries. */
export interface ListDeliveriesResponse {
  /** The deliveries. */
  deliveries?: DeliveryStatus[];
  /** Token of the next page; empty on the last one. */
  nextPageToken?: string;
}

/** Undelivered events of one push configuration. */
export interface DeliveryStatus {
  /** dead: given up; waiting: tried again later. */
  state: string;
  /** The task's key. */
  taskKey?: string;
  /** The task's id. */
  taskId: string;
  /** Id of the push configuration. */
  configId?: string;
  /** The agent's name. */
  agent?: string;
  /** Id of the principal that owns the task. */
  principal?: string;
  /** Scheme, host and port of the webhook. */
  receiver?: string;
  /** Dialect of the notifications. */
  dialect?: string;
  /** Position of the first undelivered event in the task's log. */
  firstPosition?: number;
  /** Position of the last one. */
  lastPosition?: number;
  /** Attempts so far for the first event. */
  attempts?: number;
  /** Why the last attempt failed. */
  reason?: string;
  /**
   * When the next attempt is due; for dead letters, when they were given up.
   * RFC 3339.
   */
  time?: string;
}

/** Which deliveries to try again. */
export interface RetryDeliveriesRequest {
  /** Only those of the task with this id. Default: all. */
  taskId?: string;
  /** Only those of webhooks with this scheme, host and port, as in DeliveryStatus. Default: all. */
  receiver?: string;
}

/** The outcome of a retry. */
export interface RetryDeliveriesResponse {
  /** Number of push configurations that are tried again. */
  retried?: number;
}

/** Which calls to list. */
export interface ListCallsRequest {
  /** Only calls of this agent. */
  agent?: string;
  /** Only calls of this principal. */
  principal?: string;
  /** Only calls of this operation, such as SendMessage. */
  operation?: string;
  /** Only calls in this dialect, such as a2a-1.0. */
  dialect?: string;
  /** Only calls over this binding, such as jsonrpc. */
  binding?: string;
  /** Only calls that failed, and requests that were refused. */
  failed?: boolean;
  /** Only calls with this kind of error, such as upstreamUnreachable. */
  error?: string;
  /** Only calls about the task with this id or key. */
  taskId?: string;
  /** Only the call with this request id, or those of this trace. */
  requestId?: string;
  /** Only calls with this text anywhere in their reason, principal, address, agent, operation or ids, in any case. */
  text?: string;
  /**
   * Only calls that arrived at this time or later.
   * RFC 3339.
   */
  after?: string;
  /**
   * Only calls that arrived before this time.
   * RFC 3339.
   */
  before?: string;
  /** At most so many calls. The default is 50, the maximum 500. */
  pageSize?: number;
  /** Token of a previous answer. */
  pageToken?: string;
  /** Only calls with this outcome. */
  outcome?: CallOutcome;
  /** Only calls that a rule decided about: "policy NAME" or "guard NAME". */
  rule?: string;
  /**
   * Only calls about which any policy or guard decided, also with shadow; calls that policies merely allowed are not included.
   */
  decided?: boolean;
  /** Only calls with a decision of this outcome, by the given rule if any: see RuleDecision. */
  decision?: string;
}

/** A page of calls. */
export interface ListCallsResponse {
  /** The calls, the latest first. */
  calls?: CallSummary[];
  /** Token of the next page; empty on the last one. */
  nextPageToken?: string;
  /** Ids of replicas whose calls are missing, since they did not answer in time, or are of an earlier version. */
  missingReplicas?: string[];
  /**
   * All calls that match and arrived since then are listed, at whatever replica, but those of missing_replicas.
   * RFC 3339.
   */
  completeSince?: string;
  /**
   * Failed and slow calls are kept since then: between this time and complete_since, those that gaps and left_out describe may be
   * missing, and calls that succeeded in time are.
   * RFC 3339.
   */
  keptSince?: string;
  /** Times in which a replica ended without having stored its latest calls, the latest first: at most 500. */
  gaps?: CallGap[];
  /**
   * Callers with more failed and slow calls than the store takes, the most first: at most 20. It considers the agent, principal, dialect
   * and time of the request.
   */
  leftOut?: LeftOutCalls[];
}

/** A time in which a replica ended without having stored its latest calls and numbers. */
export interface CallGap {
  /** Id of the replica. */
  replica?: string;
  /**
   * All calls that had ended by then were stored.
   * RFC 3339.
   */
  from: string;
  /**
   * When other replicas missed it first, or a single process was started again. The present until its end is certain.
   * RFC 3339.
   */
  until: string;
}

/**
 * Failed and slow calls of one caller that are not in the store, since there were too many of them. ListNumbers counts them.
 */
export interface LeftOutCalls {
  /** Id of the caller. Empty: callers without a valid credential. */
  principal?: string;
  /** Number of calls. */
  count?: number | 'NaN' | 'Infinity' | '-Infinity';
  /**
   * When the last of them arrived, to the minute.
   * RFC 3339.
   */
  lastAt?: string;
}

/** Which numbers, of which time. */
export interface ListNumbersRequest {
  /** Only calls of this agent, and its tasks. */
  agent?: string;
  /**
   * Only calls of this principal, and its tasks: those of minutes in which they were counted with (others) are not among them.
   */
  principal?: string;
  /** Only calls in this dialect, such as a2a-1.0. */
  dialect?: string;
  /**
   * From this minute on. Default: an hour ago.
   * RFC 3339.
   */
  after?: string;
  /**
   * Before this time, rounded up to a minute. Default: now.
   * RFC 3339.
   */
  before?: string;
  /** The facts that the calls of a group have in common. Empty: there are no groups. */
  by?: NumberGrouping[];
  /** Seconds of a step of the lines, rounded up to minutes. Default: there are no lines. */
  step?: number;
  /** At most so many groups, those with the most calls. The default is 100, the maximum 500. */
  pageSize?: number;
}

/** Numbers of some time. */
export interface ListNumbersResponse {
  /** All calls that match. */
  total?: NumberGroup;
  /** The groups, those with the most calls and refusals first. */
  groups?: NumberGroup[];
  /** Number of further groups, which are not listed. */
  moreGroups?: number;
  /**
   * When each step of the lines begins.
   * RFC 3339.
   */
  times?: string[];
  /** Seconds of a step. 0: there are no lines. */
  step?: number;
  /** Upper bounds of the buckets of durations, in milliseconds. One more bucket is above them. */
  boundsMs?: (number | 'NaN' | 'Infinity' | '-Infinity')[];
  /**
   * All calls since then are counted, at whatever replica, but those of missing_replicas.
   * RFC 3339.
   */
  completeSince?: string;
  /**
   * Numbers are kept since then: between this time and complete_since, those that gaps describes may be missing.
   * RFC 3339.
   */
  keptSince?: string;
  /** Times in which a replica ended without having stored its latest numbers, the latest first: at most 500. */
  gaps?: CallGap[];
  /**
   * Ids of replicas whose last seconds are missing, since they did not answer in time; or all of whose calls are, since they are of an
   * earlier version, or have `calls: false`.
   */
  missingReplicas?: string[];
  /**
   * Calls and refusals that are counted with (others), beyond those that match: some of them may match, too. 0: none.
   */
  countedWithOthers?: number | 'NaN' | 'Infinity' | '-Infinity';
}

/** Numbers of calls with something in common, in all of the time and in its steps. */
export interface NumberGroup {
  /** The agent's name. Empty: calls that name none, or none that exists. */
  agent?: string;
  /**
   * Id of the caller. Empty: no credential was valid, or none was looked at. (others): callers of minutes with too many to count each.
   */
  principal?: string;
  /** Dialect of the caller. Empty where a request was refused before it was known. */
  dialect?: string;
  /** All of the time. */
  numbers?: Numbers;
  /** A value for each step, without buckets. Empty: there are no lines. */
  line?: Numbers[];
}

/** Numbers of calls and tasks. */
export interface Numbers {
  /** Calls that have ended and were not refused, by the time of their arrival. */
  calls?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Calls that failed, of the calls above. */
  failed?: number | 'NaN' | 'Infinity' | '-Infinity';
  /**
   * Requests that were refused before they became calls, and calls that a policy, a guard or a stop refused. They are in none of the
   * other numbers.
   */
  refused?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Tasks that have ended. */
  tasksEnded?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Ended tasks that failed or were rejected. */
  tasksFailed?: number | 'NaN' | 'Infinity' | '-Infinity';
  /**
   * Time within which half of the calls were answered, or their streams were over: milliseconds, estimated. Absent: no calls.
   */
  p50Ms?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Milliseconds within which 90 of 100 calls end. */
  p90Ms?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Milliseconds within which 99 of 100 calls end. */
  p99Ms?: number | 'NaN' | 'Infinity' | '-Infinity';
  /**
   * Number of calls by their duration, as bounds_ms says. Buckets of several answers can be added up. Empty: no calls.
   */
  buckets?: (number | 'NaN' | 'Infinity' | '-Infinity')[];
}

/** A call, or a request that was refused before it became one. */
export interface CallSummary {
  /** Unique in the gateway. */
  id: string;
  /**
   * When it arrived.
   * RFC 3339.
   */
  time: string;
  /** Replica that it came to; empty where there is one alone. */
  replica?: string;
  /** Id of the caller. Empty where no credential was valid, or none was looked at. */
  principal?: string;
  /** Network address of the caller. Empty for calls of the gateway's own agents. */
  address?: string;
  /** The agent's name. Empty where none was named, and for operations of the whole gateway. */
  agent?: string;
  /** The tenant; empty where there is none. */
  tenant?: string;
  /** The operation. Empty where the request was refused before that was known. */
  operation?: string;
  /** Dialect of the caller. */
  dialect?: string;
  /** Binding over which it came; other where that was not known. */
  binding?: string;
  /**
   * What the caller saw: the status of HTTP, such as 502, or the name of gRPC's code, such as UNAVAILABLE. JSON-RPC answers most
   * errors with 200. Empty where nothing was sent.
   */
  status?: string;
  /** Kind of the error. Empty for a call that succeeded. */
  error?: string;
  /** The error's message. */
  reason?: string;
  /** Milliseconds until the answer was made, or the stream was over. Absent for requests that became no call. */
  durationMs?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Events of a stream. */
  events?: number;
  /** How many fields conversions between dialects dropped. */
  losses?: number;
  /** The first of them, as paths in A2A 1.0. */
  lossPaths?: string[];
  /** Id of the task. */
  taskId?: string;
  /** Key of the task that its message opened or continued. */
  taskKey?: string;
  /** The request's id. */
  requestId?: string;
  /** Id of the trace. */
  traceId?: string;
  /**
   * Name of the policy that has refused it, or has let it through, or names of those that have people asked about it.
   */
  policy?: string;
  /**
   * Cause of a refusal that another credential does not change: "policy NAME", "guard NAME" or "stop". Empty: another cause.
   */
  refusedBy?: string;
  /**
   * Decisions of policies and guards about it, in shadow too: at most 8. A policy that lets it through is in the field policy alone.
   */
  decisions?: RuleDecision[];
}

/** A decision of a policy, or a verdict of a guard, about a call. */
export interface RuleDecision {
  /** "policy NAME" or "guard NAME". */
  rule: string;
  /**
   * Of a policy: refused, asked or shadow. Of a guard: blocked, asked, replaced, shadow, or failed where its judge gave no verdict.
   */
  outcome: string;
  /** Outcome that a rule in shadow would have had. Empty: it is not in shadow. */
  would?: string;
  /** Why, as the policy has it or the guard's judge said. */
  reason?: string;
  /** Of a guard: request or answer. */
  phase?: string;
}

/** Which calls to watch. */
export interface WatchCallsRequest {
  /** Only calls of this agent. */
  agent?: string;
  /** Only calls of this principal. */
  principal?: string;
  /** Only calls of this operation. */
  operation?: string;
  /** Only calls in this dialect. */
  dialect?: string;
  /** Only calls over this binding. */
  binding?: string;
  /** Only calls that failed, and requests that were refused. */
  failed?: boolean;
  /** Only calls with this kind of error. */
  error?: string;
  /** Only calls about the task with this id or key. */
  taskId?: string;
  /** Only the call with this request id, or those of this trace. */
  requestId?: string;
  /** Only calls with this text, as of ListCalls. */
  text?: string;
  /**
   * Begin with the calls that arrived at this time or later, the latest 500 of them. To resume, give the time of the latest call;
   * that one comes again. Default: now.
   * RFC 3339.
   */
  after?: string;
  /** Only calls that a rule decided about: "policy NAME" or "guard NAME". */
  rule?: string;
  /**
   * Only calls about which any policy or guard decided, also with shadow; calls that policies merely allowed are not included.
   */
  decided?: boolean;
  /** Only calls with a decision of this outcome, by the given rule if any: see RuleDecision. */
  decision?: string;
}

/** News of the calls. */
export interface CallEvent {
  /** A call that has ended. Absent where the event only says which replicas do not answer. */
  call?: CallSummary;
  /** Ids of the replicas whose calls are missing at the moment. */
  missingReplicas?: string[];
}

/** Which metrics, of which time. */
export interface GetMetricsRequest {
  /** Names of metrics, such as a2a_gateway_requests_total. Default: all that are kept. */
  names?: string[];
  /** Only series of this agent, and those that belong to no agent. */
  agent?: string;
  /**
   * From this time on. Default: an hour ago.
   * RFC 3339.
   */
  after?: string;
  /**
   * Until this time. Default: now.
   * RFC 3339.
   */
  before?: string;
  /** Seconds of a step. It is rounded up to tens, and to a 1440th of the time. Default: a 360th of the time. */
  step?: number;
}

/** Metrics of some time. */
export interface GetMetricsResponse {
  /**
   * When each step begins.
   * RFC 3339.
   */
  times?: string[];
  /** Seconds of a step. */
  step?: number;
  /** The series. Series that never had another value than 0 are left out. */
  series?: MetricSeries[];
  /** Ids of replicas whose numbers are missing, since they did not answer in time, or are of an earlier version. */
  missingReplicas?: string[];
  /**
   * Replicas remember these numbers, and the store does not: they are of all replicas since then. Before, those of replicas that
   * have ended are missing.
   * RFC 3339.
   */
  completeSince?: string;
}

/** One series of a metric. */
export interface MetricSeries {
  /** Name of the metric, as in /metrics. */
  name: string;
  /** Its labels. A histogram has two series, which are told apart by the label quantile: 0.5 and 0.95. */
  labels?: {
    [k: string]: string;
  };
  /**
   * A value for each step, or null where it is not known. Of a counter: by how much it grew. Of a gauge: its mean, or its worst
   * value where only the worst counts. Of a histogram: the value below which so many of the step's values were, null where there
   * were none.
   */
  values?: unknown[];
}

/** What to record: at least one of agent, principal and task. Or which recording to stop. */
export interface RecordRequest {
  /** Calls of this agent. */
  agent?: string;
  /** Calls of this principal. */
  principal?: string;
  /** Calls about the task with this key. */
  taskKey?: string;
  /** How many calls each replica records at most. The default is 10, the maximum 100. */
  calls?: number;
  /** Seconds after which the recording ends by itself. The default is 600, the maximum 3,600. */
  seconds?: number;
  /** Id of a recording to stop. Its frames are kept, and all other fields are ignored. */
  stop?: string;
}

/** A recording that has begun, or has been stopped. */
export interface RecordResponse {
  /** The recording. */
  recording?: Recording;
  /** Ids of replicas that record nothing, or were not reached to stop it. */
  missingReplicas?: string[];
}

/** A recording. */
export interface Recording {
  /** Its id. */
  id: string;
  /** The agent whose calls are recorded. Empty: any. */
  agent?: string;
  /** The principal whose calls are recorded. Empty: any. */
  principal?: string;
  /** Key of the task about which calls are recorded. Empty: any. */
  taskKey?: string;
  /** How many calls each replica records at most. */
  calls?: number;
  /** How many calls the replicas have recorded. */
  recorded?: number;
  /** How many of them were dropped, since a replica keeps 16 MiB of all recordings. */
  dropped?: number;
  /**
   * When it began.
   * RFC 3339.
   */
  started: string;
  /**
   * When it ends by itself, or has ended. Its frames are kept for an hour after that.
   * RFC 3339.
   */
  until: string;
  /** Whether it is over. */
  ended?: boolean;
  /** Principal that began it. */
  startedBy?: string;
}

/** Which recorded calls to list. */
export interface ListRecordsRequest {
  /** Only those of this recording. */
  recording?: string;
  /** At most so many calls. The default is 10, the maximum 100; fewer where they are large. */
  pageSize?: number;
  /** Token of a previous answer. */
  pageToken?: string;
  /** Only calls of this agent. */
  agent?: string;
  /** Only the call with this request id. */
  requestId?: string;
  /** Only the last failed calls that are kept without a recording. */
  lastFailed?: boolean;
}

/** A page of recorded calls. */
export interface ListRecordsResponse {
  /** The calls, the latest first. */
  records?: RecordedCall[];
  /** The recordings, the latest first. */
  recordings?: Recording[];
  /** Token of the next page; empty on the last one. */
  nextPageToken?: string;
  /** Ids of replicas whose calls are missing, since they did not answer in time, or are of an earlier version. */
  missingReplicas?: string[];
  /**
   * Each replica that answered keeps the last failed calls since then: they are in its memory. Absent: none keeps any.
   * RFC 3339.
   */
  lastFailedSince?: string;
}

/**
 * A call as it was on the wire, or a request that was refused before it became one. Credentials are replaced by [secret]
 * everywhere: in headers, in URLs, and where a member of JSON is named like one.
 */
export interface RecordedCall {
  /** Unique in the gateway. */
  id: string;
  /** Ids of the recordings that it belongs to. */
  recordings?: string[];
  /**
   * When it arrived.
   * RFC 3339.
   */
  time: string;
  /** Replica that it came to; empty where there is one alone. */
  replica?: string;
  /** Id of the caller. */
  principal?: string;
  /** Network address of the caller. Empty for calls of the gateway's own agents. */
  address?: string;
  /** The agent's name. Empty where the request was refused before that was known. */
  agent?: string;
  /** The operation. Empty where the request was refused before that was known. */
  operation?: string;
  /** Dialect of the caller. */
  dialect?: string;
  /** Binding over which it came; local for calls of the gateway's own agents. */
  binding?: string;
  /** Kind of the error. Empty for a call that succeeded, and while it goes on. */
  error?: string;
  /** The error's message. */
  reason?: string;
  /**
   * Milliseconds until the answer was made, or the stream was over. Absent while it goes on, and for refused requests.
   */
  durationMs?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Id of the task that the request names. */
  taskId?: string;
  /** Key of the task that its message opened or continued. */
  taskKey?: string;
  /** The request's id. */
  requestId?: string;
  /** Id of the trace. */
  traceId?: string;
  /** Frames of the client. Absent for calls of the gateway's own agents. */
  client?: WireExchange;
  /** The request in the form of A2A 1.0, as JSON. Empty for refused requests. */
  request?: string;
  /** The value of the answer in the form of A2A 1.0, as JSON. Empty for streams and errors. */
  reply?: string;
  /** The first events of a stream in the form of A2A 1.0, each as JSON. */
  events?: string[];
  /** Events that the stream had in all. */
  eventCount?: number;
  /** Fields of the request that conversions dropped, as paths in A2A 1.0. */
  requestLosses?: string[];
  /** Fields of the answer that conversions dropped. */
  replyLosses?: string[];
  /** Attempts to call an agent that the call led to, also those of its turn after the call was over. */
  attempts?: RecordedAttempt[];
  /**
   * Attempts that were left out, since there were too many. Of a last failed call, attempts that succeeded are never kept.
   */
  moreAttempts?: number;
  /**
   * Whether it is kept as one of the last failed calls of its agent, without a recording: with the failed attempts, and without the
   * events of its stream. Without client, one of its attempts failed, and the call itself has not, or at another replica.
   */
  lastFailed?: boolean;
}

/** One attempt to call an agent. */
export interface RecordedAttempt {
  /**
   * When it began.
   * RFC 3339.
   */
  time: string;
  /** Milliseconds until the answer, or the end of its stream. Absent while it goes on. */
  durationMs?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Name of the agent that was called. */
  agent?: string;
  /** The operation. */
  operation?: string;
  /** Dialect that the agent was spoken to in. */
  dialect?: string;
  /** Binding over which it was called. */
  binding?: string;
  /** Address that was called, without its query. */
  url?: string;
  /**
   * Requests and their answers. Some dialects need two requests for one operation. None where the circuit breaker refused
   * the call, or the agent's card could not be read.
   */
  exchanges?: WireExchange[];
  /** Kind of the error. Empty for an attempt that succeeded. */
  error?: string;
  /** The error's message. */
  reason?: string;
  /** Fields that the agent's dialect could not carry. */
  losses?: string[];
}

/** A request and its answer. */
export interface WireExchange {
  /** The request. */
  request?: WireFrame;
  /** The answer, a stream with all that came of it. */
  answer?: WireFrame;
}

/** A message of HTTP. */
export interface WireFrame {
  /** Its first line, such as POST /demo HTTP/1.1. Empty where none came. */
  head?: string;
  /** Headers in their order. */
  headers?: WireHeader[];
  /** The body as text; of protobuf, each message as JSON on a line of its own. */
  text?: string;
  /**
   * A body of bytes in base64, with the framing of its binding. Credentials in it are overwritten with asterisks. Absent where
   * that is not certain, as of compressed bodies.
   */
  base64?: string;
  /** Trailers. */
  trailers?: WireHeader[];
  /**
   * Bytes of the body.
   * A 64-bit integer in decimal digits.
   */
  size?: string;
  /**
   * Bytes of them that were not kept: of a frame, at most 256 KiB are.
   * A 64-bit integer in decimal digits.
   */
  cut?: string;
}

/** A header. */
export interface WireHeader {
  /** Its name. */
  name: string;
  /** Its value. */
  value?: string;
}

/** Nothing: the request for all callers. */
export interface ListCallersRequest {}
/** The callers that the replicas know. */
export interface ListCallersResponse {
  /** The callers. Those of the configuration are listed even when they were never seen. */
  callers?: CallerStatus[];
  /**
   * The calls are counted since then: a day ago, or since the store keeps numbers of calls. With `calls: false`: since the first replica
   * started.
   * RFC 3339.
   */
  since?: string;
  /** Ids of replicas whose counts are missing, since they did not answer in time, or are of an earlier version. */
  missingReplicas?: string[];
  /**
   * All calls since then are counted, at whatever replica, but those of missing_replicas.
   * RFC 3339.
   */
  completeSince?: string;
}

/** One caller. */
export interface CallerStatus {
  /** Id of the principal, such as key:alice. */
  principal: string;
  /** Calls since the time in since. Calls of this service that only read are not counted. */
  calls?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Calls that failed, of the calls above. */
  failedCalls?: number | 'NaN' | 'Infinity' | '-Infinity';
  /**
   * When it last called. Absent: not since the replicas started.
   * RFC 3339.
   */
  lastUsedAt?: string;
  /** Its last operation. */
  lastOperation?: string;
  /** The agent of its last call. */
  lastAgent?: string;
  /** Dialect of its last call. */
  lastDialect?: string;
  /** Binding of its last call. */
  lastBinding?: string;
  /** Whether it stands in the configuration. */
  configured?: boolean;
  /** Its scopes. Empty: all that need not be granted explicitly. */
  scopes?: string[];
}

/** Nothing: the request for all replicas. */
export interface ListReplicasRequest {}
/** The replicas on the store. */
export interface ListReplicasResponse {
  /** The replicas, this one first. */
  replicas?: ReplicaStatus[];
  /**
   * Replicas that have vanished without stopping, the latest first: at most 100. Each is listed until AcknowledgeReplicas names it.
   */
  lost?: LostReplica[];
}

/** A replica that has vanished: it did not stop, and no longer writes to the store. */
export interface LostReplica {
  /** Id of the replica. */
  id: string;
  /** Name of its host. */
  host?: string;
  /** Id of its process. */
  pid?: number;
  /** Version of the gateway. */
  version?: string;
  /**
   * When it started.
   * RFC 3339.
   */
  startedAt?: string;
  /**
   * When it was last known to be alive: at most ten seconds before its end.
   * RFC 3339.
   */
  aliveAt?: string;
  /** Whether it had begun to stop. */
  draining?: boolean;
}

/** Which replicas that have vanished an operator has seen. */
export interface AcknowledgeReplicasRequest {
  /** Their ids. Empty: all. */
  ids?: string[];
}

/** The replicas that are no longer listed. */
export interface AcknowledgeReplicasResponse {
  /** Their ids. */
  ids?: string[];
}

/** One replica. */
export interface ReplicaStatus {
  /** Id of the replica. */
  id: string;
  /** Name of its host. */
  host?: string;
  /** Id of its process. */
  pid?: number;
  /**
   * When it started.
   * RFC 3339.
   */
  startedAt?: string;
  /**
   * When it last wrote to the store.
   * RFC 3339.
   */
  heartbeatAt?: string;
  /** Whether it is alive. */
  alive?: boolean;
  /** Whether it is the replica that answers. */
  isThis?: boolean;
  /** Tasks that it works on. */
  tasks?: number;
  /** Version of the gateway. Empty while the replica has not said it. */
  version?: string;
  /** Milliseconds since it last wrote to the store. */
  heartbeatLagMs?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Whether it stops: it gets no new work. */
  draining?: boolean;
}

/** Nothing: the request for the state of the replica that answers. */
export interface WatchStatusRequest {}
/** The state of a replica, and what it knows of the others. */
export interface GatewayStatus {
  /**
   * When it was so, by the store's clock.
   * RFC 3339.
   */
  time: string;
  /** Id of the replica. Empty while its store has not answered. */
  replica?: string;
  /** Version of the gateway. */
  version?: string;
  /** Whether it stops: it gets no new work. */
  draining?: boolean;
  /** Its store. */
  store: StoreStatus;
  /** The other replicas on the store. Empty while the store is unreachable. */
  others?: ReplicaStatus[];
  /**
   * The 99th percentile of the delays of its event loop in the last ten seconds, as nodejs_eventloop_lag_p99_seconds has it:
   * milliseconds. Absent: not measured yet.
   */
  eventLoopLagP99Ms?: number | 'NaN' | 'Infinity' | '-Infinity';
  /**
   * When its configuration became active. Another time is another configuration.
   * RFC 3339.
   */
  configActiveSince?: string;
  /** Tasks that wait for a client: at most 1,001 are counted. Absent while the store is unreachable. */
  waitingTasks?: number;
  /** Whether an agent has a knowledge graph. */
  knowledge?: boolean;
  /** The number of callers, agents and trees that operators have stopped, as the replica knows. */
  stops?: number;
  /** Rows of its store that it cannot read and has left out, the latest first: at most 100. */
  damagedRows?: DamagedRow[];
  /** Waiting tasks that wait for input. The others wait for an authorization, or until people agree to a call. */
  waitingForInput?: number;
  /** Push notifications that were given up: at most 1,001 are counted. Absent while the store is unreachable. */
  deadLetters?: number;
  /** Replicas that have vanished, and that no operator has acknowledged. Absent while the store is unreachable. */
  lostReplicas?: number;
  /** Registered agents with a card that waits for approval. */
  waitingCards?: number;
}

/** A row of a store that a replica cannot read. */
export interface DamagedRow {
  /** Name of the table. */
  table: string;
  /** Its primary key; parts of several columns are separated by commas. */
  key: string;
  /** Why it cannot be read. */
  reason: string;
  /**
   * When that was noticed first.
   * RFC 3339.
   */
  noticedAt?: string;
}

/** The state of a store. */
export interface StoreStatus {
  /** ok or away. */
  state: string;
  /**
   * Since when it is unreachable. Absent while it answers.
   * RFC 3339.
   */
  since?: string;
  /** Why it is unreachable. */
  reason?: string;
}

/** Which calls are listed. */
export interface ListGenerationsRequest {
  /** Generation of A2A, such as a2a-0.3. Empty: all. */
  generation?: string;
  /** Id of the principal. Empty: all. */
  principal?: string;
  /** Name of the agent. Empty: all. */
  agent?: string;
  /** Largest number of entries: 100 by default, 1,000 at most. */
  pageSize?: number;
  /** The next_page_token of a previous answer. */
  pageToken?: string;
}

/** Who speaks which generation. */
export interface ListGenerationsResponse {
  /** The entries, by generation, principal, agent and binding. */
  uses?: GenerationUse[];
  /** Token of the next page. Empty: this is the last one. */
  nextPageToken?: string;
  /** All generations that callers have used, or that have a sunset, whatever the request selects. */
  generations?: GenerationSummary[];
  /**
   * When the first call was counted. Absent: none was.
   * RFC 3339.
   */
  since?: string;
  /** Calls that have no entry, since there was no room for more. */
  uncountedCalls?: number | 'NaN' | 'Infinity' | '-Infinity';
  /**
   * Ids of replicas whose latest counts are missing, since they did not answer in time, or are of an earlier version.
   */
  missingReplicas?: string[];
}

/** Calls of one principal to one agent, in one generation over one binding. */
export interface GenerationUse {
  /** Generation of A2A. */
  generation: string;
  /** Id of the principal. */
  principal: string;
  /** Name of the agent; other: one that the gateway does not have. */
  agent: string;
  /** Binding, such as jsonrpc. */
  binding: string;
  /** All calls. */
  calls?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Those of them that a sunset refuses: messages and new webhooks, not readings and cancellations. */
  newWork?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Those of them that a sunset would have refused if its day had come. */
  wouldBeRefused?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Those of them that a sunset has refused. */
  refused?: number | 'NaN' | 'Infinity' | '-Infinity';
  /**
   * When the first of them was counted.
   * RFC 3339.
   */
  firstAt?: string;
  /**
   * When the last of them was counted.
   * RFC 3339.
   */
  lastAt?: string;
  /** The fields that conversions dropped, the most frequent first. */
  lost?: LostField[];
}

/** One field that conversions of calls dropped. */
export interface LostField {
  /** Path of the field in A2A 1.0, such as task.metadata. */
  path: string;
  /** Dialect of the agent, where that cannot express the field. Empty: the caller's generation cannot. */
  agentDialect?: string;
  /** How often it was dropped. */
  count?: number | 'NaN' | 'Infinity' | '-Infinity';
  /**
   * When it was dropped last.
   * RFC 3339.
   */
  lastAt?: string;
}

/** One generation, over all its callers. */
export interface GenerationSummary {
  /** Generation of A2A. */
  generation: string;
  /** Number of its principals. */
  callers?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** All calls. */
  calls?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Those of them that a sunset refuses. */
  newWork?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Those of them that a sunset would have refused if its day had come. */
  wouldBeRefused?: number | 'NaN' | 'Infinity' | '-Infinity';
  /** Those of them that a sunset has refused. */
  refused?: number | 'NaN' | 'Infinity' | '-Infinity';
  /**
   * When the last of them was counted. Absent: there was none.
   * RFC 3339.
   */
  lastAt?: string;
  /** Its end, as the configuration has it. Absent: it has none. */
  sunset?: Sunset;
}

/** The announced end of a generation. */
export interface Sunset {
  /**
   * Since when the generation is deprecated.
   * RFC 3339.
   */
  since: string;
  /**
   * When it ends.
   * RFC 3339.
   */
  on: string;
  /** warn, rehearse or refuse. */
  mode: string;
  /** Page about it. Empty: there is none. */
  link?: string;
  /** Whether its calls are refused now. */
  refuses?: boolean;
}

/** Nothing: the request for all losses. */
export interface ListLossesRequest {}
/** Losses of conversions. Replicas remember them since they started. */
export interface ListLossesResponse {
  /** The losses, the most frequent first. */
  losses?: LossCount[];
  /** Ids of replicas whose counts are missing, since they did not answer in time, or are of an earlier version. */
  missingReplicas?: string[];
  /**
   * When the first replica began to count.
   * RFC 3339.
   */
  since?: string;
  /**
   * All losses since then are counted. Before, those of replicas that have ended are missing.
   * RFC 3339.
   */
  completeSince?: string;
}

/** One field that conversions dropped, and the last call that lost it. */
export interface LossCount {
  /** The dialect that cannot express it. */
  dialect: string;
  /** Path of the field in A2A 1.0, such as task.metadata. */
  path: string;
  /** How often it was dropped. */
  count?: number | 'NaN' | 'Infinity' | '-Infinity';
  /**
   * When it was last dropped.
   * RFC 3339.
   */
  lastAt?: string;
  /** Agent of that call. */
  lastAgent?: string;
  /** Whether it is the agent's dialect that cannot express the field. Otherwise it is the caller's. */
  ofAgent?: boolean;
  /** Principal of the last call. */
  lastPrincipal?: string;
  /** Id or key of its task; empty where it was about none. */
  lastTask?: string;
  /** Its request id, by which ListCalls finds it while a replica remembers it. */
  lastRequestId?: string;
}

/** Which refused changes to list. */
export interface ListRefusedUpdatesRequest {
  /** Only those of this agent's knowledge. */
  agent?: string;
}

/** Refused changes, the latest first. Each replica remembers a bounded number since it started. */
export interface ListRefusedUpdatesResponse {
  /** The changes. */
  updates?: RefusedUpdate[];
}

/** A proposal of changes that was refused. */
export interface RefusedUpdate {
  /**
   * When it was refused.
   * RFC 3339.
   */
  time: string;
  /** The agent whose knowledge it was for. */
  agent: string;
  /** Id of the principal that proposed it. */
  principal?: string;
  /** The outcome, such as Conflict. */
  verificationStatus?: string;
  /** Message of the rules. */
  verificationDetails?: string;
  /** The proposed changes, or the first ones of many. */
  mutations?: Struct[];
  /** How many changes were proposed. */
  proposed?: number;
}

/** Nothing: the request for the configuration. */
export interface GetConfigRequest {}
/** The active configuration. */
export interface ActiveConfig {
  /** The settings in the form of the configuration file, defaults included. Secrets are shown as ***. */
  settings?: Struct;
  /** Path of the configuration file; empty where there is none. */
  file?: string;
  /**
   * When it became active.
   * RFC 3339.
   */
  activeSince?: string;
  /** Whether this replica can read it again. */
  reloadable?: boolean;
  /** Why the latest reload was refused. Empty: it was not. */
  refused?: string;
  /**
   * When it was refused.
   * RFC 3339.
   */
  refusedAt?: string;
}

/** Nothing: the request for a reload. */
export interface ReloadConfigRequest {}
/** The outcome of a reload. */
export interface ReloadConfigResponse {
  /** Names of agents that were added. */
  added?: string[];
  /** Names of agents that were changed. */
  changed?: string[];
  /** Names of agents that were removed. */
  removed?: string[];
  /** Number of streams that were ended because their callers lost access. */
  endedStreams?: number;
  /** Paths of changed settings that take effect after a restart. */
  restart?: string[];
}

/** A request for a backup. */
export interface BackUpStoreRequest {}
/**
 * A part of a backup. The first has the expected size, the last one the size and the digest; those between have bytes.
 */
export interface BackupChunk {
  /**
   * The next bytes of the file.
   * Base64.
   */
  data?: string;
  /**
   * Bytes of the file: in the first part an estimate, in the last part exact.
   * A 64-bit integer in decimal digits.
   */
  size?: string;
  /** SHA-256 of the file in hexadecimal digits, in the last part. */
  sha256?: string;
}

/** An agent that is registered. */
export interface RegisterAgentRequest {
  /** Its name: a-z, 0-9 and -. No agent of the configuration and of another owner may have it. */
  name: string;
  /** Its base URL or the URL of its card. The guard of outbound applies. */
  url: string;
  /** The dialect that it speaks. Empty: it is detected. */
  dialect?: string;
  /** The binding to call it over. Empty: it is detected. */
  transport?: string;
  /** Seconds after which it gets no new tasks unless it is renewed, 10 to 86,400. 0: the registration has no end. */
  leaseSeconds?: number;
  /** Replaces the name in its card. */
  title?: string;
  /** Replaces the description in its card. */
  description?: string;
  /** Ids of the skills in its card that are offered. Empty: all. */
  skills?: string[];
}

/** A catalog whose agents are registered. */
export interface RegisterCatalogRequest {
  /**
   * Address of the catalog, or of a site that has one at /.well-known/ai-catalog.json. The guard of outbound applies.
   */
  catalog: string;
  /**
   * Seconds after which each agent gets no new tasks unless it is renewed, 10 to 86,400. 0: the registrations have no end.
   */
  leaseSeconds?: number;
}

/** Outcome for the agents in a catalog. */
export interface RegisterCatalogResponse {
  /** Agents that are registered now. */
  registered?: CatalogAgent[];
  /** Agents that are not registered, and catalogs in the catalog that could not be read. */
  skipped?: SkippedAgent[];
}

/** An agent of a catalog that is registered. */
export interface CatalogAgent {
  /** Its identifier in the catalog. */
  identifier: string;
  /** The name under which it is registered. */
  name: string;
}

/** An entry of a catalog that was left out. */
export interface SkippedAgent {
  /** Its identifier in the catalog. */
  identifier: string;
  /** Why. */
  reason: string;
}

/** Which registrations are listed. */
export interface ListRegistrationsRequest {
  /** Only the one with this name. */
  agent?: string;
  /** Entries of the answer at most. 0: 50; at most 500. */
  pageSize?: number;
  /** Of the answer before. */
  pageToken?: string;
  /** Lists the removed agents instead, whose names keep what was decided about their cards. */
  removed?: boolean;
}

/** Registered agents. */
export interface ListRegistrationsResponse {
  /** By name. */
  registrations?: RegisteredAgent[];
  /** Empty on the last page. */
  nextPageToken?: string;
}

/** A registered agent, with what may be served for it. */
export interface RegisteredAgent {
  /** Its name. */
  name: string;
  /** Id of the principal that registered it. */
  owner: string;
  /**
   * When it was registered first.
   * RFC 3339.
   */
  registeredAt?: string;
  /** Seconds of its lease. 0: it has none. */
  leaseSeconds?: number;
  /**
   * When its lease ends, or has ended.
   * RFC 3339.
   */
  expiresAt?: string;
  /** Whether calls reach it: a card is approved, and the lease has not ended. */
  active?: boolean;
  /** Why no card could be read. Empty: one was. */
  problem?: string;
  /** The latest first. At most ten are kept. */
  revisions?: CardRevision[];
  /**
   * When it was removed.
   * RFC 3339.
   */
  removedAt?: string;
  /** Id of the principal that removed it. Empty: its lease had ended. */
  removedBy?: string;
}

/** What may be served for a registered agent: what its owner says, and a card. */
export interface CardRevision {
  /** Its digest. */
  id: string;
  /** Whether it is served. */
  state?: RevisionState;
  /**
   * When it was first seen.
   * RFC 3339.
   */
  seenAt?: string;
  /**
   * When it was approved or refused.
   * RFC 3339.
   */
  decidedAt?: string;
  /** Id of the principal that approved or refused it. Empty: registration.approve did. */
  decidedBy?: string;
  /** How it differs from the one that is served, or from nothing where none is. At most 200 places. */
  differences?: Difference[];
  /** Id of the principal that offered it, which may have owned the name before. Callers see those of their own. */
  offeredBy?: string;
}

/** A value that differs. */
export interface Difference {
  /** Where: such as card.skills[0].name, or url. */
  path: string;
  /** As JSON, at most 1,000 characters. Empty: it was not there. */
  before?: string;
  /** As JSON, at most 1,000 characters. Empty: it is gone. */
  after?: string;
}

/** Which lease is extended. */
export interface RenewAgentRequest {
  /** The agent's name. */
  name: string;
}

/** A decision about a card. */
export interface ApproveAgentRequest {
  /** The agent's name. */
  name: string;
  /** Id of the revision: what has changed meanwhile is not approved with it. */
  revision: string;
  /** Whether it is refused instead. If it is served, nothing is served from then on. */
  reject?: boolean;
}

/** Which registration is removed. */
export interface RemoveAgentRequest {
  /** The agent's name. */
  name: string;
  /**
   * Also forgets what was decided about its cards, also of an agent that was removed before: the next card under its name
   * is the first one. Needs the scope admin.
   */
  forget?: boolean;
}

/** Nothing: the registration is gone. */
export interface RemoveAgentResponse {}
/** Which caller is stopped, and why. */
export interface StopCallerRequest {
  /** Id of the principal, such as key:alice. It need not have called yet. */
  principal: string;
  /** The reason, which callers get in their errors. At most 500 characters. */
  reason: string;
}

/** Which caller is no longer stopped. */
export interface ResumeCallerRequest {
  /** Id of the principal. */
  principal: string;
}

/** Which caller is erased. */
export interface EraseCallerRequest {
  /** Id of the principal, such as key:alice. */
  principal: string;
  /** Begins once more where an erasure is over, for what the caller has done since. */
  again?: boolean;
}

/** The deletion of what the gateway has of a caller. */
export interface Erasure {
  /** A digest of the principal, under which the log and the audit log have it. */
  id: string;
  /** running or done. */
  state: string;
  /** Id of the principal that has begun it. */
  begunBy?: string;
  /**
   * When. Newer data stays.
   * RFC 3339.
   */
  begunAt?: string;
  /**
   * When it was done.
   * RFC 3339.
   */
  endedAt?: string;
  /** Counts of deleted data so far. */
  erased?: ErasedThings[];
  /** Counts of remaining data. Complete when it is done. */
  remaining?: RemainingThings[];
  /** Replicas that have not answered yet: it goes on until all have, or are gone. */
  missingReplicas?: string[];
}

/** Deleted things of one kind. */
export interface ErasedThings {
  /** Such as tasks, events, webhooks, keys or calls. */
  kind: string;
  /** Their number. */
  count?: number;
}

/** Things of one kind that stay. */
export interface RemainingThings {
  /** Such as referringTasks, contextTasks, registrations or credentials. */
  kind: string;
  /** Their number. */
  count?: number;
  /** Their ids: of tasks of others, their keys. At most 100. */
  ids?: string[];
}

/** Which agent is stopped, and why. */
export interface StopAgentRequest {
  /** The agent's name. */
  name: string;
  /** The reason, which callers get in their errors. At most 500 characters. */
  reason: string;
}

/** Which agent is no longer stopped. */
export interface ResumeAgentRequest {
  /** The agent's name. */
  name: string;
}

/** Which tree is stopped, and why. */
export interface StopRootRequest {
  /** Key of any of its tasks. */
  key: string;
  /** The reason, which callers get in their errors. At most 500 characters. */
  reason: string;
}

/** Which tree is no longer stopped. */
export interface ResumeRootRequest {
  /** Key of any of its tasks. */
  key: string;
}

/** Nothing: the request for all stops. */
export interface ListStopsRequest {}
/** Everything that is stopped. */
export interface ListStopsResponse {
  /** The oldest first. */
  stops?: Stop[];
}

/** Something that an operator has stopped. */
export interface Stop {
  /** caller, agent or root. */
  kind: string;
  /** Id of the principal, name of the agent, or key of the task that the tree began with. */
  subject: string;
  /** Why. */
  reason?: string;
  /** Id of the principal that has stopped it. */
  stoppedBy?: string;
  /**
   * When.
   * RFC 3339.
   */
  stoppedAt?: string;
  /** Of StopRoot and ResumeRoot: which other gateways of the tree were not reached, and why. */
  missing?: string[];
}

/** The messages by full name. */
export interface MessageTypes {
  'a2agateway.admin.v1.AgentStatus': AgentStatus;
  'a2agateway.admin.v1.AgentActivity': AgentActivity;
  'a2agateway.admin.v1.ListAgentsRequest': ListAgentsRequest;
  'a2agateway.admin.v1.ListAgentsResponse': ListAgentsResponse;
  'a2agateway.admin.v1.GetAgentRequest': GetAgentRequest;
  'a2agateway.admin.v1.AgentDetails': AgentDetails;
  'a2agateway.admin.v1.AgentCopy': AgentCopy;
  'a2agateway.admin.v1.DialectCard': DialectCard;
  'a2agateway.admin.v1.CardSignature': CardSignature;
  'a2agateway.admin.v1.CardFinding': CardFinding;
  'a2agateway.admin.v1.SetAgentModeRequest': SetAgentModeRequest;
  'a2agateway.admin.v1.FindTasksRequest': FindTasksRequest;
  'a2agateway.admin.v1.FindTasksResponse': FindTasksResponse;
  'a2agateway.admin.v1.GroupTasksRequest': GroupTasksRequest;
  'a2agateway.admin.v1.GroupTasksResponse': GroupTasksResponse;
  'a2agateway.admin.v1.AgentTasks': AgentTasks;
  'a2agateway.admin.v1.CallerTasks': CallerTasks;
  'a2agateway.admin.v1.TaskGroup': TaskGroup;
  'a2agateway.admin.v1.TaskSummary': TaskSummary;
  'a2agateway.admin.v1.WatchTasksRequest': WatchTasksRequest;
  'a2agateway.admin.v1.InspectTaskRequest': InspectTaskRequest;
  'a2agateway.admin.v1.TaskDetails': TaskDetails;
  'a2agateway.admin.v1.RetryTasksRequest': RetryTasksRequest;
  'a2agateway.admin.v1.RetryTasksResponse': RetryTasksResponse;
  'a2agateway.admin.v1.RetryOutcome': RetryOutcome;
  'a2agateway.admin.v1.TreeStep': TreeStep;
  'a2agateway.admin.v1.ListTaskEventsRequest': ListTaskEventsRequest;
  'a2agateway.admin.v1.ListTaskEventsResponse': ListTaskEventsResponse;
  'a2agateway.admin.v1.TaskLogEvent': TaskLogEvent;
  'a2agateway.admin.v1.FollowTaskRequest': FollowTaskRequest;
  'a2agateway.admin.v1.StopTaskRequest': StopTaskRequest;
  'a2agateway.admin.v1.AnswerTaskRequest': AnswerTaskRequest;
  'a2agateway.admin.v1.ListQuestionsRequest': ListQuestionsRequest;
  'a2agateway.admin.v1.ListQuestionsResponse': ListQuestionsResponse;
  'a2agateway.admin.v1.Question': Question;
  'a2agateway.admin.v1.CallAsk': CallAsk;
  'a2agateway.admin.v1.CallAgreement': CallAgreement;
  'a2agateway.admin.v1.AnswerQuestionRequest': AnswerQuestionRequest;
  'a2agateway.admin.v1.ListDeliveriesRequest': ListDeliveriesRequest;
  'a2agateway.admin.v1.ListDeliveriesResponse': ListDeliveriesResponse;
  'a2agateway.admin.v1.DeliveryStatus': DeliveryStatus;
  'a2agateway.admin.v1.RetryDeliveriesRequest': RetryDeliveriesRequest;
  'a2agateway.admin.v1.RetryDeliveriesResponse': RetryDeliveriesResponse;
  'a2agateway.admin.v1.ListCallsRequest': ListCallsRequest;
  'a2agateway.admin.v1.ListCallsResponse': ListCallsResponse;
  'a2agateway.admin.v1.CallGap': CallGap;
  'a2agateway.admin.v1.LeftOutCalls': LeftOutCalls;
  'a2agateway.admin.v1.ListNumbersRequest': ListNumbersRequest;
  'a2agateway.admin.v1.ListNumbersResponse': ListNumbersResponse;
  'a2agateway.admin.v1.NumberGroup': NumberGroup;
  'a2agateway.admin.v1.Numbers': Numbers;
  'a2agateway.admin.v1.CallSummary': CallSummary;
  'a2agateway.admin.v1.RuleDecision': RuleDecision;
  'a2agateway.admin.v1.WatchCallsRequest': WatchCallsRequest;
  'a2agateway.admin.v1.CallEvent': CallEvent;
  'a2agateway.admin.v1.GetMetricsRequest': GetMetricsRequest;
  'a2agateway.admin.v1.GetMetricsResponse': GetMetricsResponse;
  'a2agateway.admin.v1.MetricSeries': MetricSeries;
  'a2agateway.admin.v1.RecordRequest': RecordRequest;
  'a2agateway.admin.v1.RecordResponse': RecordResponse;
  'a2agateway.admin.v1.Recording': Recording;
  'a2agateway.admin.v1.ListRecordsRequest': ListRecordsRequest;
  'a2agateway.admin.v1.ListRecordsResponse': ListRecordsResponse;
  'a2agateway.admin.v1.RecordedCall': RecordedCall;
  'a2agateway.admin.v1.RecordedAttempt': RecordedAttempt;
  'a2agateway.admin.v1.WireExchange': WireExchange;
  'a2agateway.admin.v1.WireFrame': WireFrame;
  'a2agateway.admin.v1.WireHeader': WireHeader;
  'a2agateway.admin.v1.ListCallersRequest': ListCallersRequest;
  'a2agateway.admin.v1.ListCallersResponse': ListCallersResponse;
  'a2agateway.admin.v1.CallerStatus': CallerStatus;
  'a2agateway.admin.v1.ListReplicasRequest': ListReplicasRequest;
  'a2agateway.admin.v1.ListReplicasResponse': ListReplicasResponse;
  'a2agateway.admin.v1.LostReplica': LostReplica;
  'a2agateway.admin.v1.AcknowledgeReplicasRequest': AcknowledgeReplicasRequest;
  'a2agateway.admin.v1.AcknowledgeReplicasResponse': AcknowledgeReplicasResponse;
  'a2agateway.admin.v1.ReplicaStatus': ReplicaStatus;
  'a2agateway.admin.v1.WatchStatusRequest': WatchStatusRequest;
  'a2agateway.admin.v1.GatewayStatus': GatewayStatus;
  'a2agateway.admin.v1.DamagedRow': DamagedRow;
  'a2agateway.admin.v1.StoreStatus': StoreStatus;
  'a2agateway.admin.v1.ListGenerationsRequest': ListGenerationsRequest;
  'a2agateway.admin.v1.ListGenerationsResponse': ListGenerationsResponse;
  'a2agateway.admin.v1.GenerationUse': GenerationUse;
  'a2agateway.admin.v1.LostField': LostField;
  'a2agateway.admin.v1.GenerationSummary': GenerationSummary;
  'a2agateway.admin.v1.Sunset': Sunset;
  'a2agateway.admin.v1.ListLossesRequest': ListLossesRequest;
  'a2agateway.admin.v1.ListLossesResponse': ListLossesResponse;
  'a2agateway.admin.v1.LossCount': LossCount;
  'a2agateway.admin.v1.ListRefusedUpdatesRequest': ListRefusedUpdatesRequest;
  'a2agateway.admin.v1.ListRefusedUpdatesResponse': ListRefusedUpdatesResponse;
  'a2agateway.admin.v1.RefusedUpdate': RefusedUpdate;
  'a2agateway.admin.v1.GetConfigRequest': GetConfigRequest;
  'a2agateway.admin.v1.ActiveConfig': ActiveConfig;
  'a2agateway.admin.v1.ReloadConfigRequest': ReloadConfigRequest;
  'a2agateway.admin.v1.ReloadConfigResponse': ReloadConfigResponse;
  'a2agateway.admin.v1.BackUpStoreRequest': BackUpStoreRequest;
  'a2agateway.admin.v1.BackupChunk': BackupChunk;
  'a2agateway.admin.v1.RegisterAgentRequest': RegisterAgentRequest;
  'a2agateway.admin.v1.RegisterCatalogRequest': RegisterCatalogRequest;
  'a2agateway.admin.v1.RegisterCatalogResponse': RegisterCatalogResponse;
  'a2agateway.admin.v1.CatalogAgent': CatalogAgent;
  'a2agateway.admin.v1.SkippedAgent': SkippedAgent;
  'a2agateway.admin.v1.ListRegistrationsRequest': ListRegistrationsRequest;
  'a2agateway.admin.v1.ListRegistrationsResponse': ListRegistrationsResponse;
  'a2agateway.admin.v1.RegisteredAgent': RegisteredAgent;
  'a2agateway.admin.v1.CardRevision': CardRevision;
  'a2agateway.admin.v1.Difference': Difference;
  'a2agateway.admin.v1.RenewAgentRequest': RenewAgentRequest;
  'a2agateway.admin.v1.ApproveAgentRequest': ApproveAgentRequest;
  'a2agateway.admin.v1.RemoveAgentRequest': RemoveAgentRequest;
  'a2agateway.admin.v1.RemoveAgentResponse': RemoveAgentResponse;
  'a2agateway.admin.v1.StopCallerRequest': StopCallerRequest;
  'a2agateway.admin.v1.ResumeCallerRequest': ResumeCallerRequest;
  'a2agateway.admin.v1.EraseCallerRequest': EraseCallerRequest;
  'a2agateway.admin.v1.Erasure': Erasure;
  'a2agateway.admin.v1.ErasedThings': ErasedThings;
  'a2agateway.admin.v1.RemainingThings': RemainingThings;
  'a2agateway.admin.v1.StopAgentRequest': StopAgentRequest;
  'a2agateway.admin.v1.ResumeAgentRequest': ResumeAgentRequest;
  'a2agateway.admin.v1.StopRootRequest': StopRootRequest;
  'a2agateway.admin.v1.ResumeRootRequest': ResumeRootRequest;
  'a2agateway.admin.v1.ListStopsRequest': ListStopsRequest;
  'a2agateway.admin.v1.ListStopsResponse': ListStopsResponse;
  'a2agateway.admin.v1.Stop': Stop;
}
