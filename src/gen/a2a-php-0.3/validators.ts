// Generated from codegen/schemas/a2a-php-0.3.json by `npm run generate`. Do not edit.

import type { Validator } from '../api.ts';
import * as c from '../checks.ts';

const File = c.once(() =>
  c.message({
    bytes: c.optional(c.nullable(c.text)),
    uri: c.optional(c.nullable(c.text)),
    url: c.optional(c.nullable(c.text)),
    href: c.optional(c.nullable(c.text)),
    mimeType: c.optional(c.nullable(c.text)),
    name: c.optional(c.nullable(c.text)),
  }),
);

const Part = c.once(() =>
  c.message({
    kind: c.optional(c.nullable(c.text)),
    type: c.optional(c.nullable(c.text)),
    text: c.optional(c.nullable(c.anyOf('a string or a number or true or false', c.text, c.number, c.bool))),
    content: c.optional(c.value),
    file: c.optional(c.nullable(c.lazy(File))),
    data: c.optional(c.nullable(c.anyOf('an object or an array', c.struct, c.list(c.value)))),
    metadata: c.optional(c.nullable(c.anyOf('an object or an array', c.struct, c.list(c.value)))),
  }),
);

const Message = c.once(() =>
  c.message({
    kind: c.optional(c.nullable(c.text)),
    messageId: c.optional(c.nullable(c.text)),
    role: c.someText,
    parts: c.optional(c.nullable(c.list(c.lazy(Part)))),
    contextId: c.optional(c.nullable(c.text)),
    taskId: c.optional(c.nullable(c.text)),
    referenceTaskIds: c.optional(c.nullable(c.list(c.text))),
    extensions: c.optional(c.nullable(c.list(c.text))),
    metadata: c.optional(c.nullable(c.anyOf('an object or an array', c.struct, c.list(c.value)))),
  }),
);

const TaskStatus = c.once(() =>
  c.message({
    state: c.someText,
    message: c.optional(c.nullable(c.lazy(Message))),
    timestamp: c.optional(c.nullable(c.text)),
  }),
);

const Artifact = c.once(() =>
  c.message({
    artifactId: c.someText,
    parts: c.optional(c.nullable(c.list(c.lazy(Part)))),
    name: c.optional(c.nullable(c.text)),
    description: c.optional(c.nullable(c.text)),
    extensions: c.optional(c.nullable(c.list(c.text))),
    metadata: c.optional(c.nullable(c.anyOf('an object or an array', c.struct, c.list(c.value)))),
  }),
);

const Task = c.once(() =>
  c.message({
    kind: c.optional(c.nullable(c.text)),
    id: c.someText,
    contextId: c.optional(c.nullable(c.text)),
    status: c.lazy(TaskStatus),
    artifacts: c.optional(c.nullable(c.list(c.lazy(Artifact)))),
    history: c.optional(c.nullable(c.list(c.lazy(Message)))),
    metadata: c.optional(c.nullable(c.anyOf('an object or an array', c.struct, c.list(c.value)))),
  }),
);

const TaskStatusUpdateEvent = c.once(() =>
  c.message({
    kind: c.optional(c.nullable(c.text)),
    taskId: c.someText,
    contextId: c.optional(c.nullable(c.text)),
    status: c.lazy(TaskStatus),
    final: c.optional(c.nullable(c.bool)),
    metadata: c.optional(c.nullable(c.anyOf('an object or an array', c.struct, c.list(c.value)))),
  }),
);

const TaskArtifactUpdateEvent = c.once(() =>
  c.message({
    kind: c.optional(c.nullable(c.text)),
    taskId: c.someText,
    contextId: c.optional(c.nullable(c.text)),
    artifact: c.lazy(Artifact),
    append: c.optional(c.nullable(c.bool)),
    lastChunk: c.optional(c.nullable(c.bool)),
    metadata: c.optional(c.nullable(c.anyOf('an object or an array', c.struct, c.list(c.value)))),
  }),
);

const PushNotificationAuthenticationInfo = c.once(() =>
  c.message({
    schemes: c.list(c.text),
    credentials: c.optional(c.nullable(c.text)),
  }),
);

const PushNotificationConfig = c.once(() =>
  c.message({
    url: c.someText,
    id: c.optional(c.nullable(c.text)),
    token: c.optional(c.nullable(c.text)),
    authentication: c.optional(c.nullable(c.lazy(PushNotificationAuthenticationInfo))),
  }),
);

const TaskPushNotificationConfig = c.once(() =>
  c.message({
    taskId: c.text,
    pushNotificationConfig: c.optional(c.nullable(c.lazy(PushNotificationConfig))),
  }),
);

const TaskPushNotificationConfigs = c.once(() => c.list(c.lazy(TaskPushNotificationConfig)));

const MessageSendParams = c.once(() =>
  c.message({
    message: c.lazy(Message),
    configuration: c.optional(c.nullable(c.anyOf('an object or an array', c.struct, c.list(c.value)))),
    metadata: c.optional(c.nullable(c.anyOf('an object or an array', c.struct, c.list(c.value)))),
    from: c.optional(c.value),
  }),
);

const TaskSendParams = c.once(() =>
  c.message({
    id: c.someText,
    message: c.lazy(Message),
    metadata: c.optional(c.nullable(c.anyOf('an object or an array', c.struct, c.list(c.value)))),
    sessionId: c.optional(c.value),
    pushNotification: c.optional(c.value),
    historyLength: c.optional(c.value),
  }),
);

const TaskQueryParams = c.once(() =>
  c.message({
    id: c.optional(c.nullable(c.text)),
    taskId: c.optional(c.nullable(c.text)),
    historyLength: c.optional(c.nullable(c.anyOf('an integer or a string', c.int32, c.text))),
    metadata: c.optional(c.nullable(c.anyOf('an object or an array', c.struct, c.list(c.value)))),
  }),
);

const TaskIdParams = c.once(() =>
  c.message({
    id: c.optional(c.nullable(c.text)),
    taskId: c.optional(c.nullable(c.text)),
    metadata: c.optional(c.nullable(c.anyOf('an object or an array', c.struct, c.list(c.value)))),
  }),
);

const SetPushNotificationConfigParams = c.once(() =>
  c.message({
    taskId: c.optional(c.nullable(c.text)),
    id: c.optional(c.nullable(c.text)),
    pushNotificationConfig: c.lazy(PushNotificationConfig),
  }),
);

/** Validators by definition; each is built when it is first used. */
export const validators = {
  get File() {
    return File();
  },
  get Part() {
    return Part();
  },
  get Message() {
    return Message();
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
  get PushNotificationAuthenticationInfo() {
    return PushNotificationAuthenticationInfo();
  },
  get PushNotificationConfig() {
    return PushNotificationConfig();
  },
  get TaskPushNotificationConfig() {
    return TaskPushNotificationConfig();
  },
  get TaskPushNotificationConfigs() {
    return TaskPushNotificationConfigs();
  },
  get MessageSendParams() {
    return MessageSendParams();
  },
  get TaskSendParams() {
    return TaskSendParams();
  },
  get TaskQueryParams() {
    return TaskQueryParams();
  },
  get TaskIdParams() {
    return TaskIdParams();
  },
  get SetPushNotificationConfigParams() {
    return SetPushNotificationConfigParams();
  },
} satisfies Readonly<Record<string, Validator>>;
