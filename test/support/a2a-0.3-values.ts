import { readFileSync } from 'node:fs';
import type fc from 'fast-check';
import { type Definitions, valuesOf } from './arbitrary-schema.ts';

/** Values of A2A 0.3 and 0.2 as peers may send them, and what their readers take for the same. */

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const schema = (name: string): Definitions =>
  (
    JSON.parse(readFileSync(new URL(`../../codegen/schemas/${name}.json`, import.meta.url), 'utf8')) as {
      definitions: Definitions;
    }
  ).definitions;

const definitions = schema('a2a-0.3');
const cards = { 'a2a-0.3': definitions, 'a2a-0.2': { ...definitions, ...schema('a2a-0.2') } } as const;

/** Values of a definition of the schema. */
export const wireValues = (name: string): fc.Arbitrary<unknown> => valuesOf(definitions, name).map(arranged);

const states = [
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'failed',
  'canceled',
  'rejected',
];

/** Satisfies constraints that the schema cannot express: base64, states, required ids. */
function arranged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(arranged);
  if (!isObject(value)) return value;
  const object = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === 'metadata' || key === 'data' ? item : arranged(item)]),
  );
  // Forms that readers accept and writers do not write.
  if (isObject(object.file) && 'url' in object.file) {
    const { url, ...file } = object.file;
    object.file = { ...file, uri: url };
  }
  if (Array.isArray(object.data)) object.data = { list: object.data };
  if (typeof object.bytes === 'string') object.bytes = Buffer.from(object.bytes).toString('base64');
  if (typeof object.state === 'string' && object.state.length % 3 > 0) {
    object.state = states[object.state.charCodeAt(0) % states.length];
  }
  // An id that is left out is made up, and a last event that does not say so is one by its state.
  if ('role' in object) object.messageId = object.messageId || 'm';
  if ('status' in object && 'taskId' in object) object.final = object.final === true;
  return object;
}

/** Cards. Schemes and requirements are what OpenAPI makes of them. */
export function wireCards(dialect: keyof typeof cards): fc.Arbitrary<unknown> {
  const own = cards[dialect];
  const schemes = valuesOf(own, 'SecurityScheme');
  return valuesOf(own, 'AgentCard').chain((card) =>
    schemes.map((scheme) => {
      const { securitySchemes, security, skills, protocolVersion, ...rest } = card as Json;
      return {
        ...rest,
        ...(dialect === 'a2a-0.3' && { protocolVersion: ['0.3.0', '0.3', '0.3.7'][String(card).length % 3] }),
        ...(dialect === 'a2a-0.2' && protocolVersion ? { protocolVersion: '0.2.5' } : {}),
        ...(isObject(securitySchemes) && {
          securitySchemes: Object.fromEntries(
            Object.keys(securitySchemes).map((name, at) => [name, at === 0 ? withScopes(scheme) : { type: name }]),
          ),
        }),
        ...(security !== undefined && { security: requirements(security) }),
        skills: (skills as Json[]).map((skill) =>
          skill.security === undefined ? skill : { ...skill, security: requirements(skill.security) },
        ),
      };
    }),
  );
}

/** Scopes have texts. */
function withScopes(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === 'scopes' && isObject(item)
        ? Object.fromEntries(Object.keys(item).map((scope) => [scope, 'a text']))
        : withScopes(item),
    ]),
  );
}

function requirements(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return (value as Json[]).map((one) =>
    Object.fromEntries(Object.keys(one).map((name, at) => [name, at === 0 ? [] : [name]])),
  );
}

/** Members whose false is the same as nothing. */
const flags = new Set(['append', 'lastChunk', 'required']);

/** Without nulls, what is empty, and what goes without saying. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([key, item]) => key !== 'kind' && !(key === 'blocking' && item === true))
    .filter(([key, item]) => !(flags.has(key) && item === false) && !(key === 'historyLength' && item === 0))
    .map(([key, item]) => [key, canonical(item)] as const)
    .filter(([, item]) => item !== null && item !== undefined && item !== '')
    .filter(([, item]) => !(Array.isArray(item) && item.length === 0))
    .filter(([, item]) => !(isObject(item) && Object.keys(item).length === 0));
  return Object.fromEntries(entries);
}
