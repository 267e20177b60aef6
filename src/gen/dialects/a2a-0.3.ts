// Generated from the tables of a2a-0.3, and the proto of the newest A2A 1.x, by `npm run generate`. Do not edit.

// biome-ignore-all lint: generated

/** Fields of A2A 1.x that are lost, by type. */
export const losses = {
  message: ['parts.mediaType', 'parts.filename'],
  task: ['generation', 'status.message.parts.mediaType', 'status.message.parts.filename', 'artifacts.parts.mediaType', 'artifacts.parts.filename', 'history.parts.mediaType', 'history.parts.filename'],
  event: ['task.generation', 'task.status.message.parts.mediaType', 'task.status.message.parts.filename', 'task.artifacts.parts.mediaType', 'task.artifacts.parts.filename', 'task.history.parts.mediaType', 'task.history.parts.filename', 'message.parts.mediaType', 'message.parts.filename', 'statusUpdate.generation', 'statusUpdate.status.message.parts.mediaType', 'statusUpdate.status.message.parts.filename', 'artifactUpdate.generation', 'artifactUpdate.artifact.parts.mediaType', 'artifactUpdate.artifact.parts.filename'],
  request: ['tenant', 'message.parts.mediaType', 'message.parts.filename', 'configuration.ifGenerationMatch', 'configuration.historyLength', 'configuration.taskPushNotificationConfig.tenant', 'configuration.taskPushNotificationConfig.taskId', 'currentGeneration', 'historyLength', 'pageSize', 'pageToken'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The codecs of the tables. */
export function compile(t: any, k: any): any {
  const part_pair = t.part.pair;
  const message_messageId_made = t.message.rows.messageId.made;
  const message_role_of = t.message.rows.role.of;
  const message_metadata_of = t.message.rows.metadata.of;
  const artifact_metadata_of = t.artifact.rows.metadata.of;
  const status_state_of = t.status.rows.state.of;
  const status_timestamp_of = t.status.rows.timestamp.of;
  const task_metadata_whole = t.task.rows.metadata.whole;
  const statusUpdate_metadata_whole = t.statusUpdate.rows.metadata.whole;
  const statusUpdate_final_whole = t.statusUpdate.rows.final.whole;
  const artifactUpdate_metadata_of = t.artifactUpdate.rows.metadata.of;
  const event_pair = t.event.pair;
  const authentication_pair = t.authentication.pair;
  const taskPushConfig_pushNotificationConfig_whole = t.taskPushConfig.rows.pushNotificationConfig.whole;
  const configuration_returnImmediately_whole = t.configuration.rows.returnImmediately.whole;
  const configuration_historyLength_of = t.configuration.rows.historyLength.of;
  const sendMessage_metadata_of = t.sendMessage.rows.metadata.of;
  const getTask_historyLength_of = t.getTask.rows.historyLength.of;
  const cancelTask_metadata_of = t.cancelTask.rows.metadata.of;
  const getPush_id_whole = t.getPush.rows.id.whole;
  const deletePush_id_whole = t.deletePush.rows.id.whole;
  const pushList_pair = t.pushList.pair;

  const decode_part = (w: any, cx: any): any => part_pair.decode(w, cx, codecs);
  const encode_part = (v: any, cx: any, at: string): any => part_pair.encode(v, cx, at, codecs);

  function decode_message(w: any, cx: any): any {
    let p = 'role';
    try {
      const role = message_role_of.decode(w.role, cx);
      p = '';
      const v: any = { messageId: w.messageId || message_messageId_made(), role, parts: k.decodeList(decode_part, w.parts, cx, 'parts') };
      if (w.contextId) v.contextId = w.contextId;
      if (w.taskId) v.taskId = w.taskId;
      if (w.referenceTaskIds?.length) v.referenceTaskIds = w.referenceTaskIds;
      if (w.extensions?.length) v.extensions = w.extensions;
      p = 'metadata';
      const metadata_v = w.metadata ? message_metadata_of.decode(w.metadata, cx) : undefined;
      if (metadata_v !== undefined) v.metadata = metadata_v;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_message(v: any, cx: any, at: string): any {
    const w: any = { kind: 'message', messageId: v.messageId, role: message_role_of.encode(v.role, cx, ''), parts: k.encodeList(encode_part, v.parts, cx, at + 'parts.') };
    if (v.contextId !== undefined) w.contextId = v.contextId;
    if (v.taskId !== undefined) w.taskId = v.taskId;
    if (v.referenceTaskIds !== undefined) w.referenceTaskIds = v.referenceTaskIds;
    if (v.extensions !== undefined) w.extensions = v.extensions;
    const metadata_w = v.metadata !== undefined ? message_metadata_of.encode(v.metadata, cx, '') : undefined;
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  function decode_artifact(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = { artifactId: w.artifactId, parts: k.decodeList(decode_part, w.parts, cx, 'parts') };
      if (w.name) v.name = w.name;
      if (w.description) v.description = w.description;
      if (w.extensions?.length) v.extensions = w.extensions;
      p = 'metadata';
      const metadata_v = w.metadata ? artifact_metadata_of.decode(w.metadata, cx) : undefined;
      if (metadata_v !== undefined) v.metadata = metadata_v;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_artifact(v: any, cx: any, at: string): any {
    const w: any = { artifactId: v.artifactId, parts: k.encodeList(encode_part, v.parts, cx, at + 'parts.') };
    if (v.name !== undefined) w.name = v.name;
    if (v.description !== undefined) w.description = v.description;
    if (v.extensions !== undefined) w.extensions = v.extensions;
    const metadata_w = v.metadata !== undefined ? artifact_metadata_of.encode(v.metadata, cx, '') : undefined;
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  function decode_status(w: any, cx: any): any {
    let p = 'state';
    try {
      const v: any = { state: status_state_of.decode(w.state, cx) };
      p = 'message';
      if (w.message) v.message = decode_message(w.message, cx);
      p = 'timestamp';
      const timestamp_v = w.timestamp ? status_timestamp_of.decode(w.timestamp, cx) : undefined;
      if (timestamp_v !== undefined) v.timestamp = timestamp_v;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_status(v: any, cx: any, at: string): any {
    const w: any = { state: status_state_of.encode(v.state, cx, '') };
    if (v.message !== undefined) w.message = encode_message(v.message, cx, at + 'message.');
    if (v.timestamp !== undefined) w.timestamp = v.timestamp;
    return w;
  }

  function decode_task(w: any, cx: any): any {
    let p = 'status';
    try {
      const v: any = { id: w.id };
      if (w.contextId) v.contextId = w.contextId;
      v.status = decode_status(w.status, cx);
      p = '';
      if (w.artifacts?.length) v.artifacts = k.decodeList(decode_artifact, w.artifacts, cx, 'artifacts');
      if (w.history?.length) v.history = k.decodeList(decode_message, w.history, cx, 'history');
      const metadata_v = task_metadata_whole.decode(w, cx, v, codecs);
      if (metadata_v !== undefined) v.metadata = metadata_v;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_task(v: any, cx: any, at: string): any {
    if (v.generation) cx.losses.add(at + 'generation');
    const w: any = { kind: 'task', id: v.id, contextId: (v.contextId ?? ''), status: encode_status(v.status, cx, at + 'status.') };
    if (v.artifacts !== undefined) w.artifacts = k.encodeList(encode_artifact, v.artifacts, cx, at + 'artifacts.');
    if (v.history !== undefined) w.history = k.encodeList(encode_message, v.history, cx, at + 'history.');
    const metadata_w = v.metadata !== undefined ? task_metadata_whole.encode(v, cx, w, at, codecs) : undefined;
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  function decode_statusUpdate(w: any, cx: any): any {
    let p = 'status';
    try {
      const v: any = { taskId: w.taskId, contextId: (w.contextId ?? ''), status: decode_status(w.status, cx) };
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
    const w: any = { kind: 'status-update', taskId: v.taskId, contextId: (v.contextId ?? ''), status: encode_status(v.status, cx, at + 'status.') };
    const final_w = statusUpdate_final_whole.encode(v, cx, w, at, codecs);
    if (final_w !== undefined) w.final = final_w;
    const metadata_w = v.metadata !== undefined ? statusUpdate_metadata_whole.encode(v, cx, w, at, codecs) : undefined;
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  function decode_artifactUpdate(w: any, cx: any): any {
    let p = 'artifact';
    try {
      const v: any = { taskId: w.taskId, contextId: (w.contextId ?? ''), artifact: decode_artifact(w.artifact, cx) };
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
    const w: any = { kind: 'artifact-update', taskId: v.taskId, contextId: (v.contextId ?? ''), artifact: encode_artifact(v.artifact, cx, at + 'artifact.') };
    if (v.append !== undefined) w.append = v.append;
    if (v.lastChunk !== undefined) w.lastChunk = v.lastChunk;
    const metadata_w = v.metadata !== undefined ? artifactUpdate_metadata_of.encode(v.metadata, cx, '') : undefined;
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  const decode_event = (w: any, cx: any): any => event_pair.decode(w, cx, codecs);
  const encode_event = (v: any, cx: any, at: string): any => event_pair.encode(v, cx, at, codecs);

  const decode_authentication = (w: any, cx: any): any => authentication_pair.decode(w, cx, codecs);
  const encode_authentication = (v: any, cx: any, at: string): any => authentication_pair.encode(v, cx, at, codecs);

  function decode_pushConfig(w: any, cx: any): any {
    try {
      const v: any = { url: w.url };
      if (w.id) v.id = w.id;
      if (w.token) v.token = w.token;
      const authentication_v = w.authentication ? decode_authentication(w.authentication, cx) : undefined;
      if (authentication_v !== undefined) v.authentication = authentication_v;
      return v;
    } catch (thrown) {
      throw k.below('authentication', thrown);
    }
  }
  function encode_pushConfig(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    if (v.taskId) cx.losses.add(at + 'taskId');
    const w: any = { url: v.url };
    if (v.id !== undefined) w.id = v.id;
    if (v.token !== undefined) w.token = v.token;
    if (v.authentication !== undefined) w.authentication = encode_authentication(v.authentication, cx, at + 'authentication.');
    return w;
  }

  function decode_taskPushConfig(w: any, cx: any): any {
    const v: any = {};
    if (w.taskId) v.taskId = w.taskId;
    taskPushConfig_pushNotificationConfig_whole.decode(w, cx, v, codecs);
    return v;
  }
  function encode_taskPushConfig(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = { taskId: (v.taskId ?? '') };
    const pushNotificationConfig_w = taskPushConfig_pushNotificationConfig_whole.encode(v, cx, w, at, codecs);
    if (pushNotificationConfig_w !== undefined) w.pushNotificationConfig = pushNotificationConfig_w;
    return w;
  }

  function decode_configuration(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = {};
      const returnImmediately_v = configuration_returnImmediately_whole.decode(w, cx, v, codecs);
      if (returnImmediately_v !== undefined) v.returnImmediately = returnImmediately_v;
      if (w.acceptedOutputModes?.length) v.acceptedOutputModes = w.acceptedOutputModes;
      p = 'historyLength';
      const historyLength_v = w.historyLength != null ? configuration_historyLength_of.decode(w.historyLength, cx) : undefined;
      if (historyLength_v !== undefined) v.historyLength = historyLength_v;
      p = 'pushNotificationConfig';
      if (w.pushNotificationConfig) v.taskPushNotificationConfig = decode_pushConfig(w.pushNotificationConfig, cx);
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_configuration(v: any, cx: any, at: string): any {
    if (v.ifGenerationMatch !== undefined) cx.losses.add(at + 'ifGenerationMatch');
    const w: any = {};
    const blocking_w = configuration_returnImmediately_whole.encode(v, cx, w, at, codecs);
    if (blocking_w !== undefined) w.blocking = blocking_w;
    if (v.acceptedOutputModes !== undefined) w.acceptedOutputModes = v.acceptedOutputModes;
    const historyLength_w = v.historyLength !== undefined ? configuration_historyLength_of.encode(v.historyLength, cx, at + 'historyLength') : undefined;
    if (historyLength_w !== undefined) w.historyLength = historyLength_w;
    if (v.taskPushNotificationConfig !== undefined) w.pushNotificationConfig = encode_pushConfig(v.taskPushNotificationConfig, cx, at + 'taskPushNotificationConfig.');
    return w;
  }

  function decode_sendMessage(w: any, cx: any): any {
    let p = 'message';
    try {
      const v: any = { message: decode_message(w.message, cx) };
      p = 'configuration';
      if (w.configuration) v.configuration = decode_configuration(w.configuration, cx);
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
    if (v.configuration !== undefined) w.configuration = encode_configuration(v.configuration, cx, at + 'configuration.');
    const metadata_w = v.metadata !== undefined ? sendMessage_metadata_of.encode(v.metadata, cx, '') : undefined;
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  function decode_getTask(w: any, cx: any): any {
    try {
      const v: any = { id: w.id };
      const historyLength_v = w.historyLength != null ? getTask_historyLength_of.decode(w.historyLength, cx) : undefined;
      if (historyLength_v !== undefined) v.historyLength = historyLength_v;
      return v;
    } catch (thrown) {
      throw k.below('historyLength', thrown);
    }
  }
  function encode_getTask(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    if (v.currentGeneration !== undefined) cx.losses.add(at + 'currentGeneration');
    const w: any = { id: v.id };
    const historyLength_w = v.historyLength !== undefined ? getTask_historyLength_of.encode(v.historyLength, cx, at + 'historyLength') : undefined;
    if (historyLength_w !== undefined) w.historyLength = historyLength_w;
    return w;
  }

  function decode_cancelTask(w: any, cx: any): any {
    try {
      const v: any = { id: w.id };
      const metadata_v = w.metadata ? cancelTask_metadata_of.decode(w.metadata, cx) : undefined;
      if (metadata_v !== undefined) v.metadata = metadata_v;
      return v;
    } catch (thrown) {
      throw k.below('metadata', thrown);
    }
  }
  function encode_cancelTask(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = { id: v.id };
    const metadata_w = v.metadata !== undefined ? cancelTask_metadata_of.encode(v.metadata, cx, '') : undefined;
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  function decode_subscribe(w: any, cx: any): any {
    return { id: w.id };
  }
  function encode_subscribe(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    return { id: v.id };
  }

  function decode_getPush(w: any, cx: any): any {
    const v: any = { taskId: w.id };
    const id_v = getPush_id_whole.decode(w, cx, v, codecs);
    if (id_v !== undefined) v.id = id_v;
    return v;
  }
  function encode_getPush(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = { id: v.taskId };
    const pushNotificationConfigId_w = getPush_id_whole.encode(v, cx, w, at, codecs);
    if (pushNotificationConfigId_w !== undefined) w.pushNotificationConfigId = pushNotificationConfigId_w;
    return w;
  }

  function decode_deletePush(w: any, cx: any): any {
    const v: any = { taskId: w.id };
    const id_v = deletePush_id_whole.decode(w, cx, v, codecs);
    if (id_v !== undefined) v.id = id_v;
    return v;
  }
  function encode_deletePush(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = { id: v.taskId };
    const pushNotificationConfigId_w = deletePush_id_whole.encode(v, cx, w, at, codecs);
    if (pushNotificationConfigId_w !== undefined) w.pushNotificationConfigId = pushNotificationConfigId_w;
    return w;
  }

  function decode_listPush(w: any, cx: any): any {
    return { taskId: w.id };
  }
  function encode_listPush(v: any, cx: any, at: string): any {
    if (v.pageSize) cx.losses.add(at + 'pageSize');
    if (v.pageToken) cx.losses.add(at + 'pageToken');
    if (v.tenant) cx.losses.add(at + 'tenant');
    return { id: v.taskId };
  }

  const decode_pushList = (w: any, cx: any): any => pushList_pair.decode(w, cx, codecs);
  function encode_pushList(v: any, cx: any, at: string): any {
    if (v.nextPageToken) cx.losses.add(at + 'nextPageToken');
    return pushList_pair.encode(v, cx, at, codecs);
  }

  function decode_extendedCard(w: any, cx: any): any {
    return {};
  }
  function encode_extendedCard(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    return {};
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
  };
  return codecs;
}
