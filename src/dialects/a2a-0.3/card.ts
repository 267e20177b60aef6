import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type {
  AgentCapabilities,
  AgentCard,
  AgentCardSignature,
  AgentExtension,
  AgentSkill,
} from '../../core/model/a2a.ts';
import { isObject } from '../../core/model/json.ts';
import type {
  AgentCard as WireCard,
  AgentExtension as WireExtension,
  SecurityScheme as WireScheme,
  AgentSkill as WireSkill,
} from '../../gen/a2a-0.3/types.ts';
import { validators } from '../../gen/a2a-0.3/validators.ts';
import type { Validator } from '../../gen/api.ts';
import { parseWith } from '../../wire/validate.ts';
import type { CodecContext } from '../kernel/codec.ts';
import type { CardShape } from '../kernel/dialect.ts';
import { type KnowledgeFlags, readKnowledgeFlags, writeKnowledgeFlags } from '../kernel/knowledge-card.ts';
import { decodeInterfaces, encodeInterfaces, plainInterfaces, type WireInterfaces } from './card-interfaces.ts';
import { decodeSchemes, decodeSecurity, encodeSchemes, encodeSecurity, type KeptSchemes } from './card-security.ts';
import { signedForms } from './card-signing.ts';

/** What the cards of A2A 0.3 and its kin differ in. */
export interface CardGeneration {
  /** What cards say of themselves. */
  readonly protocolVersion: string;
  /** What v1 cards call the version of these interfaces. */
  readonly interfaceVersion: string;
  /** As in `CardShape`. */
  readonly paths: readonly string[];
  readonly validator: () => Validator;
  /** Security schemes that strict readers know. */
  readonly schemes: ReadonlySet<WireScheme['type']>;
  /** Whether skills have requirements of their own, and cards signatures. */
  readonly since03: boolean;
  /** What `capabilities` say besides under the names of the PHP SDK's document. */
  readonly documented?: (capabilities: AgentCapabilities) => Documented;
}

/** v1 extensions that begin so hold what a card says and a v1 card has no place for; nobody else is to see them. */
export const ownUris = 'urn:a2a-gateway:';
/** Of these, the one of A2A 0.3 and its kin. */
export const ownUri = `${ownUris}a2a-0.3`;

/** What the gateway keeps of a card. */
export interface Preserved {
  /** Where it is not the usual one; '' where there was none. Other generations have their own. */
  readonly protocolVersion?: string;
  readonly stateTransitionHistory?: boolean;
  /** What the capabilities said under the names of the PHP SDK's document; absent where the dialect itself would write the same. */
  readonly documented?: Documented;
  /** Where they do not come back from the extension. */
  readonly knowledge?: KnowledgeFlags;
  /** Where they do not come back from v1's list. */
  readonly interfaces?: WireInterfaces;
  readonly schemes?: KeptSchemes;
  /** Good for the very document that they sign. */
  readonly signed?: { readonly digest: string; readonly signatures: NonNullable<WireCard['signatures']> };
}

/** The card of a generation. Encoded, it has all that the strict model of the Python SDK demands. */
export const cardShape = (generation: CardGeneration): CardShape => ({
  paths: generation.paths,
  protocolVersion: generation.interfaceVersion,
  decode: (wire) => decodeCard(parseWith<WireCard>(generation.validator(), wire), wire, generation),
  encode: (card, cx) => encodeCard(card, cx, generation),
  ...(generation.since03 && {
    signing: { forms: signedForms, attach: (card, signatures) => attach(card, signatures, generation) },
  }),
});

/** The card of A2A 0.3. */
export const card: CardShape = cardShape({
  protocolVersion: '0.3.0',
  interfaceVersion: '0.3',
  // The first JavaScript client of 0.3 still looked for the older name.
  paths: ['/.well-known/agent-card.json', '/.well-known/agent.json'],
  validator: () => validators.AgentCard,
  schemes: new Set(['apiKey', 'http', 'oauth2', 'openIdConnect', 'mutualTLS'] as const),
  since03: true,
});

