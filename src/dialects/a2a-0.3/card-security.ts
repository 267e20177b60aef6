import type * as v1 from '../../core/model/a2a.ts';
import { isObject, own, sameJson } from '../../core/model/json.ts';
import { shapes } from '../../gen/a2a-0.3/shapes.ts';
import type * as wire from '../../gen/a2a-0.3/types.ts';
import type { Reading } from '../../wire/salvage-shape.ts';
import { readWith } from '../../wire/validate.ts';

/** Conversion between security schemes of OpenAPI 3 and those of v1. */

/** Returns the members that are neither absent nor empty. */
function present<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}

type SchemeType = wire.SecurityScheme['type'];
type Decoders = {
  readonly [K in SchemeType]: (wire: Extract<wire.SecurityScheme, { type: K }>) => v1.SecurityScheme | undefined;
};

const decoders: Decoders = {
  apiKey: ({ description, in: location, name }) => ({
    apiKeySecurityScheme: { ...present({ description }), location, name },
  }),
  http: ({ description, scheme, bearerFormat }) => ({
    httpAuthSecurityScheme: { ...present({ description, bearerFormat }), scheme },
  }),
  oauth2: ({ description, flows, oauth2MetadataUrl }) => {
    const flow = decodeFlows(flows);
    return flow && { oauth2SecurityScheme: { ...present({ description, oauth2MetadataUrl }), flows: flow } };
  },
  openIdConnect: ({ description, openIdConnectUrl }) => ({
    openIdConnectSecurityScheme: { ...present({ description }), openIdConnectUrl },
  }),
  mutualTLS: ({ description }) => ({ mtlsSecurityScheme: present({ description }) as { description?: string } }),
};

/** Returns the v1 scheme; undefined if v1 has none. v1 holds only one of several flows: the first in its own order. */
function decodeScheme(wire: wire.SecurityScheme): v1.SecurityScheme | undefined {
  return (decoders[wire.type] as (wire: wire.SecurityScheme) => v1.SecurityScheme | undefined)(wire);
}

type AnyFlow = wire.AuthorizationCodeOAuthFlow &
  wire.ClientCredentialsOAuthFlow &
  wire.ImplicitOAuthFlow &
  wire.PasswordOAuthFlow;

function decodeFlows(flows: wire.OAuthFlows): v1.OAuthFlows | undefined {
  for (const name of ['authorizationCode', 'clientCredentials', 'implicit', 'password'] as const) {
    const flow = flows[name];
    if (flow)
      return { [name]: decodeFlow(flow as AnyFlow, name === 'implicit' || name === 'password') } as v1.OAuthFlows;
  }
  return undefined;
}

/** @param omitsEmpty whether empty members are left out, as in v1 */
function decodeFlow({ scopes, refreshUrl, ...urls }: AnyFlow, omitsEmpty: boolean): object {
  const entries = Object.entries(scopes).filter(([, text]) => typeof text === 'string');
  const preserved = omitsEmpty && entries.length === 0 ? {} : { scopes: Object.fromEntries(entries) };
  return { ...(omitsEmpty ? present(urls) : urls), ...present({ refreshUrl }), ...preserved };
}

type Encoders = {
  readonly [K in keyof v1.SecurityScheme]-?: (v1: NonNullable<v1.SecurityScheme[K]>) => wire.SecurityScheme | undefined;
};

const locations: ReadonlySet<string> = new Set(['cookie', 'header', 'query']);

const encoders: Encoders = {
  apiKeySecurityScheme: ({ description, location, name }) =>
    locations.has(location)
      ? { type: 'apiKey', ...present({ description }), in: location as 'cookie' | 'header' | 'query', name }
      : undefined,
  httpAuthSecurityScheme: ({ description, scheme, bearerFormat }) => ({
    type: 'http',
    ...present({ description, bearerFormat }),
    scheme,
  }),
  oauth2SecurityScheme: ({ description, flows, oauth2MetadataUrl }) => {
    const flow = encodeFlows(flows);
    return flow && { type: 'oauth2', ...present({ description, oauth2MetadataUrl }), flows: flow };
  },
  openIdConnectSecurityScheme: ({ description, openIdConnectUrl }) => ({
    type: 'openIdConnect',
    ...present({ description }),
    openIdConnectUrl,
  }),
  mtlsSecurityScheme: ({ description }) => ({ type: 'mutualTLS', ...present({ description }) }),
};

/** Returns the scheme in this dialect; undefined if it has none. */
function encodeScheme(scheme: v1.SecurityScheme, types: ReadonlySet<SchemeType>): wire.SecurityScheme | undefined {
  for (const [name, value] of Object.entries(scheme)) {
    const encode = own(encoders as Readonly<Record<string, (v1: never) => wire.SecurityScheme | undefined>>, name);
    const wire = value === undefined ? undefined : encode?.(value as never);
    if (wire && types.has(wire.type)) return wire;
  }
  return undefined;
}

