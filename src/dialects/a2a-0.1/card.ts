import type { AgentCard, AgentExtension, AgentInterface, AgentSkill } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject } from '../../core/model/json.ts';
import { knowledgeExtension } from '../../core/model/knowledge.ts';
import type {
  AgentAuthentication,
  AgentCard as LegacyCard,
  AgentSkill as LegacySkill,
} from '../../gen/a2a-0.1/types.ts';
import type { CodecContext } from '../kernel/codec.ts';
import type { CardShape } from '../kernel/dialect.ts';
import { type KnowledgeFlags, readKnowledgeFlags, writeKnowledgeFlags } from '../kernel/knowledge-card.ts';
import { decodeAuth, encodeAuth } from './card-auth.ts';
import { decodeModes } from './modes.ts';
import { read } from './read.ts';

/** The v1 extension under which the gateway keeps what a card of A2A 0.1 says and a v1 card has no place for. */
const extensionUri = 'urn:a2a-gateway:a2a-0.1';
/** The gateway's own extensions begin so: each is one dialect's affair, and no loss to the others. */
const ownUris = 'urn:a2a-gateway:';
const interfaceVersion = '0.1';

/** Modes with the bare word that v1 has no place for. */
interface KeptModes {
  readonly input?: readonly string[];
  readonly output?: readonly string[];
}

interface Preserved {
  readonly stateTransitionHistory?: true;
  /** Where they do not come back from the extension. */
  readonly knowledge?: KnowledgeFlags;
  readonly authentication?: AgentAuthentication;
  readonly modes?: KeptModes;
  /** By position. */
  readonly skills?: Readonly<Record<string, KeptModes>>;
}

/** Written for the pydantic models of the Python samples; the document says the same of what is required. */
export const card: CardShape = {
  paths: ['/.well-known/agent.json'],
  protocolVersion: interfaceVersion,
  decode: decodeCard,
  encode: encodeCard,
};

/** Cards of other generations have all that one of A2A 0.1 must have; these members are theirs alone. */
function isForeign(wire: object): boolean {
  if ('protocolVersion' in wire || 'supportedInterfaces' in wire || 'humanReadableId' in wire) return true;
  return 'schemaVersion' in wire && 'authSchemes' in wire;
}

const empty = (value: object): boolean => Object.keys(value).length === 0;

function decodeCard(wire: unknown): AgentCard {
  if (isObject(wire) && isForeign(wire)) {
    throw A2AError.invalidParams('Invalid parameters: this is the card of another generation');
  }
  const legacy = read('AgentCard', wire);
  const { authentication, provider, capabilities } = legacy;
  const { streaming, pushNotifications, stateTransitionHistory } = capabilities;
  const { preserved, ...security } = authentication ? decodeAuth(authentication) : {};
  const modes = keptModes(legacy.defaultInputModes, legacy.defaultOutputModes);
  const skills = legacy.skills.flatMap(({ inputModes, outputModes }, at) => {
    const some = keptModes(inputModes, outputModes);
    return empty(some) ? [] : [[String(at), some] as const];
  });
  const knowledge = readKnowledgeFlags(capabilities, []);
  const params: Preserved = {
    ...(stateTransitionHistory === true && { stateTransitionHistory }),
    ...(knowledge.preserved && { knowledge: knowledge.preserved }),
    ...(preserved && { authentication: preserved }),
    ...(!empty(modes) && { modes }),
    ...(skills.length > 0 && { skills: Object.fromEntries(skills) }),
  };
  const extensions = [
    ...knowledge.extensions,
    ...(empty(params) ? [] : [{ uri: extensionUri, params: params as Record<string, unknown> }]),
  ];
  return {
    name: legacy.name,
    description: legacy.description ?? '',
    version: legacy.version,
    supportedInterfaces: [{ url: legacy.url, protocolBinding: 'JSONRPC', protocolVersion: interfaceVersion }],
    ...(provider && { provider: { organization: provider.organization, url: provider.url ?? '' } }),
    ...(typeof legacy.documentationUrl === 'string' && { documentationUrl: legacy.documentationUrl }),
    capabilities: {
      ...(typeof streaming === 'boolean' && { streaming }),
      ...(typeof pushNotifications === 'boolean' && { pushNotifications }),
      ...(extensions.length > 0 && { extensions }),
    },
    ...security,
    // Left out, they are text (the default of the schema).
    defaultInputModes: decodeModes(legacy.defaultInputModes ?? ['text']),
    defaultOutputModes: decodeModes(legacy.defaultOutputModes ?? ['text']),
    skills: legacy.skills.map(decodeSkill),
  };
}