function decodeCard(wire: WireCard, document: unknown, generation: CardGeneration): AgentCard {
  const { schemes, preserved: keptSchemes } = decodeSchemes(wire.securitySchemes ?? {}, generation.schemes);
  const interfaces = plainInterfaces(wire);
  const supportedInterfaces = decodeInterfaces(interfaces, generation.interfaceVersion);
  const comesBack = isDeepStrictEqual(encodeInterfaces(supportedInterfaces, generation.interfaceVersion), interfaces);
  const { stateTransitionHistory } = wire.capabilities;
  const documented = readDocumented((document as WireCard).capabilities);
  const { supportsStreaming: streaming, supportsPushNotifications: pushNotifications } = documented;
  const capable: WireCard['capabilities'] = {
    ...(streaming !== undefined && { streaming }),
    ...(pushNotifications !== undefined && { pushNotifications }),
    ...wire.capabilities,
  };
  const listed = (wire.capabilities.extensions ?? [])
    .filter(({ uri }) => !uri.startsWith(ownUris))
    .map(decodeExtension);
  const knowledge = readKnowledgeFlags(wire.capabilities, listed);
  const preserved: Preserved = {
    ...(wire.protocolVersion !== generation.protocolVersion && { protocolVersion: wire.protocolVersion ?? '' }),
    ...(typeof stateTransitionHistory === 'boolean' && { stateTransitionHistory }),
    ...(!isDeepStrictEqual(documented, generation.documented?.(flagsOf(capable)) ?? {}) && { documented }),
    ...(knowledge.preserved && { knowledge: knowledge.preserved }),
    ...(!comesBack && { interfaces }),
    ...(Object.keys(keptSchemes).length > 0 && { schemes: keptSchemes }),
    ...(wire.signatures?.length && {
      signed: { digest: digestOf(document as object), signatures: wire.signatures },
    }),
  };
  const card: AgentCard = {
    name: wire.name,
    description: wire.description,
    version: wire.version,
    supportedInterfaces,
    capabilities: decodeCapabilities(
      { ...wire, capabilities: capable },
      [...listed, ...knowledge.extensions],
      preserved,
    ),
    defaultInputModes: wire.defaultInputModes,
    defaultOutputModes: wire.defaultOutputModes,
    skills: wire.skills.map(decodeSkill),
  };
  if (wire.provider) card.provider = { organization: wire.provider.organization, url: wire.provider.url ?? '' };
  if (Object.keys(schemes).length > 0) card.securitySchemes = schemes;
  if (wire.security?.length) card.securityRequirements = decodeSecurity(wire.security);
  if (wire.iconUrl) card.iconUrl = wire.iconUrl;
  if (wire.documentationUrl) card.documentationUrl = wire.documentationUrl;
  return card;
}

/** Kept as the signatures of a card that was read are: they come back with the very document that they sign. */
function attach(card: AgentCard, signatures: readonly AgentCardSignature[], generation: CardGeneration): AgentCard {
  const { extensions = [] } = card.capabilities;
  const own = extensions.find(({ uri }) => uri === ownUri);
  const document = encodeCard(card, { losses: new Set() }, generation);
  const params = { ...own?.params, signed: { digest: digestOf(document), signatures } };
  const others = extensions.filter((extension) => extension !== own);
  return { ...card, capabilities: { ...card.capabilities, extensions: [...others, { uri: ownUri, params }] } };
}

function decodeCapabilities(
  { capabilities, supportsAuthenticatedExtendedCard }: WireCard,
  list: AgentExtension[],
  preserved: Preserved,
): AgentCapabilities {
  const decoded = flagsOf(capabilities);
  if (typeof supportsAuthenticatedExtendedCard === 'boolean') {
    decoded.extendedAgentCard = supportsAuthenticatedExtendedCard;
  }
  if (Object.keys(preserved).length > 0) list.push({ uri: ownUri, params: { ...preserved } });
  if (list.length > 0) decoded.extensions = list;
  return decoded;
}

function flagsOf({ streaming, pushNotifications }: WireCard['capabilities']): AgentCapabilities {
  const flags: AgentCapabilities = {};
  if (typeof streaming === 'boolean') flags.streaming = streaming;
  if (typeof pushNotifications === 'boolean') flags.pushNotifications = pushNotifications;
  return flags;
}

/** Names of capabilities in the PHP SDK's document, which are no part of the schema of A2A 0.3. */
const documentedNames = [
  'supportsStreaming',
  'supportsPushNotifications',
  'canReceiveMessages',
  'canSendMessages',
  'canManageTasks',
] as const;

/** Capabilities under those names. */
export type Documented = Readonly<Partial<Record<(typeof documentedNames)[number], boolean>>>;

function readDocumented(capabilities: object): Documented {
  const said = capabilities as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    documentedNames.flatMap((name) => (typeof said[name] === 'boolean' ? [[name, said[name]]] : [])),
  );
}

function decodeExtension({ uri, description, required, params }: WireExtension): AgentExtension {
  const extension: AgentExtension = {};
  if (uri) extension.uri = uri;
  if (description) extension.description = description;
  if (required) extension.required = true;
  if (params) extension.params = params;
  return extension;
}

function decodeSkill(wire: WireSkill): AgentSkill {
  const { id, name, description, tags, examples, inputModes, outputModes, security } = wire;
  const skill: AgentSkill = { id, name, description: description ?? '', tags: tags ?? [] };
  if (examples?.length) skill.examples = examples;
  if (inputModes?.length) skill.inputModes = inputModes;
  if (outputModes?.length) skill.outputModes = outputModes;
  if (security?.length) skill.securityRequirements = decodeSecurity(security);
  return skill;
}

