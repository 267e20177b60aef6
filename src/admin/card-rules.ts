import { isObject, type JsonObject } from '../core/model/json.ts';
import { type CardFacts, type CardFamily, listOf, objectOf, type Place } from './card-facts.ts';
import { at, type CardRule, isAbsent, isLoopback, isText, repeated, textless } from './card-rule.ts';
import { interfaceRules } from './interface-rules.ts';

/** Links that a card has besides the addresses of the agent. */
const linksOf = ({ card }: CardFacts): Place<unknown>[] =>
  [
    { field: 'documentationUrl', value: card.documentationUrl },
    { field: 'iconUrl', value: card.iconUrl },
    { field: 'provider.url', value: objectOf(card.provider).url },
  ].filter(({ value }) => !isAbsent(value));

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

/** The texts that people read: names and descriptions. */
const textsOf = ({ card, skills }: CardFacts): Place<unknown>[] => [
  { field: 'name', value: card.name },
  { field: 'description', value: card.description },
  { field: 'provider.organization', value: objectOf(card.provider).organization },
  ...skills.flatMap(({ field, value }) => [
    { field: `${field}.name`, value: value.name },
    { field: `${field}.description`, value: value.description },
  ]),
];

/** Control characters except line breaks and tabs, marks of writing direction, and characters without width. */
const deceiving = /[^\P{Cc}\n\r\t]|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

const longName = 200;
/** Some clients read no more. */
const largeCard = 256 * 1024;

/** The protected header of a signature; undefined when it cannot be read. */
function headerOf(signature: unknown): JsonObject | undefined {
  const { protected: encoded } = objectOf(signature);
  if (typeof encoded !== 'string' || !/^[\w-]+$/.test(encoded)) return undefined;
  try {
    const header: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
    return isObject(header) ? header : undefined;
  } catch {
    return undefined;
  }
}

