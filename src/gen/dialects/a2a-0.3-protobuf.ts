// Generated from the tables of a2a-0.3-protobuf, and the proto of the newest A2A 1.x, by `npm run generate`. Do not edit.

// biome-ignore-all lint: generated

/** Fields of A2A 1.x that are lost, by type. */
export const losses = {
  message: ['referenceTaskIds', 'parts.raw', 'parts.mediaType', 'parts.filename', 'parts.metadata'],
  task: ['generation', 'status.message.referenceTaskIds', 'status.message.parts.raw', 'status.message.parts.mediaType', 'status.message.parts.filename', 'status.message.parts.metadata', 'artifacts.parts.raw', 'artifacts.parts.mediaType', 'artifacts.parts.filename', 'artifacts.parts.metadata', 'history.referenceTaskIds', 'history.parts.raw', 'history.parts.mediaType', 'history.parts.filename', 'history.parts.metadata'],
  event: ['task.generation', 'task.status.message.referenceTaskIds', 'task.status.message.parts.raw', 'task.status.message.parts.mediaType', 'task.status.message.parts.filename', 'task.status.message.parts.metadata', 'task.artifacts.parts.raw', 'task.artifacts.parts.mediaType', 'task.artifacts.parts.filename', 'task.artifacts.parts.metadata', 'task.history.referenceTaskIds', 'task.history.parts.raw', 'task.history.parts.mediaType', 'task.history.parts.filename', 'task.history.parts.metadata', 'message.referenceTaskIds', 'message.parts.raw', 'message.parts.mediaType', 'message.parts.filename', 'message.parts.metadata', 'statusUpdate.generation', 'statusUpdate.status.message.referenceTaskIds', 'statusUpdate.status.message.parts.raw', 'statusUpdate.status.message.parts.mediaType', 'statusUpdate.status.message.parts.filename', 'statusUpdate.status.message.parts.metadata', 'artifactUpdate.generation', 'artifactUpdate.artifact.parts.raw', 'artifactUpdate.artifact.parts.mediaType', 'artifactUpdate.artifact.parts.filename', 'artifactUpdate.artifact.parts.metadata'],
  card: ['signatures', 'supportedInterfaces', 'securitySchemes'],
  request: ['tenant', 'message.referenceTaskIds', 'message.parts.raw', 'message.parts.mediaType', 'message.parts.filename', 'message.parts.metadata', 'configuration.ifGenerationMatch', 'configuration.taskPushNotificationConfig.tenant', 'configuration.taskPushNotificationConfig.taskId', 'configuration.historyLength', 'currentGeneration', 'historyLength', 'metadata'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The codecs of the tables. */
export function compile(t: any, k: any): any {
  const part_pair = t.part.pair;
  const message_messageId_made = t.message.rows.messageId.made;
  const message_role_of = t.message.rows.role.of;
  const message_metadata_of = t.message.rows.metadata.of;
  const artifact_metadata_of = t.artifact.rows.metadata.of;
  const status_state_of = t.status.rows.state.of;
  const task_metadata_of = t.task.rows.metadata.of;
  const statusUpdate_contextId_made = t.statusUpdate.rows.contextId.made;
  const statusUpdate_metadata_whole = t.statusUpdate.rows.metadata.whole;
  const statusUpdate_final_whole = t.statusUpdate.rows.final.whole;
  const artifactUpdate_contextId_made = t.artifactUpdate.rows.contextId.made;
  const artifactUpdate_metadata_of = t.artifactUpdate.rows.metadata.of;
  const authentication_pair = t.authentication.pair;
  const taskPushConfig_taskId_whole = t.taskPushConfig.rows.taskId.whole;
  const taskPushConfig_pushNotificationConfig_whole = t.taskPushConfig.rows.pushNotificationConfig.whole;
  const configuration_historyLength_of = t.configuration.rows.historyLength.of;
  const configuration_returnImmediately_whole = t.configuration.rows.returnImmediately.whole;
  const sendMessage_configuration_whole = t.sendMessage.rows.configuration.whole;
  const sendMessage_metadata_of = t.sendMessage.rows.metadata.of;
  const getTask_id_of = t.getTask.rows.id.of;
  const getTask_historyLength_of = t.getTask.rows.historyLength.of;
  const cancelTask_id_of = t.cancelTask.rows.id.of;
  const subscribe_id_of = t.subscribe.rows.id.of;
  const getPush_taskId_whole = t.getPush.rows.taskId.whole;
  const getPush_id_whole = t.getPush.rows.id.whole;
  const deletePush_taskId_whole = t.deletePush.rows.taskId.whole;
  const deletePush_id_whole = t.deletePush.rows.id.whole;
  const listPush_taskId_of = t.listPush.rows.taskId.of;
  const capabilities_extensions_whole = t.capabilities.rows.extensions.whole;
  const card_supportedInterfaces_whole = t.card.rows.supportedInterfaces.whole;
  const card_supportsAuthenticatedExtendedCard_whole = t.card.rows.supportsAuthenticatedExtendedCard.whole;
  const card_protocolVersion_whole = t.card.rows.protocolVersion.whole;
  const card_securitySchemes_of = t.card.rows.securitySchemes.of;

  const decode_part = (w: any, cx: any): any => part_pair.decode(w, cx, codecs);
  const encode_part = (v: any, cx: any, at: string): any => part_pair.encode(v, cx, at, codecs);

  function decode_message(w: any, cx: any): any {
    let p = 'role';
    try {
      const v: any = { messageId: w.messageId || message_messageId_made() };
      if (w.contextId) v.contextId = w.contextId;
      if (w.taskId) v.taskId = w.taskId;
      v.role = message_role_of.decode(w.role, cx);
      p = '';
      v.parts = k.decodeList(decode_part, (w.content ?? []), cx, 'content');
      p = 'metadata';
      const metadata_v = w.metadata ? message_metadata_of.decode(w.metadata, cx) : undefined;
      if (metadata_v !== undefined) v.metadata = metadata_v;
      if (w.extensions?.length) v.extensions = w.extensions;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_message(v: any, cx: any, at: string): any {
    if (v.referenceTaskIds?.length) cx.losses.add(at + 'referenceTaskIds');
    const w: any = {};
    if (v.messageId) w.messageId = v.messageId;
    if (v.contextId) w.contextId = v.contextId;
    if (v.taskId) w.taskId = v.taskId;
    const role_w = v.role ? message_role_of.encode(v.role, cx, '') : undefined;
    if (role_w !== undefined) w.role = role_w;
    if (v.parts?.length) w.content = k.encodeList(encode_part, v.parts, cx, at + 'parts.');
    const metadata_w = v.metadata !== undefined ? message_metadata_of.encode(v.metadata, cx, '') : undefined;
    if (metadata_w !== undefined) w.metadata = metadata_w;
    if (v.extensions?.length) w.extensions = v.extensions;
    return w;
  }

  function decode_artifact(w: any, cx: any): any {
    let p = '';
    try {
      if (!w.artifactId) throw k.missing('artifactId');
      const v: any = { artifactId: w.artifactId };
      if (w.name) v.name = w.name;
      if (w.description) v.description = w.description;
      v.parts = k.decodeList(decode_part, (w.parts ?? []), cx, 'parts');
      p = 'metadata';
      const metadata_v = w.metadata ? artifact_metadata_of.decode(w.metadata, cx) : undefined;
      if (metadata_v !== undefined) v.metadata = metadata_v;
      if (w.extensions?.length) v.extensions = w.extensions;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_artifact(v: any, cx: any, at: string): any {
    const w: any = { artifactId: v.artifactId };
    if (v.name) w.name = v.name;
    if (v.description) w.description = v.description;
    if (v.parts?.length) w.parts = k.encodeList(encode_part, v.parts, cx, at + 'parts.');
    const metadata_w = v.metadata !== undefined ? artifact_metadata_of.encode(v.metadata, cx, '') : undefined;
    if (metadata_w !== undefined) w.metadata = metadata_w;
    if (v.extensions?.length) w.extensions = v.extensions;
    return w;
  }

  function decode_status(w: any, cx: any): any {
    let p = 'state';
    try {
      const v: any = { state: status_state_of.decode(w.state, cx) };
      p = 'message';
      if (w.message) v.message = decode_message(w.message, cx);
      if (w.timestamp) v.timestamp = w.timestamp;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_status(v: any, cx: any, at: string): any {
    const w: any = {};
    const state_w = v.state ? status_state_of.encode(v.state, cx, '') : undefined;
    if (state_w !== undefined) w.state = state_w;
    if (v.message !== undefined) w.message = encode_message(v.message, cx, at + 'message.');
    if (v.timestamp !== undefined) w.timestamp = v.timestamp;
    return w;
  }

  function decode_task(w: any, cx: any): any {
    let p = '';
    try {
      if (!w.id) throw k.missing('id');
      const v: any = { id: w.id };
      if (w.contextId) v.contextId = w.contextId;
      p = 'status';
      v.status = decode_status((w.status ?? {}), cx);
      p = '';
      if (w.artifacts?.length) v.artifacts = k.decodeList(decode_artifact, w.artifacts, cx, 'artifacts');
      if (w.history?.length) v.history = k.decodeList(decode_message, w.history, cx, 'history');
      p = 'metadata';
      const metadata_v = w.metadata ? task_metadata_of.decode(w.metadata, cx) : undefined;
      if (metadata_v !== undefined) v.metadata = metadata_v;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_task(v: any, cx: any, at: string): any {
    if (v.generation) cx.losses.add(at + 'generation');
    const w: any = { id: v.id };
    if (v.contextId) w.contextId = v.contextId;
    w.status = encode_status(v.status, cx, at + 'status.');
    if (v.artifacts?.length) w.artifacts = k.encodeList(encode_artifact, v.artifacts, cx, at + 'artifacts.');
    if (v.history?.length) w.history = k.encodeList(encode_message, v.history, cx, at + 'history.');
    const metadata_w = v.metadata !== undefined ? task_metadata_of.encode(v.metadata, cx, '') : undefined;
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  function decode_statusUpdate(w: any, cx: any): any {
    let p = '';
    try {
      if (!w.taskId) throw k.missing('taskId');
      p = 'status';
      const v: any = { taskId: w.taskId, contextId: w.contextId || statusUpdate_contextId_made(), status: decode_status((w.status ?? {}), cx) };
      p = '';
      const metadata_v = statusUpdate_metadata_whole.decode(w, cx, v, codecs);
      if (metadata_v !== undefined) v.metadata = metadata_v;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_statusUpdate(v: any, cx: any, at: string): any {
    if (v.generation) cx.losses.add(at + 'generation');
    const w: any = { taskId: v.taskId };
    if (v.contextId) w.contextId = v.contextId;
    w.status = encode_status(v.status, cx, at + 'status.');
    const final_w = statusUpdate_final_whole.encode(v, cx, w, at, codecs);
    if (final_w !== undefined) w.final = final_w;
    const metadata_w = v.metadata !== undefined ? statusUpdate_metadata_whole.encode(v, cx, w, at, codecs) : undefined;
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  function decode_artifactUpdate(w: any, cx: any): any {
    let p = '';
    try {
      if (!w.taskId) throw k.missing('taskId');
      if (!w.artifact) throw k.missing('artifact');
      p = 'artifact';
      const v: any = { taskId: w.taskId, contextId: w.contextId || artifactUpdate_contextId_made(), artifact: decode_artifact(w.artifact, cx) };
      if (w.append) v.append = w.append;
      if (w.lastChunk) v.lastChunk = w.lastChunk;
      p = 'metadata';
      const metadata_v = w.metadata ? artifactUpdate_metadata_of.decode(w.metadata, cx) : undefined;
      if (metadata_v !== undefined) v.metadata = metadata_v;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_artifactUpdate(v: any, cx: any, at: string): any {
    if (v.generation) cx.losses.add(at + 'generation');
    const w: any = { taskId: v.taskId };
    if (v.contextId) w.contextId = v.contextId;
    w.artifact = encode_artifact(v.artifact, cx, at + 'artifact.');
    if (v.append) w.append = v.append;
    if (v.lastChunk) w.lastChunk = v.lastChunk;
    const metadata_w = v.metadata !== undefined ? artifactUpdate_metadata_of.encode(v.metadata, cx, '') : undefined;
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  function decode_event(w: any, cx: any): any {
    let p = 'task';
    try {
      const v: any = {};
      if (w.task) v.task = decode_task(w.task, cx);
      p = 'message';
      if (w.message) v.message = decode_message(w.message, cx);
      p = 'statusUpdate';
      if (w.statusUpdate) v.statusUpdate = decode_statusUpdate(w.statusUpdate, cx);
      p = 'artifactUpdate';
      if (w.artifactUpdate) v.artifactUpdate = decode_artifactUpdate(w.artifactUpdate, cx);
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_event(v: any, cx: any, at: string): any {
    const w: any = {};
    if (v.task !== undefined) w.task = encode_task(v.task, cx, at + 'task.');
    if (v.message !== undefined) w.message = encode_message(v.message, cx, at + 'message.');
    if (v.statusUpdate !== undefined) w.statusUpdate = encode_statusUpdate(v.statusUpdate, cx, at + 'statusUpdate.');
    if (v.artifactUpdate !== undefined) w.artifactUpdate = encode_artifactUpdate(v.artifactUpdate, cx, at + 'artifactUpdate.');
    return w;
  }

  function decode_sent(w: any, cx: any): any {
    let p = 'task';
    try {
      const v: any = {};
      if (w.task) v.task = decode_task(w.task, cx);
      p = 'message';
      if (w.message) v.message = decode_message(w.message, cx);
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_sent(v: any, cx: any, at: string): any {
    const w: any = {};
    if (v.task !== undefined) w.task = encode_task(v.task, cx, at + 'task.');
    if (v.message !== undefined) w.message = encode_message(v.message, cx, at + 'message.');
    return w;
  }

  const decode_authentication = (w: any, cx: any): any => authentication_pair.decode(w, cx, codecs);
  const encode_authentication = (v: any, cx: any, at: string): any => authentication_pair.encode(v, cx, at, codecs);

  function decode_pushConfig(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = {};
      if (w.id) v.id = w.id;
      if (!w.url) throw k.missing('url');
      v.url = w.url;
      if (w.token) v.token = w.token;
      p = 'authentication';
      const authentication_v = w.authentication ? decode_authentication(w.authentication, cx) : undefined;
      if (authentication_v !== undefined) v.authentication = authentication_v;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_pushConfig(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    if (v.taskId) cx.losses.add(at + 'taskId');
    const w: any = {};
    if (v.id) w.id = v.id;
    w.url = v.url;
    if (v.token) w.token = v.token;
    if (v.authentication !== undefined) w.authentication = encode_authentication(v.authentication, cx, at + 'authentication.');
    return w;
  }

  function decode_taskPushConfig(w: any, cx: any): any {
    const v: any = {};
    const taskId_v = taskPushConfig_taskId_whole.decode(w, cx, v, codecs);
    if (taskId_v !== undefined) v.taskId = taskId_v;
    taskPushConfig_pushNotificationConfig_whole.decode(w, cx, v, codecs);
    return v;
  }
  function encode_taskPushConfig(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = {};
    const name_w = taskPushConfig_taskId_whole.encode(v, cx, w, at, codecs);
    if (name_w !== undefined) w.name = name_w;
    const pushNotificationConfig_w = taskPushConfig_pushNotificationConfig_whole.encode(v, cx, w, at, codecs);
    if (pushNotificationConfig_w !== undefined) w.pushNotificationConfig = pushNotificationConfig_w;
    return w;
  }

  function decode_configuration(w: any, cx: any): any {
    let p = 'pushNotification';
    try {
      const v: any = {};
      if (w.acceptedOutputModes?.length) v.acceptedOutputModes = w.acceptedOutputModes;
      if (w.pushNotification) v.taskPushNotificationConfig = decode_pushConfig(w.pushNotification, cx);
      p = 'historyLength';
      const historyLength_v = w.historyLength != null ? configuration_historyLength_of.decode(w.historyLength, cx) : undefined;
      if (historyLength_v !== undefined) v.historyLength = historyLength_v;
      p = '';
      const returnImmediately_v = configuration_returnImmediately_whole.decode(w, cx, v, codecs);
      if (returnImmediately_v !== undefined) v.returnImmediately = returnImmediately_v;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_configuration(v: any, cx: any, at: string): any {
    if (v.ifGenerationMatch !== undefined) cx.losses.add(at + 'ifGenerationMatch');
    const w: any = {};
    if (v.acceptedOutputModes?.length) w.acceptedOutputModes = v.acceptedOutputModes;
    if (v.taskPushNotificationConfig !== undefined) w.pushNotification = encode_pushConfig(v.taskPushNotificationConfig, cx, at + 'taskPushNotificationConfig.');
    const historyLength_w = v.historyLength !== undefined ? configuration_historyLength_of.encode(v.historyLength, cx, at + 'historyLength') : undefined;
    if (historyLength_w !== undefined) w.historyLength = historyLength_w;
    const blocking_w = configuration_returnImmediately_whole.encode(v, cx, w, at, codecs);
    if (blocking_w !== undefined) w.blocking = blocking_w;
    return w;
  }

  function decode_sendMessage(w: any, cx: any): any {
    let p = 'message';
    try {
      const v: any = { message: decode_message(w.message, cx) };
      p = '';
      const configuration_v = sendMessage_configuration_whole.decode(w, cx, v, codecs);
      if (configuration_v !== undefined) v.configuration = configuration_v;
      p = 'metadata';
      const metadata_v = w.metadata ? sendMessage_metadata_of.decode(w.metadata, cx) : undefined;
      if (metadata_v !== undefined) v.metadata = metadata_v;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_sendMessage(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = { message: encode_message(v.message, cx, at + 'message.') };
    const configuration_w = sendMessage_configuration_whole.encode(v, cx, w, at, codecs);
    if (configuration_w !== undefined) w.configuration = configuration_w;
    const metadata_w = v.metadata !== undefined ? sendMessage_metadata_of.encode(v.metadata, cx, '') : undefined;
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  function decode_getTask(w: any, cx: any): any {
    let p = 'name';
    try {
      const v: any = { id: getTask_id_of.decode(w.name, cx) };
      p = 'historyLength';
      const historyLength_v = w.historyLength != null ? getTask_historyLength_of.decode(w.historyLength, cx) : undefined;
      if (historyLength_v !== undefined) v.historyLength = historyLength_v;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_getTask(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    if (v.currentGeneration !== undefined) cx.losses.add(at + 'currentGeneration');
    const w: any = {};
    const name_w = v.id ? getTask_id_of.encode(v.id, cx, '') : undefined;
    if (name_w !== undefined) w.name = name_w;
    const historyLength_w = v.historyLength !== undefined ? getTask_historyLength_of.encode(v.historyLength, cx, at + 'historyLength') : undefined;
    if (historyLength_w !== undefined) w.historyLength = historyLength_w;
    return w;
  }

  function decode_cancelTask(w: any, cx: any): any {
    try {
      return { id: cancelTask_id_of.decode(w.name, cx) };
    } catch (thrown) {
      throw k.below('name', thrown);
    }
  }
  function encode_cancelTask(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    if (v.metadata !== undefined) cx.losses.add(at + 'metadata');
    const w: any = {};
    const name_w = v.id ? cancelTask_id_of.encode(v.id, cx, '') : undefined;
    if (name_w !== undefined) w.name = name_w;
    return w;
  }

  function decode_subscribe(w: any, cx: any): any {
    try {
      return { id: subscribe_id_of.decode(w.name, cx) };
    } catch (thrown) {
      throw k.below('name', thrown);
    }
  }
  function encode_subscribe(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = {};
    const name_w = v.id ? subscribe_id_of.encode(v.id, cx, '') : undefined;
    if (name_w !== undefined) w.name = name_w;
    return w;
  }

  function decode_getPush(w: any, cx: any): any {
    const v: any = {};
    const taskId_v = getPush_taskId_whole.decode(w, cx, v, codecs);
    if (taskId_v !== undefined) v.taskId = taskId_v;
    const id_v = getPush_id_whole.decode(w, cx, v, codecs);
    if (id_v !== undefined) v.id = id_v;
    return v;
  }
  function encode_getPush(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = {};
    const name_w = getPush_taskId_whole.encode(v, cx, w, at, codecs);
    if (name_w !== undefined) w.name = name_w;
    return w;
  }

  function decode_deletePush(w: any, cx: any): any {
    const v: any = {};
    const taskId_v = deletePush_taskId_whole.decode(w, cx, v, codecs);
    if (taskId_v !== undefined) v.taskId = taskId_v;
    const id_v = deletePush_id_whole.decode(w, cx, v, codecs);
    if (id_v !== undefined) v.id = id_v;
    return v;
  }
  function encode_deletePush(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = {};
    const name_w = deletePush_taskId_whole.encode(v, cx, w, at, codecs);
    if (name_w !== undefined) w.name = name_w;
    return w;
  }

  function decode_listPush(w: any, cx: any): any {
    try {
      const v: any = { taskId: listPush_taskId_of.decode(w.parent, cx) };
      if (w.pageSize) v.pageSize = w.pageSize;
      if (w.pageToken) v.pageToken = w.pageToken;
      return v;
    } catch (thrown) {
      throw k.below('parent', thrown);
    }
  }
  function encode_listPush(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = {};
    const parent_w = v.taskId ? listPush_taskId_of.encode(v.taskId, cx, '') : undefined;
    if (parent_w !== undefined) w.parent = parent_w;
    if (v.pageSize) w.pageSize = v.pageSize;
    if (v.pageToken) w.pageToken = v.pageToken;
    return w;
  }

  function decode_pushList(w: any, cx: any): any {
    const v: any = {};
    if (w.configs?.length) v.configs = k.decodeList(decode_taskPushConfig, w.configs, cx, 'configs');
    if (w.nextPageToken) v.nextPageToken = w.nextPageToken;
    return v;
  }
  function encode_pushList(v: any, cx: any, at: string): any {
    const w: any = { configs: k.encodeList(encode_taskPushConfig, (v.configs ?? []), cx, at + 'configs.') };
    if (v.nextPageToken) w.nextPageToken = v.nextPageToken;
    return w;
  }

  function decode_extendedCard(w: any, cx: any): any {
    return {};
  }
  function encode_extendedCard(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    return {};
  }

  function decode_provider(w: any, cx: any): any {
    return { url: w.url, organization: w.organization };
  }
  function encode_provider(v: any, cx: any, at: string): any {
    return { url: v.url, organization: v.organization };
  }

  function decode_extension(w: any, cx: any): any {
    const v: any = {};
    if (w.uri) v.uri = w.uri;
    if (w.description) v.description = w.description;
    if (w.required) v.required = w.required;
    if (w.params) v.params = w.params;
    return v;
  }
  function encode_extension(v: any, cx: any, at: string): any {
    const w: any = {};
    if (v.uri) w.uri = v.uri;
    if (v.description) w.description = v.description;
    if (v.required) w.required = v.required;
    if (v.params !== undefined) w.params = v.params;
    return w;
  }

  function decode_capabilities(w: any, cx: any): any {
    const v: any = {};
    if (w.streaming != null) v.streaming = w.streaming;
    if (w.pushNotifications != null) v.pushNotifications = w.pushNotifications;
    const extensions_v = capabilities_extensions_whole.decode(w, cx, v, codecs);
    if (extensions_v !== undefined) v.extensions = extensions_v;
    return v;
  }
  function encode_capabilities(v: any, cx: any, at: string): any {
    const w: any = {};
    if (v.streaming !== undefined) w.streaming = v.streaming;
    if (v.pushNotifications !== undefined) w.pushNotifications = v.pushNotifications;
    const extensions_w = capabilities_extensions_whole.encode(v, cx, w, at, codecs);
    if (extensions_w !== undefined) w.extensions = extensions_w;
    return w;
  }

  function decode_skill(w: any, cx: any): any {
    const v: any = { id: w.id, name: w.name, description: w.description, tags: (w.tags ?? []) };
    if (w.examples?.length) v.examples = w.examples;
    if (w.inputModes?.length) v.inputModes = w.inputModes;
    if (w.outputModes?.length) v.outputModes = w.outputModes;
    if (w.security?.length) v.securityRequirements = w.security;
    return v;
  }
  function encode_skill(v: any, cx: any, at: string): any {
    const w: any = { id: v.id, name: v.name, description: v.description, tags: (v.tags ?? []) };
    if (v.examples?.length) w.examples = v.examples;
    if (v.inputModes?.length) w.inputModes = v.inputModes;
    if (v.outputModes?.length) w.outputModes = v.outputModes;
    if (v.securityRequirements?.length) w.security = v.securityRequirements;
    return w;
  }

  function decode_card(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = { name: w.name, description: w.description };
      const supportedInterfaces_v = card_supportedInterfaces_whole.decode(w, cx, v, codecs);
      if (supportedInterfaces_v !== undefined) v.supportedInterfaces = supportedInterfaces_v;
      if (w.iconUrl != null) v.iconUrl = w.iconUrl;
      p = 'provider';
      if (w.provider) v.provider = decode_provider(w.provider, cx);
      v.version = w.version;
      if (w.documentationUrl != null) v.documentationUrl = w.documentationUrl;
      p = 'capabilities';
      v.capabilities = decode_capabilities((w.capabilities ?? {}), cx);
      if (w.securitySchemes) v.securitySchemes = w.securitySchemes;
      if (w.security?.length) v.securityRequirements = w.security;
      v.defaultInputModes = (w.defaultInputModes ?? []);
      v.defaultOutputModes = (w.defaultOutputModes ?? []);
      p = '';
      v.skills = k.decodeList(decode_skill, (w.skills ?? []), cx, 'skills');
      card_supportsAuthenticatedExtendedCard_whole.decode(w, cx, v, codecs);
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_card(v: any, cx: any, at: string): any {
    if (v.signatures?.length) cx.losses.add(at + 'signatures');
    const w: any = {};
    const protocolVersion_w = card_protocolVersion_whole.encode(v, cx, w, at, codecs);
    if (protocolVersion_w !== undefined) w.protocolVersion = protocolVersion_w;
    w.name = v.name;
    w.description = v.description;
    const url_w = card_supportedInterfaces_whole.encode(v, cx, w, at, codecs);
    if (url_w !== undefined) w.url = url_w;
    if (v.iconUrl !== undefined) w.iconUrl = v.iconUrl;
    if (v.provider !== undefined) w.provider = encode_provider(v.provider, cx, at + 'provider.');
    w.version = v.version;
    if (v.documentationUrl !== undefined) w.documentationUrl = v.documentationUrl;
    w.capabilities = encode_capabilities(v.capabilities, cx, at + 'capabilities.');
    const securitySchemes_w = v.securitySchemes !== undefined ? card_securitySchemes_of.encode(v.securitySchemes, cx, at + 'securitySchemes') : undefined;
    if (securitySchemes_w !== undefined) w.securitySchemes = securitySchemes_w;
    if (v.securityRequirements?.length) w.security = v.securityRequirements;
    w.defaultInputModes = (v.defaultInputModes ?? []);
    w.defaultOutputModes = (v.defaultOutputModes ?? []);
    w.skills = k.encodeList(encode_skill, (v.skills ?? []), cx, at + 'skills.');
    const supportsAuthenticatedExtendedCard_w = card_supportsAuthenticatedExtendedCard_whole.encode(v, cx, w, at, codecs);
    if (supportsAuthenticatedExtendedCard_w !== undefined) w.supportsAuthenticatedExtendedCard = supportsAuthenticatedExtendedCard_w;
    return w;
  }

  const codecs = {
    part: { decode: decode_part, encode: encode_part },
    message: { decode: decode_message, encode: encode_message },
    artifact: { decode: decode_artifact, encode: encode_artifact },
    status: { decode: decode_status, encode: encode_status },
    task: { decode: decode_task, encode: encode_task },
    statusUpdate: { decode: decode_statusUpdate, encode: encode_statusUpdate },
    artifactUpdate: { decode: decode_artifactUpdate, encode: encode_artifactUpdate },
    event: { decode: decode_event, encode: encode_event },
    sent: { decode: decode_sent, encode: encode_sent },
    authentication: { decode: decode_authentication, encode: encode_authentication },
    pushConfig: { decode: decode_pushConfig, encode: encode_pushConfig },
    taskPushConfig: { decode: decode_taskPushConfig, encode: encode_taskPushConfig },
    configuration: { decode: decode_configuration, encode: encode_configuration },
    sendMessage: { decode: decode_sendMessage, encode: encode_sendMessage },
    getTask: { decode: decode_getTask, encode: encode_getTask },
    cancelTask: { decode: decode_cancelTask, encode: encode_cancelTask },
    subscribe: { decode: decode_subscribe, encode: encode_subscribe },
    getPush: { decode: decode_getPush, encode: encode_getPush },
    deletePush: { decode: decode_deletePush, encode: encode_deletePush },
    listPush: { decode: decode_listPush, encode: encode_listPush },
    pushList: { decode: decode_pushList, encode: encode_pushList },
    extendedCard: { decode: decode_extendedCard, encode: encode_extendedCard },
    provider: { decode: decode_provider, encode: encode_provider },
    extension: { decode: decode_extension, encode: encode_extension },
    capabilities: { decode: decode_capabilities, encode: encode_capabilities },
    skill: { decode: decode_skill, encode: encode_skill },
    card: { decode: decode_card, encode: encode_card },
  };
  return codecs;
}
