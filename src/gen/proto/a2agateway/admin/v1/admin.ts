// Generated from proto/a2agateway/admin/v1/admin.proto by ts-proto by `npm run generate`. Do not edit.

/* eslint-disable */
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import { Struct } from "../../../google/protobuf/struct.ts";
import { fromTimestamp, Timestamp, toTimestamp } from "../../../google/protobuf/timestamp.ts";

export const protobufPackage = "a2agateway.admin.v1";

export const protobufFileName = "a2agateway/admin/v1/admin.proto";

/**
 * The admin service: what operators see and change while a gateway runs. It is about the whole gateway, so its calls name
 * no agent of their own. A2A objects are in the ProtoJSON form of A2A 1.0.
 */

/** What an agent accepts. */
export const AgentMode = {
  /** AGENT_MODE_UNSPECIFIED - Not given. */
  AGENT_MODE_UNSPECIFIED: "AGENT_MODE_UNSPECIFIED",
  /** AGENT_MODE_ENABLED - Every call. */
  AGENT_MODE_ENABLED: "AGENT_MODE_ENABLED",
  /** AGENT_MODE_DRAINING - Calls about tasks that exist, but no new tasks. */
  AGENT_MODE_DRAINING: "AGENT_MODE_DRAINING",
  /** AGENT_MODE_DISABLED - No call. */
  AGENT_MODE_DISABLED: "AGENT_MODE_DISABLED",
  UNRECOGNIZED: "UNRECOGNIZED",
} as const;

export type AgentMode = typeof AgentMode[keyof typeof AgentMode];

export namespace AgentMode {
  export type AGENT_MODE_UNSPECIFIED = typeof AgentMode.AGENT_MODE_UNSPECIFIED;
  export type AGENT_MODE_ENABLED = typeof AgentMode.AGENT_MODE_ENABLED;
  export type AGENT_MODE_DRAINING = typeof AgentMode.AGENT_MODE_DRAINING;
  export type AGENT_MODE_DISABLED = typeof AgentMode.AGENT_MODE_DISABLED;
  export type UNRECOGNIZED = typeof AgentMode.UNRECOGNIZED;
}

export function agentModeFromJSON(object: any): AgentMode {
  switch (object) {
    case 0:
    case "AGENT_MODE_UNSPECIFIED":
      return AgentMode.AGENT_MODE_UNSPECIFIED;
    case 1:
    case "AGENT_MODE_ENABLED":
      return AgentMode.AGENT_MODE_ENABLED;
    case 2:
    case "AGENT_MODE_DRAINING":
      return AgentMode.AGENT_MODE_DRAINING;
    case 3:
    case "AGENT_MODE_DISABLED":
      return AgentMode.AGENT_MODE_DISABLED;
    case -1:
    case "UNRECOGNIZED":
    default:
      return AgentMode.UNRECOGNIZED;
  }
}

export function agentModeToNumber(object: AgentMode): number {
  switch (object) {
    case AgentMode.AGENT_MODE_UNSPECIFIED:
      return 0;
    case AgentMode.AGENT_MODE_ENABLED:
      return 1;
    case AgentMode.AGENT_MODE_DRAINING:
      return 2;
    case AgentMode.AGENT_MODE_DISABLED:
      return 3;
    case AgentMode.UNRECOGNIZED:
    default:
      return -1;
  }
}

/** The state of one agent. */
export interface AgentStatus {
  /** The agent's name in the gateway. */
  name?:
    | string
    | undefined;
  /** The name on its card. */
  title?:
    | string
    | undefined;
  /** The description on its card. */
  description?:
    | string
    | undefined;
  /** How it is configured: reference, module, code, mcp or upstream. */
  kind?:
    | string
    | undefined;
  /** What it accepts. */
  mode?:
    | AgentMode
    | undefined;
  /** When the mode was set. Absent for an agent that was never disabled or drained. */
  modeChangedAt?:
    | string
    | undefined;
  /** Id of the principal that set the mode. */
  modeChangedBy?:
    | string
    | undefined;
  /** Whether it can be reached: ok, connecting or unreachable. */
  state?:
    | string
    | undefined;
  /** Why it cannot be reached. */
  reason?:
    | string
    | undefined;
  /** URL of an upstream agent, without credentials. */
  url?:
    | string
    | undefined;
  /** Dialect that the gateway speaks to an upstream agent. */
  dialect?:
    | string
    | undefined;
  /** Binding over which the gateway calls an upstream agent. */
  binding?:
    | string
    | undefined;
  /** State of the circuit breaker of an upstream agent: closed, half-open or open. */
  breaker?:
    | string
    | undefined;
  /** Calls of this agent since this replica started. */
  calls?:
    | number
    | undefined;
  /** Those of them that failed. */
  failedCalls?:
    | number
    | undefined;
  /** Time within which half of the calls were answered, or their streams began: milliseconds, estimated. Absent: no calls. */
  latencyMedianMs?:
    | number
    | undefined;
  /** The same for 95 of 100 calls. */
  latencyP95Ms?:
    | number
    | undefined;
  /** When the card of an upstream agent was read. */
  cardReadAt?:
    | string
    | undefined;
  /** Tasks of the agent that are in this replica's memory. */
  liveTasks?:
    | number
    | undefined;
  /** Whether the agent has a knowledge graph. */
  knowledge?:
    | boolean
    | undefined;
  /** Whether calls at the root, which name no agent, are for this one. */
  isDefault?:
    | boolean
    | undefined;
  /** Query languages of its knowledge graph. */
  queryLanguages?: string[] | undefined;
}

/** Nothing: the request for all agents. */
export interface ListAgentsRequest {
}

/** All agents, in the order of the configuration. */
export interface ListAgentsResponse {
  /** The agents. */
  agents?: AgentStatus[] | undefined;
}

/** A request for one agent. */
export interface GetAgentRequest {
  /** The agent's name. */
  name?: string | undefined;
}

/** One agent with its cards. */
export interface AgentDetails {
  /** The agent's state. */
  status?:
    | AgentStatus
    | undefined;
  /** The card in every dialect, as the gateway serves it. */
  cards?:
    | DialectCard[]
    | undefined;
  /** The upstream agent's own card as it was received. Absent for other agents, and before it was read. */
  upstreamCard?:
    | { [key: string]: any }
    | undefined;
  /** What the gateway found about the signatures of the upstream agent's card. */
  upstreamSignature?:
    | CardSignature
    | undefined;
  /** What is wrong or doubtful about the cards. */
  findings?: CardFinding[] | undefined;
}

/** An agent's card in one dialect. */
export interface DialectCard {
  /** Name of the dialect, such as a2a-1.0. */
  dialect?:
    | string
    | undefined;
  /** Path of the card below the gateway's mount point. */
  path?:
    | string
    | undefined;
  /** The card. Absent where it has more bytes than one answer may have. */
  card?:
    | { [key: string]: any }
    | undefined;
  /** Bytes of its JSON. */
  bytes?:
    | number
    | undefined;
  /** What the gateway found about the card's signatures. */
  signature?: CardSignature | undefined;
}

/** What is known about the signatures of a card. */
export interface CardSignature {
  /** unsigned, verified, not-verified or invalid. */
  verdict?:
    | string
    | undefined;
  /** Ids of the keys that signed. */
  keyIds?:
    | string[]
    | undefined;
  /** Why the verdict is what it is. */
  reason?: string | undefined;
}

/** One finding about a card. */
export interface CardFinding {
  /** error, warning or note. */
  severity?:
    | string
    | undefined;
  /** Dialect of the card. */
  dialect?:
    | string
    | undefined;
  /** Field that the finding is about, such as skills[0].id. */
  field?:
    | string
    | undefined;
  /** What is found, and what to do. */
  message?:
    | string
    | undefined;
  /** Section of the specification, such as A2A 1.0.1 section 4.4.1. */
  section?: string | undefined;
}

/** A request for another mode of an agent. */
export interface SetAgentModeRequest {
  /** The agent's name. */
  name?:
    | string
    | undefined;
  /** The wanted mode. */
  mode?: AgentMode | undefined;
}

