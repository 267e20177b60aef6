import type { AgentCard, AgentInterface, AgentSkill } from '../../core/model/a2a.ts';
import type { AgentCard as VaultCard, AgentSkill as VaultSkill } from '../../gen/agentvault-0.2/types.ts';
import { validators } from '../../gen/agentvault-0.2/validators.ts';
import { parseWith } from '../../wire/validate.ts';
import type { CodecContext } from '../kernel/codec.ts';
import type { CardShape } from '../kernel/dialect.ts';
import { type KnowledgeFlags, readKnowledgeFlags, writeKnowledgeFlags } from '../kernel/knowledge-card.ts';
import { decodeAuth, encodeAuth, type KeptAuth } from './card-auth.ts';
import { isWebUrl } from './parts.ts';

/** The v1 extension under which the gateway keeps what an AgentVault card says and a v1 card has no place for. */
const extensionUri = 'urn:a2a-gateway:agentvault-0.2';
/** Stands in v1 interfaces for the version of A2A, so that nobody takes the agent for one of A2A's own generations. */
const interfaceVersion = 'agentvault-0.2';

interface Preserved {
  readonly card: Pick<VaultCard, (typeof keptFields)[number]>;
  readonly capabilities: Pick<VaultCard['capabilities'], (typeof keptCapabilities)[number]>;
  readonly support_contact?: string;
  /** By skill id. */
  readonly skills?: Readonly<Record<string, Pick<VaultSkill, 'input_schema' | 'output_schema'>>>;
  readonly auth?: KeptAuth;
  readonly knowledge?: KnowledgeFlags;
}

const keptFields = [
  'schemaVersion',
  'humanReadableId',
  'tags',
  'privacyPolicyUrl',
  'termsOfServiceUrl',
  'lastUpdated',
] as const satisfies readonly (keyof VaultCard)[];
const keptCapabilities = [
  'a2aVersion',
  'mcpVersion',
  'supportedMessageParts',
  'teeDetails',
] as const satisfies readonly (keyof VaultCard['capabilities'])[];

/** The named members that are there. */
function pick<T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  const entries = names.flatMap((name) =>
    from[name] === undefined || from[name] === null ? [] : [[name, from[name]]],
  );
  return Object.fromEntries(entries) as Pick<T, K>;
}

const parts = { text: 'text/plain', data: 'application/json', file: 'application/octet-stream' } as const;

/** The strict client of `agentvault` 0.2 demands every member that is not optional here. */
export const card: CardShape = {
  paths: ['/agent-card.json'],
  protocolVersion: interfaceVersion,
  decode: (wire) => decodeCard(parseWith<VaultCard>(validators.AgentCard, wire)),
  encode: encodeCard,
};

function decodeCard(vault: VaultCard): AgentCard {
  const { provider, capabilities, skills } = vault;
  const { preserved: auth, ...security } = decodeAuth(vault.authSchemes);
  const schemas = (skills ?? []).flatMap((skill) => {
    const some = pick(skill, ['input_schema', 'output_schema']);
    return Object.keys(some).length === 0 ? [] : [[skill.id, some] as const];
  });
  const knowledge = readKnowledgeFlags(capabilities, []);
  const params: Preserved = {
    card: pick(vault, keptFields),
    capabilities: pick(capabilities, keptCapabilities),
    ...(provider.support_contact && { support_contact: provider.support_contact }),
    ...(schemas.length > 0 && { skills: Object.fromEntries(schemas) }),
    ...(auth && { auth }),
    ...(knowledge.preserved && { knowledge: knowledge.preserved }),
  };
  const supported = capabilities.supportedMessageParts ?? ['text'];
  const modes = supported.flatMap((name) => (Object.hasOwn(parts, name) ? [parts[name as keyof typeof parts]] : []));
  return {
    name: vault.name,
    description: vault.description,
    version: vault.agentVersion,
    supportedInterfaces: [{ url: vault.url, protocolBinding: 'JSONRPC', protocolVersion: interfaceVersion }],
    provider: { organization: provider.name, url: provider.url ?? '' },
    capabilities: {
      streaming: true,
      ...(typeof capabilities.supportsPushNotifications === 'boolean' && {
        pushNotifications: capabilities.supportsPushNotifications,
      }),
      extensions: [
        { uri: extensionUri, params: params as unknown as Record<string, unknown> },
        ...knowledge.extensions,
      ],
    },
    ...security,
    defaultInputModes: modes,
    defaultOutputModes: [parts.text, parts.data],
    skills: (skills ?? []).map(({ id, name, description }): AgentSkill => ({ id, name, description, tags: [] })),
    ...(vault.iconUrl && { iconUrl: vault.iconUrl }),
  };
}

