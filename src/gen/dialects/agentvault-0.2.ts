// Generated from the tables of agentvault-0.2, and the proto of the newest A2A 1.x, by `npm run generate`. Do not edit.

// biome-ignore-all lint: generated

/** Fields of A2A 1.x that are lost, by type. */
export const losses = {
  message: ['extensions', 'referenceTaskIds', 'messageId', 'taskId', 'contextId', 'parts.metadata', 'parts.raw', 'parts.url', 'parts.mediaType', 'parts.filename'],
  task: ['generation', 'contextId', 'status.timestamp', 'status.message', 'history.extensions', 'history.referenceTaskIds', 'history.messageId', 'history.taskId', 'history.contextId', 'history.parts.metadata', 'history.parts.raw', 'history.parts.url', 'history.parts.mediaType', 'history.parts.filename', 'artifacts.description', 'artifacts.extensions', 'artifacts.name', 'artifacts.parts[]', 'artifacts.parts.metadata', 'artifacts.parts.raw', 'artifacts.parts.url', 'artifacts.parts.mediaType', 'artifacts.parts.filename'],
  event: ['task', 'task.generation', 'task.contextId', 'task.status.timestamp', 'task.status.message', 'task.history.extensions', 'task.history.referenceTaskIds', 'task.history.messageId', 'task.history.taskId', 'task.history.contextId', 'task.history.parts.metadata', 'task.history.parts.raw', 'task.history.parts.url', 'task.history.parts.mediaType', 'task.history.parts.filename', 'task.artifacts.description', 'task.artifacts.extensions', 'task.artifacts.name', 'task.artifacts.parts[]', 'task.artifacts.parts.metadata', 'task.artifacts.parts.raw', 'task.artifacts.parts.url', 'task.artifacts.parts.mediaType', 'task.artifacts.parts.filename', 'message', 'message.extensions', 'message.referenceTaskIds', 'message.messageId', 'message.taskId', 'message.contextId', 'message.parts.metadata', 'message.parts.raw', 'message.parts.url', 'message.parts.mediaType', 'message.parts.filename', 'statusUpdate.metadata', 'statusUpdate.generation', 'statusUpdate.contextId', 'statusUpdate.status.state', 'statusUpdate.status.message.extensions', 'statusUpdate.status.message.referenceTaskIds', 'statusUpdate.status.message.messageId', 'statusUpdate.status.message.taskId', 'statusUpdate.status.message.contextId', 'statusUpdate.status.message.parts.metadata', 'statusUpdate.status.message.parts.raw', 'statusUpdate.status.message.parts.url', 'statusUpdate.status.message.parts.mediaType', 'statusUpdate.status.message.parts.filename', 'artifactUpdate.metadata', 'artifactUpdate.generation', 'artifactUpdate.contextId', 'artifactUpdate.artifact.description', 'artifactUpdate.artifact.extensions', 'artifactUpdate.artifact.name', 'artifactUpdate.artifact.parts[]', 'artifactUpdate.artifact.parts.metadata', 'artifactUpdate.artifact.parts.raw', 'artifactUpdate.artifact.parts.url', 'artifactUpdate.artifact.parts.mediaType', 'artifactUpdate.artifact.parts.filename', 'artifactUpdate.append', 'artifactUpdate.lastChunk'],
  card: ['documentationUrl', 'signatures', 'supportedInterfaces', 'provider', 'provider.url', 'capabilities.extendedAgentCard', 'capabilities.streaming', 'capabilities.extensions', 'securitySchemes', 'securityRequirements', 'skills.tags', 'skills.examples', 'skills.inputModes', 'skills.outputModes', 'skills.securityRequirements', 'defaultInputModes', 'defaultOutputModes', 'iconUrl'],
  request: ['tenant', 'metadata', 'message.extensions', 'message.referenceTaskIds', 'message.messageId', 'message.taskId', 'message.contextId', 'message.parts.metadata', 'message.parts.raw', 'message.parts.url', 'message.parts.mediaType', 'message.parts.filename', 'configuration.acceptedOutputModes', 'configuration.ifGenerationMatch', 'configuration.returnImmediately', 'configuration.historyLength', 'configuration.taskPushNotificationConfig', 'configuration.taskPushNotificationConfig.tenant', 'configuration.taskPushNotificationConfig.id', 'configuration.taskPushNotificationConfig.taskId', 'configuration.taskPushNotificationConfig.token', 'configuration.taskPushNotificationConfig.authentication', 'currentGeneration', 'historyLength'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The codecs of the tables. */
export function compile(t: any, k: any): any {
  const part_pair = t.part.pair;
  const message_messageId_made = t.message.rows.messageId.made;
  const message_role_of = t.message.rows.role.of;
  const message_metadata_whole = t.message.rows.metadata.whole;
  const artifact_pair = t.artifact.pair;
  const task_contextId_whole = t.task.rows.contextId.whole;
  const task_status_whole = t.task.rows.status.whole;
  const task_history_whole = t.task.rows.history.whole;
  const task_metadata_whole = t.task.rows.metadata.whole;
  const task_state_whole = t.task.rows.state.whole;
  const task_createdAt_whole = t.task.rows.createdAt.whole;
  const task_updatedAt_whole = t.task.rows.updatedAt.whole;
  const status_state_of = t.status.rows.state.of;
  const status_timestamp_of = t.status.rows.timestamp.of;
  const status_message_whole = t.status.rows.message.whole;
  const statusUpdate_contextId_whole = t.statusUpdate.rows.contextId.whole;
  const configuration_returnImmediately_whole = t.configuration.rows.returnImmediately.whole;
  const configuration_taskPushNotificationConfig_whole = t.configuration.rows.taskPushNotificationConfig.whole;
  const sendMessage_id_whole = t.sendMessage.rows.id.whole;
  const provider_url_of = t.provider.rows.url.of;
  const capabilities_streaming_whole = t.capabilities.rows.streaming.whole;
  const capabilities_extensions_whole = t.capabilities.rows.extensions.whole;
  const skill_tags_made = t.skill.rows.tags.made;
  const card_supportedInterfaces_whole = t.card.rows.supportedInterfaces.whole;
  const card_provider_whole = t.card.rows.provider.whole;
  const card_capabilities_whole = t.card.rows.capabilities.whole;
  const card_authSchemes_whole = t.card.rows.authSchemes.whole;
  const card_skills_whole = t.card.rows.skills.whole;
  const card_defaultInputModes_whole = t.card.rows.defaultInputModes.whole;
  const card_defaultOutputModes_whole = t.card.rows.defaultOutputModes.whole;
  const card_iconUrl_of = t.card.rows.iconUrl.of;
  const card_schemaVersion_whole = t.card.rows.schemaVersion.whole;

  const decode_part = (w: any, cx: any): any => part_pair.decode(w, cx, codecs);
  function encode_part(v: any, cx: any, at: string): any {
    if (v.metadata !== undefined) cx.losses.add(at + 'metadata');
    return part_pair.encode(v, cx, at, codecs);
  }

  function decode_message(w: any, cx: any): any {
    let p = 'role';
    try {
      const role = message_role_of.decode(w.role, cx);
      p = '';
      const v: any = { messageId: message_messageId_made(), role, parts: k.decodeList(decode_part, w.parts, cx, 'parts') };
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
    const w: any = { role: message_role_of.encode(v.role, cx, ''), parts: k.encodeList(encode_part, v.parts, cx, at + 'parts.') };
    const metadata_w = message_metadata_whole.encode(v, cx, w, at, codecs);
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  const decode_artifact = (w: any, cx: any): any => artifact_pair.decode(w, cx, codecs);
  function encode_artifact(v: any, cx: any, at: string): any {
    if (v.description) cx.losses.add(at + 'description');
    if (v.extensions?.length) cx.losses.add(at + 'extensions');
    return artifact_pair.encode(v, cx, at, codecs);
  }

  function decode_task(w: any, cx: any): any {
    const v: any = { id: w.id };
    const contextId_v = task_contextId_whole.decode(w, cx, v, codecs);
    if (contextId_v !== undefined) v.contextId = contextId_v;
    const status_v = task_status_whole.decode(w, cx, v, codecs);
    if (status_v !== undefined) v.status = status_v;
    const history_v = task_history_whole.decode(w, cx, v, codecs);
    if (history_v !== undefined) v.history = history_v;
    if (w.artifacts?.length) v.artifacts = k.decodeList(decode_artifact, w.artifacts, cx, 'artifacts');
    const metadata_v = task_metadata_whole.decode(w, cx, v, codecs);
    if (metadata_v !== undefined) v.metadata = metadata_v;
    return v;
  }
  function encode_task(v: any, cx: any, at: string): any {
    if (v.generation) cx.losses.add(at + 'generation');
    const w: any = { id: v.id };
    const contextId_w = task_contextId_whole.encode(v, cx, w, at, codecs);
    if (contextId_w !== undefined) w.contextId = contextId_w;
    const status_w = task_status_whole.encode(v, cx, w, at, codecs);
    if (status_w !== undefined) w.status = status_w;
    const state_w = task_state_whole.encode(v, cx, w, at, codecs);
    if (state_w !== undefined) w.state = state_w;
    const createdAt_w = task_createdAt_whole.encode(v, cx, w, at, codecs);
    if (createdAt_w !== undefined) w.createdAt = createdAt_w;
    const updatedAt_w = task_updatedAt_whole.encode(v, cx, w, at, codecs);
    if (updatedAt_w !== undefined) w.updatedAt = updatedAt_w;
    const messages_w = task_history_whole.encode(v, cx, w, at, codecs);
    if (messages_w !== undefined) w.messages = messages_w;
    w.artifacts = k.encodeList(encode_artifact, (v.artifacts ?? []), cx, at + 'artifacts.');
    const metadata_w = task_metadata_whole.encode(v, cx, w, at, codecs);
    if (metadata_w !== undefined) w.metadata = metadata_w;
    return w;
  }

  function decode_status(w: any, cx: any): any {
    let p = 'state';
    try {
      const v: any = { state: status_state_of.decode(w.state, cx) };
      p = 'timestamp';
      const timestamp_v = w.timestamp ? status_timestamp_of.decode(w.timestamp, cx) : undefined;
      if (timestamp_v !== undefined) v.timestamp = timestamp_v;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_status(v: any, cx: any, at: string): any {
    const w: any = { state: status_state_of.encode(v.state, cx, at + 'state') };
    if (v.timestamp !== undefined) w.timestamp = v.timestamp;
    const message_w = status_message_whole.encode(v, cx, w, at, codecs);
    if (message_w !== undefined) w.message = message_w;
    return w;
  }

  function decode_statusUpdate(w: any, cx: any): any {
    const v: any = { taskId: w.taskId };
    const contextId_v = statusUpdate_contextId_whole.decode(w, cx, v, codecs);
    if (contextId_v !== undefined) v.contextId = contextId_v;
    v.status = decode_status(w, cx);
    return v;
  }
  function encode_statusUpdate(v: any, cx: any, at: string): any {
    if (v.metadata !== undefined) cx.losses.add(at + 'metadata');
    if (v.generation) cx.losses.add(at + 'generation');
    const w: any = { taskId: v.taskId };
    const contextId_w = statusUpdate_contextId_whole.encode(v, cx, w, at, codecs);
    if (contextId_w !== undefined) w.contextId = contextId_w;
    Object.assign(w, encode_status((v.status ?? {}), cx, at + 'status.'));
    return w;
  }

  function decode_pushConfig(w: any, cx: any): any {
    return { url: w.webhookUrl };
  }
  function encode_pushConfig(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    if (v.id) cx.losses.add(at + 'id');
    if (v.taskId) cx.losses.add(at + 'taskId');
    if (v.token) cx.losses.add(at + 'token');
    if (v.authentication !== undefined) cx.losses.add(at + 'authentication');
    return { webhookUrl: v.url };
  }

  function decode_configuration(w: any, cx: any): any {
    const v: any = {};
    const returnImmediately_v = configuration_returnImmediately_whole.decode(w, cx, v, codecs);
    if (returnImmediately_v !== undefined) v.returnImmediately = returnImmediately_v;
    const taskPushNotificationConfig_v = configuration_taskPushNotificationConfig_whole.decode(w, cx, v, codecs);
    if (taskPushNotificationConfig_v !== undefined) v.taskPushNotificationConfig = taskPushNotificationConfig_v;
    return v;
  }
  function encode_configuration(v: any, cx: any, at: string): any {
    if (v.acceptedOutputModes?.length) cx.losses.add(at + 'acceptedOutputModes');
    if (v.ifGenerationMatch !== undefined) cx.losses.add(at + 'ifGenerationMatch');
    if (cx.unreported && v.historyLength !== undefined) cx.unreported.add(at + 'historyLength');
    const w: any = {};
    const returnImmediately_w = configuration_returnImmediately_whole.encode(v, cx, w, at, codecs);
    if (returnImmediately_w !== undefined) w.returnImmediately = returnImmediately_w;
    const taskPushNotificationConfig_w = configuration_taskPushNotificationConfig_whole.encode(v, cx, w, at, codecs);
    if (taskPushNotificationConfig_w !== undefined) w.taskPushNotificationConfig = taskPushNotificationConfig_w;
    return w;
  }

  function decode_sendMessage(w: any, cx: any): any {
    let p = 'message';
    try {
      const v: any = { message: decode_message(w.message, cx) };
      p = '';
      v.configuration = decode_configuration(w, cx);
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_sendMessage(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    if (v.metadata !== undefined) cx.losses.add(at + 'metadata');
    const w: any = {};
    const id_w = sendMessage_id_whole.encode(v, cx, w, at, codecs);
    if (id_w !== undefined) w.id = id_w;
    w.message = encode_message(v.message, cx, at + 'message.');
    Object.assign(w, encode_configuration((v.configuration ?? {}), cx, at + 'configuration.'));
    return w;
  }

  function decode_getTask(w: any, cx: any): any {
    return { id: w.id };
  }
  function encode_getTask(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    if (v.currentGeneration !== undefined) cx.losses.add(at + 'currentGeneration');
    if (cx.unreported && v.historyLength !== undefined) cx.unreported.add(at + 'historyLength');
    return { id: v.id };
  }

  function decode_cancelTask(w: any, cx: any): any {
    return { id: w.id };
  }
  function encode_cancelTask(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    if (v.metadata !== undefined) cx.losses.add(at + 'metadata');
    return { id: v.id };
  }

  function decode_subscribe(w: any, cx: any): any {
    return { id: w.id };
  }
  function encode_subscribe(v: any, cx: any, at: string): any {
    if (v.tenant) cx.losses.add(at + 'tenant');
    return { id: v.id };
  }

  function decode_provider(w: any, cx: any): any {
    try {
      return { organization: w.name, url: provider_url_of.decode(w.url, cx) };
    } catch (thrown) {
      throw k.below('url', thrown);
    }
  }
  function encode_provider(v: any, cx: any, at: string): any {
    return { name: v.organization, url: provider_url_of.encode(v.url, cx, at + 'url') };
  }

  function decode_capabilities(w: any, cx: any): any {
    const v: any = {};
    const streaming_v = capabilities_streaming_whole.decode(w, cx, v, codecs);
    if (streaming_v !== undefined) v.streaming = streaming_v;
    if (w.supportsPushNotifications != null) v.pushNotifications = w.supportsPushNotifications;
    return v;
  }
  function encode_capabilities(v: any, cx: any, at: string): any {
    if (v.extendedAgentCard !== undefined) cx.losses.add(at + 'extendedAgentCard');
    const w: any = {};
    const streaming_w = capabilities_streaming_whole.encode(v, cx, w, at, codecs);
    if (streaming_w !== undefined) w.streaming = streaming_w;
    if (v.pushNotifications !== undefined) w.supportsPushNotifications = v.pushNotifications;
    const extensions_w = capabilities_extensions_whole.encode(v, cx, w, at, codecs);
    if (extensions_w !== undefined) w.extensions = extensions_w;
    return w;
  }

  function decode_skill(w: any, cx: any): any {
    return { id: w.id, name: w.name, description: w.description, tags: skill_tags_made() };
  }
  function encode_skill(v: any, cx: any, at: string): any {
    if (v.tags?.length) cx.losses.add(at + 'tags');
    if (v.examples?.length) cx.losses.add(at + 'examples');
    if (v.inputModes?.length) cx.losses.add(at + 'inputModes');
    if (v.outputModes?.length) cx.losses.add(at + 'outputModes');
    if (v.securityRequirements?.length) cx.losses.add(at + 'securityRequirements');
    return { id: v.id, name: v.name, description: v.description };
  }

  function decode_card(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = { version: w.agentVersion, name: w.name, description: w.description };
      const supportedInterfaces_v = card_supportedInterfaces_whole.decode(w, cx, v, codecs);
      if (supportedInterfaces_v !== undefined) v.supportedInterfaces = supportedInterfaces_v;
      const provider_v = card_provider_whole.decode(w, cx, v, codecs);
      if (provider_v !== undefined) v.provider = provider_v;
      const capabilities_v = card_capabilities_whole.decode(w, cx, v, codecs);
      if (capabilities_v !== undefined) v.capabilities = capabilities_v;
      card_authSchemes_whole.decode(w, cx, v, codecs);
      const skills_v = card_skills_whole.decode(w, cx, v, codecs);
      if (skills_v !== undefined) v.skills = skills_v;
      const defaultInputModes_v = card_defaultInputModes_whole.decode(w, cx, v, codecs);
      if (defaultInputModes_v !== undefined) v.defaultInputModes = defaultInputModes_v;
      const defaultOutputModes_v = card_defaultOutputModes_whole.decode(w, cx, v, codecs);
      if (defaultOutputModes_v !== undefined) v.defaultOutputModes = defaultOutputModes_v;
      p = 'iconUrl';
      const iconUrl_v = w.iconUrl != null ? card_iconUrl_of.decode(w.iconUrl, cx) : undefined;
      if (iconUrl_v !== undefined) v.iconUrl = iconUrl_v;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_card(v: any, cx: any, at: string): any {
    if (v.documentationUrl !== undefined) cx.losses.add(at + 'documentationUrl');
    if (v.signatures?.length) cx.losses.add(at + 'signatures');
    const w: any = {};
    const schemaVersion_w = card_schemaVersion_whole.encode(v, cx, w, at, codecs);
    if (schemaVersion_w !== undefined) w.schemaVersion = schemaVersion_w;
    w.agentVersion = v.version;
    w.name = v.name;
    w.description = v.description;
    const url_w = card_supportedInterfaces_whole.encode(v, cx, w, at, codecs);
    if (url_w !== undefined) w.url = url_w;
    const provider_w = card_provider_whole.encode(v, cx, w, at, codecs);
    if (provider_w !== undefined) w.provider = provider_w;
    const capabilities_w = card_capabilities_whole.encode(v, cx, w, at, codecs);
    if (capabilities_w !== undefined) w.capabilities = capabilities_w;
    const authSchemes_w = card_authSchemes_whole.encode(v, cx, w, at, codecs);
    if (authSchemes_w !== undefined) w.authSchemes = authSchemes_w;
    const skills_w = card_skills_whole.encode(v, cx, w, at, codecs);
    if (skills_w !== undefined) w.skills = skills_w;
    const defaultInputModes_w = card_defaultInputModes_whole.encode(v, cx, w, at, codecs);
    if (defaultInputModes_w !== undefined) w.defaultInputModes = defaultInputModes_w;
    const defaultOutputModes_w = card_defaultOutputModes_whole.encode(v, cx, w, at, codecs);
    if (defaultOutputModes_w !== undefined) w.defaultOutputModes = defaultOutputModes_w;
    const iconUrl_w = v.iconUrl !== undefined ? card_iconUrl_of.encode(v.iconUrl, cx, at + 'iconUrl') : undefined;
    if (iconUrl_w !== undefined) w.iconUrl = iconUrl_w;
    return w;
  }

  const codecs = {
    part: { decode: decode_part, encode: encode_part },
    message: { decode: decode_message, encode: encode_message },
    artifact: { decode: decode_artifact, encode: encode_artifact },
    task: { decode: decode_task, encode: encode_task },
    status: { decode: decode_status, encode: encode_status },
    statusUpdate: { decode: decode_statusUpdate, encode: encode_statusUpdate },
    pushConfig: { decode: decode_pushConfig, encode: encode_pushConfig },
    configuration: { decode: decode_configuration, encode: encode_configuration },
    sendMessage: { decode: decode_sendMessage, encode: encode_sendMessage },
    getTask: { decode: decode_getTask, encode: encode_getTask },
    cancelTask: { decode: decode_cancelTask, encode: encode_cancelTask },
    subscribe: { decode: decode_subscribe, encode: encode_subscribe },
    provider: { decode: decode_provider, encode: encode_provider },
    capabilities: { decode: decode_capabilities, encode: encode_capabilities },
    skill: { decode: decode_skill, encode: encode_skill },
    card: { decode: decode_card, encode: encode_card },
  };
  return codecs;
}
