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
    let p = '';
    try {
      const messageId = w.messageId || message_messageId_made();
      const v: any = { messageId };
      if (w.contextId) v.contextId = w.contextId;
      if (w.taskId) v.taskId = w.taskId;
      p = 'role';
      v.role = message_role_of.decode(w.role, cx);
      p = '';
      v.parts = k.decodeList(decode_part, (w.content ?? []), cx, 'content');
      p = 'metadata';
      if (w.metadata) {
        const x = message_metadata_of.decode(w.metadata, cx);
        if (x !== undefined) v.metadata = x;
      }
      if (w.extensions?.length) v.extensions = w.extensions;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_message(v: any, cx: any, at: string): any {
    if (v.referenceTaskIds?.length) cx.losses.add(at + 'referenceTaskIds');
    const w: any = {  };
    if (v.messageId) w.messageId = v.messageId;
    if (v.contextId) w.contextId = v.contextId;
    if (v.taskId) w.taskId = v.taskId;
    if (v.role) {
      const x = message_role_of.encode(v.role, cx, '');
      if (x !== undefined) w.role = x;
    }
    if (v.parts?.length) w.content = k.encodeList(encode_part, v.parts, cx, at + 'parts.');
    if (v.metadata !== undefined) {
      const x = message_metadata_of.encode(v.metadata, cx, '');
      if (x !== undefined) w.metadata = x;
    }
    if (v.extensions?.length) w.extensions = v.extensions;
    return w;
  }

  function decode_artifact(w: any, cx: any): any {
    let p = '';
    try {
      p = '';
      if (!w.artifactId) throw k.missing('artifactId');
      const artifactId = w.artifactId;
      const v: any = { artifactId };
      if (w.name) v.name = w.name;
      if (w.description) v.description = w.description;
      p = '';
      v.parts = k.decodeList(decode_part, (w.parts ?? []), cx, 'parts');
      p = 'metadata';
      if (w.metadata) {
        const x = artifact_metadata_of.decode(w.metadata, cx);
        if (x !== undefined) v.metadata = x;
      }
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
    if (v.metadata !== undefined) {
      const x = artifact_metadata_of.encode(v.metadata, cx, '');
      if (x !== undefined) w.metadata = x;
    }
    if (v.extensions?.length) w.extensions = v.extensions;
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
      if (w.timestamp) v.timestamp = w.timestamp;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_status(v: any, cx: any, at: string): any {
    const w: any = {  };
    if (v.state) {
      const x = status_state_of.encode(v.state, cx, '');
      if (x !== undefined) w.state = x;
    }
    if (v.message !== undefined) w.message = encode_message(v.message, cx, at + 'message.');
    if (v.timestamp !== undefined) w.timestamp = v.timestamp;
    return w;
  }

  function decode_task(w: any, cx: any): any {
    let p = '';
    try {
      p = '';
      if (!w.id) throw k.missing('id');
      const id = w.id;
      const v: any = { id };
      if (w.contextId) v.contextId = w.contextId;
      p = 'status';
      v.status = decode_status((w.status ?? {}), cx);
      p = '';
      if (w.artifacts?.length) v.artifacts = k.decodeList(decode_artifact, w.artifacts, cx, 'artifacts');
      p = '';
      if (w.history?.length) v.history = k.decodeList(decode_message, w.history, cx, 'history');
      p = 'metadata';
      if (w.metadata) {
        const x = task_metadata_of.decode(w.metadata, cx);
        if (x !== undefined) v.metadata = x;
      }
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
    if (v.metadata !== undefined) {
      const x = task_metadata_of.encode(v.metadata, cx, '');
      if (x !== undefined) w.metadata = x;
    }
    return w;
  }

  function decode_statusUpdate(w: any, cx: any): any {
    let p = '';
    try {
      p = '';
      if (!w.taskId) throw k.missing('taskId');
      const taskId = w.taskId;
      const contextId = w.contextId || statusUpdate_contextId_made();
      p = 'status';
      const status = decode_status((w.status ?? {}), cx);
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
    const w: any = { taskId: v.taskId };
    if (v.contextId) w.contextId = v.contextId;
    w.status = encode_status(v.status, cx, at + 'status.');
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
      p = '';
      if (!w.taskId) throw k.missing('taskId');
      const taskId = w.taskId;
      const contextId = w.contextId || artifactUpdate_contextId_made();
      p = '';
      if (!w.artifact) throw k.missing('artifact');
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
    const w: any = { taskId: v.taskId };
    if (v.contextId) w.contextId = v.contextId;
    w.artifact = encode_artifact(v.artifact, cx, at + 'artifact.');
    if (v.append) w.append = v.append;
    if (v.lastChunk) w.lastChunk = v.lastChunk;
    if (v.metadata !== undefined) {
      const x = artifactUpdate_metadata_of.encode(v.metadata, cx, '');
      if (x !== undefined) w.metadata = x;
    }
    return w;
  }

  function decode_event(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = {  };
      p = 'task';
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
    const w: any = {  };
    if (v.task !== undefined) w.task = encode_task(v.task, cx, at + 'task.');
    if (v.message !== undefined) w.message = encode_message(v.message, cx, at + 'message.');
    if (v.statusUpdate !== undefined) w.statusUpdate = encode_statusUpdate(v.statusUpdate, cx, at + 'statusUpdate.');
    if (v.artifactUpdate !== undefined) w.artifactUpdate = encode_artifactUpdate(v.artifactUpdate, cx, at + 'artifactUpdate.');
    return w;
  }

  function decode_sent(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = {  };
      p = 'task';
      if (w.task) v.task = decode_task(w.task, cx);
      p = 'message';
      if (w.message) v.message = decode_message(w.message, cx);
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_sent(v: any, cx: any, at: string): any {
    const w: any = {  };
    if (v.task !== undefined) w.task = encode_task(v.task, cx, at + 'task.');
    if (v.message !== undefined) w.message = encode_message(v.message, cx, at + 'message.');
    return w;
  }

  const decode_authentication = (w: any, cx: any): any => authentication_pair.decode(w, cx, codecs);
  const encode_authentication = (v: any, cx: any, at: string): any => authentication_pair.encode(v, cx, at, codecs);

  function decode_pushConfig(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = {  };
      if (w.id) v.id = w.id;
      p = '';
      if (!w.url) throw k.missing('url');
      v.url = w.url;
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
    const w: any = {  };
    if (v.id) w.id = v.id;
    w.url = v.url;
    if (v.token) w.token = v.token;
    if (v.authentication !== undefined) w.authentication = encode_authentication(v.authentication, cx, at + 'authentication.');
    return w;
  }

  function decode_taskPushConfig(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = {  };
      p = '';
      const taskId = taskPushConfig_taskId_whole.decode(w, cx, v, codecs);
      if (taskId !== undefined) v.taskId = taskId;
      p = '';
      taskPushConfig_pushNotificationConfig_whole.decode(w, cx, v, codecs);
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_taskPushConfig(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = {  };
    const taskId_w = taskPushConfig_taskId_whole.encode(v, cx, w, at, codecs);
    if (taskId_w !== undefined) w.name = taskId_w;
    const pushNotificationConfig_w = taskPushConfig_pushNotificationConfig_whole.encode(v, cx, w, at, codecs);
    if (pushNotificationConfig_w !== undefined) w.pushNotificationConfig = pushNotificationConfig_w;
    return w;
  }

  function decode_configuration(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = {  };
      if (w.acceptedOutputModes?.length) v.acceptedOutputModes = w.acceptedOutputModes;
      p = 'pushNotification';
      if (w.pushNotification) v.taskPushNotificationConfig = decode_pushConfig(w.pushNotification, cx);
      p = 'historyLength';
      if (w.historyLength != null) {
        const x = configuration_historyLength_of.decode(w.historyLength, cx);
        if (x !== undefined) v.historyLength = x;
      }
      p = '';
      const returnImmediately = configuration_returnImmediately_whole.decode(w, cx, v, codecs);
      if (returnImmediately !== undefined) v.returnImmediately = returnImmediately;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_configuration(v: any, cx: any, at: string): any {
    if (v.ifGenerationMatch !== undefined) cx.losses.add(at + 'ifGenerationMatch');
    const w: any = {  };
    if (v.acceptedOutputModes?.length) w.acceptedOutputModes = v.acceptedOutputModes;
    if (v.taskPushNotificationConfig !== undefined) w.pushNotification = encode_pushConfig(v.taskPushNotificationConfig, cx, at + 'taskPushNotificationConfig.');
    if (v.historyLength !== undefined) {
      const x = configuration_historyLength_of.encode(v.historyLength, cx, at + 'historyLength');
      if (x !== undefined) w.historyLength = x;
    }
    const returnImmediately_w = configuration_returnImmediately_whole.encode(v, cx, w, at, codecs);
    if (returnImmediately_w !== undefined) w.blocking = returnImmediately_w;
    return w;
  }

  function decode_sendMessage(w: any, cx: any): any {
    let p = '';
    try {
      p = 'message';
      const message = decode_message(w.message, cx);
      const v: any = { message };
      p = '';
      const configuration = sendMessage_configuration_whole.decode(w, cx, v, codecs);
      if (configuration !== undefined) v.configuration = configuration;
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
    const configuration_w = sendMessage_configuration_whole.encode(v, cx, w, at, codecs);
    if (configuration_w !== undefined) w.configuration = configuration_w;
    if (v.metadata !== undefined) {
      const x = sendMessage_metadata_of.encode(v.metadata, cx, '');
      if (x !== undefined) w.metadata = x;
    }
    return w;
  }

  function decode_getTask(w: any, cx: any): any {
    let p = '';
    try {
      p = 'name';
      const id = getTask_id_of.decode(w.name, cx);
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
    const w: any = {  };
    if (v.id) {
      const x = getTask_id_of.encode(v.id, cx, '');
      if (x !== undefined) w.name = x;
    }
    if (v.historyLength !== undefined) {
      const x = getTask_historyLength_of.encode(v.historyLength, cx, at + 'historyLength');
      if (x !== undefined) w.historyLength = x;
    }
    return w;
  }

  function decode_cancelTask(w: any, cx: any): any {
    let p = '';
    try {
      p = 'name';
      const id = cancelTask_id_of.decode(w.name, cx);
      const v: any = { id };
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_cancelTask(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    if (v.metadata !== undefined) cx.losses.add(at + 'metadata');
    const w: any = {  };
    if (v.id) {
      const x = cancelTask_id_of.encode(v.id, cx, '');
      if (x !== undefined) w.name = x;
    }
    return w;
  }

  function decode_subscribe(w: any, cx: any): any {
    let p = '';
    try {
      p = 'name';
      const id = subscribe_id_of.decode(w.name, cx);
      const v: any = { id };
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_subscribe(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = {  };
    if (v.id) {
      const x = subscribe_id_of.encode(v.id, cx, '');
      if (x !== undefined) w.name = x;
    }
    return w;
  }

  function decode_getPush(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = {  };
      p = '';
      const taskId = getPush_taskId_whole.decode(w, cx, v, codecs);
      if (taskId !== undefined) v.taskId = taskId;
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
    const w: any = {  };
    const taskId_w = getPush_taskId_whole.encode(v, cx, w, at, codecs);
    if (taskId_w !== undefined) w.name = taskId_w;
    return w;
  }

  function decode_deletePush(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = {  };
      p = '';
      const taskId = deletePush_taskId_whole.decode(w, cx, v, codecs);
      if (taskId !== undefined) v.taskId = taskId;
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
    const w: any = {  };
    const taskId_w = deletePush_taskId_whole.encode(v, cx, w, at, codecs);
    if (taskId_w !== undefined) w.name = taskId_w;
    return w;
  }

  function decode_listPush(w: any, cx: any): any {
    let p = '';
    try {
      p = 'parent';
      const taskId = listPush_taskId_of.decode(w.parent, cx);
      const v: any = { taskId };
      if (w.pageSize) v.pageSize = w.pageSize;
      if (w.pageToken) v.pageToken = w.pageToken;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_listPush(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = {  };
    if (v.taskId) {
      const x = listPush_taskId_of.encode(v.taskId, cx, '');
      if (x !== undefined) w.parent = x;
    }
    if (v.pageSize) w.pageSize = v.pageSize;
    if (v.pageToken) w.pageToken = v.pageToken;
    return w;
  }

  function decode_pushList(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = {  };
      p = '';
      if (w.configs?.length) v.configs = k.decodeList(decode_taskPushConfig, w.configs, cx, 'configs');
      if (w.nextPageToken) v.nextPageToken = w.nextPageToken;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_pushList(v: any, cx: any, at: string): any {
    const w: any = { configs: k.encodeList(encode_taskPushConfig, (v.configs ?? []), cx, at + 'configs.') };
    if (v.nextPageToken) w.nextPageToken = v.nextPageToken;
    return w;
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

  function decode_provider(w: any, cx: any): any {
    let p = '';
    try {
      const url = w.url;
      const organization = w.organization;
      const v: any = { url, organization };
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_provider(v: any, cx: any, at: string): any {
    const w: any = { url: v.url, organization: v.organization };
    return w;
  }

  function decode_extension(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = {  };
      if (w.uri) v.uri = w.uri;
      if (w.description) v.description = w.description;
      if (w.required) v.required = w.required;
      if (w.params) v.params = w.params;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_extension(v: any, cx: any, at: string): any {
    const w: any = {  };
    if (v.uri) w.uri = v.uri;
    if (v.description) w.description = v.description;
    if (v.required) w.required = v.required;
    if (v.params !== undefined) w.params = v.params;
    return w;
  }

  function decode_capabilities(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = {  };
      if (w.streaming != null) v.streaming = w.streaming;
      if (w.pushNotifications != null) v.pushNotifications = w.pushNotifications;
      p = '';
      const extensions = capabilities_extensions_whole.decode(w, cx, v, codecs);
      if (extensions !== undefined) v.extensions = extensions;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_capabilities(v: any, cx: any, at: string): any {
    const w: any = {  };
    if (v.streaming !== undefined) w.streaming = v.streaming;
    if (v.pushNotifications !== undefined) w.pushNotifications = v.pushNotifications;
    const extensions_w = capabilities_extensions_whole.encode(v, cx, w, at, codecs);
    if (extensions_w !== undefined) w.extensions = extensions_w;
    return w;
  }

  function decode_skill(w: any, cx: any): any {
    let p = '';
    try {
      const id = w.id;
      const name = w.name;
      const description = w.description;
      const tags = (w.tags ?? []);
      const v: any = { id, name, description, tags };
      if (w.examples?.length) v.examples = w.examples;
      if (w.inputModes?.length) v.inputModes = w.inputModes;
      if (w.outputModes?.length) v.outputModes = w.outputModes;
      if (w.security?.length) v.securityRequirements = w.security;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
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
      const name = w.name;
      const description = w.description;
      const v: any = { name, description };
      p = '';
      const supportedInterfaces = card_supportedInterfaces_whole.decode(w, cx, v, codecs);
      if (supportedInterfaces !== undefined) v.supportedInterfaces = supportedInterfaces;
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
      p = '';
      card_supportsAuthenticatedExtendedCard_whole.decode(w, cx, v, codecs);
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_card(v: any, cx: any, at: string): any {
    if (v.signatures?.length) cx.losses.add(at + 'signatures');
    const w: any = {  };
    const protocolVersion_w = card_protocolVersion_whole.encode(v, cx, w, at, codecs);
    if (protocolVersion_w !== undefined) w.protocolVersion = protocolVersion_w;
    w.name = v.name;
    w.description = v.description;
    const supportedInterfaces_w = card_supportedInterfaces_whole.encode(v, cx, w, at, codecs);
    if (supportedInterfaces_w !== undefined) w.url = supportedInterfaces_w;
    if (v.iconUrl !== undefined) w.iconUrl = v.iconUrl;
    if (v.provider !== undefined) w.provider = encode_provider(v.provider, cx, at + 'provider.');
    w.version = v.version;
    if (v.documentationUrl !== undefined) w.documentationUrl = v.documentationUrl;
    w.capabilities = encode_capabilities(v.capabilities, cx, at + 'capabilities.');
    if (v.securitySchemes !== undefined) {
      const x = card_securitySchemes_of.encode(v.securitySchemes, cx, at + 'securitySchemes');
      if (x !== undefined) w.securitySchemes = x;
    }
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
