import type { AgentCard } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import { shapes } from '../../gen/a2a-0.1/shapes.ts';
import type { AgentCard as WireCard } from '../../gen/a2a-0.1/types.ts';
import { shapes as newerShapes } from '../../gen/a2a-0.3/shapes.ts';
import type { Shape } from '../../gen/api.ts';
import type { Reading, Unread } from '../../wire/salvage-shape.ts';
import { withDuties } from '../kernel/card-duties.ts';
import { readFlags, writeFlags } from '../kernel/card-flags.ts';
import { addUnread, membersOf, objectIn, readLeniently } from '../kernel/card-reading.ts';
import type { CodecContext } from '../kernel/codec.ts';
import type { CardShape } from '../kernel/dialect.ts';
import { isComplete } from './card-auth.ts';
import {
  decodeModes,
  extensionUri,
  interfaceVersion,
  type Preserved,
  type PreservedModes,
  preservedOf,
} from './card-mapping.ts';
import { codecs, read } from './codecs.ts';

/** The card for the pydantic models of the Python samples; the document requires the same members. */
export const card: CardShape = {
  paths: ['/.well-known/agent.json'],
  protocolVersion: interfaceVersion,
  members: membersOf(shapes.AgentCard),
  isUnlikely: hasNewerMember,
  decode: decodeCard,
  encode: encodeCard,
};

/**
 * Whether a card belongs to another dialect. Cards of other dialects also have all required members of A2A 0.1; only these
 * members distinguish them.
 */
function isForeign(json: object): boolean {
  if ('protocolVersion' in json || 'supportedInterfaces' in json || 'humanReadableId' in json) return true;
  return 'schemaVersion' in json && 'authSchemes' in json;
}

/** Members that were added after A2A 0.1. */
const newerMembers: readonly string[] = [...membersOf(newerShapes.AgentCard).difference(membersOf(shapes.AgentCard))];

/** Whether a card has a member that no card of A2A 0.1 has. */
export function hasNewerMember(document: JsonObject): boolean {
  return newerMembers.some((name) => Object.hasOwn(document, name));
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

function decodeCard(json: unknown, cx: CodecContext): AgentCard {
  if (isObject(json) && isForeign(json))
    throw A2AError.invalidParams(
      'Invalid parameters: this is the card of another version of A2A; an a2a-gateway has cards of A2A 0.1 below /as/a2a-0.1',
    );
  return cx.unread ? readable(objectIn(json), cx, cx.unread) : decodeWire(read('AgentCard', json), cx);
}

/** Returns the readable part of a card. */
function readable(document: JsonObject, cx: CodecContext, unread: Unread[]): AgentCard {
  const options = { find, interfaceVersion, reread: readMember };
  const { wire, deviations } = readLeniently<WireCard>(document, options);
  const card = withDuties(decodeWire(wire, cx), deviations, (found) => deviations.push(found));
  addUnread(unread, deviations);
  return card;
}

const find = (name: string): Shape => (shapes as Readonly<Record<string, Shape>>)[name] as Shape;

/** Reads the ways to authenticate from a list, or from a single name. */
function readMember(owner: string, member: string, value: unknown): Reading | undefined {
  if (owner !== 'AgentCard' || member !== 'authentication' || value === null || isObject(value)) return undefined;
  const given = [value].flat();
  const schemes = given.filter((name) => typeof name === 'string' && name !== '');
  const isList = schemes.length > 0 || given.length === 0;
  return isList ? { value: { schemes }, reason: 'is no object: read as the list of schemes' } : undefined;
}

function decodeWire(wire: WireCard, cx: CodecContext): AgentCard {
  const card = codecs.card.decode(wire, cx);
  // v1 skills have an id.
  for (const [at, skill] of card.skills.entries()) skill.id ||= `skill-${at}`;
  const { authentication, capabilities } = wire;
  const modes = changedModes(wire.defaultInputModes, wire.defaultOutputModes);
  const skills = wire.skills
    .map(({ inputModes, outputModes }, at) => [at, changedModes(inputModes, outputModes)] as const)
    .filter(([, changed]) => !isEmpty(changed));
  const flagged = readFlags(capabilities, []);
  const params: Preserved = {
    ...(capabilities.stateTransitionHistory === true && { stateTransitionHistory: true }),
    ...flagged.preserved,
    ...(authentication && !isComplete(authentication) && { authentication }),
    ...(!isEmpty(modes) && { modes }),
    ...(skills.length > 0 && { skills: Object.fromEntries(skills) }),
  };
  const extensions = [
    ...flagged.extensions,
    ...(isEmpty(params) ? [] : [{ uri: extensionUri, params: { ...params } }]),
  ];
  if (extensions.length > 0) card.capabilities.extensions = extensions;
  return card;
}

/** Returns the lists that v1 changes. */
const changedModes = (input: string[] | null | undefined, output: string[] | null | undefined): PreservedModes => ({
  ...(input && decodeModes(input) !== input && { input }),
  ...(output && decodeModes(output) !== output && { output }),
});

function encodeCard(card: AgentCard, cx: CodecContext): WireCard {
  const wire = codecs.card.encode(card, cx, '');
  const preserved = preservedOf(card);
  const { stateTransitionHistory, modes, skills } = preserved;
  const { flags } = writeFlags(card.capabilities.extensions ?? [], preserved);
  Object.assign(wire.capabilities, stateTransitionHistory && { stateTransitionHistory }, flags);
  if (modes?.input) wire.defaultInputModes = [...modes.input];
  if (modes?.output) wire.defaultOutputModes = [...modes.output];
  for (const [at, skill] of wire.skills.entries()) {
    const { input, output } = skills?.[at] ?? {};
    if (skill.inputModes && input) skill.inputModes = [...input];
    if (skill.outputModes && output) skill.outputModes = [...output];
  }
  return wire;
}