function encodeFlows({
  authorizationCode,
  clientCredentials,
  implicit,
  password,
}: v1.OAuthFlows): wire.OAuthFlows | undefined {
  if (authorizationCode) {
    const { pkceRequired: _, ...flow } = authorizationCode;
    return { authorizationCode: flow };
  }
  if (clientCredentials) return { clientCredentials };
  if (implicit) return { implicit: { authorizationUrl: '', scopes: {}, ...implicit } };
  return password && { password: { tokenUrl: '', scopes: {}, ...password } };
}

/** Schemes of a card that was read, by name. */
export type KeptSchemes = Readonly<Record<string, unknown>>;

/** Returns the schemes of a card in v1, and those that cannot be restored from that. */
export function decodeSchemes(
  wire: Readonly<Record<string, unknown>>,
  types: ReadonlySet<SchemeType>,
): { readonly schemes: Record<string, v1.SecurityScheme>; readonly preserved: KeptSchemes } {
  const schemes: Record<string, v1.SecurityScheme> = {};
  const preserved: Record<string, unknown> = {};
  for (const [name, raw] of Object.entries(wire)) {
    const { known, v1 } = readScheme(raw);
    if (v1) schemes[name] = v1;
    if (!v1 || !sameJson(encodeScheme(v1, types), known)) preserved[name] = raw;
  }
  return { schemes, preserved };
}

/** Returns a scheme without nulls and unknown members, and its v1 form; nothing for an unknown one. */
function readScheme(raw: unknown): {
  readonly known?: wire.SecurityScheme;
  readonly v1?: v1.SecurityScheme | undefined;
} {
  const { known, issues } = readWith(shapes, 'SecurityScheme', raw);
  if (issues.length > 0) return {};
  const scheme = withoutNulls(known) as wire.SecurityScheme;
  return { known: scheme, v1: decodeScheme(scheme) };
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutNulls(item)]));
}

/**
 * Returns the schemes for a card.
 *
 * @param types types that readers know
 * @param preserved schemes of the card that was read, used if v1 still has equal ones
 * @returns also whether a part of a scheme was lost
 */
export function encodeSchemes(
  schemes: Readonly<Record<string, v1.SecurityScheme>>,
  types: ReadonlySet<SchemeType>,
  preserved: KeptSchemes,
): { readonly wire: Record<string, wire.SecurityScheme>; readonly lossy: boolean } {
  const wire: Record<string, wire.SecurityScheme> = {};
  let lossy = false;
  for (const [name, scheme] of Object.entries(schemes)) {
    const { known, v1 } = readScheme(own(preserved, name));
    if (known && types.has(known.type) && sameJson(v1, scheme)) {
      wire[name] = preserved[name] as wire.SecurityScheme;
      continue;
    }
    const encoded = encodeScheme(scheme, types);
    if (encoded) wire[name] = encoded;
    if (!encoded || !sameJson(decodeScheme(encoded), scheme)) lossy = true;
  }
  for (const [name, raw] of Object.entries(preserved)) {
    if (!Object.hasOwn(schemes, name) && !readScheme(raw).v1) wire[name] = raw as wire.SecurityScheme;
  }
  return { wire, lossy };
}

/**
 * Reads requirements that are not a list of objects with lists of scopes: names alone, one object, or the form of A2A 1.0.
 * Undefined if they have the regular form.
 */
export function readRequirements(value: unknown): Reading | undefined {
  if (value === null || isPlain(value)) return undefined;
  const list = isObject(value) || typeof value === 'string' ? [value] : Array.isArray(value) ? value : undefined;
  const read = list?.map(requirementOf);
  return read && { value: read, reason: 'is not a list of objects with lists of scopes: read as such' };
}

const isPlain = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((item) => isObject(item) && Object.values(item).every((scopes) => Array.isArray(scopes)));

function requirementOf(item: unknown): unknown {
  if (typeof item === 'string') return { [item]: [] };
  if (!isObject(item)) return item;
  const { schemes } = item;
  const named = isObject(schemes) && Object.keys(item).length === 1 ? schemes : item;
  return Object.fromEntries(Object.entries(named).map(([name, scopes]) => [name, scopesOf(scopes)]));
}

function scopesOf(scopes: unknown): readonly unknown[] {
  if (typeof scopes === 'string') return [scopes];
  if (Array.isArray(scopes)) return scopes;
  return isObject(scopes) && Array.isArray(scopes.list) ? scopes.list : [];
}

/** Decodes requirements, which are scopes by scheme. */
export function decodeSecurity(security: readonly Readonly<Record<string, unknown>>[]): v1.SecurityRequirement[] {
  return security.map((requirement) => {
    const schemes = Object.entries(requirement).map(([name, scopes]) => {
      const list = Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [];
      return [name, list.length > 0 ? { list } : {}] as const;
    });
    return schemes.length > 0 ? { schemes: Object.fromEntries(schemes) } : {};
  });
}

/** The inverse of `decodeSecurity`. */
export function encodeSecurity(requirements: readonly v1.SecurityRequirement[]): Record<string, string[]>[] {
  return requirements.map(({ schemes = {} }) =>
    Object.fromEntries(Object.entries(schemes).map(([name, { list = [] }]) => [name, list])),
  );
}