/** The lists that are not what they are in v1. */
function keptModes(input: string[] | null | undefined, output: string[] | null | undefined): KeptModes {
  return {
    ...(input && decodeModes(input) !== input && { input }),
    ...(output && decodeModes(output) !== output && { output }),
  };
}

function decodeSkill(skill: LegacySkill, at: number): AgentSkill {
  const { name, description, tags, examples, inputModes, outputModes } = skill;
  return {
    // v1 skills have one.
    id: skill.id || `skill-${at}`,
    name,
    description: description ?? '',
    tags: tags ?? [],
    ...(examples && { examples }),
    ...(inputModes && { inputModes: decodeModes(inputModes) }),
    ...(outputModes && { outputModes: decodeModes(outputModes) }),
  };
}

function encodeCard(v1: AgentCard, cx: CodecContext): LegacyCard {
  const extension = v1.capabilities.extensions?.find(({ uri }) => uri === extensionUri);
  const preserved = (extension?.params ?? {}) as Preserved;
  noteLosses(v1, cx);
  const authentication = preserved.authentication ?? encodeAuth(v1, cx);
  const { streaming, pushNotifications, extensions = [] } = v1.capabilities;
  const { flags } = writeKnowledgeFlags(extensions, preserved.knowledge);
  return {
    name: v1.name,
    ...(v1.description && { description: v1.description }),
    url: endpoint(v1.supportedInterfaces),
    ...(v1.provider && {
      provider: { organization: v1.provider.organization, ...(v1.provider.url && { url: v1.provider.url }) },
    }),
    version: v1.version,
    ...(v1.documentationUrl && { documentationUrl: v1.documentationUrl }),
    capabilities: {
      ...(streaming !== undefined && { streaming }),
      ...(pushNotifications !== undefined && { pushNotifications }),
      ...(preserved.stateTransitionHistory && { stateTransitionHistory: true }),
      ...flags,
    },
    ...(authentication && { authentication }),
    defaultInputModes: encodeModes(v1.defaultInputModes, preserved.modes?.input),
    defaultOutputModes: encodeModes(v1.defaultOutputModes, preserved.modes?.output),
    skills: v1.skills.map((skill, at) => encodeSkill(skill, preserved.skills?.[at] ?? {})),
  };
}

/** Media types are understood as well, and are what cards of 0.2 and 0.3 at the same path say. */
const encodeModes = (modes: readonly string[], preserved: readonly string[] | undefined): string[] => [
  ...(preserved ?? modes),
];

function encodeSkill(skill: AgentSkill, preserved: KeptModes): LegacySkill {
  const { id, name, description, tags, examples, inputModes, outputModes } = skill;
  return {
    id,
    name,
    ...(description && { description }),
    ...(tags.length > 0 && { tags: [...tags] }),
    ...(examples && { examples: [...examples] }),
    ...(inputModes && { inputModes: encodeModes(inputModes, preserved.input) }),
    ...(outputModes && { outputModes: encodeModes(outputModes, preserved.output) }),
  };
}

function noteLosses({ capabilities, skills, supportedInterfaces, ...card }: AgentCard, { losses }: CodecContext): void {
  const [only, ...others] = supportedInterfaces;
  const isOwn = only && only.protocolBinding === 'JSONRPC' && only.protocolVersion === interfaceVersion;
  if (!isOwn || others.length > 0 || only.tenant) losses.add('supportedInterfaces');
  for (const name of ['iconUrl', 'signatures'] as const) if (card[name] !== undefined) losses.add(name);
  if (capabilities.extendedAgentCard !== undefined) losses.add('capabilities.extendedAgentCard');
  const isKept = ({ uri = '' }: AgentExtension): boolean => uri.startsWith(ownUris) || uri === knowledgeExtension;
  if (capabilities.extensions?.some((extension) => !isKept(extension))) losses.add('capabilities.extensions');
  if (skills.some(({ securityRequirements = [] }) => securityRequirements.length > 0)) {
    losses.add('skills.securityRequirements');
  }
}

/** Where clients of this dialect are to call: the interface that is meant for them, else the first for JSON-RPC. */
function endpoint(interfaces: readonly AgentInterface[]): string {
  const jsonrpc = interfaces.filter(({ protocolBinding }) => protocolBinding === 'JSONRPC');
  const own = jsonrpc.find(({ protocolVersion }) => protocolVersion === interfaceVersion);
  return (own ?? jsonrpc[0] ?? interfaces[0])?.url ?? '';
}
