// Generated from the tables of a2a-0.2-card, and the proto of the newest A2A 1.x, by `npm run generate`. Do not edit.

// biome-ignore-all lint: generated

/** Fields of A2A 1.x that are lost, by type. */
export const losses = {
  card: ['signatures', 'supportedInterfaces', 'securitySchemes', 'skills.securityRequirements'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The codecs of the tables. */
export function compile(t: any, k: any): any {
  const capabilities_streaming_of = t.capabilities.rows.streaming.of;
  const capabilities_pushNotifications_of = t.capabilities.rows.pushNotifications.of;
  const capabilities_extensions_whole = t.capabilities.rows.extensions.whole;
  const capabilities_stateTransitionHistory_whole = t.capabilities.rows.stateTransitionHistory.whole;
  const card_supportedInterfaces_whole = t.card.rows.supportedInterfaces.whole;
  const card_iconUrl_of = t.card.rows.iconUrl.of;
  const card_documentationUrl_of = t.card.rows.documentationUrl.of;
  const card_securitySchemes_whole = t.card.rows.securitySchemes.whole;
  const card_securityRequirements_of = t.card.rows.securityRequirements.of;
  const card_supportsAuthenticatedExtendedCard_whole = t.card.rows.supportsAuthenticatedExtendedCard.whole;
  const card_protocolVersion_whole = t.card.rows.protocolVersion.whole;

  function decode_provider(w: any, cx: any): any {
    return { organization: w.organization, url: (w.url ?? '') };
  }
  function encode_provider(v: any, cx: any, at: string): any {
    return { organization: v.organization, url: (v.url ?? '') };
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
    const w: any = { uri: (v.uri ?? '') };
    if (v.description !== undefined) w.description = v.description;
    if (v.required !== undefined) w.required = v.required;
    if (v.params !== undefined) w.params = v.params;
    return w;
  }

  function decode_capabilities(w: any, cx: any): any {
    let p = 'streaming';
    try {
      const v: any = {};
      const streaming_v = w.streaming != null ? capabilities_streaming_of.decode(w.streaming, cx) : undefined;
      if (streaming_v !== undefined) v.streaming = streaming_v;
      p = 'pushNotifications';
      const pushNotifications_v = w.pushNotifications != null ? capabilities_pushNotifications_of.decode(w.pushNotifications, cx) : undefined;
      if (pushNotifications_v !== undefined) v.pushNotifications = pushNotifications_v;
      p = '';
      const extensions_v = capabilities_extensions_whole.decode(w, cx, v, codecs);
      if (extensions_v !== undefined) v.extensions = extensions_v;
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_capabilities(v: any, cx: any, at: string): any {
    const w: any = {};
    if (v.streaming !== undefined) w.streaming = v.streaming;
    if (v.pushNotifications !== undefined) w.pushNotifications = v.pushNotifications;
    const stateTransitionHistory_w = capabilities_stateTransitionHistory_whole.encode(v, cx, w, at, codecs);
    if (stateTransitionHistory_w !== undefined) w.stateTransitionHistory = stateTransitionHistory_w;
    const extensions_w = capabilities_extensions_whole.encode(v, cx, w, at, codecs);
    if (extensions_w !== undefined) w.extensions = extensions_w;
    return w;
  }

  function decode_skill(w: any, cx: any): any {
    const v: any = { id: w.id, name: w.name, description: (w.description ?? ''), tags: (w.tags ?? []) };
    if (w.examples?.length) v.examples = w.examples;
    if (w.inputModes?.length) v.inputModes = w.inputModes;
    if (w.outputModes?.length) v.outputModes = w.outputModes;
    return v;
  }
  function encode_skill(v: any, cx: any, at: string): any {
    if (v.securityRequirements?.length) cx.losses.add(at + 'securityRequirements');
    const w: any = { id: v.id, name: v.name, description: (v.description ?? ''), tags: (v.tags ?? []) };
    if (v.examples !== undefined) w.examples = v.examples;
    if (v.inputModes !== undefined) w.inputModes = v.inputModes;
    if (v.outputModes !== undefined) w.outputModes = v.outputModes;
    return w;
  }

  function decode_card(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = { name: w.name, description: w.description };
      const supportedInterfaces_v = card_supportedInterfaces_whole.decode(w, cx, v, codecs);
      if (supportedInterfaces_v !== undefined) v.supportedInterfaces = supportedInterfaces_v;
      p = 'iconUrl';
      const iconUrl_v = w.iconUrl != null ? card_iconUrl_of.decode(w.iconUrl, cx) : undefined;
      if (iconUrl_v !== undefined) v.iconUrl = iconUrl_v;
      p = 'provider';
      if (w.provider) v.provider = decode_provider(w.provider, cx);
      v.version = w.version;
      p = 'documentationUrl';
      const documentationUrl_v = w.documentationUrl != null ? card_documentationUrl_of.decode(w.documentationUrl, cx) : undefined;
      if (documentationUrl_v !== undefined) v.documentationUrl = documentationUrl_v;
      p = 'capabilities';
      v.capabilities = decode_capabilities(w.capabilities, cx);
      p = '';
      const securitySchemes_v = card_securitySchemes_whole.decode(w, cx, v, codecs);
      if (securitySchemes_v !== undefined) v.securitySchemes = securitySchemes_v;
      p = 'security';
      const securityRequirements_v = w.security?.length ? card_securityRequirements_of.decode(w.security, cx) : undefined;
      if (securityRequirements_v !== undefined) v.securityRequirements = securityRequirements_v;
      v.defaultInputModes = w.defaultInputModes;
      v.defaultOutputModes = w.defaultOutputModes;
      p = '';
      v.skills = k.decodeList(decode_skill, w.skills, cx, 'skills');
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
    const securitySchemes_w = card_securitySchemes_whole.encode(v, cx, w, at, codecs);
    if (securitySchemes_w !== undefined) w.securitySchemes = securitySchemes_w;
    const security_w = v.securityRequirements !== undefined ? card_securityRequirements_of.encode(v.securityRequirements, cx, '') : undefined;
    if (security_w !== undefined) w.security = security_w;
    w.defaultInputModes = v.defaultInputModes;
    w.defaultOutputModes = v.defaultOutputModes;
    w.skills = k.encodeList(encode_skill, v.skills, cx, at + 'skills.');
    const supportsAuthenticatedExtendedCard_w = card_supportsAuthenticatedExtendedCard_whole.encode(v, cx, w, at, codecs);
    if (supportsAuthenticatedExtendedCard_w !== undefined) w.supportsAuthenticatedExtendedCard = supportsAuthenticatedExtendedCard_w;
    return w;
  }

  const codecs = {
    provider: { decode: decode_provider, encode: encode_provider },
    extension: { decode: decode_extension, encode: encode_extension },
    capabilities: { decode: decode_capabilities, encode: encode_capabilities },
    skill: { decode: decode_skill, encode: encode_skill },
    card: { decode: decode_card, encode: encode_card },
  };
  return codecs;
}
