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
    let p = '';
    try {
      const messageId = w.messageId || message_messageId_made();
      p = 'role';
      const role = message_role_of.decode(w.role, cx);
      p = '';
      const parts = k.decodeList(decode_part, w.parts, cx, 'parts');
      const v: any = { messageId, role, parts };
      if (w.contextId) v.contextId = w.contextId;
      if (w.taskId) v.taskId = w.taskId;
      if (w.referenceTaskIds?.length) v.referenceTaskIds = w.referenceTaskIds;
      if (w.extensions?.length) v.extensions = w.extensions;
      p = 'metadata';
      if (w.metadata) {
        const x = message_metadata_of.decode(w.metadata, cx);
        if (x !== undefined) v.metadata = x;
      }
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
    if (v.metadata !== undefined) {
      const x = message_metadata_of.encode(v.metadata, cx, '');
      if (x !== undefined) w.metadata = x;
    }
    return w;
  }

  function decode_artifact(w: any, cx: any): any {
    let p = '';
    try {
      const artifactId = w.artifactId;
      p = '';
      const parts = k.decodeList(decode_part, w.parts, cx, 'parts');
      const v: any = { artifactId, parts };
      if (w.name) v.name = w.name;
      if (w.description) v.description = w.description;
      if (w.extensions?.length) v.extensions = w.extensions;
      p = 'metadata';
      if (w.metadata) {
        const x = artifact_metadata_of.decode(w.metadata, cx);
        if (x !== undefined) v.metadata = x;
      }
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
    if (v.metadata !== undefined) {
      const x = artifact_metadata_of.encode(v.metadata, cx, '');
      if (x !== undefined) w.metadata = x;
    }
    return w;
  }

  function decode_status(w: any, cx: any): any {
    let p = '';
    try {
      p = 'state';
      const state = status_state_of.decode(w.state, cx);
      const v: any = { state };
      p = 'message';
      if (w.message) v.message = decode_message(w.message, cx);
      p = 'timestamp';
      if (w.timestamp) {
        const x = status_timestamp_of.decode(w.timestamp, cx);
        if (x !== undefined) v.timestamp = x;
      }
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
    let p = '';
    try {
      const id = w.id;
      const v: any = { id };
      if (w.contextId) v.contextId = w.contextId;
      p = 'status';
      v.status = decode_status(w.status, cx);
      p = '';
      if (w.artifacts?.length) v.artifacts = k.decodeList(decode_artifact, w.artifacts, cx, 'artifacts');
      p = '';
      if (w.history?.length) v.history = k.decodeList(decode_message, w.history, cx, 'history');
      p = '';
      const metadata = task_metadata_whole.decode(w, cx, v, codecs);
      if (metadata !== undefined) v.metadata = metadata;
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
    if (v.metadata !== undefined) {
      const metadata_w = task_metadata_whole.encode(v, cx, w, at, codecs);
      if (metadata_w !== undefined) w.metadata = metadata_w;
    }
    return w;
  }

  function decode_statusUpdate(w: any, cx: any): any {
    let p = '';
    try {
      const taskId = w.taskId;
      const contextId = (w.contextId ?? '');
      p = 'status';
      const status = decode_status(w.status, cx);
      const v: any = { taskId, contextId, status };
      p = '';
      const metadata = statusUpdate_metadata_whole.decode(w, cx, v, codecs);
      if (metadata !== undefined) v.metadata = metadata;
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
    if (v.metadata !== undefined) {
      const metadata_w = statusUpdate_metadata_whole.encode(v, cx, w, at, codecs);
      if (metadata_w !== undefined) w.metadata = metadata_w;
    }
    return w;
  }

  function decode_artifactUpdate(w: any, cx: any): any {
    let p = '';
    try {
      const taskId = w.taskId;
      const contextId = (w.contextId ?? '');
      p = 'artifact';
      const artifact = decode_artifact(w.artifact, cx);
      const v: any = { taskId, contextId, artifact };
      if (w.append) v.append = w.append;
      if (w.lastChunk) v.lastChunk = w.lastChunk;
      p = 'metadata';
      if (w.metadata) {
        const x = artifactUpdate_metadata_of.decode(w.metadata, cx);
        if (x !== undefined) v.metadata = x;
      }
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
    if (v.metadata !== undefined) {
      const x = artifactUpdate_metadata_of.encode(v.metadata, cx, '');
      if (x !== undefined) w.metadata = x;
    }
    return w;
  }

  const decode_event = (w: any, cx: any): any => event_pair.decode(w, cx, codecs);
  const encode_event = (v: any, cx: any, at: string): any => event_pair.encode(v, cx, at, codecs);

  const decode_authentication = (w: any, cx: any): any => authentication_pair.decode(w, cx, codecs);
  const encode_authentication = (v: any, cx: any, at: string): any => authentication_pair.encode(v, cx, at, codecs);

  function decode_pushConfig(w: any, cx: any): any {
    let p = '';
    try {
      const url = w.url;
      const v: any = { url };
      if (w.id) v.id = w.id;
      if (w.token) v.token = w.token;
      p = 'authentication';
      if (w.authentication) {
        const x = decode_authentication(w.authentication, cx);
        if (x !== undefined) v.authentication = x;
      }
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
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
    let p = '';
    try {
      const v: any = {  };
      if (w.taskId) v.taskId = w.taskId;
      p = '';
      taskPushConfig_pushNotificationConfig_whole.decode(w, cx, v, codecs);
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
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
      const v: any = {  };
      p = '';
      const returnImmediately = configuration_returnImmediately_whole.decode(w, cx, v, codecs);
      if (returnImmediately !== undefined) v.returnImmediately = returnImmediately;
      if (w.acceptedOutputModes?.length) v.acceptedOutputModes = w.acceptedOutputModes;
      p = 'historyLength';
      if (w.historyLength != null) {
        const x = configuration_historyLength_of.decode(w.historyLength, cx);
        if (x !== undefined) v.historyLength = x;
      }
      p = 'pushNotificationConfig';
      if (w.pushNotificationConfig) v.taskPushNotificationConfig = decode_pushConfig(w.pushNotificationConfig, cx);
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_configuration(v: any, cx: any, at: string): any {
    if (v.ifGenerationMatch !== undefined) cx.losses.add(at + 'ifGenerationMatch');
    const w: any = {  };
    const returnImmediately_w = configuration_returnImmediately_whole.encode(v, cx, w, at, codecs);
    if (returnImmediately_w !== undefined) w.blocking = returnImmediately_w;
    if (v.acceptedOutputModes !== undefined) w.acceptedOutputModes = v.acceptedOutputModes;
    if (v.historyLength !== undefined) {
      const x = configuration_historyLength_of.encode(v.historyLength, cx, at + 'historyLength');
      if (x !== undefined) w.historyLength = x;
    }
    if (v.taskPushNotificationConfig !== undefined) w.pushNotificationConfig = encode_pushConfig(v.taskPushNotificationConfig, cx, at + 'taskPushNotificationConfig.');
    return w;
  }

  function decode_sendMessage(w: any, cx: any): any {
    let p = '';
    try {
      p = 'message';
      const message = decode_message(w.message, cx);
      const v: any = { message };
      p = 'configuration';
      if (w.configuration) v.configuration = decode_configuration(w.configuration, cx);
      p = 'metadata';
      if (w.metadata) {
        const x = sendMessage_metadata_of.decode(w.metadata, cx);
        if (x !== undefined) v.metadata = x;
      }
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_sendMessage(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = { message: encode_message(v.message, cx, at + 'message.') };
    if (v.configuration !== undefined) w.configuration = encode_configuration(v.configuration, cx, at + 'configuration.');
    if (v.metadata !== undefined) {
      const x = sendMessage_metadata_of.encode(v.metadata, cx, '');
      if (x !== undefined) w.metadata = x;
    }
    return w;
  }

  function decode_getTask(w: any, cx: any): any {
    let p = '';
    try {
      const id = w.id;
      const v: any = { id };
      p = 'historyLength';
      if (w.historyLength != null) {
        const x = getTask_historyLength_of.decode(w.historyLength, cx);
        if (x !== undefined) v.historyLength = x;
      }
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_getTask(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    if (v.currentGeneration !== undefined) cx.losses.add(at + 'currentGeneration');
    const w: any = { id: v.id };
    if (v.historyLength !== undefined) {
      const x = getTask_historyLength_of.encode(v.historyLength, cx, at + 'historyLength');
      if (x !== undefined) w.historyLength = x;
    }
    return w;
  }

  function decode_cancelTask(w: any, cx: any): any {
    let p = '';
    try {
      const id = w.id;
      const v: any = { id };
      p = 'metadata';
      if (w.metadata) {
        const x = cancelTask_metadata_of.decode(w.metadata, cx);
        if (x !== undefined) v.metadata = x;
      }
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_cancelTask(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = { id: v.id };
    if (v.metadata !== undefined) {
      const x = cancelTask_metadata_of.encode(v.metadata, cx, '');
      if (x !== undefined) w.metadata = x;
    }
    return w;
  }

  function decode_subscribe(w: any, cx: any): any {
    let p = '';
    try {
      const id = w.id;
      const v: any = { id };
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_subscribe(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = { id: v.id };
    return w;
  }

  function decode_getPush(w: any, cx: any): any {
    let p = '';
    try {
      const taskId = w.id;
      const v: any = { taskId };
      p = '';
      const id = getPush_id_whole.decode(w, cx, v, codecs);
      if (id !== undefined) v.id = id;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_getPush(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = { id: v.taskId };
    const id_w = getPush_id_whole.encode(v, cx, w, at, codecs);
    if (id_w !== undefined) w.pushNotificationConfigId = id_w;
    return w;
  }

  function decode_deletePush(w: any, cx: any): any {
    let p = '';
    try {
      const taskId = w.id;
      const v: any = { taskId };
      p = '';
      const id = deletePush_id_whole.decode(w, cx, v, codecs);
      if (id !== undefined) v.id = id;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_deletePush(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = { id: v.taskId };
    const id_w = deletePush_id_whole.encode(v, cx, w, at, codecs);
    if (id_w !== undefined) w.pushNotificationConfigId = id_w;
    return w;
  }

  function decode_listPush(w: any, cx: any): any {
    let p = '';
    try {
      const taskId = w.id;
      const v: any = { taskId };
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_listPush(v: any, cx: any, at: string): any {
    if (v.pageSize) cx.losses.add(at + 'pageSize');
    if (v.pageToken) cx.losses.add(at + 'pageToken');
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = { id: v.taskId };
    return w;
  }

  const decode_pushList = (w: any, cx: any): any => pushList_pair.decode(w, cx, codecs);
  function encode_pushList(v: any, cx: any, at: string): any {
    if (v.nextPageToken) cx.losses.add(at + 'nextPageToken');
    return pushList_pair.encode(v, cx, at, codecs);
  }

  function decode_extendedCard(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = {  };
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_extendedCard(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = {  };
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
