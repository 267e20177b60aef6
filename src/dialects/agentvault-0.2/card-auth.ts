import type { AgentCard, SecurityRequirement, SecurityScheme } from '../../core/model/a2a.ts';
import { A2AError } from '../../core/model/errors.ts';
import { own } from '../../core/model/json.ts';
import type { AgentAuthentication } from '../../gen/agentvault-0.2/types.ts';
import type { CodecContext } from '../kernel/codec.ts';
import { isWebUrl } from './parts.ts';

/** Ways to authenticate: AgentVault's list of alternatives, and v1's schemes with requirements. */

type Security = Pick<AgentCard, 'securitySchemes' | 'securityRequirements'>;

/** Preserved facts by name of the v1 scheme (`none` if there is none). */
export type PreservedAuth = Readonly<Record<string, Partial<AgentAuthentication>>>;

/** The header in which AgentVault clients send an API key. */
const apiKeyHeader = 'X-Api-Key';

/** Returns one requirement for each way, in their order; `none` is a requirement without schemes. */
export function decodeAuth(ways: readonly AgentAuthentication[]): Security & { readonly preserved?: PreservedAuth } {
  const securitySchemes: Record<string, SecurityScheme> = {};
  const preserved: Record<string, PreservedAuth[string]> = {};
  const securityRequirements = ways.map((way, at): SecurityRequirement => {
    const name = numbered(way.scheme, ways.slice(0, at).filter(({ scheme }) => scheme === way.scheme).length);
    const scheme = decodeWay(way, at);
    const { service_identifier, description, scopes, tokenUrl } = way;
    const keep = {
      ...(service_identifier && { service_identifier }),
      ...(!scheme && description && { description }),
      ...(!scheme && scopes?.length && { scopes }),
      ...(way.scheme !== 'oauth2' && tokenUrl && { tokenUrl }),
    };
    if (Object.keys(keep).length > 0) preserved[name] = keep;
    if (!scheme) return {};
    securitySchemes[name] = scheme;
    return { schemes: { [name]: way.scopes?.length ? { list: [...way.scopes] } : {} } };
  });
  return {
    ...(Object.keys(securitySchemes).length > 0 && { securitySchemes }),
    securityRequirements,
    ...(Object.keys(preserved).length > 0 && { preserved }),
  };
}

/** Returns the name of the scheme that is the `earlier`-th of its kind, from 0. */
const numbered = (scheme: string, earlier: number): string => (earlier === 0 ? scheme : `${scheme}-${earlier + 1}`);

function decodeWay(way: AgentAuthentication, at: number): SecurityScheme | undefined {
  const described = way.description ? { description: way.description } : {};
  const readers: Readonly<Record<AgentAuthentication['scheme'], () => SecurityScheme | undefined>> = {
    none: () => undefined,
    apiKey: () => ({ apiKeySecurityScheme: { ...described, location: 'header', name: apiKeyHeader } }),
    bearer: () => ({ httpAuthSecurityScheme: { ...described, scheme: 'Bearer' } }),
    oauth2: () => {
      if (!way.tokenUrl) throw missingTokenUrl(at);
      const scopes = Object.fromEntries((way.scopes ?? []).map((scope) => [scope, '']));
      return {
        oauth2SecurityScheme: { ...described, flows: { clientCredentials: { tokenUrl: way.tokenUrl, scopes } } },
      };
    },
  };
  return readers[way.scheme]();
}

function missingTokenUrl(at: number): A2AError {
  const field = `authSchemes[${at}].tokenUrl`;
  return A2AError.invalidField(field, 'is required for oauth2');
}

/**
 * Returns at least one way, as the real client demands: `none` if v1 requires nothing, or nothing that has a name here.
 */
export function encodeAuth(card: AgentCard, cx: CodecContext, preserved: PreservedAuth = {}): AgentAuthentication[] {
  const { securitySchemes = {}, securityRequirements = [] } = card;
  const used = new Set<string>();
  const counts = new Map<string, number>();
  /** Returns the name that a reader gives the next way of this scheme. */
  const nameOf = (scheme: string): string => {
    const earlier = counts.get(scheme) ?? 0;
    counts.set(scheme, earlier + 1);
    return numbered(scheme, earlier);
  };
  const ways = securityRequirements.flatMap(({ schemes = {} }): AgentAuthentication[] => {
    const [first, ...others] = Object.entries(schemes);
    if (!first) return [{ scheme: 'none', ...own(preserved, nameOf('none')) }];
    const [name, scopes] = first;
    const scheme = own(securitySchemes, name);
    const way = scheme && others.length === 0 ? encodeWay(scheme, scopes.list ?? [], cx) : undefined;
    if (way) used.add(name);
    if (!way || nameOf(way.scheme) !== name) cx.losses.add('securityRequirements').add('securitySchemes');
    return way ? [{ ...way, ...(scopes.list?.length && { scopes: [...scopes.list] }), ...own(preserved, name) }] : [];
  });
  if (Object.keys(securitySchemes).some((name) => !used.has(name))) cx.losses.add('securitySchemes');
  return ways.length > 0 ? ways : [{ scheme: 'none' }];
}

function encodeWay(
  scheme: SecurityScheme,
  scopes: readonly string[],
  cx: CodecContext,
): AgentAuthentication | undefined {
  const { apiKeySecurityScheme: key, httpAuthSecurityScheme: http, oauth2SecurityScheme: oauth2 } = scheme;
  const described = ({ description }: { description?: string }) => (description ? { description } : {});
  if (key?.location === 'header' && key.name.toLowerCase() === apiKeyHeader.toLowerCase()) {
    if (key.name !== apiKeyHeader) cx.losses.add('securitySchemes');
    return { scheme: 'apiKey', ...described(key) };
  }
  if (http?.scheme.toLowerCase() === 'bearer') {
    if (http.bearerFormat !== undefined || http.scheme !== 'Bearer') cx.losses.add('securitySchemes');
    return { scheme: 'bearer', ...described(http) };
  }
  const flow = oauth2?.flows.clientCredentials;
  if (oauth2 && flow && isWebUrl(flow.tokenUrl)) {
    const hasTexts = Object.values(flow.scopes).some((text) => text !== '');
    const others = Object.keys(flow.scopes).some((scope) => !scopes.includes(scope));
    if (hasTexts || others || flow.refreshUrl || oauth2.oauth2MetadataUrl) cx.losses.add('securitySchemes');
    const { tokenUrl } = flow;
    return { scheme: 'oauth2', ...described(oauth2), tokenUrl };
  }
  // Other ways to obtain a token end in a bearer token that the user already has.
  if (oauth2 || scheme.openIdConnectSecurityScheme) {
    cx.losses.add('securitySchemes');
    return { scheme: 'bearer' };
  }
  return undefined;
}