function encodeCard(card: AgentCard, cx: CodecContext, generation: CardGeneration): WireCard {
  const { capabilities } = card;
  const params = capabilities.extensions?.find(({ uri }) => uri === ownUri)?.params;
  const preserved: Preserved = isObject(params) ? params : {};
  const protocolVersion = versionOf(preserved, generation);
  const schemes = encodeSchemes(card.securitySchemes ?? {}, generation.schemes, preserved.schemes ?? {});
  if (schemes.lossy) cx.losses.add('securitySchemes');
  if (card.signatures) cx.losses.add('signatures');
  const wire: Partial<WireCard> = {
    ...(protocolVersion !== '' && { protocolVersion }),
    name: card.name,
    description: card.description,
    ...interfacesOf(card, cx, generation, preserved.interfaces),
  };
  if (card.iconUrl !== undefined) wire.iconUrl = card.iconUrl;
  if (card.provider) wire.provider = card.provider;
  wire.version = card.version;
  if (card.documentationUrl !== undefined) wire.documentationUrl = card.documentationUrl;
  wire.capabilities = encodeCapabilities(capabilities, preserved, generation);
  if (Object.keys(schemes.wire).length > 0) wire.securitySchemes = schemes.wire;
  if (card.securityRequirements) wire.security = encodeSecurity(card.securityRequirements);
  wire.defaultInputModes = card.defaultInputModes;
  wire.defaultOutputModes = card.defaultOutputModes;
  wire.skills = card.skills.map((skill) => encodeSkill(skill, cx, generation));
  if (capabilities.extendedAgentCard !== undefined) {
    wire.supportsAuthenticatedExtendedCard = capabilities.extendedAgentCard;
  }
  const { signed } = preserved;
  if (signed && generation.since03 && signed.digest === digestOf(wire)) wire.signatures = signed.signatures;
  return wire as WireCard;
}

/** What the card says of itself: as it stood there, if it was a card of this generation. */
function versionOf({ protocolVersion }: Preserved, generation: CardGeneration): string {
  const own =
    protocolVersion === '' ? !generation.since03 : protocolVersion?.startsWith(generation.interfaceVersion) === true;
  return own && protocolVersion !== undefined ? protocolVersion : generation.protocolVersion;
}

/** As they stood there, where v1's list is still the one that was made of them. */
function interfacesOf(
  { supportedInterfaces }: AgentCard,
  cx: CodecContext,
  { interfaceVersion }: CardGeneration,
  preserved: WireInterfaces | undefined,
): WireInterfaces {
  const isSame = (wire: WireInterfaces) =>
    isDeepStrictEqual(decodeInterfaces(wire, interfaceVersion), supportedInterfaces);
  if (preserved && isSame(preserved)) return preserved;
  const wire = encodeInterfaces(supportedInterfaces, interfaceVersion);
  if (!isSame(wire)) cx.losses.add('supportedInterfaces');
  return wire;
}

function encodeCapabilities(
  capabilities: AgentCapabilities,
  preserved: Preserved,
  generation: CardGeneration,
): WireCard['capabilities'] {
  const { streaming, pushNotifications, extensions = [] } = capabilities;
  const wire: WireCard['capabilities'] = {};
  if (streaming !== undefined) wire.streaming = streaming;
  if (pushNotifications !== undefined) wire.pushNotifications = pushNotifications;
  if (preserved.stateTransitionHistory !== undefined) wire.stateTransitionHistory = preserved.stateTransitionHistory;
  if (generation.documented) Object.assign(wire, preserved.documented ?? generation.documented(capabilities));
  const others = extensions.filter(({ uri = '' }) => !uri.startsWith(ownUris));
  const { flags, listed } = writeKnowledgeFlags(others, preserved.knowledge);
  Object.assign(wire, flags);
  if (listed.length > 0) wire.extensions = listed.map((extension) => ({ ...extension, uri: extension.uri ?? '' }));
  return wire;
}

function encodeSkill(skill: AgentSkill, cx: CodecContext, { since03 }: CardGeneration): WireSkill {
  const { securityRequirements, ...rest } = skill;
  if (!securityRequirements) return rest;
  if (since03) return { ...rest, security: encodeSecurity(securityRequirements) };
  cx.losses.add('skills.securityRequirements');
  return rest;
}

/** SHA-256 of a card without its signatures, whatever the order of its members. */
export function digestOf(card: object): string {
  const { signatures: _, ...signed } = card as Partial<WireCard>;
  return createHash('sha256')
    .update(JSON.stringify(sorted(signed)))
    .digest('base64url');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}
