import type * as v1 from '../../core/model/a2a.ts';
import { own } from '../../core/model/json.ts';
import type * as wire from '../../gen/agentvault-0.2/types.ts';
import { flaggedTitles, type PreservedFlags, readFlags, writeFlags } from '../kernel/card-flags.ts';
import { endpointOf } from '../kernel/cards.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { type Codecs, lost, type Row, record, same, type Table, value, whole } from '../kernel/record.ts';
import { decodeAuth, encodeAuth, type PreservedAuth } from './card-auth.ts';
import { isWebUrl } from './parts.ts';

/** Shapes of a card. The strict client of `agentvault` 0.2 demands every member that is not optional here. */

/** URI of the v1 extension for facts of a card that have no place in a v1 card. */
const extensionUri = 'urn:a2a-gateway:agentvault-0.2';
/** Version of these interfaces in v1 cards, so that the agent is not mistaken for one of A2A's own versions. */
export const interfaceVersion = 'agentvault-0.2';

const preservedFields = [
  'schemaVersion',
  'humanReadableId',
  'tags',
  'privacyPolicyUrl',
  'termsOfServiceUrl',
  'lastUpdated',
] as const satisfies readonly (keyof wire.AgentCard)[];
const preservedCapabilities = [
  'a2aVersion',
  'mcpVersion',
  'supportedMessageParts',
  'teeDetails',
] as const satisfies readonly (keyof wire.AgentCapabilities)[];

interface Preserved extends PreservedFlags {
  readonly card: Pick<wire.AgentCard, (typeof preservedFields)[number]>;
  readonly capabilities: Pick<wire.AgentCapabilities, (typeof preservedCapabilities)[number]>;
  readonly support_contact?: string;
  /** Schemas of skills, by skill id. */
  readonly skills?: Readonly<Record<string, Pick<wire.AgentSkill, 'input_schema' | 'output_schema'>>>;
  readonly auth?: PreservedAuth;
}

const preservedOf = ({ capabilities: { extensions = [] } }: v1.AgentCard): Partial<Preserved> =>
  extensions.find(({ uri }) => uri === extensionUri)?.params ?? {};

/** Returns those of the named members that are present. */
function pick<T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  const entries = names.flatMap((name) =>
    from[name] === undefined || from[name] === null ? [] : [[name, from[name]]],
  );
  return Object.fromEntries(entries) as Pick<T, K>;
}

function extensionsOf({ provider, capabilities, skills, authSchemes, ...card }: wire.AgentCard): v1.AgentExtension[] {
  const schemas = (skills ?? [])
    .map((skill) => [skill.id, pick(skill, ['input_schema', 'output_schema'])] as const)
    .filter(([, some]) => Object.keys(some).length > 0);
  const flagged = readFlags(capabilities, []);
  const { preserved: auth } = decodeAuth(authSchemes);
  const params: Preserved = {
    card: pick(card, preservedFields),
    capabilities: pick(capabilities, preservedCapabilities),
    ...(provider.support_contact && { support_contact: provider.support_contact }),
    ...(schemas.length > 0 && { skills: Object.fromEntries(schemas) }),
    ...(auth && { auth }),
    ...flagged.preserved,
  };
  return [{ uri: extensionUri, params: { ...params } }, ...flagged.extensions];
}

/** Part of a human readable id: lower case, digits, hyphens. */
function slug(text: string): string {
  const ascii = text.normalize('NFKD').toLowerCase();
  return ascii.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '') || 'agent';
}

const parts = { text: 'text/plain', data: 'application/json', file: 'application/octet-stream' } as const;

/** Row of a member that follows from another; its v1 value is a loss in any case. */
const implied = (name: keyof v1.AgentCard, decode: (wire: wire.AgentCard) => unknown): Row =>
  whole<v1.AgentCard, wire.AgentCard>({
    decode,
    encode: (_card, { losses }) => void losses.add(name),
    losses: [''],
  });

/** The real client refuses a card with any other URL. */
function encodeUrl(url: string, { losses }: CodecContext, at: string): string | undefined {
  if (isWebUrl(url)) return url;
  if (url) losses.add(at);
  return undefined;
}

const provider = record<v1.AgentProvider, wire.AgentProvider>('AgentProvider', {
  organization: { as: 'name' },
  url: value({ decode: (url: string | null | undefined) => url ?? '', encode: encodeUrl, losses: [''] }),
});

const capabilities = record<v1.AgentCapabilities, wire.AgentCapabilities>('AgentCapabilities', {
  streaming: whole<v1.AgentCapabilities, wire.AgentCapabilities>({
    decode: () => true,
    encode: ({ streaming }, { losses }, _wire, at) => {
      if (!streaming) losses.add(`${at}streaming`);
    },
    note: 'always',
    losses: [''],
  }),
  pushNotifications: { as: 'supportsPushNotifications' },
  extensions: whole({
    encode: (_capabilities, { losses }, _wire, at) => void losses.add(`${at}extensions`),
    note: `only ${flaggedTitles}`,
    losses: [''],
  }),
});

