import { isObject, type JsonObject } from '../../core/model/json.ts';
import { signatureHeader } from '../kernel/card-signing.ts';
import { type CardFacts, type CardFamily, itemsOf, type Place } from './facts.ts';
import { interfaceRules } from './interface-rules.ts';
import {
  type CardRule,
  error,
  fields,
  fieldsIn,
  isAbsent,
  isListed,
  isLoopback,
  isText,
  never,
  note,
  repeatedTexts,
  sameAs,
  warning,
} from './rule.ts';

const requiredText = 'is required: a text that is not empty';

/** Media types that the card and its skills list. */
const modesOf = (facts: CardFacts): Place[] =>
  [
    ...fields('defaultInputModes', 'defaultOutputModes')(facts),
    ...fieldsIn('skills', 'inputModes', 'outputModes')(facts),
  ].flatMap(({ field, value }) => itemsOf(value, field));

const kindsOfSchemes: Readonly<Record<CardFamily, readonly string[]>> = {
  v1: [
    ...['apiKeySecurityScheme', 'httpAuthSecurityScheme', 'oauth2SecurityScheme', 'openIdConnectSecurityScheme'],
    'mtlsSecurityScheme',
  ],
  v0: ['apiKey', 'http', 'oauth2', 'openIdConnect', 'mutualTLS'],
};

/** The URLs in a security scheme: of token endpoints, authorization pages and discovery documents. */
function* urlsIn(value: unknown, field: string): Generator<Place<string>> {
  if (!isObject(value)) return;
  for (const [key, each] of Object.entries(value)) {
    if (typeof each === 'string' && /url$/i.test(key)) yield { field: `${field}.${key}`, value: each };
    else yield* urlsIn(each, `${field}.${key}`);
  }
}

const urlsOfSchemes = ({ schemes }: CardFacts): Place<string>[] =>
  schemes.flatMap(({ field, value }) => [...urlsIn(value, field)]);

/** Returns the names that people read. */
const namesOf = (facts: CardFacts): Place[] => [...fields('name')(facts), ...fieldsIn('skills', 'name')(facts)];
/** Returns all texts that people read. */
const textsOf = (facts: CardFacts): Place[] => [
  ...fields('name', 'description', 'provider.organization')(facts),
  ...fieldsIn('skills', 'name', 'description')(facts),
];

/** Control characters except line breaks and tabs, marks of writing direction, and characters without width. */
const deceiving = /[^\P{Cc}\n\r\t]|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

const longName = 200;
/** Bytes of a card above which some clients do not read on. */
const largeCard = 256 * 1024;

const isWebUrl = (value: unknown): boolean =>
  typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '');

const missingIn = (header: JsonObject): string[] => ['alg', 'kid'].filter((name) => !isText(header[name]));

/**
 * All rules about cards: id, sections of A2A 1.0.1 and 0.3.0, the places, the condition, and the text for a violation.
 */
