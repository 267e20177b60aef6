import type * as v1 from '../../core/model/a2a.ts';
import type * as wire from '../../gen/a2a-0.1/types.ts';
import { flaggedTitles, isFlagged, type PreservedFlags } from '../kernel/card-flags.ts';
import { endpointOf } from '../kernel/cards.ts';
import { list, nested, type Row, record, same, value, whole } from '../kernel/record.ts';
import { decodeAuth, encodeAuth } from './card-auth.ts';

/** Shapes of a card. */

/** URI of the v1 extension for facts of a card that have no place in a v1 card. */
export const extensionUri = 'urn:a2a-gateway:a2a-0.1';
export const interfaceVersion = '0.1';

/** Modes with the plain word that has no place in v1. */
export interface PreservedModes {
  readonly input?: readonly string[];
  readonly output?: readonly string[];
}

export interface Preserved extends PreservedFlags {
  readonly stateTransitionHistory?: true;
  readonly authentication?: wire.AgentAuthentication;
  readonly modes?: PreservedModes;
  /** Modes of skills, by position. */
  readonly skills?: Readonly<Record<string, PreservedModes>>;
}

export const preservedOf = ({ capabilities: { extensions = [] } }: v1.AgentCard): Preserved =>
  extensions.find(({ uri }) => uri === extensionUri)?.params ?? {};

/**
 * Returns modes as media types, each once; the same list if it has no `text`, which the Python samples write for plain
 * text.
 */
export function decodeModes(modes: string[]): string[] {
  if (!modes.includes('text')) return modes;
  return [...new Set(modes.map((mode) => (mode === 'text' ? 'text/plain' : mode)))];
}

/** Media types are understood as well, and cards of 0.2 and 0.3 at the same path use them. */
const modes: Row = value({ decode: decodeModes, note: '`text` is `text/plain`' });
const defaultModes: Row = { ...modes, orEmpty: true, made: () => ['text/plain'] };

/** A text that is left out if it is empty. */
const blank: Row = value({
  decode: (text: string | null | undefined) => text ?? '',
  encode: (text: string) => text || undefined,
});

const provider = record<v1.AgentProvider, wire.AgentProvider>('AgentProvider', { organization: same, url: blank });

const capabilities = record<v1.AgentCapabilities, wire.AgentCapabilities>('AgentCapabilities', {
  streaming: same,
  pushNotifications: same,
  extensions: whole({
    encode: ({ extensions = [] }: v1.AgentCapabilities, { losses }, _wire, at) => {
      // The gateway's own extensions are for one dialect each.
      const isKept = ({ uri = '' }) => uri.startsWith('urn:a2a-gateway:') || isFlagged({ uri });
      if (!extensions.every(isKept)) losses.add(`${at}extensions`);
    },
    note: `only ${flaggedTitles}`,
    losses: [''],
  }),
});

const skill = record<v1.AgentSkill, wire.AgentSkill>('AgentSkill', {
  id: same,
  name: same,
  description: blank,
  tags: same,
  examples: same,
  inputModes: modes,
  outputModes: modes,
});

const card = record<v1.AgentCard, wire.AgentCard>('AgentCard', {
  name: same,
  description: blank,
  supportedInterfaces: whole<v1.AgentCard, wire.AgentCard>({
    decode: ({ url }) => [{ url, protocolBinding: 'JSONRPC', protocolVersion: interfaceVersion }],
    encode: ({ supportedInterfaces: all }, { losses }, _wire, at) => {
      const [only, ...others] = all;
      const isOwn = only?.protocolBinding === 'JSONRPC' && only.protocolVersion === interfaceVersion;
      if (!isOwn || only.tenant || others.length > 0) losses.add(`${at}supportedInterfaces`);
      return endpointOf(all, interfaceVersion);
    },
    note: 'one of them',
    as: 'url',
    losses: [''],
  }),
  provider: nested(provider),
  version: same,
  documentationUrl: same,
  capabilities: nested(capabilities),
  authentication: whole<v1.AgentCard, wire.AgentCard>({
    decode: ({ authentication }, _cx, card) => void (authentication && Object.assign(card, decodeAuth(authentication))),
    encode: (card, cx) => preservedOf(card).authentication ?? encodeAuth(card, cx),
    note: 'names of schemes alone',
    covers: ['securitySchemes', 'securityRequirements'],
    losses: ['^securitySchemes', '^securityRequirements'],
  }),
  defaultInputModes: defaultModes,
  defaultOutputModes: defaultModes,
  skills: list(skill, { orEmpty: true }),
});

export const cardTables = { provider, capabilities, skill, card };