const skill = record<v1.AgentSkill, wire.AgentSkill>('AgentSkill', {
  id: same,
  name: same,
  description: same,
  tags: lost(() => []),
});

type Members = Codecs<{ provider: typeof provider; capabilities: typeof capabilities; skill: typeof skill }>;

const card = record<v1.AgentCard, wire.AgentCard>('AgentCard', {
  schemaVersion: whole<v1.AgentCard, wire.AgentCard>({
    encode: (card, _cx, wire) => {
      const humanReadableId = `${slug(card.provider?.organization ?? card.name)}/${slug(card.name)}`;
      Object.assign(wire, preservedOf(card).card ?? { schemaVersion: '1.0', humanReadableId });
    },
    note: 'made up, with `humanReadableId`; preserved, as other members without a place in v1',
  }),
  version: { as: 'agentVersion' },
  name: same,
  description: same,
  supportedInterfaces: whole<v1.AgentCard, wire.AgentCard>({
    decode: ({ url }) => [{ url, protocolBinding: 'JSONRPC', protocolVersion: interfaceVersion }],
    encode: ({ supportedInterfaces }, { losses }) => {
      losses.add('supportedInterfaces');
      // The real client accepts https, and http only for the name `localhost`.
      const url = endpointOf(supportedInterfaces, interfaceVersion);
      return url.replace(/^http:\/\/(?:127\.0\.0\.1|\[::1\])(?=[:/]|$)/, 'http://localhost');
    },
    note: 'one of them',
    as: 'url',
    losses: [''],
  }),
  provider: whole<v1.AgentCard, wire.AgentCard>({
    decode: ({ provider }, cx, _v1, members: Members) => members.provider.decode(provider, cx),
    encode: (card, cx, _wire, at, members: Members) => {
      if (!card.provider) cx.losses.add(`${at}provider`);
      const { support_contact } = preservedOf(card);
      const encoded = members.provider.encode(card.provider ?? { organization: card.name, url: '' }, cx, 'provider.');
      return { ...encoded, ...(support_contact !== undefined && { support_contact }) };
    },
    of: provider as Table,
    losses: [''],
  }),
  capabilities: whole<v1.AgentCard, wire.AgentCard>({
    decode: (wire, cx, _v1, members: Members) => ({
      ...members.capabilities.decode(wire.capabilities, cx),
      extensions: extensionsOf(wire),
    }),
    encode: (card, cx, _wire, _at, members: Members) => {
      const preserved = preservedOf(card);
      return {
        ...(preserved.capabilities ?? { a2aVersion: '0.2', supportedMessageParts: Object.keys(parts) }),
        ...members.capabilities.encode(card.capabilities, cx, 'capabilities.'),
        ...writeFlags(card.capabilities.extensions ?? [], preserved).flags,
      };
    },
    of: capabilities as Table,
  }),
  authSchemes: whole<v1.AgentCard, wire.AgentCard>({
    decode: ({ authSchemes }, _cx, card) => {
      const { preserved: _, ...security } = decodeAuth(authSchemes);
      Object.assign(card, security);
    },
    encode: (card, cx) => encodeAuth(card, cx, preservedOf(card).auth),
    covers: ['securitySchemes', 'securityRequirements'],
    losses: ['^securitySchemes', '^securityRequirements'],
  }),
  skills: whole<v1.AgentCard, wire.AgentCard>({
    decode: ({ skills }, cx, _v1, members: Members) => (skills ?? []).map((one) => members.skill.decode(one, cx)),
    encode: (card, cx, _wire, _at, members: Members) => {
      const { skills: schemas = {} } = preservedOf(card);
      const skills = card.skills.map((one) => ({
        ...members.skill.encode(one, cx, 'skills.'),
        ...own(schemas, one.id),
      }));
      return skills.length > 0 ? skills : undefined;
    },
    of: skill as Table,
    list: true,
  }),
  defaultInputModes: implied('defaultInputModes', ({ capabilities }) =>
    (capabilities.supportedMessageParts ?? ['text']).flatMap((name) =>
      Object.hasOwn(parts, name) ? [parts[name as keyof typeof parts]] : [],
    ),
  ),
  defaultOutputModes: implied('defaultOutputModes', () => [parts.text, parts.data]),
  iconUrl: value({ decode: (url: string | null) => url || undefined, encode: encodeUrl, losses: [''] }),
});

export const cardTables = { provider, capabilities, skill, card };