export const cardRules: readonly CardRule[] = [
  error('required-texts', { v1: '4.4.1', v0: '5.5' }, fields('name', 'description', 'version'), isText, requiredText),
  error('skills', { v1: '5.7', v0: '5.5' }, fields('skills'), isListed, 'is required: list at least one skill'),
  error(
    'default-modes',
    { v1: '5.7', v0: '5.5' },
    fields('defaultInputModes', 'defaultOutputModes'),
    isListed,
    'is required: list at least one media type',
  ),
  error('capabilities', { v1: '4.4.1', v0: '5.5' }, fields('capabilities'), isObject, 'is required: an object'),
  error(
    'capability-values',
    { v1: '4.4.3', v0: '5.5.2' },
    fields(
      ...['capabilities.streaming', 'capabilities.pushNotifications', 'capabilities.stateTransitionHistory'],
      'capabilities.extendedAgentCard',
    ),
    (value) => isAbsent(value) || typeof value === 'boolean',
    'must be true or false',
  ),
  note(
    'version-form',
    { v1: '4.4.1', v0: '5.5' },
    fields('version'),
    (value) => !isText(value) || /^v?\d+(?:\.\d+){0,2}(?:[-+][\w.+-]+)?$/.test(value),
    'is not a version such as 1.0.0: clients cannot tell which card is newer',
  ),
  ...interfaceRules,
  error(
    'skill-texts',
    { v1: '4.4.5', v0: '5.5.4' },
    fieldsIn('skills', 'id', 'name', 'description'),
    isText,
    requiredText,
  ),
  error(
    'skill-tags',
    { v1: '5.7', v0: '5.5.4' },
    fieldsIn('skills', 'tags'),
    isListed,
    'is required: list at least one keyword',
  ),
  error(
    'skill-id-repeated',
    { v1: '4.4.5', v0: '5.5.4' },
    repeatedTexts(fieldsIn('skills', 'id')),
    never,
    sameAs('the same id'),
  ),
  note(
    'skill-examples',
    { v1: '4.4.5', v0: '5.5.4' },
    fields('skills'),
    (_, { skills }) => skills.length === 0 || skills.some(({ value }) => isListed(value.examples)),
    'no skill has examples: they help clients to choose a skill',
  ),
  warning(
    'modes',
    { v1: '4.4.1', v0: '5.5' },
    modesOf,
    (value) => typeof value === 'string' && /^[\w.+-]+\/(?:[\w.+-]+|\*)(?:\s*;.*)?$|^\*\/\*$/.test(value),
    (value) => {
      const meant = value === 'text' ? 'text/plain' : value === 'json' ? 'application/json' : undefined;
      return `is not a media type${meant ? `: write ${meant}` : ' such as text/plain'}`;
    },
  ),
  error(
    'security-scheme-unknown',
    { v1: '4.5', v0: '5.5.3' },
    (facts) => {
      const declared = new Set(facts.schemes.map(({ name }) => name));
      return facts.required.filter(({ value }) => !declared.has(value));
    },
    never,
    (name) => `requires ${JSON.stringify(name.slice(0, 64))}, which securitySchemes does not declare`,
  ),
  warning(
    'security-scheme-unused',
    { v1: '4.4.1', v0: '5.5' },
    ({ family, schemes }) => [{ field: family === 'v1' ? 'securityRequirements' : 'security', value: schemes }],
    (schemes, { required }) => schemes.length === 0 || required.length > 0,
    'is missing: schemes are declared, but clients do not learn that one is required',
  ),
  error(
    'security-scheme-kind',
    { v1: '4.5.1', v0: '5.5.3' },
    ({ schemes }) => schemes,
    (scheme, { family }) =>
      kindsOfSchemes[family].some((kind) => (family === 'v1' ? isObject(scheme[kind]) : scheme.type === kind)),
    (_, { family }) => `is of no known kind: ${kindsOfSchemes[family].join(', ')}`,
  ),
  warning(
    'security-scheme-https',
    { v1: '13.4', v0: '4.1' },
    urlsOfSchemes,
    (text) => {
      const url = URL.parse(text);
      return url !== null && (url.protocol === 'https:' || isLoopback(url));
    },
    (text) => (URL.canParse(text) ? 'is not https: credentials are sent there' : 'is not an absolute URL'),
  ),
  warning(
    'extended-card-security',
    { v1: '3.1.11', v0: '5.5' },
    (facts) =>
      fields(facts.family === 'v1' ? 'capabilities.extendedAgentCard' : 'supportsAuthenticatedExtendedCard')(facts),
    (offers, { schemes }) => offers !== true || schemes.length > 0,
    'the extended card is for authenticated clients, but no security scheme is declared',
  ),
  error(
    'provider',
    { v1: '4.4.2', v0: '5.5.1' },
    fields('provider.organization', 'provider.url'),
    (value, { card }) => isAbsent(card.provider) || isText(value),
    requiredText,
  ),
  warning(
    'links',
    { v1: '4.4.1', v0: '5.5' },
    fields('documentationUrl', 'iconUrl', 'provider.url'),
    (value) => isAbsent(value) || isWebUrl(value),
    'is not an absolute http or https URL',
  ),
  error(
    'extension-uri',
    { v1: '4.6.1', v0: '5.5.2.1' },
    fieldsIn('extensions', 'uri'),
    (uri) => isText(uri) && URL.canParse(uri),
    'is required: the URI of the extension',
  ),
  warning(
    'extension-repeated',
    { v1: '4.4.4', v0: '5.5.2.1' },
    repeatedTexts(fieldsIn('extensions', 'uri')),
    never,
    sameAs('the same extension'),
  ),
  note(
    'extension-required',
    { v1: '3.3.4', v0: '5.5.2.1' },
    ({ extensions }) => extensions,
    ({ required }) => required !== true,
    'is required: clients that do not know the extension are refused',
  ),
  error(
    'signature-form',
    { v1: '8.4.2', v0: '5.5.6' },
    ({ card }) =>
      itemsOf(card.signatures, 'signatures').map(({ field, value }) => ({
        field: `${field}.protected`,
        value: signatureHeader(value),
      })),
    (header) => header !== undefined && missingIn(header).length === 0,
    (header) =>
      header
        ? `the header has no ${missingIn(header).join(' and no ')}`
        : 'cannot be read: the protected header in base64url',
  ),
  warning(
    'deceiving-text',
    { v1: '13.4', v0: '5.4' },
    textsOf,
    (text) => typeof text !== 'string' || !deceiving.test(text),
    'has control characters, or characters that change the writing direction or have no width',
  ),
  warning(
    'long-name',
    { v1: '4.4.1', v0: '5.5' },
    namesOf,
    (name) => typeof name !== 'string' || name.length <= longName,
    (name) => `has ${String(name).length} characters: clients show names in a line`,
  ),
  warning(
    'size',
    { v1: '8.6', v0: '5.5' },
    ({ bytes }) => [{ field: '', value: bytes }],
    (bytes) => bytes <= largeCard,
    (bytes) => `the card has ${bytes} bytes: clients read it often, and some refuse one of this size`,
  ),
];
