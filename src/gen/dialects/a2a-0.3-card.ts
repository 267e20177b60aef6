// Generated from the tables of a2a-0.3-card, and the proto of the newest A2A 1.x, by `npm run generate`. Do not edit.

// biome-ignore-all lint: generated

/** Fields of A2A 1.x that are lost, by type. */
export const losses = {
  card: ['signatures', 'supportedInterfaces', 'securitySchemes'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The codecs of the tables. */
export function compile(t: any, k: any): any {
  const capabilities_streaming_of = t.capabilities.rows.streaming.of;
  const capabilities_pushNotifications_of = t.capabilities.rows.pushNotifications.of;
  const capabilities_extensions_whole = t.capabilities.rows.extensions.whole;
  const capabilities_stateTransitionHistory_whole = t.capabilities.rows.stateTransitionHistory.whole;
  const skill_securityRequirements_of = t.skill.rows.securityRequirements.of;
  const card_supportedInterfaces_whole = t.card.rows.supportedInterfaces.whole;
  const card_iconUrl_of = t.card.rows.iconUrl.of;
  const card_documentationUrl_of = t.card.rows.documentationUrl.of;
  const card_securitySchemes_whole = t.card.rows.securitySchemes.whole;
  const card_securityRequirements_of = t.card.rows.securityRequirements.of;
  const card_supportsAuthenticatedExtendedCard_whole = t.card.rows.supportsAuthenticatedExtendedCard.whole;
  const card_protocolVersion_whole = t.card.rows.protocolVersion.whole;

  function decode_provider(w: any, cx: any): any {
    let p = '';
    try {
      const organization = w.organization;
      const url = (w.url ?? '');
      const v: any = { organization, url };
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_provider(v: any, cx: any, at: string): any {
    const w: any = { organization: v.organization, url: (v.url ?? '') };
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
    const w: any = { uri: (v.uri ?? '') };
    if (v.description !== undefined) w.description = v.description;
    if (v.required !== undefined) w.required = v.required;
    if (v.params !== undefined) w.params = v.params;
    return w;
  }

  function decode_capabilities(w: any, cx: any): any {
    let p = '';
    try {
      const v: any = {  };
      p = 'streaming';
      if (w.streaming != null) {
        const x = capabilities_streaming_of.decode(w.streaming, cx);
        if (x !== undefined) v.streaming = x;
      }
      p = 'pushNotifications';
      if (w.pushNotifications != null) {
        const x = capabilities_pushNotifications_of.decode(w.pushNotifications, cx);
        if (x !== undefined) v.pushNotifications = x;
      }
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
    const stateTransitionHistory_w = capabilities_stateTransitionHistory_whole.encode(v, cx, w, at, codecs);
    if (stateTransitionHistory_w !== undefined) w.stateTransitionHistory = stateTransitionHistory_w;
    const extensions_w = capabilities_extensions_whole.encode(v, cx, w, at, codecs);
    if (extensions_w !== undefined) w.extensions = extensions_w;
    return w;
  }

  function decode_skill(w: any, cx: any): any {
    let p = '';
    try {
      const id = w.id;
      const name = w.name;
      const description = (w.description ?? '');
      const tags = (w.tags ?? []);
      const v: any = { id, name, description, tags };
      if (w.examples?.length) v.examples = w.examples;
      if (w.inputModes?.length) v.inputModes = w.inputModes;
      if (w.outputModes?.length) v.outputModes = w.outputModes;
      p = 'security';
      if (w.security?.length) {
        const x = skill_securityRequirements_of.decode(w.security, cx);
        if (x !== undefined) v.securityRequirements = x;
      }
      return v;
    } catch (thrown) {
      throw k.below(p, thrown);
    }
  }
  function encode_skill(v: any, cx: any, at: string): any {
    const w: any = { id: v.id, name: v.name, description: (v.description ?? ''), tags: (v.tags ?? []) };
    if (v.examples !== undefined) w.examples = v.examples;
    if (v.inputModes !== undefined) w.inputModes = v.inputModes;
    if (v.outputModes !== undefined) w.outputModes = v.outputModes;
    if (v.securityRequirements !== undefined) {
      const x = skill_securityRequirements_of.encode(v.securityRequirements, cx, '');
      if (x !== undefined) w.security = x;
    }
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
      p = 'iconUrl';
      if (w.iconUrl != null) {
        const x = card_iconUrl_of.decode(w.iconUrl, cx);
        if (x !== undefined) v.iconUrl = x;
      }
      p = 'provider';
      if (w.provider) v.provider = decode_provider(w.provider, cx);
      v.version = w.version;
      p = 'documentationUrl';
      if (w.documentationUrl != null) {
        const x = card_documentationUrl_of.decode(w.documentationUrl, cx);
        if (x !== undefined) v.documentationUrl = x;
      }
      p = 'capabilities';
      v.capabilities = decode_capabilities(w.capabilities, cx);
      p = '';
      const securitySchemes = card_securitySchemes_whole.decode(w, cx, v, codecs);
      if (securitySchemes !== undefined) v.securitySchemes = securitySchemes;
      p = 'security';
      if (w.security?.length) {
        const x = card_securityRequirements_of.decode(w.security, cx);
        if (x !== undefined) v.securityRequirements = x;
      }
      v.defaultInputModes = w.defaultInputModes;
      v.defaultOutputModes = w.defaultOutputModes;
      p = '';
      v.skills = k.decodeList(decode_skill, w.skills, cx, 'skills');
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
    const securitySchemes_w = card_securitySchemes_whole.encode(v, cx, w, at, codecs);
    if (securitySchemes_w !== undefined) w.securitySchemes = securitySchemes_w;
    if (v.securityRequirements !== undefined) {
      const x = card_securityRequirements_of.encode(v.securityRequirements, cx, '');
      if (x !== undefined) w.security = x;
    }
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
