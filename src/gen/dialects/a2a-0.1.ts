// Generated from the tables of a2a-0.1, and the proto of the newest A2A 1.x, by `npm run generate`. Do not edit.

// biome-ignore-all lint: generated

/** Fields of A2A 1.x that are lost, by type. */
export const losses = {
  message: ['extensions', 'referenceTaskIds', 'messageId', 'taskId', 'contextId', 'parts.url', 'parts.mediaType', 'parts.filename'],
  task: ['generation', 'status.message.extensions', 'status.message.referenceTaskIds', 'status.message.messageId', 'status.message.taskId', 'status.message.contextId', 'status.message.parts.url', 'status.message.parts.mediaType', 'status.message.parts.filename', 'artifacts.extensions', 'artifacts.artifactId', 'artifacts.parts.url', 'artifacts.parts.mediaType', 'artifacts.parts.filename', 'history.extensions', 'history.referenceTaskIds', 'history.messageId', 'history.taskId', 'history.contextId', 'history.parts.url', 'history.parts.mediaType', 'history.parts.filename'],
  event: ['task', 'task.generation', 'task.status.message.extensions', 'task.status.message.referenceTaskIds', 'task.status.message.messageId', 'task.status.message.taskId', 'task.status.message.contextId', 'task.status.message.parts.url', 'task.status.message.parts.mediaType', 'task.status.message.parts.filename', 'task.artifacts.extensions', 'task.artifacts.artifactId', 'task.artifacts.parts.url', 'task.artifacts.parts.mediaType', 'task.artifacts.parts.filename', 'task.history.extensions', 'task.history.referenceTaskIds', 'task.history.messageId', 'task.history.taskId', 'task.history.contextId', 'task.history.parts.url', 'task.history.parts.mediaType', 'task.history.parts.filename', 'message', 'message.extensions', 'message.referenceTaskIds', 'message.messageId', 'message.taskId', 'message.contextId', 'message.parts.url', 'message.parts.mediaType', 'message.parts.filename', 'statusUpdate.generation', 'statusUpdate.contextId', 'statusUpdate.status.message.extensions', 'statusUpdate.status.message.referenceTaskIds', 'statusUpdate.status.message.messageId', 'statusUpdate.status.message.taskId', 'statusUpdate.status.message.contextId', 'statusUpdate.status.message.parts.url', 'statusUpdate.status.message.parts.mediaType', 'statusUpdate.status.message.parts.filename', 'artifactUpdate.generation', 'artifactUpdate.contextId', 'artifactUpdate.artifact.extensions', 'artifactUpdate.artifact.artifactId', 'artifactUpdate.artifact.parts.url', 'artifactUpdate.artifact.parts.mediaType', 'artifactUpdate.artifact.parts.filename'],
  card: ['signatures', 'iconUrl', 'supportedInterfaces', 'capabilities.extendedAgentCard', 'capabilities.extensions', 'securitySchemes', 'securityRequirements', 'skills.securityRequirements'],
  request: ['tenant', 'message.extensions', 'message.referenceTaskIds', 'message.messageId', 'message.taskId', 'message.contextId', 'message.parts.url', 'message.parts.mediaType', 'message.parts.filename', 'configuration.ifGenerationMatch', 'configuration.taskPushNotificationConfig.tenant', 'configuration.taskPushNotificationConfig.id', 'configuration.taskPushNotificationConfig.taskId', 'configuration.returnImmediately', 'currentGeneration', 'id'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The codecs of the tables. */
export function compile(t: any, k: any): any {
  const part_pair = t.part.pair;
  const message_messageId_made = t.message.rows.messageId.made;
  const message_role_of = t.message.rows.role.of;
  const message_parts_made = t.message.rows.parts.made;
  const message_metadata_whole = t.message.rows.metadata.whole;
  const artifact_artifactId_whole = t.artifact.rows.artifactId.whole;
  const artifact_parts_made = t.artifact.rows.parts.made;
  const artifact_metadata_whole = t.artifact.rows.metadata.whole;
  const status_state_of = t.status.rows.state.of;
  const status_timestamp_of = t.status.rows.timestamp.of;
  const task_metadata_whole = t.task.rows.metadata.whole;
  const statusUpdate_contextId_made = t.statusUpdate.rows.contextId.made;
  const statusUpdate_metadata_whole = t.statusUpdate.rows.metadata.whole;
  const statusUpdate_final_whole = t.statusUpdate.rows.final.whole;
  const artifactUpdate_contextId_made = t.artifactUpdate.rows.contextId.made;
  const artifactUpdate_metadata_of = t.artifactUpdate.rows.metadata.of;
  const authentication_pair = t.authentication.pair;
  const taskPushConfig_pushNotificationConfig_whole = t.taskPushConfig.rows.pushNotificationConfig.whole;
  const configuration_acceptedOutputModes_of = t.configuration.rows.acceptedOutputModes.of;
  const configuration_historyLength_whole = t.configuration.rows.historyLength.whole;
  const sendMessage_metadata_of = t.sendMessage.rows.metadata.of;
  const sendMessage_id_whole = t.sendMessage.rows.id.whole;
  const sendMessage_sessionId_whole = t.sendMessage.rows.sessionId.whole;
  const getTask_historyLength_whole = t.getTask.rows.historyLength.whole;
  const cancelTask_metadata_of = t.cancelTask.rows.metadata.of;
  const getPush_id_whole = t.getPush.rows.id.whole;
  const provider_url_of = t.provider.rows.url.of;
  const capabilities_extensions_whole = t.capabilities.rows.extensions.whole;
  const skill_description_of = t.skill.rows.description.of;
  const skill_inputModes_of = t.skill.rows.inputModes.of;
  const skill_outputModes_of = t.skill.rows.outputModes.of;
  const card_description_of = t.card.rows.description.of;
  const card_supportedInterfaces_whole = t.card.rows.supportedInterfaces.whole;
  const card_authentication_whole = t.card.rows.authentication.whole;
  const card_defaultInputModes_made = t.card.rows.defaultInputModes.made;
  const card_defaultInputModes_of = t.card.rows.defaultInputModes.of;
  const card_defaultOutputModes_made = t.card.rows.defaultOutputModes.made;
  const card_defaultOutputModes_of = t.card.rows.defaultOutputModes.of;

  const decode_part = (w: any, cx: any): any => part_pair.decode(w, cx, codecs);
  const encode_part = (v: any, cx: any, at: string): any => part_pair.encode(v, cx, at, codecs);

  function decode_message(w: any, cx: any): any {
    let p = '';
    try {
      if (!w.role) throw k.missing('role');
      p = 'role';
      const role = message_role_of.decode(w.role, cx);
      p = '';
      const v: any = { messageId: message_messageId_made(), role, parts: w.parts?.length ? k.decodeList(decode_part, w.parts, cx, 'parts') : message_parts_made() };
      const metadata_v = message_metadata_whole.decode(w, cx, v, codecs);
      if (metadata_v !== undefined) v.metadata = metadata_v;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_message(v: any, cx: any, at: string): any {
    if (v.extensions?.length) cx.losses.add(at + 'extensions');
    if (v.referenceTaskIds?.length) cx.losses.add(at + 'referenceTaskIds');
    if (cx.unreported && v.messageId) cx.unreported.add(at + 'messageId');
    const w: any = { role: message_role_of.encode(v.role, cx, ''), parts: k.encodeList(encode_part, (v.parts ?? []), cx, at + 'parts.') };
    const metadata_w = v.metadata !== undefined ? message_metadata_whole.encode(v, cx, w, at, codecs) : undefined;
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  function decode_artifact(w: any, cx: any): any {
    const v: any = {};
    const artifactId_v = artifact_artifactId_whole.decode(w, cx, v, codecs);
    if (artifactId_v !== undefined) v.artifactId = artifactId_v;
    if (w.name) v.name = w.name;
    if (w.description) v.description = w.description;
    v.parts = w.parts?.length ? k.decodeList(decode_part, w.parts, cx, 'parts') : artifact_parts_made();
    const metadata_v = artifact_metadata_whole.decode(w, cx, v, codecs);
    if (metadata_v !== undefined) v.metadata = metadata_v;
    return v;
  }
  function encode_artifact(v: any, cx: any, at: string): any {
    if (v.extensions?.length) cx.losses.add(at + 'extensions');
    const w: any = {};
    if (v.name) w.name = v.name;
    if (v.description) w.description = v.description;
    w.parts = k.encodeList(encode_part, (v.parts ?? []), cx, at + 'parts.');
    const metadata_w = v.metadata !== undefined ? artifact_metadata_whole.encode(v, cx, w, at, codecs) : undefined;
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  function decode_status(w: any, cx: any): any {
    let p = '';
    try {
      if (!w.state) throw k.missing('state');
      p = 'state';
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
      if (w.sessionId) v.contextId = w.sessionId;
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
    const w: any = { id: v.id };
    if (v.contextId) w.sessionId = v.contextId;
    w.status = encode_status(v.status, cx, at + 'status.');
    if (v.artifacts?.length) w.artifacts = k.encodeList(encode_artifact, v.artifacts, cx, at + 'artifacts.');
    w.history = k.encodeList(encode_message, (v.history ?? []), cx, at + 'history.');
    const metadata_w = task_metadata_whole.encode(v, cx, w, at, codecs);
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  function decode_statusUpdate(w: any, cx: any): any {
    let p = 'status';
    try {
      const v: any = { taskId: w.id, contextId: statusUpdate_contextId_made(), status: decode_status(w.status, cx) };
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
    if (cx.unreported && v.contextId) cx.unreported.add(at + 'contextId');
    const w: any = { id: v.taskId, status: encode_status(v.status, cx, at + 'status.') };
    const final_w = statusUpdate_final_whole.encode(v, cx, w, at, codecs);
    if (final_w !== undefined) w.final = final_w;
    const metadata_w = statusUpdate_metadata_whole.encode(v, cx, w, at, codecs);
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  function decode_artifactUpdate(w: any, cx: any): any {
    let p = 'artifact';
    try {
      const v: any = { taskId: w.id, contextId: artifactUpdate_contextId_made(), artifact: decode_artifact(w.artifact, cx) };
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
    if (cx.unreported && v.contextId) cx.unreported.add(at + 'contextId');
    const w: any = { id: v.taskId, artifact: encode_artifact(v.artifact, cx, at + 'artifact.') };
    const metadata_w = v.metadata !== undefined ? artifactUpdate_metadata_of.encode(v.metadata, cx, '') : undefined;
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  const decode_authentication = (w: any, cx: any): any => authentication_pair.decode(w, cx, codecs);
  const encode_authentication = (v: any, cx: any, at: string): any => authentication_pair.encode(v, cx, at, codecs);

  function decode_pushConfig(w: any, cx: any): any {
    try {
      const v: any = { url: w.url };
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
    if (cx.unreported && v.taskId) cx.unreported.add(at + 'taskId');
    const w: any = { url: v.url };
    if (v.token) w.token = v.token;
    if (v.authentication !== undefined) w.authentication = encode_authentication(v.authentication, cx, at + 'authentication.');
    return w;
  }

  function decode_taskPushConfig(w: any, cx: any): any {
    const v: any = {};
    if (w.id) v.taskId = w.id;
    taskPushConfig_pushNotificationConfig_whole.decode(w, cx, v, codecs);
    return v;
  }
  function encode_taskPushConfig(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    const w: any = { id: (v.taskId ?? '') };
    const pushNotificationConfig_w = taskPushConfig_pushNotificationConfig_whole.encode(v, cx, w, at, codecs);
    if (pushNotificationConfig_w !== undefined) w.pushNotificationConfig = pushNotificationConfig_w;
    return w;
  }

  function decode_configuration(w: any, cx: any): any {
    let p = 'acceptedOutputModes';
    try {
      const v: any = {};
      const acceptedOutputModes_v = w.acceptedOutputModes?.length ? configuration_acceptedOutputModes_of.decode(w.acceptedOutputModes, cx) : undefined;
      if (acceptedOutputModes_v !== undefined) v.acceptedOutputModes = acceptedOutputModes_v;
      p = 'pushNotification';
      if (w.pushNotification) v.taskPushNotificationConfig = decode_pushConfig(w.pushNotification, cx);
      p = '';
      const historyLength_v = configuration_historyLength_whole.decode(w, cx, v, codecs);
      if (historyLength_v !== undefined) v.historyLength = historyLength_v;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_configuration(v: any, cx: any, at: string): any {
    if (v.ifGenerationMatch !== undefined) cx.losses.add(at + 'ifGenerationMatch');
    if (cx.unreported && v.returnImmediately) cx.unreported.add(at + 'returnImmediately');
    const w: any = {};
    if (v.acceptedOutputModes?.length) w.acceptedOutputModes = v.acceptedOutputModes;
    if (v.taskPushNotificationConfig !== undefined) w.pushNotification = encode_pushConfig(v.taskPushNotificationConfig, cx, at + 'taskPushNotificationConfig.');
    const historyLength_w = configuration_historyLength_whole.encode(v, cx, w, at, codecs);
    if (historyLength_w !== undefined) w.historyLength = historyLength_w;
    return w;
  }

  function decode_sendMessage(w: any, cx: any): any {
    let p = 'message';
    try {
      const v: any = { message: decode_message(w.message, cx) };
      p = '';
      v.configuration = decode_configuration(w, cx);
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
    const w: any = {};
    const id_w = sendMessage_id_whole.encode(v, cx, w, at, codecs);
    if (id_w !== undefined) w.id = id_w;
    const sessionId_w = sendMessage_sessionId_whole.encode(v, cx, w, at, codecs);
    if (sessionId_w !== undefined) w.sessionId = sessionId_w;
    w.message = encode_message(v.message, cx, at + 'message.');
    Object.assign(w, encode_configuration((v.configuration ?? {}), cx, at + 'configuration.'));
    const metadata_w = v.metadata !== undefined ? sendMessage_metadata_of.encode(v.metadata, cx, '') : undefined;
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  function decode_getTask(w: any, cx: any): any {
    const v: any = { id: w.id };
    const historyLength_v = getTask_historyLength_whole.decode(w, cx, v, codecs);
    if (historyLength_v !== undefined) v.historyLength = historyLength_v;
    return v;
  }
  function encode_getTask(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    if (v.currentGeneration !== undefined) cx.losses.add(at + 'currentGeneration');
    const w: any = { id: v.id };
    const historyLength_w = getTask_historyLength_whole.encode(v, cx, w, at, codecs);
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
    const id_w = getPush_id_whole.encode(v, cx, w, at, codecs);
    if (id_w !== undefined) w.id = id_w;
    return w;
  }

  function decode_provider(w: any, cx: any): any {
    try {
      return { organization: w.organization, url: provider_url_of.decode(w.url, cx) };
    } catch (thrown) {
      throw k.below('url', thrown);
    }
  }
  function encode_provider(v: any, cx: any, at: string): any {
    const w: any = { organization: v.organization };
    const url_w = v.url ? provider_url_of.encode(v.url, cx, '') : undefined;
    if (url_w !== undefined) w.url = url_w;
    return w;
  }

  function decode_capabilities(w: any, cx: any): any {
    const v: any = {};
    if (w.streaming != null) v.streaming = w.streaming;
    if (w.pushNotifications != null) v.pushNotifications = w.pushNotifications;
    return v;
  }
  function encode_capabilities(v: any, cx: any, at: string): any {
    if (v.extendedAgentCard !== undefined) cx.losses.add(at + 'extendedAgentCard');
    const w: any = {};
    if (v.streaming !== undefined) w.streaming = v.streaming;
    if (v.pushNotifications !== undefined) w.pushNotifications = v.pushNotifications;
    const extensions_w = capabilities_extensions_whole.encode(v, cx, w, at, codecs);
    if (extensions_w !== undefined) w.extensions = extensions_w;
    return w;
  }

  function decode_skill(w: any, cx: any): any {
    let p = 'description';
    try {
      const v: any = { id: w.id, name: w.name, description: skill_description_of.decode(w.description, cx), tags: (w.tags ?? []) };
      if (w.examples?.length) v.examples = w.examples;
      p = 'inputModes';
      const inputModes_v = w.inputModes?.length ? skill_inputModes_of.decode(w.inputModes, cx) : undefined;
      if (inputModes_v !== undefined) v.inputModes = inputModes_v;
      p = 'outputModes';
      const outputModes_v = w.outputModes?.length ? skill_outputModes_of.decode(w.outputModes, cx) : undefined;
      if (outputModes_v !== undefined) v.outputModes = outputModes_v;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_skill(v: any, cx: any, at: string): any {
    if (v.securityRequirements?.length) cx.losses.add(at + 'securityRequirements');
    const w: any = { id: v.id, name: v.name };
    const description_w = v.description ? skill_description_of.encode(v.description, cx, '') : undefined;
    if (description_w !== undefined) w.description = description_w;
    if (v.tags?.length) w.tags = v.tags;
    if (v.examples?.length) w.examples = v.examples;
    if (v.inputModes?.length) w.inputModes = v.inputModes;
    if (v.outputModes?.length) w.outputModes = v.outputModes;
    return w;
  }

  function decode_card(w: any, cx: any): any {
    let p = 'description';
    try {
      const v: any = { name: w.name, description: card_description_of.decode(w.description, cx) };
      p = '';
      const supportedInterfaces_v = card_supportedInterfaces_whole.decode(w, cx, v, codecs);
      if (supportedInterfaces_v !== undefined) v.supportedInterfaces = supportedInterfaces_v;
      p = 'provider';
      if (w.provider) v.provider = decode_provider(w.provider, cx);
      v.version = w.version;
      if (w.documentationUrl != null) v.documentationUrl = w.documentationUrl;
      p = 'capabilities';
      v.capabilities = decode_capabilities(w.capabilities, cx);
      p = '';
      card_authentication_whole.decode(w, cx, v, codecs);
      p = 'defaultInputModes';
      v.defaultInputModes = w.defaultInputModes ? card_defaultInputModes_of.decode(w.defaultInputModes, cx) : card_defaultInputModes_made();
      p = 'defaultOutputModes';
      v.defaultOutputModes = w.defaultOutputModes ? card_defaultOutputModes_of.decode(w.defaultOutputModes, cx) : card_defaultOutputModes_made();
      p = '';
      v.skills = k.decodeList(decode_skill, (w.skills ?? []), cx, 'skills');
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_card(v: any, cx: any, at: string): any {
    if (v.signatures?.length) cx.losses.add(at + 'signatures');
    if (v.iconUrl !== undefined) cx.losses.add(at + 'iconUrl');
    const w: any = { name: v.name };
    const description_w = v.description ? card_description_of.encode(v.description, cx, '') : undefined;
    if (description_w !== undefined) w.description = description_w;
    const url_w = card_supportedInterfaces_whole.encode(v, cx, w, at, codecs);
    if (url_w !== undefined) w.url = url_w;
    if (v.provider !== undefined) w.provider = encode_provider(v.provider, cx, at + 'provider.');
    w.version = v.version;
    if (v.documentationUrl !== undefined) w.documentationUrl = v.documentationUrl;
    w.capabilities = encode_capabilities(v.capabilities, cx, at + 'capabilities.');
    const authentication_w = card_authentication_whole.encode(v, cx, w, at, codecs);
    if (authentication_w !== undefined) w.authentication = authentication_w;
    w.defaultInputModes = v.defaultInputModes;
    w.defaultOutputModes = v.defaultOutputModes;
    w.skills = k.encodeList(encode_skill, (v.skills ?? []), cx, at + 'skills.');
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
    authentication: { decode: decode_authentication, encode: encode_authentication },
    pushConfig: { decode: decode_pushConfig, encode: encode_pushConfig },
    taskPushConfig: { decode: decode_taskPushConfig, encode: encode_taskPushConfig },
    configuration: { decode: decode_configuration, encode: encode_configuration },
    sendMessage: { decode: decode_sendMessage, encode: encode_sendMessage },
    getTask: { decode: decode_getTask, encode: encode_getTask },
    cancelTask: { decode: decode_cancelTask, encode: encode_cancelTask },
    subscribe: { decode: decode_subscribe, encode: encode_subscribe },
    getPush: { decode: decode_getPush, encode: encode_getPush },
    provider: { decode: decode_provider, encode: encode_provider },
    capabilities: { decode: decode_capabilities, encode: encode_capabilities },
    skill: { decode: decode_skill, encode: encode_skill },
    card: { decode: decode_card, encode: encode_card },
  };
  return codecs;
}
