import { isObject, type JsonObject } from '../../core/model/json.ts';

/** The specification that a card follows: 1.x, or 0.3 and 0.2. */
export type CardFamily = 'v1' | 'v0';

/** A value of a card, with the path of its field. */
export interface Place<T = unknown> {
  readonly field: string;
  readonly value: T;
}

/** An address of the agent. */
export interface CardInterface {
  readonly url: unknown;
  readonly binding: unknown;
  /** Version of the interface. Undefined if the family has none. */
  readonly version: unknown;
  readonly tenant: unknown;
}

/** Parts of a card that rules examine, whatever the family. A card may have any value anywhere. */
export interface CardFacts {
  readonly family: CardFamily;
  readonly card: JsonObject;
  readonly interfaces: readonly Place<CardInterface>[];
  readonly skills: readonly Place<JsonObject>[];
  readonly extensions: readonly Place<JsonObject>[];
  /** Security schemes by name. */
  readonly schemes: readonly (Place<JsonObject> & { readonly name: string })[];
  /** Names of schemes that the card or a skill requires. */
  readonly required: readonly Place<string>[];
  /** Bytes of the card's JSON. */
  readonly bytes: number;
}

/** Returns the value if it is a list, else an empty one. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** Returns the value if it is an object, else an empty one. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const itemsOf = (value: unknown, field: string): Place[] =>
  listOf(value).map((each, at) => ({ field: `${field}[${at}]`, value: each }));

const objectsOf = (value: unknown, field: string): Place<JsonObject>[] =>
  itemsOf(value, field).map(({ field: at, value: each }) => ({ field: at, value: objectOf(each) }));

/**
 * Returns the family of a card. None: cards of A2A 0.1 and AgentVault, whose specifications have other required fields.
 */
function familyOf(card: JsonObject): CardFamily | undefined {
  if ('supportedInterfaces' in card) return 'v1';
  if ('schemaVersion' in card || 'authentication' in card) return undefined;
  return 'url' in card ? 'v0' : 'v1';
}

/**
 * Collects the facts that rules examine; undefined if no rules apply to the card. @param bytes number of bytes of the card's JSON
 */
export function factsOf(document: unknown, bytes: number): CardFacts | undefined {
  const card = objectOf(document);
  const family = familyOf(card);
  if (!family) return undefined;
  const skills = objectsOf(card.skills, 'skills');
  return {
    family,
    card,
    skills,
    bytes,
    interfaces: family === 'v1' ? interfacesOf(card) : olderInterfacesOf(card),
    extensions: objectsOf(objectOf(card.capabilities).extensions, 'capabilities.extensions'),
    schemes: Object.entries(objectOf(card.securitySchemes)).map(([name, scheme]) => ({
      name,
      field: `securitySchemes.${name}`,
      value: objectOf(scheme),
    })),
    required: [
      ...requiredBy(card, family, ''),
      ...skills.flatMap(({ field, value }) => requiredBy(value, family, `${field}.`)),
    ],
  };
}

const interfacesOf = (card: JsonObject): Place<CardInterface>[] =>
  objectsOf(card.supportedInterfaces, 'supportedInterfaces').map(({ field, value }) => ({
    field,
    value: { url: value.url, binding: value.protocolBinding, version: value.protocolVersion, tenant: value.tenant },
  }));

function olderInterfacesOf(card: JsonObject): Place<CardInterface>[] {
  const main = { url: card.url, binding: card.preferredTransport ?? 'JSONRPC', version: undefined, tenant: undefined };
  const more = objectsOf(card.additionalInterfaces, 'additionalInterfaces').map(({ field, value }) => ({
    field,
    value: { ...main, url: value.url, binding: value.transport },
  }));
  return [{ field: '', value: main }, ...more];
}

/**
 * Returns the schemes that a card or skill requires. 1.x has them as `[{ schemes: { name: … } }]`, 0.3 as `[{ name: […]
 * }]`.
 */
function requiredBy(value: JsonObject, family: CardFamily, prefix: string): Place<string>[] {
  const key = family === 'v1' ? 'securityRequirements' : 'security';
  return objectsOf(value[key], `${prefix}${key}`).flatMap(({ field, value: each }) =>
    Object.keys(family === 'v1' ? objectOf(each.schemes) : each).map((name) => ({ field, value: name })),
  );
}
