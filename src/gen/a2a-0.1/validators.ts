// Generated from codegen/schemas/a2a-0.1.json by `npm run generate`. Do not edit.

import type { Validator } from '../api.ts';
import * as c from '../checks.ts';

const TextPart = c.once(() =>
  c.message({
    type: c.optional(c.nullable(c.names(['text']))),
    text: c.text,
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const FileContent = c.once(() =>
  c.message({
    name: c.optional(c.nullable(c.text)),
    mimeType: c.optional(c.nullable(c.text)),
    bytes: c.optional(c.nullable(c.text)),
    uri: c.optional(c.nullable(c.text)),
  }),
);

const FilePart = c.once(() =>
  c.message({
    type: c.optional(c.nullable(c.names(['file']))),
    file: c.lazy(FileContent),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const DataPart = c.once(() =>
  c.message({
    type: c.optional(c.nullable(c.names(['data']))),
    data: c.struct,
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const Part = c.once(() => c.anyOf('TextPart or FilePart or DataPart', c.lazy(TextPart), c.lazy(FilePart), c.lazy(DataPart)));

const Role = c.once(() => c.names(['user', 'agent']));

const Message = c.once(() =>
  c.message({
    role: c.lazy(Role),
    parts: c.list(c.lazy(Part)),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const TaskState = c.once(() => c.names(['submitted', 'working', 'input-required', 'completed', 'canceled', 'failed', 'unknown']));

const TaskStatus = c.once(() =>
  c.message({
    state: c.lazy(TaskState),
    message: c.optional(c.nullable(c.lazy(Message))),
    timestamp: c.optional(c.nullable(c.text)),
  }),
);

const Artifact = c.once(() =>
  c.message({
    name: c.optional(c.nullable(c.text)),
    description: c.optional(c.nullable(c.text)),
    parts: c.list(c.lazy(Part)),
    index: c.optional(c.nullable(c.int32)),
    append: c.optional(c.nullable(c.bool)),
    lastChunk: c.optional(c.nullable(c.bool)),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const Task = c.once(() =>
  c.message({
    id: c.someText,
    sessionId: c.optional(c.nullable(c.text)),
    status: c.lazy(TaskStatus),
    artifacts: c.optional(c.nullable(c.list(c.lazy(Artifact)))),
    history: c.optional(c.nullable(c.list(c.lazy(Message)))),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const TaskStatusUpdateEvent = c.once(() =>
  c.message({
    id: c.someText,
    status: c.lazy(TaskStatus),
    final: c.optional(c.nullable(c.bool)),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const TaskArtifactUpdateEvent = c.once(() =>
  c.message({
    id: c.someText,
    artifact: c.lazy(Artifact),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const AuthenticationInfo = c.once(() =>
  c.message({
    schemes: c.list(c.text),
    credentials: c.optional(c.nullable(c.text)),
  }),
);

const PushNotificationConfig = c.once(() =>
  c.message({
    url: c.someText,
    token: c.optional(c.nullable(c.text)),
    authentication: c.optional(c.nullable(c.lazy(AuthenticationInfo))),
  }),
);

const TaskPushNotificationConfig = c.once(() =>
  c.message({
    id: c.text,
    pushNotificationConfig: c.lazy(PushNotificationConfig),
  }),
);

const TaskIdParams = c.once(() =>
  c.message({
    id: c.someText,
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const TaskQueryParams = c.once(() =>
  c.message({
    id: c.someText,
    historyLength: c.optional(c.nullable(c.int32)),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const TaskSendParams = c.once(() =>
  c.message({
    id: c.someText,
    sessionId: c.optional(c.nullable(c.text)),
    message: c.lazy(Message),
    acceptedOutputModes: c.optional(c.nullable(c.list(c.text))),
    pushNotification: c.optional(c.nullable(c.lazy(PushNotificationConfig))),
    historyLength: c.optional(c.nullable(c.int32)),
    metadata: c.optional(c.nullable(c.struct)),
  }),
);

const AgentProvider = c.once(() =>
  c.message({
    organization: c.text,
    url: c.optional(c.nullable(c.text)),
  }),
);

const AgentCapabilities = c.once(() =>
  c.message({
    streaming: c.optional(c.nullable(c.bool)),
    pushNotifications: c.optional(c.nullable(c.bool)),
    stateTransitionHistory: c.optional(c.nullable(c.bool)),
    knowledgeGraph: c.optional(c.nullable(c.bool)),
    knowledgeGraphQueryLanguages: c.optional(c.nullable(c.list(c.text))),
  }),
);

const AgentAuthentication = c.once(() =>
  c.message({
    schemes: c.list(c.text),
    credentials: c.optional(c.nullable(c.text)),
  }),
);

const AgentSkill = c.once(() =>
  c.message({
    id: c.text,
    name: c.text,
    description: c.optional(c.nullable(c.text)),
    tags: c.optional(c.nullable(c.list(c.text))),
    examples: c.optional(c.nullable(c.list(c.text))),
    inputModes: c.optional(c.nullable(c.list(c.text))),
    outputModes: c.optional(c.nullable(c.list(c.text))),
  }),
);

const AgentCard = c.once(() =>
  c.message({
    name: c.text,
    description: c.optional(c.nullable(c.text)),
    url: c.someText,
    provider: c.optional(c.nullable(c.lazy(AgentProvider))),
    version: c.text,
    documentationUrl: c.optional(c.nullable(c.text)),
    capabilities: c.lazy(AgentCapabilities),
    authentication: c.optional(c.nullable(c.lazy(AgentAuthentication))),
    defaultInputModes: c.optional(c.nullable(c.list(c.text))),
    defaultOutputModes: c.optional(c.nullable(c.list(c.text))),
    skills: c.list(c.lazy(AgentSkill)),
  }),
);

/** Validators by definition; each is built when it is first used. */
export const validators = {
  get TextPart() {
    return TextPart();
  },
  get FileContent() {
    return FileContent();
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
  get TaskState() {
    return TaskState();
  },
  get TaskStatus() {
    return TaskStatus();
  },
  get Artifact() {
    return Artifact();
  },
  get Task() {
    return Task();
  },
  get TaskStatusUpdateEvent() {
    return TaskStatusUpdateEvent();
  },
  get TaskArtifactUpdateEvent() {
    return TaskArtifactUpdateEvent();
  },
  get AuthenticationInfo() {
    return AuthenticationInfo();
  },
  get PushNotificationConfig() {
    return PushNotificationConfig();
  },
  get TaskPushNotificationConfig() {
    return TaskPushNotificationConfig();
  },
  get TaskIdParams() {
    return TaskIdParams();
  },
  get TaskQueryParams() {
    return TaskQueryParams();
  },
  get TaskSendParams() {
    return TaskSendParams();
  },
  get AgentProvider() {
    return AgentProvider();
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