/** Every rule about cards. */
export const cardRules: readonly CardRule[] = [
  {
    id: 'required-texts',
    severity: 'error',
    sections: { v1: '4.4.1', v0: '5.5' },
    check: ({ card }) => textless({ field: '', value: card }, 'name', 'description', 'version'),
  },
  {
    id: 'skills',
    severity: 'error',
    sections: { v1: '5.7', v0: '5.5' },
    check: ({ card }) => (listOf(card.skills).length > 0 ? [] : [at('skills', 'is required: list at least one skill')]),
  },
  {
    id: 'default-modes',
    severity: 'error',
    sections: { v1: '5.7', v0: '5.5' },
    check: ({ card }) =>
      ['defaultInputModes', 'defaultOutputModes'].flatMap((field) =>
        listOf(card[field]).length > 0 ? [] : [at(field, 'is required: list at least one media type')],
      ),
  },
  {
    id: 'capabilities',
    severity: 'error',
    sections: { v1: '4.4.1', v0: '5.5' },
    check: ({ card }) => (isObject(card.capabilities) ? [] : [at('capabilities', 'is required: an object')]),
  },
  {
    id: 'capability-values',
    severity: 'error',
    sections: { v1: '4.4.3', v0: '5.5.2' },
    check: ({ card }) =>
      ['streaming', 'pushNotifications', 'stateTransitionHistory', 'extendedAgentCard'].flatMap((name) => {
        const value = objectOf(card.capabilities)[name];
        return isAbsent(value) || typeof value === 'boolean'
          ? []
          : [at(`capabilities.${name}`, 'must be true or false')];
      }),
  },
  {
    id: 'version-form',
    severity: 'note',
    sections: { v1: '4.4.1', v0: '5.5' },
    check: ({ card }) =>
      isText(card.version) && !/^v?\d+(?:\.\d+){0,2}(?:[-+][\w.+-]+)?$/.test(card.version)
        ? [at('version', 'is not a version such as 1.0.0: clients cannot tell which card is newer')]
        : [],
  },
  ...interfaceRules,
  {
    id: 'skill-texts',
    severity: 'error',
    sections: { v1: '4.4.5', v0: '5.5.4' },
    check: ({ skills }) => skills.flatMap((skill) => textless(skill, 'id', 'name', 'description')),
  },
  {
    id: 'skill-tags',
    severity: 'error',
    sections: { v1: '5.7', v0: '5.5.4' },
    check: ({ skills }) =>
      skills.flatMap(({ field, value }) =>
        listOf(value.tags).length > 0 ? [] : [at(`${field}.tags`, 'is required: list at least one keyword')],
      ),
  },
  {
    id: 'skill-id-repeated',
    severity: 'error',
    sections: { v1: '4.4.5', v0: '5.5.4' },
    check: ({ skills }) =>
      repeated(
        skills.map(({ field, value }) => ({ field: `${field}.id`, value: value.id })),
        (id) => (isText(id) ? id : undefined),
        'the same id',
      ),
  },
  {
    id: 'skill-examples',
    severity: 'note',
    sections: { v1: '4.4.5', v0: '5.5.4' },
    check: ({ skills }) =>
      skills.length > 0 && skills.every(({ value }) => listOf(value.examples).length === 0)
        ? [at('skills', 'no skill has examples: they help clients to choose a skill')]
        : [],
  },
  {
    id: 'modes',
    severity: 'warning',
    sections: { v1: '4.4.1', v0: '5.5' },
    check: ({ modes }) =>
      modes.flatMap(({ field, value }) => {
        if (typeof value === 'string' && /^[\w.+-]+\/(?:[\w.+-]+|\*)(?:\s*;.*)?$|^\*\/\*$/.test(value)) return [];
        const meant = value === 'text' ? 'text/plain' : value === 'json' ? 'application/json' : undefined;
        return [at(field, `is not a media type${meant ? `: write ${meant}` : ' such as text/plain'}`)];
      }),
  },
  {
    id: 'security-scheme-unknown',
    severity: 'error',
    sections: { v1: '4.5', v0: '5.5.3' },
    check: ({ schemes, required }) => {
      const declared = new Set(schemes.map(({ name }) => name));
      return required.flatMap(({ field, value }) =>
        declared.has(value)
          ? []
          : [at(field, `requires ${JSON.stringify(value.slice(0, 64))}, which securitySchemes does not declare`)],
      );
    },
  },
  {
    id: 'security-scheme-unused',
    severity: 'warning',
    sections: { v1: '4.4.1', v0: '5.5' },
    check: ({ schemes, required, family }) =>
      schemes.length > 0 && required.length === 0
        ? [
            at(
              family === 'v1' ? 'securityRequirements' : 'security',
              'is missing: schemes are declared, but clients do not learn that one is required',
            ),
          ]
        : [],
  },
  {
    id: 'security-scheme-kind',
    severity: 'error',
    sections: { v1: '4.5.1', v0: '5.5.3' },
    check: ({ schemes, family }) =>
      schemes.flatMap(({ field, value }) => {
        const known = kindsOfSchemes[family];
        const isKnown =
          family === 'v1' ? known.some((kind) => isObject(value[kind])) : known.includes(String(value.type));
        return isKnown ? [] : [at(field, `is of no known kind: ${known.join(', ')}`)];
      }),
  },
  {
    id: 'security-scheme-https',
    severity: 'warning',
    sections: { v1: '13.4', v0: '4.1' },
    check: ({ schemes }) =>
      schemes.flatMap(({ field, value }) =>
        [...urlsIn(value, field)].flatMap(({ field: path, value: text }) => {
          const url = URL.parse(text);
          if (!url) return [at(path, 'is not an absolute URL')];
          return url.protocol === 'https:' || isLoopback(url)
            ? []
            : [at(path, 'is not https: credentials are sent there')];
        }),
      ),
  },
  {
    id: 'extended-card-security',
    severity: 'warning',
    sections: { v1: '3.1.11', v0: '5.5' },
    check: ({ card, schemes, family }) => {
      const field = family === 'v1' ? 'capabilities.extendedAgentCard' : 'supportsAuthenticatedExtendedCard';
      const offers = family === 'v1' ? objectOf(card.capabilities).extendedAgentCard : card[field];
      return offers === true && schemes.length === 0
        ? [at(field, 'the extended card is for authenticated clients, but no security scheme is declared')]
        : [];
    },
  },
  {
    id: 'provider',
    severity: 'error',
    sections: { v1: '4.4.2', v0: '5.5.1' },
    check: ({ card }) =>
      isAbsent(card.provider)
        ? []
        : textless({ field: 'provider', value: objectOf(card.provider) }, 'organization', 'url'),
  },
  {
    id: 'links',
    severity: 'warning',
    sections: { v1: '4.4.1', v0: '5.5' },
    check: (facts) =>
      linksOf(facts).flatMap(({ field, value }) => {
        const url = typeof value === 'string' ? URL.parse(value) : null;
        return url && /^https?:$/.test(url.protocol) ? [] : [at(field, 'is not an absolute http or https URL')];
      }),
  },
  {
    id: 'extension-uri',
    severity: 'error',
    sections: { v1: '4.6.1', v0: '5.5.2.1' },
    check: ({ extensions }) =>
      extensions.flatMap(({ field, value }) =>
        isText(value.uri) && URL.canParse(value.uri)
          ? []
          : [at(`${field}.uri`, 'is required: the URI of the extension')],
      ),
  },
  {
    id: 'extension-repeated',
    severity: 'warning',
    sections: { v1: '4.4.4', v0: '5.5.2.1' },
    check: ({ extensions }) =>
      repeated(
        extensions.map(({ field, value }) => ({ field: `${field}.uri`, value: value.uri })),
        (uri) => (isText(uri) ? uri : undefined),
        'the same extension',
      ),
  },
  {
    id: 'extension-required',
    severity: 'note',
    sections: { v1: '3.3.4', v0: '5.5.2.1' },
    check: ({ extensions }) =>
      extensions.flatMap(({ field, value }) =>
        value.required === true ? [at(field, 'is required: clients that do not know the extension are refused')] : [],
      ),
  },
  {
    id: 'signature-form',
    severity: 'error',
    sections: { v1: '8.4.2', v0: '5.5.6' },
    check: ({ signatures }) =>
      signatures.flatMap(({ field, value }) => {
        const header = headerOf(value);
        if (!header) return [at(`${field}.protected`, 'cannot be read: the protected header in base64url')];
        const missing = ['alg', 'kid'].filter((name) => !isText(header[name]));
        return missing.length === 0 ? [] : [at(`${field}.protected`, `the header has no ${missing.join(' and no ')}`)];
      }),
  },
  {
    id: 'deceiving-text',
    severity: 'warning',
    sections: { v1: '13.4', v0: '5.4' },
    check: (facts) =>
      textsOf(facts).flatMap(({ field, value }) =>
        typeof value === 'string' && deceiving.test(value)
          ? [at(field, 'has control characters, or characters that change the writing direction or have no width')]
          : [],
      ),
  },
  {
    id: 'long-name',
    severity: 'warning',
    sections: { v1: '4.4.1', v0: '5.5' },
    check: (facts) =>
      textsOf(facts).flatMap(({ field, value }) =>
        /name$/.test(field) && typeof value === 'string' && value.length > longName
          ? [at(field, `has ${value.length} characters: clients show names in a line`)]
          : [],
      ),
  },
  {
    id: 'size',
    severity: 'warning',
    sections: { v1: '8.6', v0: '5.5' },
    check: ({ bytes }) =>
      bytes > largeCard
        ? [at('', `the card has ${bytes} bytes: clients read it often, and some refuse one of this size`)]
        : [],
  },
];
