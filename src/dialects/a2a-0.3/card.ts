import type * as v1 from '../../core/model/a2a.ts';
import { sha256 } from '../../core/model/crypto.ts';
import { isObject, sameJson } from '../../core/model/json.ts';
import { shapes, shapes as shapes03 } from '../../gen/a2a-0.3/shapes.ts';
import type { AgentCard, AgentCard as WireCard } from '../../gen/a2a-0.3/types.ts';
import { compile } from '../../gen/dialects/a2a-0.3-card.ts';
import { canonicalJson } from '../../wire/canonical-json.ts';
import { parseWith, readWith, type Shapes } from '../../wire/validate.ts';
import { formOf, type SignedForm, unsigned, wholeForm, withoutEmpty } from '../kernel/card-signing.ts';
import { readKnowledgeFlags } from '../kernel/cards.ts';
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
import { decodeSchemes } from './card-security.ts';

/** A card's version, and how it is found and read. */
export interface CardOptions extends Pick<CardShape, 'paths'> {
  readonly version: CardVersion;
  /** Of this version. Default: those of A2A 0.3. */
  readonly shapes?: Shapes<'AgentCard'>;
}

/** The card of a version. Encoded, it has all that the strict model of the Python SDK demands. */
export function cardShape({ paths, version, shapes = shapes03 }: CardOptions): CardShape {
  const { card: codec }: Codecs<ReturnType<typeof cardTables>> = bind(cardTables(version), compile);
  const encode = (card: v1.AgentCard, cx: CodecContext): WireCard => {
    const wire = codec.encode(card, cx, '');
    const { signed } = preservedIn(card.capabilities);
    if (version.since03 && signed && signed.digest === digestOf(wire)) wire.signatures = signed.signatures;
    return wire;
  };
  return {
    paths,
    protocolVersion: version.interfaceVersion,
    decode: (document, cx) => {
      const wire = withDocumented(parseWith<WireCard>(shapes, 'AgentCard', document), document as WireCard);
      const card = codec.decode(wire, cx);
      const preserved = preservedOf(wire, document as WireCard, version);
      return Object.keys(preserved).length > 0 ? preserving(card, preserved) : card;
    },
    encode,
    ...(version.since03 && {
      signing: {
        forms: signedForms,
        // As those of a card that was read: they come back with the very document that they sign.
        attach: (card: v1.AgentCard, signatures: readonly v1.AgentCardSignature[]) => {
          const digest = digestOf(encode(card, { losses: new Set() }));
          return preserving(card, {
            ...preservedIn(card.capabilities),
            signed: { digest, signatures: [...signatures] },
          });
        },
      },
    }),
  };
}

export const card: CardShape = cardShape({
  version: version03,
  // The first JavaScript client of 0.3 still looked for the older name.
  paths: ['/.well-known/agent-card.json', '/.well-known/agent.json'],
});

/** A card with the capabilities that its document has under the names of the PHP SDK. */
function withDocumented(wire: WireCard, document: WireCard): WireCard {
  const { supportsStreaming: streaming, supportsPushNotifications: pushNotifications } = readDocumented(
    document.capabilities,
  );
  const capabilities = {
    ...(streaming !== undefined && { streaming }),
    ...(pushNotifications !== undefined && { pushNotifications }),
    ...wire.capabilities,
  };
  return { ...wire, capabilities };
}

/** What the card's tables do not bring back by themselves. */
function preservedOf(wire: WireCard, document: WireCard, version: CardVersion): Preserved {
  const { stateTransitionHistory, streaming, pushNotifications, extensions, ...flags } = wire.capabilities;
  const documented = readDocumented(document.capabilities);
  const supported: v1.AgentCapabilities = {
    ...(typeof streaming === 'boolean' && { streaming }),
    ...(typeof pushNotifications === 'boolean' && { pushNotifications }),
  };
  const knowledge = readKnowledgeFlags(flags, published(extensions)).preserved;
  const interfaces = plainInterfaces(wire);
  const { interfaceVersion } = version;
  const followed = encodeInterfaces(decodeInterfaces(interfaces, interfaceVersion), interfaceVersion);
  const { preserved: schemes } = decodeSchemes(wire.securitySchemes ?? {}, version.schemes);
  return {
    ...(wire.protocolVersion !== version.protocolVersion && { protocolVersion: wire.protocolVersion ?? '' }),
    ...(typeof stateTransitionHistory === 'boolean' && { stateTransitionHistory }),
    ...(!sameJson(documented, version.documented?.(supported) ?? {}) && { documented }),
    ...(knowledge && { knowledge }),
    ...(!sameJson(followed, interfaces) && { interfaces }),
    ...(Object.keys(schemes).length > 0 && { schemes }),
    ...(wire.signatures?.length && { signed: { digest: digestOf(document), signatures: wire.signatures } }),
  };
}

/** A v1 card with these facts among its extensions. */
export function preserving(card: v1.AgentCard, preserved: Preserved): v1.AgentCard {
  const { extensions = [], ...capabilities } = card.capabilities;
  const others = extensions.filter(({ uri }) => uri !== ownUri);
  return {
    ...card,
    capabilities: { ...capabilities, extensions: [...others, { uri: ownUri, params: { ...preserved } }] },
  };
}

/** SHA-256 of a card without its signatures, whatever the order of its members. */
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
 * What signatures of a card of A2A 0.3 may be made over. The specification of 0.3 only names JWS; its Python SDK, the only
 * one that signs, leaves out what its models do not know, what is their default, and what is empty.
 */
export function signedForms(document: object): SignedForm[] {
  const { known, issues } = readWith(shapes, 'AgentCard', unsigned(document));
  const form = issues.length === 0 ? pythonForm(known as AgentCard) : [];
  return [...form, ...wholeForm(document)];
}

/** @param card without members that the schema of 0.3 does not know */
function pythonForm(card: AgentCard): SignedForm[] {
  const { knowledgeGraph: _, knowledgeGraphQueryLanguages: __, ...capabilities } = card.capabilities;
  const known = { ...card, capabilities, ...withSchemes(card, knownScheme) };
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

/** A scheme that the schema does not know stays as it is. */
function knownScheme(scheme: unknown): unknown {
  const { known, issues } = readWith(shapes, 'SecurityScheme', scheme);
  return issues.length === 0 ? known : scheme;
}

/** Without the type of a known scheme, which the models find out by the other members. */
function withoutType(scheme: unknown): unknown {
  if (readWith(shapes, 'SecurityScheme', scheme).issues.length > 0) return scheme;
  const { type: _, ...rest } = scheme as { type: unknown };
  return rest;
}

/** As Python's `json.dumps` writes: characters beyond ASCII escaped. */
const ascii = (value: unknown): string =>
  canonicalJson(value).replace(
    /[\x7f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
