import type * as v1 from '../../../core/model/a2a.ts';
import type * as wire from '../../../gen/a2a-v0_3/types.ts';
import type { CodecContext } from '../../kernel/codec.ts';
import { type Codecs, list, nested, orEmpty, record, same, value, whole } from '../../kernel/record.ts';
import { decodeInterfaces, plainInterfaces, type WireInterfaces } from '../card-interfaces.ts';
import { interfacesOf, preservedIn, published } from '../card-mapping.ts';

/** The card of A2A 0.3 in protobuf. */

const provider = record<v1.AgentProvider, wire.AgentProvider>('AgentProvider', { url: same, organization: same });

const extension = record<v1.AgentExtension, wire.AgentExtension>('AgentExtension', {
  uri: same,
  description: same,
  required: same,
  params: same,
});

type ExtensionCodecs = Codecs<{ readonly extension: typeof extension }>;

const capabilities = record<v1.AgentCapabilities, wire.AgentCapabilities>('AgentCapabilities', {
  streaming: same,
  pushNotifications: same,
  extensions: whole<v1.AgentCapabilities, wire.AgentCapabilities>({
    decode: ({ extensions }, cx, _v1, { extension }: ExtensionCodecs) =>
      someOf(published(extensions).map((one) => extension.decode(one, cx))),
    encode: ({ extensions }, cx, _wire, at, { extension }: ExtensionCodecs) =>
      someOf(published(extensions).map((one) => extension.encode(one, cx, `${at}extensions.`))),
    of: extension,
    list: true,
  }),
  extendedAgentCard: whole({ note: 'of the card', as: 'supportsAuthenticatedExtendedCard' }),
});

const someOf = <T>(list: T[]): T[] | undefined => (list.length > 0 ? list : undefined);

const skill = record<v1.AgentSkill, wire.AgentSkill>('AgentSkill', {
  id: same,
  name: same,
  description: same,
  tags: orEmpty,
  examples: same,
  inputModes: same,
  outputModes: same,
  securityRequirements: { as: 'security' },
});

/**
 * Card with security as in v1, and interfaces as in 0.3 over JSON-RPC. Encoded, it has all members that the strict
 * model of the Python SDK demands, even if empty: its client over HTTP+JSON reads this card with the model of the other
 * one.
 */
const card = record<v1.AgentCard, wire.AgentCard>('AgentCard', {
  protocolVersion: whole({
    encode: ({ capabilities }: v1.AgentCard) => (preservedIn(capabilities).protocolVersion ?? '0.3.0') || undefined,
  }),
  name: same,
  description: same,
  supportedInterfaces: whole<v1.AgentCard, wire.AgentCard>({
    decode: (card) => callable(plainInterfaces(card)),
    encode: ({ supportedInterfaces, capabilities }, cx, wire) => {
      const { interfaces } = preservedIn(capabilities);
      Object.assign(wire, interfacesOf(supportedInterfaces, interfaces, callable, '0.3', cx));
    },
    note: 'with `preferredTransport` and `additionalInterfaces`; those of this version',
    as: 'url',
    losses: [''],
  }),
  iconUrl: same,
  provider: nested(provider),
  version: same,
  documentationUrl: same,
  capabilities: nested(capabilities, { orEmpty: true }),
  securitySchemes: value({ encode: encodeSchemes, note: 'without PKCE and the flow for devices', losses: [''] }),
  securityRequirements: { as: 'security' },
  defaultInputModes: orEmpty,
  defaultOutputModes: orEmpty,
  skills: list(skill, { orEmpty: true }),
  supportsAuthenticatedExtendedCard: whole<v1.AgentCard, wire.AgentCard>({
    decode: ({ supportsAuthenticatedExtendedCard: supported }, _cx, { capabilities }) => {
      if (supported) capabilities.extendedAgentCard = true;
    },
    encode: ({ capabilities }) => capabilities.extendedAgentCard || undefined,
  }),
});

/** Returns v1's list of the interfaces that can be called. */
const callable = (interfaces: WireInterfaces): v1.AgentInterface[] =>
  decodeInterfaces(interfaces, '0.3').filter(({ protocolBinding }) => protocolBinding !== '');

type Schemes = NonNullable<v1.AgentCard['securitySchemes']>;

function encodeSchemes(schemes: Schemes, cx: CodecContext, at: string): Schemes {
  const encoded: Schemes = {};
  for (const [name, scheme] of Object.entries(schemes)) {
    const { oauth2SecurityScheme: oauth2 } = scheme;
    encoded[name] = oauth2 ? { oauth2SecurityScheme: { ...oauth2, flows: encodeFlows(oauth2.flows, cx, at) } } : scheme;
  }
  return encoded;
}

/** Returns the flows without later additions: the flow for devices, and whether PKCE is required. */
function encodeFlows(
  { authorizationCode, deviceCode, ...flows }: v1.OAuthFlows,
  cx: CodecContext,
  at: string,
): v1.OAuthFlows {
  if (deviceCode || authorizationCode?.pkceRequired) cx.losses.add(at);
  if (!authorizationCode) return flows;
  const { pkceRequired: _, ...flow } = authorizationCode;
  return { authorizationCode: flow };
}

export const cardTables = { provider, extension, capabilities, skill, card };
