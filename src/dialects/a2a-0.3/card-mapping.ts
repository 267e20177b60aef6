import type * as v1 from '../../core/model/a2a.ts';
import { isObject, sameJson } from '../../core/model/json.ts';
import type * as wire from '../../gen/a2a-0.3/types.ts';
import { flagTitles, type PreservedFlags, readFlags, writeFlags } from '../kernel/card-flags.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { type Codecs, list, type Mapping, nested, orEmpty, record, same, value, whole } from '../kernel/record.ts';
import { decodeInterfaces, encodeInterfaces, plainInterfaces, type WireInterfaces } from './card-interfaces.ts';
import { decodeSchemes, decodeSecurity, encodeSchemes, encodeSecurity, type KeptSchemes } from './card-security.ts';

/** Differences between the cards of A2A 0.3, A2A 0.2 and the PHP SDK. */

export interface CardVersion {
  /** Version in cards of this dialect. */
  readonly protocolVersion: string;
  /** Version of this dialect's interfaces in v1 cards. */
  readonly interfaceVersion: string;
  /** Security schemes that strict readers accept. */
  readonly schemes: ReadonlySet<wire.SecurityScheme['type']>;
  /** Whether skills have requirements of their own, and cards have signatures. */
  readonly since03: boolean;
  /** Capabilities under the names of the PHP SDK's document. */
  readonly documented?: (capabilities: v1.AgentCapabilities) => Documented;
}

/** Prefix of v1 extensions for facts of a card that v1 has no place for. They are not published. */
export const ownUris = 'urn:a2a-gateway:';
/** URI prefix of A2A 0.3 and its variations. */
export const ownUri = `${ownUris}a2a-0.3`;

/** Facts of a card that v1 has no place for. */
export interface Preserved extends PreservedFlags {
  /** Version of the card, if it is not the dialect's; '' if it had none. */
  readonly protocolVersion?: string;
  readonly stateTransitionHistory?: boolean;
  /** Capabilities, if the dialect writes them differently. */
  readonly documented?: Documented;
  /** Interfaces that do not follow from v1's list. */
  readonly interfaces?: WireInterfaces;
  readonly schemes?: KeptSchemes;
  /** Signatures, with the digest of the only document that they sign. */
  readonly signed?: { readonly digest: string; readonly signatures: NonNullable<wire.AgentCard['signatures']> };
}

/** Returns the facts that a v1 card preserves. */
export function preservedIn({ extensions }: v1.AgentCapabilities): Preserved {
  const params = extensions?.find(({ uri }) => uri === ownUri)?.params;
  return isObject(params) ? params : {};
}

/** Returns the extensions of a v1 card that are published. */
export const published = <T extends { readonly uri?: string }>(extensions: readonly T[] | null | undefined): T[] =>
  (extensions ?? []).filter(({ uri = '' }) => !uri.startsWith(ownUris));

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

export function readDocumented(capabilities: object): Documented {
  const given = capabilities as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    documentedNames.flatMap((name) => (typeof given[name] === 'boolean' ? [[name, given[name]]] : [])),
  );
}

/**
 * Returns the interfaces of a card: those that were read, if v1's list still follows from them.
 *
 * @param listOf computes v1's list
 */
export function interfacesOf(
  supportedInterfaces: readonly v1.AgentInterface[],
  preserved: WireInterfaces | undefined,
  listOf: (wire: WireInterfaces) => v1.AgentInterface[],
  version: string,
  cx: CodecContext,
): WireInterfaces {
  const isSame = (interfaces: WireInterfaces): boolean => sameJson(listOf(interfaces), supportedInterfaces);
  if (preserved && isSame(preserved)) return preserved;
  const interfaces = encodeInterfaces(supportedInterfaces, version);
  if (!isSame(interfaces)) cx.losses.add('supportedInterfaces');
  return interfaces;
}

const text = value({ decode: (given: string | null) => given || undefined });
const flag = value({ decode: (given: boolean | null) => given ?? undefined });
const security = value({ decode: decodeSecurity, encode: encodeSecurity, as: 'security' });

const provider = record<v1.AgentProvider, wire.AgentProvider>('AgentProvider', { organization: same, url: orEmpty });

const extension = record<v1.AgentExtension, wire.AgentExtension>('AgentExtension', {
  uri: orEmpty,
  description: same,
  required: same,
  params: same,
});

const capabilitiesTable = ({ documented }: CardVersion) =>
  record<v1.AgentCapabilities, wire.AgentCapabilities>('AgentCapabilities', {
    streaming: flag,
    pushNotifications: flag,
    stateTransitionHistory: whole({
      encode: (v1: v1.AgentCapabilities) => preservedIn(v1).stateTransitionHistory,
      note: 'preserved',
    }),
    extensions: whole<v1.AgentCapabilities, wire.AgentCapabilities>({
      decode: ({ extensions, ...flags }, cx, _v1, { extension }: ExtensionCodecs) => {
        const listed = published(extensions).map((one) => extension.decode(one, cx));
        const all = [...listed, ...readFlags(flags, listed).extensions];
        return all.length > 0 ? all : undefined;
      },
      encode: (v1, cx, wire, at, { extension }: ExtensionCodecs) => {
        const preserved = preservedIn(v1);
        const { flags, listed } = writeFlags(published(v1.extensions), preserved);
        Object.assign(wire, documented && (preserved.documented ?? documented(v1)), flags);
        return listed.length > 0 ? listed.map((one) => extension.encode(one, cx, `${at}extensions.`)) : undefined;
      },
      note: flagTitles,
      of: extension,
      list: true,
    }),
    extendedAgentCard: whole({ note: 'of the card', as: 'supportsAuthenticatedExtendedCard' }),
  });

