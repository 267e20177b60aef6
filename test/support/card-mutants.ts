import type { JsonObject } from '../../src/core/model/json.ts';
import { isObject } from '../../src/core/model/json.ts';
import { goldensOf } from './golden.ts';

/** A card of 1.0 with every kind of member. */
const full10 = {
  name: 'Route Planner',
  description: 'Plans routes',
  supportedInterfaces: [
    { url: 'https://a2a.example.com/a2a/v1', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: 'https://a2a.example.com/a2a/json', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0', tenant: 'maps' },
  ],
  provider: { organization: 'Example Inc.', url: 'https://www.example.com' },
  version: '1.2.0',
  documentationUrl: 'https://docs.example.com',
  iconUrl: 'https://a2a.example.com/icon.png',
  capabilities: {
    streaming: true,
    pushNotifications: true,
    extendedAgentCard: false,
    extensions: [
      { uri: 'https://example.com/ext/traffic', description: 'Traffic', params: { region: 'eu' } },
      { uri: 'https://example.com/ext/toll', required: true },
    ],
  },
  securitySchemes: {
    key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } },
    oauth: {
      oauth2SecurityScheme: {
        flows: { clientCredentials: { tokenUrl: 'https://id.example.com/token', scopes: { routes: 'Plan' } } },
      },
    },
  },
  securityRequirements: [{ schemes: { key: {} } }, { schemes: { oauth: { list: ['routes'] } } }],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['application/json'],
  skills: [
    {
      id: 'route',
      name: 'Routes',
      description: 'Finds the best route',
      tags: ['maps'],
      examples: ['From A to B'],
      inputModes: ['text/plain'],
      outputModes: ['application/json'],
      securityRequirements: [{ schemes: { oauth: { list: ['routes'] } } }],
    },
    { id: 'toll', name: 'Tolls', description: 'Knows tolls', tags: ['money'] },
  ],
  signatures: [{ protected: 'e30', signature: 'AA', header: { kid: 'one' } }],
};

/** Content of the document of the PHP SDK, with its empty lists. */
const full0php = {
  protocolVersion: '0.3.0',
  name: 'Php',
  description: 'Written in PHP',
  url: 'https://a2a.example.com/',
  preferredTransport: 'JSONRPC',
  version: '1.0.0',
  capabilities: { streaming: true, supportsPushNotifications: false, extensions: [] },
  securitySchemes: [],
  security: [],
  defaultInputModes: ['text'],
  defaultOutputModes: ['text'],
  skills: [{ id: 'a', name: 'A', description: 'Does A', tags: ['a'] }],
};

const golden = (dialect: string, name: string): JsonObject => {
  const found = goldensOf(dialect).find((one) => one.of === 'card' && one.name === name);
  // All cards look as if they were found at one place.
  const text = (found?.in ?? 'null').replace(
    /http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?/g,
    'https://a2a.example.com',
  );
  return JSON.parse(text.replaceAll('127.0.0.1', 'a2a.example.com'));
};

/** A card of each generation, by what it is. */
export const wholeCards: Readonly<Record<string, JsonObject>> = {
  'A2A 1.0': full10,
  'A2A 0.3': golden('a2a-0.3', 'three transports, several flows'),
  'A2A 0.3 with every security scheme': golden('a2a-0.3', 'every security scheme'),
  'A2A 0.2': golden('a2a-0.2', 'no protocol version'),
  'A2A 0.1': golden('a2a-0.1', 'the card'),
  'AgentVault 0.2': golden('agentvault-0.2', 'full'),
  'the PHP SDK': full0php,
};

export type Steps = readonly (string | number)[];

/** A document of which one piece is garbled. */
export interface Mutant {
  readonly steps: Steps;
  /** Description of the garbled piece, such as `is a number`. */
  readonly how: string;
  readonly document: JsonObject;
}

/** Replacements of a piece. */
const garbles: Readonly<Record<string, unknown>> = {
  'is a number': 7,
  'is a number beyond 2^53': 2 ** 53 + 2,
  'is a text': 'garbage',
  'is an empty text': '',
  'is true': true,
  'is null': null,
  'is a list': ['garbage', 7, null],
  'is an empty list': [],
  'is an object': { garbage: true },
  'is an empty object': {},
  'is an object with __proto__': JSON.parse('{"__proto__":{"polluted":true},"garbage":1}'),
};

/** Every path of a document, but that of the whole. */
export function* pathsOf(value: unknown, steps: Steps = []): Generator<Steps> {
  if (steps.length > 0) yield steps;
  if (Array.isArray(value)) for (const [at, item] of value.entries()) yield* pathsOf(item, [...steps, at]);
  else if (isObject(value))
    for (const [name, member] of Object.entries(value)) yield* pathsOf(member, [...steps, name]);
}

function changed(value: unknown, [step, ...rest]: Steps, to: { readonly value: unknown } | undefined): unknown {
  const copy: Record<PropertyKey, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...(value as object) };
  const holder = copy as Record<PropertyKey, unknown>;
  if (rest.length > 0) holder[step as string] = changed(holder[step as string], rest, to);
  else if (to) holder[step as string] = to.value;
  else if (Array.isArray(copy)) copy.splice(step as number, 1);
  else delete holder[step as string];
  return copy;
}

/** Every way to garble one piece of a document. */
export function* mutantsOf(document: JsonObject): Generator<Mutant> {
  for (const steps of pathsOf(document)) {
    for (const [how, value] of Object.entries(garbles)) {
      yield { steps, how, document: changed(document, steps, { value }) as JsonObject };
    }
    yield { steps, how: 'is missing', document: changed(document, steps, undefined) as JsonObject };
  }
}
