// Generated from codegen/schemas/agentvault-0.2.json by `npm run generate`. Do not edit.

import type { Validator } from '../api.ts';
import * as c from '../checks.ts';

const TextPart = c.once(() =>
  c.message({
    type: c.optional(c.names(['text'])),
    content: c.text,
  }),
);

const FilePart = c.once(() =>
  c.message({
    type: c.optional(c.names(['file'])),
    url: c.pattern('^[Hh][Tt][Tt][Pp][Ss]?://.'),
    mediaType: c.optional(c.nullable(c.text)),
    filename: c.optional(c.nullable(c.text)),
  }),
);

const DataPart = c.once(() =>
  c.message({
    type: c.optional(c.names(['data'])),
    content: c.struct,
    mediaType: c.optional(c.nullable(c.text)),
  }),
);

const Part = c.once(() => c.anyOf('TextPart or FilePart or DataPart', c.lazy(TextPart), c.lazy(FilePart), c.lazy(DataPart)));

const Role = c.once(() => c.names(['user', 'assistant', 'system', 'tool']));

const Message = c.once(() =>
  c.message({
    role: c.lazy(Role),
    parts: c.someOf(c.lazy(Part)),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const Artifact = c.once(() =>
  c.message({
    id: c.someText,
    type: c.text,
    content: c.optional(c.value),
    url: c.optional(c.nullable(c.pattern('^[Hh][Tt][Tt][Pp][Ss]?://.'))),
    mediaType: c.optional(c.nullable(c.text)),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const TaskState = c.once(() => c.names(['SUBMITTED', 'WORKING', 'INPUT_REQUIRED', 'COMPLETED', 'FAILED', 'CANCELED']));

const Task = c.once(() =>
  c.message({
    id: c.someText,
    state: c.lazy(TaskState),
    createdAt: c.anyOf('a string or a number', c.someText, c.number),
    updatedAt: c.anyOf('a string or a number', c.someText, c.number),
    messages: c.optional(c.list(c.lazy(Message))),
    artifacts: c.optional(c.list(c.lazy(Artifact))),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const TaskSendParams = c.once(() =>
  c.message({
    id: c.optional(c.nullable(c.someText)),
    message: c.lazy(Message),
    webhookUrl: c.optional(c.nullable(c.pattern('^[Hh][Tt][Tt][Pp][Ss]?://.'))),
  }),
);

const TaskSendResult = c.once(() =>
  c.message({
    id: c.someText,
  }),
);

const TaskIdParams = c.once(() =>
  c.message({
    id: c.someText,
  }),
);

const TaskCancelResult = c.once(() =>
  c.message({
    success: c.optional(c.bool),
    message: c.optional(c.nullable(c.text)),
  }),
);

const TaskStatusUpdateEvent = c.once(() =>
  c.message({
    taskId: c.someText,
    state: c.lazy(TaskState),
    timestamp: c.anyOf('a string or a number', c.someText, c.number),
    message: c.optional(c.nullable(c.text)),
  }),
);

const TaskMessageEvent = c.once(() =>
  c.message({
    taskId: c.someText,
    message: c.lazy(Message),
    timestamp: c.anyOf('a string or a number', c.someText, c.number),
  }),
);

const TaskArtifactUpdateEvent = c.once(() =>
  c.message({
    taskId: c.someText,
    artifact: c.lazy(Artifact),
    timestamp: c.anyOf('a string or a number', c.someText, c.number),
  }),
);

const StreamError = c.once(() =>
  c.message({
    error: c.text,
    message: c.optional(c.text),
  }),
);

const AgentProvider = c.once(() =>
  c.message({
    name: c.text,
    url: c.optional(c.nullable(c.pattern('^[Hh][Tt][Tt][Pp][Ss]?://.'))),
    support_contact: c.optional(c.nullable(c.text)),
  }),
);

const TeeDetails = c.once(() =>
  c.message({
    type: c.text,
    attestationEndpoint: c.optional(c.nullable(c.pattern('^[Hh][Tt][Tt][Pp][Ss]?://.'))),
    publicKey: c.optional(c.nullable(c.text)),
    description: c.optional(c.nullable(c.text)),
  }),
);

const AgentCapabilities = c.once(() =>
  c.message({
    a2aVersion: c.text,
    mcpVersion: c.optional(c.nullable(c.text)),
    supportedMessageParts: c.optional(c.nullable(c.list(c.text))),
    knowledgeGraph: c.optional(c.nullable(c.bool)),
    knowledgeGraphQueryLanguages: c.optional(c.nullable(c.list(c.text))),
    teeDetails: c.optional(c.nullable(c.lazy(TeeDetails))),
    supportsPushNotifications: c.optional(c.nullable(c.bool)),
  }),
);

const AgentAuthentication = c.once(() =>
  c.message({
    scheme: c.names(['apiKey', 'bearer', 'oauth2', 'none']),
    description: c.optional(c.nullable(c.text)),
    tokenUrl: c.optional(c.nullable(c.pattern('^[Hh][Tt][Tt][Pp][Ss]?://.'))),
    scopes: c.optional(c.nullable(c.list(c.text))),
    service_identifier: c.optional(c.nullable(c.text)),
  }),
);

const AgentSkill = c.once(() =>
  c.message({
    id: c.someText,
    name: c.text,
    description: c.text,
    input_schema: c.optional(c.nullable(c.struct)),
    output_schema: c.optional(c.nullable(c.struct)),
  }),
);

const AgentCard = c.once(() =>
  c.message({
    schemaVersion: c.text,
    humanReadableId: c.text,
    agentVersion: c.text,
    name: c.someText,
    description: c.text,
    url: c.pattern('^[Hh][Tt][Tt][Pp][Ss]?://.'),
    provider: c.lazy(AgentProvider),
    capabilities: c.lazy(AgentCapabilities),
    authSchemes: c.someOf(c.lazy(AgentAuthentication)),
    skills: c.optional(c.nullable(c.list(c.lazy(AgentSkill)))),
    tags: c.optional(c.nullable(c.list(c.text))),
    privacyPolicyUrl: c.optional(c.nullable(c.pattern('^[Hh][Tt][Tt][Pp][Ss]?://.'))),
    termsOfServiceUrl: c.optional(c.nullable(c.pattern('^[Hh][Tt][Tt][Pp][Ss]?://.'))),
    iconUrl: c.optional(c.nullable(c.pattern('^[Hh][Tt][Tt][Pp][Ss]?://.'))),
    lastUpdated: c.optional(c.nullable(c.text)),
  }),
);

/** Validators by definition; each is built when it is first used. */
export const validators = {
  get TextPart() {
    return TextPart();
  },
  get FilePart() {
    return FilePart();
  },
  get DataPart() {
    return DataPart();
  },
  get Part() {
    return Part();
  },
  get Role() {
    return Role();
  },
  get Message() {
    return Message();
  },
  get Artifact() {
    return Artifact();
  },
  get TaskState() {
    return TaskState();
  },
  get Task() {
    return Task();
  },
  get TaskSendParams() {
    return TaskSendParams();
  },
  get TaskSendResult() {
    return TaskSendResult();
  },
  get TaskIdParams() {
    return TaskIdParams();
  },
  get TaskCancelResult() {
    return TaskCancelResult();
  },
  get TaskStatusUpdateEvent() {
    return TaskStatusUpdateEvent();
  },
  get TaskMessageEvent() {
    return TaskMessageEvent();
  },
  get TaskArtifactUpdateEvent() {
    return TaskArtifactUpdateEvent();
  },
  get StreamError() {
    return StreamError();
  },
  get AgentProvider() {
    return AgentProvider();
  },
  get TeeDetails() {
    return TeeDetails();
  },
  get AgentCapabilities() {
    return AgentCapabilities();
  },
  get AgentAuthentication() {
    return AgentAuthentication();
  },
  get AgentSkill() {
    return AgentSkill();
  },
  get AgentCard() {
    return AgentCard();
  },
} satisfies Readonly<Record<string, Validator>>;
