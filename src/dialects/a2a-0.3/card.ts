import type * as v1 from '../../core/model/a2a.ts';
import { sha256 } from '../../core/model/crypto.ts';
import { isObject, sameJson } from '../../core/model/json.ts';
import { shapes, shapes as shapes03 } from '../../gen/a2a-0.3/shapes.ts';
import type { AgentCard, AgentCard as WireCard } from '../../gen/a2a-0.3/types.ts';
import type { Shape } from '../../gen/api.ts';
import { compile } from '../../gen/dialects/a2a-0.3-card.ts';
import { canonicalJson } from '../../wire/canonical-json.ts';
import type { Reading, Unread } from '../../wire/salvage-shape.ts';
import { parseWith, readWith, type Shapes } from '../../wire/validate.ts';
import { withDuties } from '../kernel/card-duties.ts';
import { readFlags, withoutFlags } from '../kernel/card-flags.ts';
import { addUnread, membersOf, objectIn, readLeniently } from '../kernel/card-reading.ts';
import { formOf, type SignedForm, unsigned, wholeForm, withoutEmpty } from '../kernel/card-signing.ts';
import type { CodecContext } from '../kernel/codec.ts';
import type { CardShape } from '../kernel/dialect.ts';
import { bind, type Codecs } from '../kernel/record.ts';
import { decodeInterfaces, encodeInterfaces, plainInterfaces } from './card-interfaces.ts';
import {
  type CardVersion,
  cardTables,
  ownUri,
  type Preserved,
  preservedIn,
  published,
  readDocumented,
  version03,
} from './card-mapping.ts';
import { decodeSchemes, readRequirements } from './card-security.ts';

/** Version of a card, its paths and its shapes. */
export interface CardOptions extends Pick<CardShape, 'paths'> {
  readonly version: CardVersion;
  /** Shapes of this version. Default: those of A2A 0.3. */
  readonly shapes?: Shapes<'AgentCard'>;
}

/** Returns the card of a version. Encoded, it has all members that the strict model of the Python SDK demands. */
export function cardShape({ paths, version, shapes = shapes03 }: CardOptions): CardShape {
  const { card: codec }: Codecs<ReturnType<typeof cardTables>> = bind(cardTables(version), compile);
  const encode = (card: v1.AgentCard, cx: CodecContext): WireCard => {
    const wire = codec.encode(card, cx, '');
    const { signed } = preservedIn(card.capabilities);
    if (version.since03 && signed && signed.digest === digestOf(wire)) wire.signatures = signed.signatures;
    return wire;
  };
  const decode: DecodeCard = (known, document, cx) => {
    const wire = withDocumented(known, document);
    const card = codec.decode(wire, cx);
    const preserved = preservedOf(wire, document, version);
    return Object.keys(preserved).length > 0 ? preserving(card, preserved) : card;
  };
  const readable = readableCard({ version, shapes, decode });
  return {
    paths,
    protocolVersion: version.interfaceVersion,
    members: membersOf(shapes.AgentCard),
    decode: (document, cx) =>
      cx.unread
        ? readable(document, cx, cx.unread)
        : decode(parseWith<WireCard>(shapes, 'AgentCard', document), document, cx),
    encode,
    ...(version.since03 && { signing: { forms: signedForms, attach: attachSignatures(encode) } }),
  };
}

type DecodeCard = (known: WireCard, document: unknown, cx: CodecContext) => v1.AgentCard;

/** Reads a card as far as possible, and notes the parts that cannot be read. */
function readableCard({
  version,
  shapes,
  decode,
}: Required<Omit<CardOptions, 'paths'>> & { readonly decode: DecodeCard }) {
  const find = leniently(shapes);
  return (document: unknown, cx: CodecContext, unread: Unread[]): v1.AgentCard => {
    const { interfaceVersion } = version;
    const { wire, deviations } = readLeniently<WireCard>(objectIn(document), {
      find,
      interfaceVersion,
      reread: readMember,
    });
    // A card that is read completely keeps the members that the shapes do not know.
    const isWhole = deviations.length === 0 && readWith(shapes, 'AgentCard', document).issues.length === 0;
    const card = isWhole ? decode(parseWith(shapes, 'AgentCard', document), document, cx) : decode(wire, document, cx);
    for (const name of Object.keys(wire.securitySchemes ?? {})) {
      if (card.securitySchemes && Object.hasOwn(card.securitySchemes, name)) continue;
      deviations.push({ steps: ['securitySchemes', name], reason: 'is of no kind that can be read', lost: true });
    }
    const whole = withDuties(card, deviations, (found) => deviations.push(found));
    addUnread(unread, deviations);
    return whole;
  };
}

/** Like the signatures of a card that was read, they come back with the exact document that they sign. */
const attachSignatures =
  (encode: (card: v1.AgentCard, cx: CodecContext) => WireCard) =>
  (card: v1.AgentCard, signatures: readonly v1.AgentCardSignature[]): v1.AgentCard => {
    const digest = digestOf(encode(card, { losses: new Set() }));
    return preserving(card, {
      ...preservedIn(card.capabilities),
      signed: { digest, signatures: [...signatures] },
    });
  };

export const card: CardShape = cardShape({
  version: version03,
  // The first JavaScript client of 0.3 still looked for the older name.
  paths: ['/.well-known/agent-card.json', '/.well-known/agent.json'],
});