/** Which tasks to list. */
export interface FindTasksRequest {
  /** Only tasks of this agent. */
  agent?:
    | string
    | undefined;
  /** Only tasks of this tenant. */
  tenant?:
    | string
    | undefined;
  /** Only tasks of this principal. */
  principal?:
    | string
    | undefined;
  /** Only tasks of this context. */
  contextId?:
    | string
    | undefined;
  /** Only tasks with this id. */
  id?:
    | string
    | undefined;
  /** Only tasks in one of these states, such as TASK_STATE_WORKING. */
  states?:
    | string[]
    | undefined;
  /** Only tasks that changed at this time or later. */
  changedAfter?:
    | string
    | undefined;
  /** Only tasks that changed before this time. */
  changedBefore?:
    | string
    | undefined;
  /** At most so many tasks. The default is 50, the maximum 500. */
  pageSize?:
    | number
    | undefined;
  /** Token of a previous answer. */
  pageToken?: string | undefined;
}

/** A page of tasks. It may have fewer tasks than wanted, or none, and a token all the same: the search goes on there. */
export interface FindTasksResponse {
  /** The tasks, the latest change first. */
  tasks?:
    | TaskSummary[]
    | undefined;
  /** Token of the next page; empty on the last one. */
  nextPageToken?: string | undefined;
}

/** A task without its content. */
export interface TaskSummary {
  /** The task's key: unique in the gateway. */
  key?:
    | string
    | undefined;
  /** The task's id. A caller may have chosen it, so that other callers can have a task of the same id. */
  id?:
    | string
    | undefined;
  /** The conversation that the task belongs to. */
  contextId?:
    | string
    | undefined;
  /** The agent's name. */
  agent?:
    | string
    | undefined;
  /** The tenant; empty where there is none. */
  tenant?:
    | string
    | undefined;
  /** Id of the principal that owns the task. */
  principal?:
    | string
    | undefined;
  /** The state, such as TASK_STATE_WORKING. */
  state?:
    | string
    | undefined;
  /** When the state was entered. */
  stateChangedAt?:
    | string
    | undefined;
  /** When the task was created. */
  createdAt?:
    | string
    | undefined;
  /** When its last event was appended. */
  updatedAt?:
    | string
    | undefined;
  /** Position of the last event in its log. */
  lastPosition?:
    | number
    | undefined;
  /** Dialect in which its owner last used the task. */
  dialect?:
    | string
    | undefined;
  /** Replica that works on the task; empty while the task rests. */
  replica?: string | undefined;
}

/** Which tasks to watch. */
export interface WatchTasksRequest {
  /** Only tasks of this agent. */
  agent?:
    | string
    | undefined;
  /** Only tasks of this context. */
  contextId?:
    | string
    | undefined;
  /** Only tasks in one of these states. */
  states?:
    | string[]
    | undefined;
  /**
   * Begin with the tasks that changed at this time or later, and with those of a few seconds before, since a change can be
   * stored after its time. To resume, give the time of the latest change. Default: now.
   */
  changedAfter?: string | undefined;
}

/** A request for one task. */
export interface InspectTaskRequest {
  /** The task's key. */
  key?: string | undefined;
}

/** One task with its content. */
export interface TaskDetails {
  /** The task's row. */
  summary?:
    | TaskSummary
    | undefined;
  /** The task as A2A 1.0 has it. Absent where it has more bytes than one answer may have: read its events then. */
  task?:
    | { [key: string]: any }
    | undefined;
  /** Bytes of its JSON. */
  bytes?:
    | number
    | undefined;
  /** The task's id at an upstream agent. */
  upstreamTaskId?:
    | string
    | undefined;
  /** The context's id at an upstream agent. */
  upstreamContextId?:
    | string
    | undefined;
  /** Push configurations of the task, at most 100, without tokens, credentials and the paths of their URLs. */
  pushConfigs?:
    | { [key: string]: any }[]
    | undefined;
  /** Id of the trace of the latest call that started a turn, where it is known. */
  traceId?: string | undefined;
}

/** Which events to list. */
export interface ListTaskEventsRequest {
  /** The task's key. */
  key?:
    | string
    | undefined;
  /** Only events after this position. */
  after?:
    | number
    | undefined;
  /** At most so many events. The default is 100, the maximum 1000. */
  pageSize?: number | undefined;
}

/** Events of a log. */
export interface ListTaskEventsResponse {
  /** The events in their order. A page ends early where events are large, but has at least one. */
  events?:
    | TaskLogEvent[]
    | undefined;
  /** Position of the last event in the log. */
  lastPosition?: number | undefined;
}

/** One event of a task's log. */
export interface TaskLogEvent {
  /** Position in the log, from 1. */
  position?:
    | number
    | undefined;
  /** When it was appended. */
  time?:
    | string
    | undefined;
  /** The event as a StreamResponse of A2A 1.0. */
  event?: { [key: string]: any } | undefined;
}

/** Which task to follow. */
export interface FollowTaskRequest {
  /** The task's key. */
  key?:
    | string
    | undefined;
  /** Begin after this position. Default: with the first event. */
  after?: number | undefined;
}

/** A request to cancel a task. */
export interface StopTaskRequest {
  /** The task's key. */
  key?: string | undefined;
}

/** A message for a task. */
export interface AnswerTaskRequest {
  /** The task's key. */
  key?:
    | string
    | undefined;
  /** The parts of the message, as A2A 1.0 has them. */
  parts?: { [key: string]: any }[] | undefined;
}

/** Which deliveries to list. */
export interface ListDeliveriesRequest {
  /** Only those of the task with this id. */
  taskId?:
    | string
    | undefined;
  /** At most so many. The default is 100, the maximum 1000. */
  pageSize?:
    | number
    | undefined;
  /** Token of a previous answer. */
  pageToken?: string | undefined;
}

/** A page of deliveries. */
export interface ListDeliveriesResponse {
  /** The deliveries. */
  deliveries?:
    | DeliveryStatus[]
    | undefined;
  /** Token of the next page; empty on the last one. */
  nextPageToken?: string | undefined;
}

/** Undelivered events of one push configuration. */
export interface DeliveryStatus {
  /** dead: given up; waiting: tried again later. */
  state?:
    | string
    | undefined;
  /** The task's key. */
  taskKey?:
    | string
    | undefined;
  /** The task's id. */
  taskId?:
    | string
    | undefined;
  /** Id of the push configuration. */
  configId?:
    | string
    | undefined;
  /** The agent's name. */
  agent?:
    | string
    | undefined;
  /** Id of the principal that owns the task. */
  principal?:
    | string
    | undefined;
  /** Scheme, host and port of the webhook. */
  receiver?:
    | string
    | undefined;
  /** Dialect of the notifications. */
  dialect?:
    | string
    | undefined;
  /** Position of the first undelivered event in the task's log. */
  firstPosition?:
    | number
    | undefined;
  /** Position of the last one. */
  lastPosition?:
    | number
    | undefined;
  /** Attempts so far for the first event. */
  attempts?:
    | number
    | undefined;
  /** Why the last attempt failed. */
  reason?:
    | string
    | undefined;
  /** When the next attempt is due; for dead letters, when they were given up. */
  time?: string | undefined;
}

/** Which deliveries to try again. */
export interface RetryDeliveriesRequest {
  /** Only those of the task with this id. Default: all. */
  taskId?: string | undefined;
}

/** The outcome of a retry. */
export interface RetryDeliveriesResponse {
  /** Number of push configurations that are tried again. */
  retried?: number | undefined;
}

/** Nothing: the request for all callers. */
export interface ListCallersRequest {
}

/** The callers that this replica knows. */
export interface ListCallersResponse {
  /** The callers. Those of the configuration are listed even when they were never seen. */
  callers?:
    | CallerStatus[]
    | undefined;
  /** When this replica began to count. */
  since?: string | undefined;
}

