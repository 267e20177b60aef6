import { isDeepStrictEqual } from 'node:util';
import {
  type AgentCard,
  type AgentExtension,
  type AgentInterface,
  type AgentSkill,
  type OAuthFlows,
  type SecurityScheme,
  api as v1Api,
} from '../../../core/model/a2a.ts';
import { isObject } from '../../../core/model/json.ts';
import { api } from '../../../gen/a2a-v0_3/index.ts';
import type { AgentCard as WireCard, AgentSkill as WireSkill } from '../../../gen/a2a-v0_3/types.ts';
import { parseAs } from '../../../wire/validate.ts';
import type { Codec, CodecContext } from '../../kernel/codec.ts';
import { digestOf, card as jsonCard, ownUri, ownUris, type Preserved } from '../card.ts';
import { decodeInterfaces, encodeInterfaces, plainInterfaces, type WireInterfaces } from '../card-interfaces.ts';

/** What cards say of themselves, and what v1 cards call the version of these interfaces. */
const protocolVersion = '0.3.0';
const interfaceVersion = '0.3';

/**
 * The card in the protobuf shape: security as v1 has it, interfaces as 0.3 has them over JSON-RPC. What v1 has no place
 * for is kept as for the card of JSON-RPC. Encoded, it has what the strict model of the Python SDK demands, even empty:
 * its client over HTTP+JSON reads this card with the model of the other one.
 */
export const protobufCard: Codec<unknown, AgentCard> = {
  decode: (wire) => decodeCard(parseAs<WireCard>(api, 'a2a.v1.AgentCard', wire)),
  encode: encodeCard,
};

function decodeCard(wire: WireCard): AgentCard {
  const { url: main, preferredTransport, additionalInterfaces, protocolVersion: version = '', ...rest } = wire;
  const { security, signatures, supportsAuthenticatedExtendedCard, capabilities, skills, ...same } = rest;
  const others = additionalInterfaces?.map(({ url = '', transport = '' }) => ({ url, transport }));
  const interfaces = plainInterfaces({
    url: main ?? '',
    ...(preferredTransport && { preferredTransport }),
    ...(others && { additionalInterfaces: others }),
  });
  const supportedInterfaces = listOf(interfaces);
  const comesBack = isDeepStrictEqual(encodeInterfaces(supportedInterfaces, interfaceVersion), interfaces);
  const preserved: Preserved = {
    ...(version !== protocolVersion && { protocolVersion: version }),
    ...(!comesBack && { interfaces }),
    ...(signatures && { signed: { digest: digestOf(wire), signatures } }),
  };
  const { extensions = [], ...flags } = capabilities ?? {};
  const list: AgentExtension[] = extensions.filter(({ uri = '' }) => !uri.startsWith(ownUris));
  if (Object.keys(preserved).length > 0) list.push({ uri: ownUri, params: { ...preserved } });
  // The proto calls nothing required, and v1 does: it has the last word.
  return parseAs<AgentCard>(v1Api, 'lf.a2a.v1.AgentCard', {
    ...same,
    supportedInterfaces,
    capabilities: {
      ...flags,
      ...(supportsAuthenticatedExtendedCard && { extendedAgentCard: true }),
      ...(list.length > 0 && { extensions: list }),
    },
    ...(security && { securityRequirements: security }),
    skills: skills?.map(decodeSkill) ?? [],
  });
}

function decodeSkill({ security, ...skill }: WireSkill): object {
  return { ...skill, ...(security && { securityRequirements: security }) };
}

function encodeCard(card: AgentCard, cx: CodecContext): WireCard {
  const { capabilities, skills, securitySchemes, securityRequirements, provider, iconUrl, documentationUrl } = card;
  const { extensions = [], extendedAgentCard, ...flags } = capabilities;
  const params = extensions.find(({ uri }) => uri === ownUri)?.params;
  const preserved: Preserved = isObject(params) ? params : {};
  const list = extensions.filter(({ uri = '' }) => !uri.startsWith(ownUris));
  if (card.signatures) cx.losses.add('signatures');
  const version = preserved.protocolVersion ?? protocolVersion;
  const wire: WireCard = {
    ...(version !== '' && { protocolVersion: version }),
    name: card.name,
    description: card.description,
    ...interfacesOf(card, cx, preserved.interfaces),
    ...(iconUrl && { iconUrl }),
    ...(provider && { provider }),
    version: card.version,
    ...(documentationUrl && { documentationUrl }),
    capabilities: { ...flags, ...(list.length > 0 && { extensions: list }) },
    ...(securitySchemes && { securitySchemes: encodeSchemes(securitySchemes, cx) }),
    ...(securityRequirements?.length && { security: securityRequirements }),
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: skills.map(encodeSkill),
    ...(extendedAgentCard && { supportsAuthenticatedExtendedCard: true }),
  };
  const { signed } = preserved;
  if (!signed) return wire;
  const isIts = digestOf(parseAs<WireCard>(api, 'a2a.v1.AgentCard', wire)) === signed.digest;
  // Clients over the protobuf bindings verify the card as they would have read it over JSON-RPC.
  if (!isIts && digestOf(jsonCard.encode(card, { losses: new Set() }) as object) !== signed.digest) return wire;
  return { ...wire, signatures: signed.signatures as NonNullable<WireCard['signatures']> };
}

function encodeSkill({ securityRequirements, ...skill }: AgentSkill): WireSkill {
  return { ...skill, ...(securityRequirements?.length && { security: securityRequirements }) };
}

/** v1's list: of those interfaces that can be called. */
const listOf = (wire: WireInterfaces): AgentInterface[] =>
  decodeInterfaces(wire, interfaceVersion).filter(({ protocolBinding }) => protocolBinding !== '');

/** As they stood there, where v1's list is still the one that was made of them. */
function interfacesOf(
  { supportedInterfaces }: AgentCard,
  cx: CodecContext,
  preserved: Preserved['interfaces'],
): WireInterfaces {
  const isSame = (wire: WireInterfaces): boolean => isDeepStrictEqual(listOf(wire), supportedInterfaces);
  if (preserved && isSame(preserved)) return preserved;
  const wire = encodeInterfaces(supportedInterfaces, interfaceVersion);
  if (!isSame(wire)) cx.losses.add('supportedInterfaces');
  return wire;
}

/** The schemes without what came after 0.3: the flow for devices, and whether PKCE is required. */
function encodeSchemes(
  schemes: Readonly<Record<string, SecurityScheme>>,
  cx: CodecContext,
): NonNullable<WireCard['securitySchemes']> {
  const encoded: NonNullable<WireCard['securitySchemes']> = {};
  for (const [name, scheme] of Object.entries(schemes)) {
    const { oauth2SecurityScheme: oauth2 } = scheme;
    if (oauth2) encoded[name] = { oauth2SecurityScheme: { ...oauth2, flows: encodeFlows(oauth2.flows, cx) } };
    else encoded[name] = scheme as NonNullable<WireCard['securitySchemes']>[string];
  }
  return encoded;
}

function encodeFlows({ authorizationCode, deviceCode, ...flows }: OAuthFlows, cx: CodecContext): OAuthFlows {
  const { pkceRequired, ...flow } = authorizationCode ?? {};
  if (deviceCode || pkceRequired) cx.losses.add('securitySchemes');
  return authorizationCode ? { authorizationCode: flow as typeof authorizationCode } : flows;
}
