import { isObject, type JsonObject } from '../core/model/json.ts';

/** The specification that a card follows: 1.x, or 0.3 and earlier. */
export type CardFamily = 'v1' | 'v0';

/** A value of a card, with the path of its field. */
export interface Place<T> {
  readonly field: string;
  readonly value: T;
}

/** An address of the agent. */
export interface CardInterface {
  readonly url: unknown;
  readonly binding: unknown;
  /** Undefined where the family has none. */
  readonly version: unknown;
  readonly tenant: unknown;
}

/** What rules look at, whatever the family. A card may have anything anywhere. */
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
  /** Media types. */
  readonly modes: readonly Place<unknown>[];
  readonly signatures: readonly Place<unknown>[];
  /** Bytes of the card's JSON. */
  readonly bytes: number;
}

/** The value if it is a list, else an empty one. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** The value if it is an object, else an empty one. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

const places = (value: unknown, field: string): Place<unknown>[] =>
  listOf(value).map((each, at) => ({ field: `${field}[${at}]`, value: each }));

const objects = (value: unknown, field: string): Place<JsonObject>[] =>
  places(value, field).map(({ field: at, value: each }) => ({ field: at, value: objectOf(each) }));

/** Collects what rules look at. @param bytes of the card's JSON */
export function factsOf(document: unknown, bytes: number): CardFacts {
  const card = objectOf(document);
  const family = 'supportedInterfaces' in card || !('url' in card) ? 'v1' : 'v0';
  const skills = objects(card.skills, 'skills');
  return {
    ...{ family, card, skills, bytes },
    interfaces: family === 'v1' ? interfacesOf(card) : olderInterfacesOf(card),
    extensions: objects(objectOf(card.capabilities).extensions, 'capabilities.extensions'),
    schemes: Object.entries(objectOf(card.securitySchemes)).map(([name, scheme]) => ({
      ...{ name, field: `securitySchemes.${name}`, value: objectOf(scheme) },
    })),
    required: [
      ...requiredBy(card, family, ''),
      ...skills.flatMap(({ field, value }) => requiredBy(value, family, `${field}.`)),
    ],
    modes: [
      ...places(card.defaultInputModes, 'defaultInputModes'),
      ...places(card.defaultOutputModes, 'defaultOutputModes'),
      ...skills.flatMap(({ field, value }) => [
        ...places(value.inputModes, `${field}.inputModes`),
        ...places(value.outputModes, `${field}.outputModes`),
      ]),
    ],
    signatures: places(card.signatures, 'signatures'),
  };
}

const interfacesOf = (card: JsonObject): Place<CardInterface>[] =>
  objects(card.supportedInterfaces, 'supportedInterfaces').map(({ field, value }) => ({
    field,
    value: { url: value.url, binding: value.protocolBinding, version: value.protocolVersion, tenant: value.tenant },
  }));

function olderInterfacesOf(card: JsonObject): Place<CardInterface>[] {
  const main = { url: card.url, binding: card.preferredTransport ?? 'JSONRPC', version: undefined, tenant: undefined };
  const more = objects(card.additionalInterfaces, 'additionalInterfaces').map(({ field, value }) => ({
    field,
    value: { ...main, url: value.url, binding: value.transport },
  }));
  return [{ field: '', value: main }, ...more];
}

/** The schemes that a card or skill requires. 1.x has them as `[{ schemes: { name: … } }]`, 0.3 as `[{ name: […] }]`. */
function requiredBy(value: JsonObject, family: CardFamily, prefix: string): Place<string>[] {
  const key = family === 'v1' ? 'securityRequirements' : 'security';
  return objects(value[key], `${prefix}${key}`).flatMap(({ field, value: each }) =>
    Object.keys(family === 'v1' ? objectOf(each.schemes) : each).map((name) => ({ field, value: name })),
  );
}