/** One caller. */
export interface CallerStatus {
  /** Id of the principal, such as key:alice. */
  principal?:
    | string
    | undefined;
  /** Calls since this replica started. */
  calls?:
    | number
    | undefined;
  /** Those of them that failed. */
  failedCalls?:
    | number
    | undefined;
  /** When it last called. Absent: not since this replica started. */
  lastUsedAt?:
    | string
    | undefined;
  /** Its last operation. */
  lastOperation?:
    | string
    | undefined;
  /** The agent of its last call. */
  lastAgent?:
    | string
    | undefined;
  /** Dialect of its last call. */
  lastDialect?:
    | string
    | undefined;
  /** Binding of its last call. */
  lastBinding?:
    | string
    | undefined;
  /** Whether it stands in the configuration. */
  configured?:
    | boolean
    | undefined;
  /** Its scopes. Empty: all that need not be granted explicitly. */
  scopes?: string[] | undefined;
}

/** Nothing: the request for all replicas. */
export interface ListReplicasRequest {
}

/** The replicas on the store. */
export interface ListReplicasResponse {
  /** The replicas, this one first. */
  replicas?: ReplicaStatus[] | undefined;
}

/** One replica. */
export interface ReplicaStatus {
  /** Id of the replica. */
  id?:
    | string
    | undefined;
  /** Name of its host. */
  host?:
    | string
    | undefined;
  /** Id of its process. */
  pid?:
    | number
    | undefined;
  /** When it started. */
  startedAt?:
    | string
    | undefined;
  /** When it last wrote to the store. */
  heartbeatAt?:
    | string
    | undefined;
  /** Whether it is alive. */
  alive?:
    | boolean
    | undefined;
  /** Whether it is the replica that answers. */
  isThis?:
    | boolean
    | undefined;
  /** Tasks that it works on. */
  tasks?:
    | number
    | undefined;
  /** Version of the gateway, of the replica that answers. */
  version?: string | undefined;
}

/** Nothing: the request for all losses. */
export interface ListLossesRequest {
}

/** What conversions dropped since this replica started. */
export interface ListLossesResponse {
  /** The losses, the most frequent first. */
  losses?: LossCount[] | undefined;
}

/** One field that conversions dropped. */
export interface LossCount {
  /** Dialect of the caller. */
  dialect?:
    | string
    | undefined;
  /** Path of the field in A2A 1.0, such as task.metadata. */
  path?:
    | string
    | undefined;
  /** How often it was dropped. */
  count?:
    | number
    | undefined;
  /** When it was last dropped. */
  lastAt?:
    | string
    | undefined;
  /** Agent of the last call that dropped it. */
  lastAgent?: string | undefined;
}

/** Which refused changes to list. */
export interface ListRefusedUpdatesRequest {
  /** Only those of this agent's knowledge. */
  agent?: string | undefined;
}

/** Refused changes, the latest first. Each replica remembers a bounded number since it started. */
export interface ListRefusedUpdatesResponse {
  /** The changes. */
  updates?: RefusedUpdate[] | undefined;
}

/** A proposal of changes that was refused. */
export interface RefusedUpdate {
  /** When it was refused. */
  time?:
    | string
    | undefined;
  /** The agent whose knowledge it was for. */
  agent?:
    | string
    | undefined;
  /** Id of the principal that proposed it. */
  principal?:
    | string
    | undefined;
  /** The outcome, such as Conflict. */
  verificationStatus?:
    | string
    | undefined;
  /** What the rules said. */
  verificationDetails?:
    | string
    | undefined;
  /** The proposed changes, or the first ones of many. */
  mutations?:
    | { [key: string]: any }[]
    | undefined;
  /** How many changes were proposed. */
  proposed?: number | undefined;
}

/** Nothing: the request for the configuration. */
export interface GetConfigRequest {
}

/** The active configuration. */
export interface ActiveConfig {
  /** The settings in the form of the configuration file, defaults included. Secrets are shown as ***. */
  settings?:
    | { [key: string]: any }
    | undefined;
  /** Path of the configuration file; empty where there is none. */
  file?:
    | string
    | undefined;
  /** When it became active. */
  activeSince?:
    | string
    | undefined;
  /** Whether this replica can read it again. */
  reloadable?: boolean | undefined;
}

/** Nothing: the request for a reload. */
export interface ReloadConfigRequest {
}

/** The outcome of a reload. */
export interface ReloadConfigResponse {
  /** Names of agents that were added. */
  added?:
    | string[]
    | undefined;
  /** Names of agents that were changed. */
  changed?:
    | string[]
    | undefined;
  /** Names of agents that were removed. */
  removed?:
    | string[]
    | undefined;
  /** Number of streams that were ended because their callers lost access. */
  endedStreams?:
    | number
    | undefined;
  /** Paths of changed settings that take effect after a restart. */
  restart?: string[] | undefined;
}

/** A request for a backup. */
export interface BackUpStoreRequest {
}

/** A part of a backup. The first has the expected size, the last one the size and the digest; those between have bytes. */
export interface BackupChunk {
  /** The next bytes of the file. */
  data?:
    | Buffer
    | undefined;
  /** Bytes of the file: in the first part an estimate, in the last part exact. */
  size?:
    | string
    | undefined;
  /** SHA-256 of the file in hexadecimal digits, in the last part. */
  sha256?: string | undefined;
}

function createBaseAgentStatus(): AgentStatus {
  return {
    name: undefined,
    title: undefined,
    description: undefined,
    kind: undefined,
    mode: undefined,
    modeChangedAt: undefined,
    modeChangedBy: undefined,
    state: undefined,
    reason: undefined,
    url: undefined,
    dialect: undefined,
    binding: undefined,
    breaker: undefined,
    calls: undefined,
    failedCalls: undefined,
    latencyMedianMs: undefined,
    latencyP95Ms: undefined,
    cardReadAt: undefined,
    liveTasks: undefined,
    knowledge: undefined,
    isDefault: undefined,
    queryLanguages: [],
  };
}