/** The shapes of a card, of which those of security schemes and requirements accept any value. */
function leniently(shapes: Shapes<'AgentCard'>): (name: string) => Shape {
  const { properties = {}, ...card }: Shape = shapes.AgentCard;
  const securitySchemes: Shape = { type: 'map', items: { $ref: 'SecurityScheme' } };
  const all: Readonly<Record<string, Shape>> = {
    ...(shapes as Readonly<Record<string, Shape>>),
    AgentCard: { ...card, properties: { ...properties, securitySchemes } },
  };
  return (name) => all[name] as Shape;
}

/** Reads requirements, which hand-written cards have as names alone, or in the form of A2A 1.0. */
function readMember(owner: string, member: string, value: unknown): Reading | undefined {
  if (member !== 'security' || (owner !== 'AgentCard' && owner !== 'AgentSkill')) return undefined;
  return readRequirements(value);
}

/** Returns a card with the capabilities that its document has under the names of the PHP SDK. */
function withDocumented(wire: WireCard, document: unknown): WireCard {
  const { supportsStreaming: streaming, supportsPushNotifications: pushNotifications } = readDocumented(
    objectIn(objectIn(document).capabilities),
  );
  const capabilities = {
    ...(streaming !== undefined && { streaming }),
    ...(pushNotifications !== undefined && { pushNotifications }),
    ...wire.capabilities,
  };
  return { ...wire, capabilities };
}

/** Returns the facts that the card's tables do not bring back. */
function preservedOf(wire: WireCard, document: unknown, version: CardVersion): Preserved {
  const { stateTransitionHistory, streaming, pushNotifications, extensions, ...flags } = wire.capabilities;
  const documented = readDocumented(objectIn(objectIn(document).capabilities));
  const supported: v1.AgentCapabilities = {
    ...(typeof streaming === 'boolean' && { streaming }),
    ...(typeof pushNotifications === 'boolean' && { pushNotifications }),
  };
  const interfaces = plainInterfaces(wire);
  const { interfaceVersion } = version;
  const followed = encodeInterfaces(decodeInterfaces(interfaces, interfaceVersion), interfaceVersion);
  const { preserved: schemes } = decodeSchemes(wire.securitySchemes ?? {}, version.schemes);
  return {
    ...(wire.protocolVersion !== version.protocolVersion && { protocolVersion: wire.protocolVersion ?? '' }),
    ...(typeof stateTransitionHistory === 'boolean' && { stateTransitionHistory }),
    ...(!sameJson(documented, version.documented?.(supported) ?? {}) && { documented }),
    ...readFlags(flags, published(extensions)).preserved,
    ...(!sameJson(followed, interfaces) && { interfaces }),
    ...(Object.keys(schemes).length > 0 && { schemes }),
    ...(wire.signatures?.length && { signed: { digest: digestOf(objectIn(document)), signatures: wire.signatures } }),
  };
}

/** Returns a v1 card with these facts among its extensions. */
export function preserving(card: v1.AgentCard, preserved: Preserved): v1.AgentCard {
  const { extensions = [], ...capabilities } = card.capabilities;
  const others = extensions.filter(({ uri }) => uri !== ownUri);
  return {
    ...card,
    capabilities: { ...capabilities, extensions: [...others, { uri: ownUri, params: { ...preserved } }] },
  };
}

/** Returns the SHA-256 of a card without its signatures. The order of members does not matter. */
export function digestOf(card: object): string {
  const { signatures: _, ...signed } = card as Partial<WireCard>;
  return sha256(JSON.stringify(signed, sorted));
}

function sorted(_name: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, value[name]]));
}

/**
 * Returns the texts that signatures of a card of A2A 0.3 may be made over. The specification of 0.3 only names JWS; its
 * Python SDK, the only one that signs, leaves out members that its models do not know, defaults, and empty values.
 */
export function signedForms(document: object): SignedForm[] {
  const { known, issues } = readWith(shapes, 'AgentCard', unsigned(document));
  const form = issues.length === 0 ? pythonForm(known as AgentCard) : [];
  return [...form, ...wholeForm(document)];
}

/** @param card without members that are not in the schema of 0.3 */
function pythonForm(card: AgentCard): SignedForm[] {
  const known = { ...card, capabilities: withoutFlags(card.capabilities), ...withSchemes(card, knownScheme) };
  const { protocolVersion, preferredTransport, ...rest } = known;
  const signed = {
    ...rest,
    ...(protocolVersion !== '0.3.0' && { protocolVersion }),
    ...(preferredTransport !== 'JSONRPC' && { preferredTransport }),
    ...withSchemes(known, withoutType),
  };
  return formOf(withoutEmpty(signed), known, ascii);
}

function withSchemes({ securitySchemes }: AgentCard, change: (scheme: unknown) => unknown): Partial<AgentCard> {
  if (!securitySchemes) return {};
  const changed = Object.entries(securitySchemes).map(([name, scheme]) => [name, change(scheme)]);
  return { securitySchemes: Object.fromEntries(changed) };
}

/** Returns a scheme that the schema does not know unchanged. */
function knownScheme(scheme: unknown): unknown {
  const { known, issues } = readWith(shapes, 'SecurityScheme', scheme);
  return issues.length === 0 ? known : scheme;
}

/** Removes the type of a known scheme, which the models infer from the other members. */
function withoutType(scheme: unknown): unknown {
  if (readWith(shapes, 'SecurityScheme', scheme).issues.length > 0) return scheme;
  const { type: _, ...rest } = scheme as { type: unknown };
  return rest;
}

/** Writes JSON like Python's `json.dumps`, with characters beyond ASCII escaped. */
const ascii = (value: unknown): string =>
  canonicalJson(value).replace(
    /[\x7f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