type ExtensionCodecs = Codecs<{ readonly extension: typeof extension }>;

/** Skills of A2A 0.2 have no requirements. */
const noSecurity = value<v1.SecurityRequirement[], unknown>({
  decode: () => undefined,
  encode: ({ length }, { losses }) => {
    if (length > 0) losses.add('skills.securityRequirements');
  },
  lost: true,
});

const skillTable = ({ since03 }: CardVersion) =>
  record<v1.AgentSkill, wire.AgentSkill>('AgentSkill', {
    id: same,
    name: same,
    description: orEmpty,
    tags: orEmpty,
    examples: same,
    inputModes: same,
    outputModes: same,
    securityRequirements: since03 ? security : noSecurity,
  });

const schemesOf = (version: CardVersion) =>
  whole<v1.AgentCard, wire.AgentCard>({
    decode: ({ securitySchemes }) => {
      const { schemes } = decodeSchemes(securitySchemes ?? {}, version.schemes);
      return Object.keys(schemes).length > 0 ? schemes : undefined;
    },
    encode: ({ securitySchemes = {}, capabilities }, { losses }) => {
      const { schemes = {} } = preservedIn(capabilities);
      const { wire, lossy } = encodeSchemes(securitySchemes, version.schemes, schemes);
      if (lossy) losses.add('securitySchemes');
      return Object.keys(wire).length > 0 ? wire : undefined;
    },
    note: `of the types ${[...version.schemes].map((type) => `\`${type}\``).join(', ')}`,
    losses: [''],
  });

const cardTable = (
  version: CardVersion,
  capabilities: ReturnType<typeof capabilitiesTable>,
  skill: ReturnType<typeof skillTable>,
) =>
  record<v1.AgentCard, wire.AgentCard>('AgentCard', {
    protocolVersion: whole({
      encode: ({ capabilities }: v1.AgentCard) => versionOf(preservedIn(capabilities), version) || undefined,
    }),
    name: same,
    description: same,
    supportedInterfaces: whole<v1.AgentCard, wire.AgentCard>({
      decode: (card) => decodeInterfaces(plainInterfaces(card), version.interfaceVersion),
      encode: ({ supportedInterfaces, capabilities }, cx, wire) => {
        const { interfaceVersion } = version;
        const listOf = (interfaces: WireInterfaces) => decodeInterfaces(interfaces, interfaceVersion);
        const { interfaces } = preservedIn(capabilities);
        Object.assign(wire, interfacesOf(supportedInterfaces, interfaces, listOf, interfaceVersion, cx));
      },
      note: 'with `preferredTransport` and `additionalInterfaces`; those of this version',
      as: 'url',
      losses: [''],
    }),
    iconUrl: text,
    provider: nested(provider),
    version: same,
    documentationUrl: text,
    capabilities: nested(capabilities),
    securitySchemes: schemesOf(version),
    securityRequirements: security,
    defaultInputModes: same,
    defaultOutputModes: same,
    skills: list(skill),
    supportsAuthenticatedExtendedCard: whole<v1.AgentCard, wire.AgentCard>({
      decode: ({ supportsAuthenticatedExtendedCard: supported }, _cx, { capabilities }) => {
        if (typeof supported === 'boolean') capabilities.extendedAgentCard = supported;
      },
      encode: ({ capabilities }) => capabilities.extendedAgentCard,
    }),
  });

function versionOf({ protocolVersion: read }: Preserved, version: CardVersion): string {
  const isOwn = read === '' ? !version.since03 : read?.startsWith(version.interfaceVersion) === true;
  return isOwn && read !== undefined ? read : version.protocolVersion;
}

export function cardTables(version: CardVersion) {
  const capabilities = capabilitiesTable(version);
  const skill = skillTable(version);
  return { provider, extension, capabilities, skill, card: cardTable(version, capabilities, skill) };
}

export const version03: CardVersion = {
  protocolVersion: '0.3.0',
  interfaceVersion: '0.3',
  schemes: new Set(['apiKey', 'http', 'oauth2', 'openIdConnect', 'mutualTLS'] as const),
  since03: true,
};

export const version02: CardVersion = {
  protocolVersion: '0.2.6',
  interfaceVersion: '0.2',
  schemes: new Set(['apiKey', 'http', 'oauth2', 'openIdConnect'] as const),
  since03: false,
};

export const mapping03: Mapping = { tables: cardTables(version03) };
export const mapping02: Mapping = { tables: cardTables(version02), sharesCode: true };