export const AgentStatus: MessageFns<AgentStatus> = {
  encode(message: AgentStatus, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.name !== undefined) {
      writer.uint32(10).string(message.name);
    }
    if (message.title !== undefined) {
      writer.uint32(18).string(message.title);
    }
    if (message.description !== undefined) {
      writer.uint32(26).string(message.description);
    }
    if (message.kind !== undefined) {
      writer.uint32(34).string(message.kind);
    }
    if (message.mode !== undefined) {
      writer.uint32(40).int32(agentModeToNumber(message.mode));
    }
    if (message.modeChangedAt !== undefined) {
      Timestamp.encode(toTimestamp(message.modeChangedAt), writer.uint32(50).fork()).join();
    }
    if (message.modeChangedBy !== undefined) {
      writer.uint32(58).string(message.modeChangedBy);
    }
    if (message.state !== undefined) {
      writer.uint32(66).string(message.state);
    }
    if (message.reason !== undefined) {
      writer.uint32(74).string(message.reason);
    }
    if (message.url !== undefined) {
      writer.uint32(82).string(message.url);
    }
    if (message.dialect !== undefined) {
      writer.uint32(90).string(message.dialect);
    }
    if (message.binding !== undefined) {
      writer.uint32(98).string(message.binding);
    }
    if (message.breaker !== undefined) {
      writer.uint32(106).string(message.breaker);
    }
    if (message.calls !== undefined) {
      writer.uint32(113).double(message.calls);
    }
    if (message.failedCalls !== undefined) {
      writer.uint32(121).double(message.failedCalls);
    }
    if (message.latencyMedianMs !== undefined) {
      writer.uint32(129).double(message.latencyMedianMs);
    }
    if (message.latencyP95Ms !== undefined) {
      writer.uint32(137).double(message.latencyP95Ms);
    }
    if (message.cardReadAt !== undefined) {
      Timestamp.encode(toTimestamp(message.cardReadAt), writer.uint32(146).fork()).join();
    }
    if (message.liveTasks !== undefined) {
      writer.uint32(152).uint32(message.liveTasks);
    }
    if (message.knowledge !== undefined) {
      writer.uint32(160).bool(message.knowledge);
    }
    if (message.isDefault !== undefined) {
      writer.uint32(168).bool(message.isDefault);
    }
    if (message.queryLanguages !== undefined && message.queryLanguages.length !== 0) {
      for (const v of message.queryLanguages) {
        writer.uint32(178).string(v!);
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): AgentStatus {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseAgentStatus();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.name = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.title = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.description = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.kind = reader.string();
            continue;
          }
          case 5: {
            if (tag !== 40) {
              break;
            }

            message.mode = agentModeFromJSON(reader.int32());
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            message.modeChangedAt = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
          case 7: {
            if (tag !== 58) {
              break;
            }

            message.modeChangedBy = reader.string();
            continue;
          }
          case 8: {
            if (tag !== 66) {
              break;
            }

            message.state = reader.string();
            continue;
          }
          case 9: {
            if (tag !== 74) {
              break;
            }

            message.reason = reader.string();
            continue;
          }
          case 10: {
            if (tag !== 82) {
              break;
            }

            message.url = reader.string();
            continue;
          }
          case 11: {
            if (tag !== 90) {
              break;
            }

            message.dialect = reader.string();
            continue;
          }
          case 12: {
            if (tag !== 98) {
              break;
            }

            message.binding = reader.string();
            continue;
          }
          case 13: {
            if (tag !== 106) {
              break;
            }

            message.breaker = reader.string();
            continue;
          }
          case 14: {
            if (tag !== 113) {
              break;
            }

            message.calls = reader.double();
            continue;
          }
          case 15: {
            if (tag !== 121) {
              break;
            }

            message.failedCalls = reader.double();
            continue;
          }
          case 16: {
            if (tag !== 129) {
              break;
            }

            message.latencyMedianMs = reader.double();
            continue;
          }
          case 17: {
            if (tag !== 137) {
              break;
            }

            message.latencyP95Ms = reader.double();
            continue;
          }
          case 18: {
            if (tag !== 146) {
              break;
            }

            message.cardReadAt = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
          case 19: {
            if (tag !== 152) {
              break;
            }

            message.liveTasks = reader.uint32();
            continue;
          }
          case 20: {
            if (tag !== 160) {
              break;
            }

            message.knowledge = reader.bool();
            continue;
          }
          case 21: {
            if (tag !== 168) {
              break;
            }

            message.isDefault = reader.bool();
            continue;
          }
          case 22: {
            if (tag !== 178) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.queryLanguages!.push(el);
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListAgentsRequest(): ListAgentsRequest {
  return {};
}

export const ListAgentsRequest: MessageFns<ListAgentsRequest> = {
  encode(_: ListAgentsRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListAgentsRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListAgentsRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListAgentsResponse(): ListAgentsResponse {
  return { agents: [] };
}

export const ListAgentsResponse: MessageFns<ListAgentsResponse> = {
  encode(message: ListAgentsResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.agents !== undefined && message.agents.length !== 0) {
      for (const v of message.agents) {
        AgentStatus.encode(v!, writer.uint32(10).fork()).join();
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListAgentsResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListAgentsResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const el = AgentStatus.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.agents!.push(el);
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseGetAgentRequest(): GetAgentRequest {
  return { name: undefined };
}

export const GetAgentRequest: MessageFns<GetAgentRequest> = {
  encode(message: GetAgentRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.name !== undefined) {
      writer.uint32(10).string(message.name);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): GetAgentRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseGetAgentRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.name = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseAgentDetails(): AgentDetails {
  return { status: undefined, cards: [], upstreamCard: undefined, upstreamSignature: undefined, findings: [] };
}

export const AgentDetails: MessageFns<AgentDetails> = {
  encode(message: AgentDetails, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.status !== undefined) {
      AgentStatus.encode(message.status, writer.uint32(10).fork()).join();
    }
    if (message.cards !== undefined && message.cards.length !== 0) {
      for (const v of message.cards) {
        DialectCard.encode(v!, writer.uint32(18).fork()).join();
      }
    }
    if (message.upstreamCard !== undefined) {
      Struct.encode(Struct.wrap(message.upstreamCard), writer.uint32(26).fork()).join();
    }
    if (message.upstreamSignature !== undefined) {
      CardSignature.encode(message.upstreamSignature, writer.uint32(34).fork()).join();
    }
    if (message.findings !== undefined && message.findings.length !== 0) {
      for (const v of message.findings) {
        CardFinding.encode(v!, writer.uint32(42).fork()).join();
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): AgentDetails {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseAgentDetails();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.status = AgentStatus.decode(reader, reader.uint32());
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            const el = DialectCard.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.cards!.push(el);
            }
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.upstreamCard = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.upstreamSignature = CardSignature.decode(reader, reader.uint32());
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            const el = CardFinding.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.findings!.push(el);
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseDialectCard(): DialectCard {
  return { dialect: undefined, path: undefined, card: undefined, bytes: undefined, signature: undefined };
}

export const DialectCard: MessageFns<DialectCard> = {
  encode(message: DialectCard, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.dialect !== undefined) {
      writer.uint32(10).string(message.dialect);
    }
    if (message.path !== undefined) {
      writer.uint32(18).string(message.path);
    }
    if (message.card !== undefined) {
      Struct.encode(Struct.wrap(message.card), writer.uint32(26).fork()).join();
    }
    if (message.bytes !== undefined) {
      writer.uint32(33).double(message.bytes);
    }
    if (message.signature !== undefined) {
      CardSignature.encode(message.signature, writer.uint32(42).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): DialectCard {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseDialectCard();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.dialect = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.path = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.card = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
          case 4: {
            if (tag !== 33) {
              break;
            }

            message.bytes = reader.double();
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.signature = CardSignature.decode(reader, reader.uint32());
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseCardSignature(): CardSignature {
  return { verdict: undefined, keyIds: [], reason: undefined };
}

export const CardSignature: MessageFns<CardSignature> = {
  encode(message: CardSignature, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.verdict !== undefined) {
      writer.uint32(10).string(message.verdict);
    }
    if (message.keyIds !== undefined && message.keyIds.length !== 0) {
      for (const v of message.keyIds) {
        writer.uint32(18).string(v!);
      }
    }
    if (message.reason !== undefined) {
      writer.uint32(26).string(message.reason);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): CardSignature {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseCardSignature();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.verdict = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.keyIds!.push(el);
            }
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.reason = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseCardFinding(): CardFinding {
  return { severity: undefined, dialect: undefined, field: undefined, message: undefined, section: undefined };
}

export const CardFinding: MessageFns<CardFinding> = {
  encode(message: CardFinding, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.severity !== undefined) {
      writer.uint32(10).string(message.severity);
    }
    if (message.dialect !== undefined) {
      writer.uint32(18).string(message.dialect);
    }
    if (message.field !== undefined) {
      writer.uint32(26).string(message.field);
    }
    if (message.message !== undefined) {
      writer.uint32(34).string(message.message);
    }
    if (message.section !== undefined) {
      writer.uint32(42).string(message.section);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): CardFinding {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseCardFinding();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.severity = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.dialect = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.field = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.message = reader.string();
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.section = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseSetAgentModeRequest(): SetAgentModeRequest {
  return { name: undefined, mode: undefined };
}

export const SetAgentModeRequest: MessageFns<SetAgentModeRequest> = {
  encode(message: SetAgentModeRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.name !== undefined) {
      writer.uint32(10).string(message.name);
    }
    if (message.mode !== undefined) {
      writer.uint32(16).int32(agentModeToNumber(message.mode));
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): SetAgentModeRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseSetAgentModeRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.name = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 16) {
              break;
            }

            message.mode = agentModeFromJSON(reader.int32());
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseFindTasksRequest(): FindTasksRequest {
  return {
    agent: undefined,
    tenant: undefined,
    principal: undefined,
    contextId: undefined,
    id: undefined,
    states: [],
    changedAfter: undefined,
    changedBefore: undefined,
    pageSize: undefined,
    pageToken: undefined,
  };
}

export const FindTasksRequest: MessageFns<FindTasksRequest> = {
  encode(message: FindTasksRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.agent !== undefined) {
      writer.uint32(10).string(message.agent);
    }
    if (message.tenant !== undefined) {
      writer.uint32(18).string(message.tenant);
    }
    if (message.principal !== undefined) {
      writer.uint32(26).string(message.principal);
    }
    if (message.contextId !== undefined) {
      writer.uint32(34).string(message.contextId);
    }
    if (message.id !== undefined) {
      writer.uint32(42).string(message.id);
    }
    if (message.states !== undefined && message.states.length !== 0) {
      for (const v of message.states) {
        writer.uint32(50).string(v!);
      }
    }
    if (message.changedAfter !== undefined) {
      Timestamp.encode(toTimestamp(message.changedAfter), writer.uint32(58).fork()).join();
    }
    if (message.changedBefore !== undefined) {
      Timestamp.encode(toTimestamp(message.changedBefore), writer.uint32(66).fork()).join();
    }
    if (message.pageSize !== undefined) {
      writer.uint32(72).uint32(message.pageSize);
    }
    if (message.pageToken !== undefined) {
      writer.uint32(82).string(message.pageToken);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): FindTasksRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseFindTasksRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.agent = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.tenant = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.principal = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.contextId = reader.string();
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.id = reader.string();
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.states!.push(el);
            }
            continue;
          }
          case 7: {
            if (tag !== 58) {
              break;
            }

            message.changedAfter = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
          case 8: {
            if (tag !== 66) {
              break;
            }

            message.changedBefore = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
          case 9: {
            if (tag !== 72) {
              break;
            }

            message.pageSize = reader.uint32();
            continue;
          }
          case 10: {
            if (tag !== 82) {
              break;
            }

            message.pageToken = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseFindTasksResponse(): FindTasksResponse {
  return { tasks: [], nextPageToken: undefined };
}

export const FindTasksResponse: MessageFns<FindTasksResponse> = {
  encode(message: FindTasksResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.tasks !== undefined && message.tasks.length !== 0) {
      for (const v of message.tasks) {
        TaskSummary.encode(v!, writer.uint32(10).fork()).join();
      }
    }
    if (message.nextPageToken !== undefined) {
      writer.uint32(18).string(message.nextPageToken);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): FindTasksResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseFindTasksResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const el = TaskSummary.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.tasks!.push(el);
            }
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.nextPageToken = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseTaskSummary(): TaskSummary {
  return {
    key: undefined,
    id: undefined,
    contextId: undefined,
    agent: undefined,
    tenant: undefined,
    principal: undefined,
    state: undefined,
    stateChangedAt: undefined,
    createdAt: undefined,
    updatedAt: undefined,
    lastPosition: undefined,
    dialect: undefined,
    replica: undefined,
  };
}

export const TaskSummary: MessageFns<TaskSummary> = {
  encode(message: TaskSummary, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.key !== undefined) {
      writer.uint32(10).string(message.key);
    }
    if (message.id !== undefined) {
      writer.uint32(18).string(message.id);
    }
    if (message.contextId !== undefined) {
      writer.uint32(26).string(message.contextId);
    }
    if (message.agent !== undefined) {
      writer.uint32(34).string(message.agent);
    }
    if (message.tenant !== undefined) {
      writer.uint32(42).string(message.tenant);
    }
    if (message.principal !== undefined) {
      writer.uint32(50).string(message.principal);
    }
    if (message.state !== undefined) {
      writer.uint32(58).string(message.state);
    }
    if (message.stateChangedAt !== undefined) {
      Timestamp.encode(toTimestamp(message.stateChangedAt), writer.uint32(66).fork()).join();
    }
    if (message.createdAt !== undefined) {
      Timestamp.encode(toTimestamp(message.createdAt), writer.uint32(74).fork()).join();
    }
    if (message.updatedAt !== undefined) {
      Timestamp.encode(toTimestamp(message.updatedAt), writer.uint32(82).fork()).join();
    }
    if (message.lastPosition !== undefined) {
      writer.uint32(88).uint32(message.lastPosition);
    }
    if (message.dialect !== undefined) {
      writer.uint32(98).string(message.dialect);
    }
    if (message.replica !== undefined) {
      writer.uint32(106).string(message.replica);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): TaskSummary {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseTaskSummary();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.key = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.id = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.contextId = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.agent = reader.string();
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.tenant = reader.string();
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            message.principal = reader.string();
            continue;
          }
          case 7: {
            if (tag !== 58) {
              break;
            }

            message.state = reader.string();
            continue;
          }
          case 8: {
            if (tag !== 66) {
              break;
            }

            message.stateChangedAt = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
          case 9: {
            if (tag !== 74) {
              break;
            }

            message.createdAt = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
          case 10: {
            if (tag !== 82) {
              break;
            }

            message.updatedAt = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
          case 11: {
            if (tag !== 88) {
              break;
            }

            message.lastPosition = reader.uint32();
            continue;
          }
          case 12: {
            if (tag !== 98) {
              break;
            }

            message.dialect = reader.string();
            continue;
          }
          case 13: {
            if (tag !== 106) {
              break;
            }

            message.replica = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseWatchTasksRequest(): WatchTasksRequest {
  return { agent: undefined, contextId: undefined, states: [], changedAfter: undefined };
}

export const WatchTasksRequest: MessageFns<WatchTasksRequest> = {
  encode(message: WatchTasksRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.agent !== undefined) {
      writer.uint32(10).string(message.agent);
    }
    if (message.contextId !== undefined) {
      writer.uint32(18).string(message.contextId);
    }
    if (message.states !== undefined && message.states.length !== 0) {
      for (const v of message.states) {
        writer.uint32(26).string(v!);
      }
    }
    if (message.changedAfter !== undefined) {
      Timestamp.encode(toTimestamp(message.changedAfter), writer.uint32(34).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): WatchTasksRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseWatchTasksRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.agent = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.contextId = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.states!.push(el);
            }
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.changedAfter = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseInspectTaskRequest(): InspectTaskRequest {
  return { key: undefined };
}

export const InspectTaskRequest: MessageFns<InspectTaskRequest> = {
  encode(message: InspectTaskRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.key !== undefined) {
      writer.uint32(10).string(message.key);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): InspectTaskRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseInspectTaskRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.key = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseTaskDetails(): TaskDetails {
  return {
    summary: undefined,
    task: undefined,
    bytes: undefined,
    upstreamTaskId: undefined,
    upstreamContextId: undefined,
    pushConfigs: [],
    traceId: undefined,
  };
}

export const TaskDetails: MessageFns<TaskDetails> = {
  encode(message: TaskDetails, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.summary !== undefined) {
      TaskSummary.encode(message.summary, writer.uint32(10).fork()).join();
    }
    if (message.task !== undefined) {
      Struct.encode(Struct.wrap(message.task), writer.uint32(18).fork()).join();
    }
    if (message.bytes !== undefined) {
      writer.uint32(25).double(message.bytes);
    }
    if (message.upstreamTaskId !== undefined) {
      writer.uint32(34).string(message.upstreamTaskId);
    }
    if (message.upstreamContextId !== undefined) {
      writer.uint32(42).string(message.upstreamContextId);
    }
    if (message.pushConfigs !== undefined && message.pushConfigs.length !== 0) {
      for (const v of message.pushConfigs) {
        Struct.encode(Struct.wrap(v!), writer.uint32(50).fork()).join();
      }
    }
    if (message.traceId !== undefined) {
      writer.uint32(58).string(message.traceId);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): TaskDetails {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseTaskDetails();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.summary = TaskSummary.decode(reader, reader.uint32());
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.task = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
          case 3: {
            if (tag !== 25) {
              break;
            }

            message.bytes = reader.double();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.upstreamTaskId = reader.string();
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.upstreamContextId = reader.string();
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            const el = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            if (el !== undefined) {
              message.pushConfigs!.push(el);
            }
            continue;
          }
          case 7: {
            if (tag !== 58) {
              break;
            }

            message.traceId = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListTaskEventsRequest(): ListTaskEventsRequest {
  return { key: undefined, after: undefined, pageSize: undefined };
}

export const ListTaskEventsRequest: MessageFns<ListTaskEventsRequest> = {
  encode(message: ListTaskEventsRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.key !== undefined) {
      writer.uint32(10).string(message.key);
    }
    if (message.after !== undefined) {
      writer.uint32(16).uint32(message.after);
    }
    if (message.pageSize !== undefined) {
      writer.uint32(24).uint32(message.pageSize);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListTaskEventsRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListTaskEventsRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.key = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 16) {
              break;
            }

            message.after = reader.uint32();
            continue;
          }
          case 3: {
            if (tag !== 24) {
              break;
            }

            message.pageSize = reader.uint32();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListTaskEventsResponse(): ListTaskEventsResponse {
  return { events: [], lastPosition: undefined };
}

export const ListTaskEventsResponse: MessageFns<ListTaskEventsResponse> = {
  encode(message: ListTaskEventsResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.events !== undefined && message.events.length !== 0) {
      for (const v of message.events) {
        TaskLogEvent.encode(v!, writer.uint32(10).fork()).join();
      }
    }
    if (message.lastPosition !== undefined) {
      writer.uint32(16).uint32(message.lastPosition);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListTaskEventsResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListTaskEventsResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const el = TaskLogEvent.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.events!.push(el);
            }
            continue;
          }
          case 2: {
            if (tag !== 16) {
              break;
            }

            message.lastPosition = reader.uint32();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseTaskLogEvent(): TaskLogEvent {
  return { position: undefined, time: undefined, event: undefined };
}

export const TaskLogEvent: MessageFns<TaskLogEvent> = {
  encode(message: TaskLogEvent, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.position !== undefined) {
      writer.uint32(8).uint32(message.position);
    }
    if (message.time !== undefined) {
      Timestamp.encode(toTimestamp(message.time), writer.uint32(18).fork()).join();
    }
    if (message.event !== undefined) {
      Struct.encode(Struct.wrap(message.event), writer.uint32(26).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): TaskLogEvent {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseTaskLogEvent();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 8) {
              break;
            }

            message.position = reader.uint32();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.time = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.event = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseFollowTaskRequest(): FollowTaskRequest {
  return { key: undefined, after: undefined };
}

export const FollowTaskRequest: MessageFns<FollowTaskRequest> = {
  encode(message: FollowTaskRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.key !== undefined) {
      writer.uint32(10).string(message.key);
    }
    if (message.after !== undefined) {
      writer.uint32(16).uint32(message.after);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): FollowTaskRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseFollowTaskRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.key = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 16) {
              break;
            }

            message.after = reader.uint32();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseStopTaskRequest(): StopTaskRequest {
  return { key: undefined };
}

export const StopTaskRequest: MessageFns<StopTaskRequest> = {
  encode(message: StopTaskRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.key !== undefined) {
      writer.uint32(10).string(message.key);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): StopTaskRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseStopTaskRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.key = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseAnswerTaskRequest(): AnswerTaskRequest {
  return { key: undefined, parts: [] };
}

export const AnswerTaskRequest: MessageFns<AnswerTaskRequest> = {
  encode(message: AnswerTaskRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.key !== undefined) {
      writer.uint32(10).string(message.key);
    }
    if (message.parts !== undefined && message.parts.length !== 0) {
      for (const v of message.parts) {
        Struct.encode(Struct.wrap(v!), writer.uint32(18).fork()).join();
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): AnswerTaskRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseAnswerTaskRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.key = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            const el = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            if (el !== undefined) {
              message.parts!.push(el);
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListDeliveriesRequest(): ListDeliveriesRequest {
  return { taskId: undefined, pageSize: undefined, pageToken: undefined };
}

export const ListDeliveriesRequest: MessageFns<ListDeliveriesRequest> = {
  encode(message: ListDeliveriesRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.taskId !== undefined) {
      writer.uint32(10).string(message.taskId);
    }
    if (message.pageSize !== undefined) {
      writer.uint32(16).uint32(message.pageSize);
    }
    if (message.pageToken !== undefined) {
      writer.uint32(26).string(message.pageToken);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListDeliveriesRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListDeliveriesRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.taskId = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 16) {
              break;
            }

            message.pageSize = reader.uint32();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.pageToken = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListDeliveriesResponse(): ListDeliveriesResponse {
  return { deliveries: [], nextPageToken: undefined };
}

export const ListDeliveriesResponse: MessageFns<ListDeliveriesResponse> = {
  encode(message: ListDeliveriesResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.deliveries !== undefined && message.deliveries.length !== 0) {
      for (const v of message.deliveries) {
        DeliveryStatus.encode(v!, writer.uint32(10).fork()).join();
      }
    }
    if (message.nextPageToken !== undefined) {
      writer.uint32(18).string(message.nextPageToken);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListDeliveriesResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListDeliveriesResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const el = DeliveryStatus.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.deliveries!.push(el);
            }
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.nextPageToken = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseDeliveryStatus(): DeliveryStatus {
  return {
    state: undefined,
    taskKey: undefined,
    taskId: undefined,
    configId: undefined,
    agent: undefined,
    principal: undefined,
    receiver: undefined,
    dialect: undefined,
    firstPosition: undefined,
    lastPosition: undefined,
    attempts: undefined,
    reason: undefined,
    time: undefined,
  };
}

export const DeliveryStatus: MessageFns<DeliveryStatus> = {
  encode(message: DeliveryStatus, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.state !== undefined) {
      writer.uint32(10).string(message.state);
    }
    if (message.taskKey !== undefined) {
      writer.uint32(18).string(message.taskKey);
    }
    if (message.taskId !== undefined) {
      writer.uint32(26).string(message.taskId);
    }
    if (message.configId !== undefined) {
      writer.uint32(34).string(message.configId);
    }
    if (message.agent !== undefined) {
      writer.uint32(42).string(message.agent);
    }
    if (message.principal !== undefined) {
      writer.uint32(50).string(message.principal);
    }
    if (message.receiver !== undefined) {
      writer.uint32(58).string(message.receiver);
    }
    if (message.dialect !== undefined) {
      writer.uint32(66).string(message.dialect);
    }
    if (message.firstPosition !== undefined) {
      writer.uint32(72).uint32(message.firstPosition);
    }
    if (message.lastPosition !== undefined) {
      writer.uint32(80).uint32(message.lastPosition);
    }
    if (message.attempts !== undefined) {
      writer.uint32(88).uint32(message.attempts);
    }
    if (message.reason !== undefined) {
      writer.uint32(98).string(message.reason);
    }
    if (message.time !== undefined) {
      Timestamp.encode(toTimestamp(message.time), writer.uint32(106).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): DeliveryStatus {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseDeliveryStatus();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.state = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.taskKey = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.taskId = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.configId = reader.string();
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.agent = reader.string();
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            message.principal = reader.string();
            continue;
          }
          case 7: {
            if (tag !== 58) {
              break;
            }

            message.receiver = reader.string();
            continue;
          }
          case 8: {
            if (tag !== 66) {
              break;
            }

            message.dialect = reader.string();
            continue;
          }
          case 9: {
            if (tag !== 72) {
              break;
            }

            message.firstPosition = reader.uint32();
            continue;
          }
          case 10: {
            if (tag !== 80) {
              break;
            }

            message.lastPosition = reader.uint32();
            continue;
          }
          case 11: {
            if (tag !== 88) {
              break;
            }

            message.attempts = reader.uint32();
            continue;
          }
          case 12: {
            if (tag !== 98) {
              break;
            }

            message.reason = reader.string();
            continue;
          }
          case 13: {
            if (tag !== 106) {
              break;
            }

            message.time = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseRetryDeliveriesRequest(): RetryDeliveriesRequest {
  return { taskId: undefined };
}

export const RetryDeliveriesRequest: MessageFns<RetryDeliveriesRequest> = {
  encode(message: RetryDeliveriesRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.taskId !== undefined) {
      writer.uint32(10).string(message.taskId);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): RetryDeliveriesRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseRetryDeliveriesRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.taskId = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseRetryDeliveriesResponse(): RetryDeliveriesResponse {
  return { retried: undefined };
}

export const RetryDeliveriesResponse: MessageFns<RetryDeliveriesResponse> = {
  encode(message: RetryDeliveriesResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.retried !== undefined) {
      writer.uint32(8).uint32(message.retried);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): RetryDeliveriesResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseRetryDeliveriesResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 8) {
              break;
            }

            message.retried = reader.uint32();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListCallersRequest(): ListCallersRequest {
  return {};
}

export const ListCallersRequest: MessageFns<ListCallersRequest> = {
  encode(_: ListCallersRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListCallersRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListCallersRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListCallersResponse(): ListCallersResponse {
  return { callers: [], since: undefined };
}

export const ListCallersResponse: MessageFns<ListCallersResponse> = {
  encode(message: ListCallersResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.callers !== undefined && message.callers.length !== 0) {
      for (const v of message.callers) {
        CallerStatus.encode(v!, writer.uint32(10).fork()).join();
      }
    }
    if (message.since !== undefined) {
      Timestamp.encode(toTimestamp(message.since), writer.uint32(18).fork()).join();
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListCallersResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListCallersResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const el = CallerStatus.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.callers!.push(el);
            }
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.since = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseCallerStatus(): CallerStatus {
  return {
    principal: undefined,
    calls: undefined,
    failedCalls: undefined,
    lastUsedAt: undefined,
    lastOperation: undefined,
    lastAgent: undefined,
    lastDialect: undefined,
    lastBinding: undefined,
    configured: undefined,
    scopes: [],
  };
}

export const CallerStatus: MessageFns<CallerStatus> = {
  encode(message: CallerStatus, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.principal !== undefined) {
      writer.uint32(10).string(message.principal);
    }
    if (message.calls !== undefined) {
      writer.uint32(17).double(message.calls);
    }
    if (message.failedCalls !== undefined) {
      writer.uint32(25).double(message.failedCalls);
    }
    if (message.lastUsedAt !== undefined) {
      Timestamp.encode(toTimestamp(message.lastUsedAt), writer.uint32(34).fork()).join();
    }
    if (message.lastOperation !== undefined) {
      writer.uint32(42).string(message.lastOperation);
    }
    if (message.lastAgent !== undefined) {
      writer.uint32(50).string(message.lastAgent);
    }
    if (message.lastDialect !== undefined) {
      writer.uint32(58).string(message.lastDialect);
    }
    if (message.lastBinding !== undefined) {
      writer.uint32(66).string(message.lastBinding);
    }
    if (message.configured !== undefined) {
      writer.uint32(72).bool(message.configured);
    }
    if (message.scopes !== undefined && message.scopes.length !== 0) {
      for (const v of message.scopes) {
        writer.uint32(82).string(v!);
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): CallerStatus {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseCallerStatus();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.principal = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 17) {
              break;
            }

            message.calls = reader.double();
            continue;
          }
          case 3: {
            if (tag !== 25) {
              break;
            }

            message.failedCalls = reader.double();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.lastUsedAt = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.lastOperation = reader.string();
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            message.lastAgent = reader.string();
            continue;
          }
          case 7: {
            if (tag !== 58) {
              break;
            }

            message.lastDialect = reader.string();
            continue;
          }
          case 8: {
            if (tag !== 66) {
              break;
            }

            message.lastBinding = reader.string();
            continue;
          }
          case 9: {
            if (tag !== 72) {
              break;
            }

            message.configured = reader.bool();
            continue;
          }
          case 10: {
            if (tag !== 82) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.scopes!.push(el);
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListReplicasRequest(): ListReplicasRequest {
  return {};
}

export const ListReplicasRequest: MessageFns<ListReplicasRequest> = {
  encode(_: ListReplicasRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListReplicasRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListReplicasRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListReplicasResponse(): ListReplicasResponse {
  return { replicas: [] };
}

export const ListReplicasResponse: MessageFns<ListReplicasResponse> = {
  encode(message: ListReplicasResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.replicas !== undefined && message.replicas.length !== 0) {
      for (const v of message.replicas) {
        ReplicaStatus.encode(v!, writer.uint32(10).fork()).join();
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListReplicasResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListReplicasResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const el = ReplicaStatus.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.replicas!.push(el);
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseReplicaStatus(): ReplicaStatus {
  return {
    id: undefined,
    host: undefined,
    pid: undefined,
    startedAt: undefined,
    heartbeatAt: undefined,
    alive: undefined,
    isThis: undefined,
    tasks: undefined,
    version: undefined,
  };
}

export const ReplicaStatus: MessageFns<ReplicaStatus> = {
  encode(message: ReplicaStatus, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.id !== undefined) {
      writer.uint32(10).string(message.id);
    }
    if (message.host !== undefined) {
      writer.uint32(18).string(message.host);
    }
    if (message.pid !== undefined) {
      writer.uint32(24).uint32(message.pid);
    }
    if (message.startedAt !== undefined) {
      Timestamp.encode(toTimestamp(message.startedAt), writer.uint32(34).fork()).join();
    }
    if (message.heartbeatAt !== undefined) {
      Timestamp.encode(toTimestamp(message.heartbeatAt), writer.uint32(42).fork()).join();
    }
    if (message.alive !== undefined) {
      writer.uint32(48).bool(message.alive);
    }
    if (message.isThis !== undefined) {
      writer.uint32(56).bool(message.isThis);
    }
    if (message.tasks !== undefined) {
      writer.uint32(64).uint32(message.tasks);
    }
    if (message.version !== undefined) {
      writer.uint32(74).string(message.version);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ReplicaStatus {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseReplicaStatus();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.id = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.host = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 24) {
              break;
            }

            message.pid = reader.uint32();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.startedAt = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.heartbeatAt = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
          case 6: {
            if (tag !== 48) {
              break;
            }

            message.alive = reader.bool();
            continue;
          }
          case 7: {
            if (tag !== 56) {
              break;
            }

            message.isThis = reader.bool();
            continue;
          }
          case 8: {
            if (tag !== 64) {
              break;
            }

            message.tasks = reader.uint32();
            continue;
          }
          case 9: {
            if (tag !== 74) {
              break;
            }

            message.version = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListLossesRequest(): ListLossesRequest {
  return {};
}

export const ListLossesRequest: MessageFns<ListLossesRequest> = {
  encode(_: ListLossesRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListLossesRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListLossesRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListLossesResponse(): ListLossesResponse {
  return { losses: [] };
}

export const ListLossesResponse: MessageFns<ListLossesResponse> = {
  encode(message: ListLossesResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.losses !== undefined && message.losses.length !== 0) {
      for (const v of message.losses) {
        LossCount.encode(v!, writer.uint32(10).fork()).join();
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListLossesResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListLossesResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const el = LossCount.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.losses!.push(el);
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseLossCount(): LossCount {
  return { dialect: undefined, path: undefined, count: undefined, lastAt: undefined, lastAgent: undefined };
}

export const LossCount: MessageFns<LossCount> = {
  encode(message: LossCount, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.dialect !== undefined) {
      writer.uint32(10).string(message.dialect);
    }
    if (message.path !== undefined) {
      writer.uint32(18).string(message.path);
    }
    if (message.count !== undefined) {
      writer.uint32(25).double(message.count);
    }
    if (message.lastAt !== undefined) {
      Timestamp.encode(toTimestamp(message.lastAt), writer.uint32(34).fork()).join();
    }
    if (message.lastAgent !== undefined) {
      writer.uint32(42).string(message.lastAgent);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): LossCount {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseLossCount();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.dialect = reader.string();
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.path = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 25) {
              break;
            }

            message.count = reader.double();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.lastAt = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.lastAgent = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListRefusedUpdatesRequest(): ListRefusedUpdatesRequest {
  return { agent: undefined };
}

export const ListRefusedUpdatesRequest: MessageFns<ListRefusedUpdatesRequest> = {
  encode(message: ListRefusedUpdatesRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.agent !== undefined) {
      writer.uint32(10).string(message.agent);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListRefusedUpdatesRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListRefusedUpdatesRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.agent = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseListRefusedUpdatesResponse(): ListRefusedUpdatesResponse {
  return { updates: [] };
}

export const ListRefusedUpdatesResponse: MessageFns<ListRefusedUpdatesResponse> = {
  encode(message: ListRefusedUpdatesResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.updates !== undefined && message.updates.length !== 0) {
      for (const v of message.updates) {
        RefusedUpdate.encode(v!, writer.uint32(10).fork()).join();
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ListRefusedUpdatesResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseListRefusedUpdatesResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const el = RefusedUpdate.decode(reader, reader.uint32());
            if (el !== undefined) {
              message.updates!.push(el);
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseRefusedUpdate(): RefusedUpdate {
  return {
    time: undefined,
    agent: undefined,
    principal: undefined,
    verificationStatus: undefined,
    verificationDetails: undefined,
    mutations: [],
    proposed: undefined,
  };
}

export const RefusedUpdate: MessageFns<RefusedUpdate> = {
  encode(message: RefusedUpdate, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.time !== undefined) {
      Timestamp.encode(toTimestamp(message.time), writer.uint32(10).fork()).join();
    }
    if (message.agent !== undefined) {
      writer.uint32(18).string(message.agent);
    }
    if (message.principal !== undefined) {
      writer.uint32(26).string(message.principal);
    }
    if (message.verificationStatus !== undefined) {
      writer.uint32(34).string(message.verificationStatus);
    }
    if (message.verificationDetails !== undefined) {
      writer.uint32(42).string(message.verificationDetails);
    }
    if (message.mutations !== undefined && message.mutations.length !== 0) {
      for (const v of message.mutations) {
        Struct.encode(Struct.wrap(v!), writer.uint32(50).fork()).join();
      }
    }
    if (message.proposed !== undefined) {
      writer.uint32(56).uint32(message.proposed);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): RefusedUpdate {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseRefusedUpdate();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.time = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.agent = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.principal = reader.string();
            continue;
          }
          case 4: {
            if (tag !== 34) {
              break;
            }

            message.verificationStatus = reader.string();
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            message.verificationDetails = reader.string();
            continue;
          }
          case 6: {
            if (tag !== 50) {
              break;
            }

            const el = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            if (el !== undefined) {
              message.mutations!.push(el);
            }
            continue;
          }
          case 7: {
            if (tag !== 56) {
              break;
            }

            message.proposed = reader.uint32();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseGetConfigRequest(): GetConfigRequest {
  return {};
}

export const GetConfigRequest: MessageFns<GetConfigRequest> = {
  encode(_: GetConfigRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): GetConfigRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseGetConfigRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseActiveConfig(): ActiveConfig {
  return { settings: undefined, file: undefined, activeSince: undefined, reloadable: undefined };
}

export const ActiveConfig: MessageFns<ActiveConfig> = {
  encode(message: ActiveConfig, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.settings !== undefined) {
      Struct.encode(Struct.wrap(message.settings), writer.uint32(10).fork()).join();
    }
    if (message.file !== undefined) {
      writer.uint32(18).string(message.file);
    }
    if (message.activeSince !== undefined) {
      Timestamp.encode(toTimestamp(message.activeSince), writer.uint32(26).fork()).join();
    }
    if (message.reloadable !== undefined) {
      writer.uint32(32).bool(message.reloadable);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ActiveConfig {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseActiveConfig();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.settings = Struct.unwrap(Struct.decode(reader, reader.uint32()));
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            message.file = reader.string();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.activeSince = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
            continue;
          }
          case 4: {
            if (tag !== 32) {
              break;
            }

            message.reloadable = reader.bool();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseReloadConfigRequest(): ReloadConfigRequest {
  return {};
}

export const ReloadConfigRequest: MessageFns<ReloadConfigRequest> = {
  encode(_: ReloadConfigRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ReloadConfigRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseReloadConfigRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseReloadConfigResponse(): ReloadConfigResponse {
  return { added: [], changed: [], removed: [], endedStreams: undefined, restart: [] };
}

export const ReloadConfigResponse: MessageFns<ReloadConfigResponse> = {
  encode(message: ReloadConfigResponse, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.added !== undefined && message.added.length !== 0) {
      for (const v of message.added) {
        writer.uint32(10).string(v!);
      }
    }
    if (message.changed !== undefined && message.changed.length !== 0) {
      for (const v of message.changed) {
        writer.uint32(18).string(v!);
      }
    }
    if (message.removed !== undefined && message.removed.length !== 0) {
      for (const v of message.removed) {
        writer.uint32(26).string(v!);
      }
    }
    if (message.endedStreams !== undefined) {
      writer.uint32(32).uint32(message.endedStreams);
    }
    if (message.restart !== undefined && message.restart.length !== 0) {
      for (const v of message.restart) {
        writer.uint32(42).string(v!);
      }
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): ReloadConfigResponse {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseReloadConfigResponse();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.added!.push(el);
            }
            continue;
          }
          case 2: {
            if (tag !== 18) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.changed!.push(el);
            }
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.removed!.push(el);
            }
            continue;
          }
          case 4: {
            if (tag !== 32) {
              break;
            }

            message.endedStreams = reader.uint32();
            continue;
          }
          case 5: {
            if (tag !== 42) {
              break;
            }

            const el = reader.string();
            if (el !== undefined) {
              message.restart!.push(el);
            }
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseBackUpStoreRequest(): BackUpStoreRequest {
  return {};
}

export const BackUpStoreRequest: MessageFns<BackUpStoreRequest> = {
  encode(_: BackUpStoreRequest, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): BackUpStoreRequest {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseBackUpStoreRequest();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

function createBaseBackupChunk(): BackupChunk {
  return { data: undefined, size: undefined, sha256: undefined };
}

export const BackupChunk: MessageFns<BackupChunk> = {
  encode(message: BackupChunk, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    if (message.data !== undefined) {
      writer.uint32(10).bytes(message.data);
    }
    if (message.size !== undefined) {
      writer.uint32(16).int64(message.size);
    }
    if (message.sha256 !== undefined) {
      writer.uint32(26).string(message.sha256);
    }
    return writer;
  },

  decode(input: BinaryReader | Uint8Array, length?: number): BackupChunk {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    const previousRecursionDepth = (reader as any).__tsProtoDecodeDepth ?? 0;
    if (previousRecursionDepth >= 100) {
      throw new globalThis.Error("protobuf decode recursion limit exceeded");
    }
    (reader as any).__tsProtoDecodeDepth = previousRecursionDepth + 1;
    try {
      const end = length === undefined ? reader.len : reader.pos + length;
      const message = createBaseBackupChunk();
      while (reader.pos < end) {
        const tag = reader.uint32();
        switch (tag >>> 3) {
          case 1: {
            if (tag !== 10) {
              break;
            }

            message.data = Buffer.from(reader.bytes());
            continue;
          }
          case 2: {
            if (tag !== 16) {
              break;
            }

            message.size = reader.int64().toString();
            continue;
          }
          case 3: {
            if (tag !== 26) {
              break;
            }

            message.sha256 = reader.string();
            continue;
          }
        }
        if ((tag & 7) === 4 || tag === 0) {
          break;
        }
        reader.skip(tag & 7);
      }
      return message;
    } finally {
      (reader as any).__tsProtoDecodeDepth = previousRecursionDepth;
    }
  },
};

export interface MessageFns<T> {
  encode(message: T, writer?: BinaryWriter): BinaryWriter;
  decode(input: BinaryReader | Uint8Array, length?: number): T;
}