function encodeCard(v1: AgentCard, cx: CodecContext): VaultCard {
  const preserved = v1.capabilities.extensions?.find(({ uri }) => uri === extensionUri)?.params as
    | Preserved
    | undefined;
  noteLosses(v1, cx);
  const { organization = v1.name, url: home = '' } = v1.provider ?? {};
  const { pushNotifications } = v1.capabilities;
  const skills = v1.skills.map(
    ({ id, name, description }): VaultSkill => ({ id, name, description, ...preserved?.skills?.[id] }),
  );
  return {
    ...(preserved?.card ?? { schemaVersion: '1.0', humanReadableId: `${slug(organization)}/${slug(v1.name)}` }),
    agentVersion: v1.version,
    name: v1.name,
    description: v1.description,
    url: endpoint(v1.supportedInterfaces),
    provider: {
      name: organization,
      ...(isWebUrl(home) && { url: home }),
      ...(preserved?.support_contact !== undefined && { support_contact: preserved.support_contact }),
    },
    capabilities: {
      ...(preserved?.capabilities ?? { a2aVersion: '0.2', supportedMessageParts: Object.keys(parts) }),
      ...(pushNotifications !== undefined && { supportsPushNotifications: pushNotifications }),
      ...writeKnowledgeFlags(v1.capabilities.extensions ?? [], preserved?.knowledge).flags,
    },
    authSchemes: encodeAuth(v1, cx, preserved?.auth),
    ...(skills.length > 0 && { skills }),
    ...(v1.iconUrl !== undefined && isWebUrl(v1.iconUrl) && { iconUrl: v1.iconUrl }),
  };
}

function noteLosses({ capabilities, skills, ...card }: AgentCard, { losses }: CodecContext): void {
  for (const name of ['supportedInterfaces', 'defaultInputModes', 'defaultOutputModes'] as const) losses.add(name);
  if (!card.provider) losses.add('provider');
  // The real client refuses a card with any other URL.
  else if (card.provider.url && !isWebUrl(card.provider.url)) losses.add('provider.url');
  if (card.iconUrl !== undefined && !isWebUrl(card.iconUrl)) losses.add('iconUrl');
  for (const name of ['documentationUrl', 'signatures'] as const) if (card[name] !== undefined) losses.add(name);
  if (!capabilities.streaming) losses.add('capabilities.streaming');
  if (capabilities.extendedAgentCard !== undefined) losses.add('capabilities.extendedAgentCard');
  losses.add('capabilities.extensions');
  for (const name of ['tags', 'examples', 'inputModes', 'outputModes', 'securityRequirements'] as const) {
    if (skills.some((skill) => (skill[name] ?? []).length > 0)) losses.add(`skills.${name}`);
  }
}

/**
 * Where clients of this dialect are to call: the interface that is meant for them, else the first for JSON-RPC. The
 * real client takes https, and http for nothing but the name `localhost`.
 */
function endpoint(interfaces: readonly AgentInterface[]): string {
  const jsonrpc = interfaces.filter(({ protocolBinding }) => protocolBinding === 'JSONRPC');
  const own = jsonrpc.find(({ protocolVersion }) => protocolVersion === interfaceVersion);
  const url = (own ?? jsonrpc[0] ?? interfaces[0])?.url ?? '';
  return url.replace(/^http:\/\/(?:127\.0\.0\.1|\[::1\])(?=[:/]|$)/, 'http://localhost');
}

/** Part of a human readable id: lower case, digits, hyphens. */
function slug(text: string): string {
  const ascii = text.normalize('NFKD').toLowerCase();
  return ascii.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '') || 'agent';
}

/** What cards have no place for. */
export const cardLosses: readonly string[] = [
  'supportedInterfaces',
  'defaultInputModes',
  'defaultOutputModes',
  'provider',
  'provider.url',
  'iconUrl',
  'documentationUrl',
  'signatures',
  'securitySchemes',
  'securityRequirements',
  ...['streaming', 'extendedAgentCard', 'extensions'].map((name) => `capabilities.${name}`),
  ...['tags', 'examples', 'inputModes', 'outputModes', 'securityRequirements'].map((name) => `skills.${name}`),
];
