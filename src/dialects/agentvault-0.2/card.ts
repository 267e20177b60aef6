import type { AgentCard } from '../../core/model/a2a.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import { shapes } from '../../gen/agentvault-0.2/shapes.ts';
import type { AgentCard as WireCard } from '../../gen/agentvault-0.2/types.ts';
import type { Shape } from '../../gen/api.ts';
import type { Reading, Unread } from '../../wire/salvage-shape.ts';
import { parseWith } from '../../wire/validate.ts';
import { withDuties } from '../kernel/card-duties.ts';
import { addUnread, membersOf, objectIn, readLeniently } from '../kernel/card-reading.ts';
import type { CodecContext } from '../kernel/codec.ts';
import type { CardShape } from '../kernel/dialect.ts';
import { readAs } from '../kernel/methods.ts';
import { interfaceVersion } from './card-mapping.ts';
import { codecs } from './codecs.ts';

/** Strict codec, without unknown members, because parts of the card are preserved unchanged. */
const strict = readAs((name: 'AgentCard', document) => parseWith(shapes, name, document), 'AgentCard', codecs.card);

export const card: CardShape = {
  ...strict,
  paths: ['/agent-card.json'],
  protocolVersion: interfaceVersion,
  members: membersOf(shapes.AgentCard),
  decode: (document, cx) => (cx.unread ? readable(objectIn(document), cx, cx.unread) : strict.decode(document, cx)),
};

/** Returns the readable part of a card. */
function readable(document: JsonObject, cx: CodecContext, unread: Unread[]): AgentCard {
  const { wire, deviations } = readLeniently<WireCard>(document, { find, interfaceVersion, reread: readMember });
  const ways = wire.authSchemes.filter(({ scheme, tokenUrl }) => scheme !== 'oauth2' || tokenUrl);
  if (ways.length < wire.authSchemes.length) {
    const steps = ['authSchemes', wire.authSchemes.findIndex((way) => !ways.includes(way)), 'tokenUrl'];
    deviations.push({ steps, reason: 'is missing or cannot be read: the way to authenticate is left out', lost: true });
  }
  const decoded = codecs.card.decode({ ...wire, authSchemes: ways }, cx);
  const read = withDuties(decoded, deviations, (found) => deviations.push(found));
  addUnread(unread, deviations);
  return read;
}

const find = (name: string): Shape => (shapes as Readonly<Record<string, Shape>>)[name] as Shape;

/** Reads a provider, or a way to authenticate, given as its name alone. */
function readMember(owner: string, member: string, value: unknown): Reading | undefined {
  if (owner !== 'AgentCard') return undefined;
  if (member === 'provider' && typeof value === 'string')
    return { value: { name: value }, reason: 'is a text: read as its name' };
  if (member !== 'authSchemes' || !Array.isArray(value) || value.every(isObject)) return undefined;
  const ways = value.map((way) => (typeof way === 'string' ? { scheme: way } : way));
  return { value: ways, reason: 'is a list of names: read as the ways to authenticate' };
}
