import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { CallerFacts } from '../core/limits/admission.ts';
import { explicitScopes, type Principal } from '../core/model/principal.ts';
import { hashOf } from './hash.ts';
import { grantsOf, impliedScopes, principalIds, principalOf } from './principals.ts';
import type { AuthSettings } from './settings.ts';

/** The environment variable with the key, in place of a random one. */
export const adminKeyVariable = 'A2A_GATEWAY_ADMIN_KEY';

/** A key for the admin service and the console, where no configured credential has the scope `admin`. */
export interface AdminKey {
  readonly hash: string;
  /** Of its text. */
  readonly length: number;
  /** Whether the gateway made it, rather than the environment. */
  readonly made: boolean;
  /** Its holder, which may do everything; undefined for callers that do not show the key. */
  holderOf(caller: CallerFacts): Principal | undefined;
}

/** Whether a configured credential may use the whole admin service: with its scope, and not limited to agents or tenants. */
export const grantsAdmin = (auth: AuthSettings): boolean =>
  grantsOf(auth).some(({ grant: { scopes, agents, tenants } }) => scopes?.includes('admin') && !agents && !tenants);

/** A random key. Its length differs from that of other keys, so that those need not be hashed to be told apart. */
export const newAdminKey = (): string => `a2a_admin_${randomBytes(32).toString('base64url')}`;

/** Why a text cannot be the key; undefined when it can. */
export const adminKeyFault = (text: string): string | undefined =>
  /^[\x21-\x7e]+$/.test(text)
    ? undefined
    : `${adminKeyVariable}: expected visible ASCII characters without spaces, such as a key of a2a-gateway keys new`;

/** The key of a text, of which only the hash and the length are kept. */
export const adminKeyOf = (text: string, made: boolean, apiKeyHeader: string): AdminKey =>
  withHeader({ hash: hashOf(text), length: text.length, made }, apiKeyHeader);

/** The same key where API keys have this header. It is compared in constant time. */
export function withHeader({ hash, length, made }: Omit<AdminKey, 'holderOf'>, apiKeyHeader: string): AdminKey {
  const expected = Buffer.from(hash);
  const holder = (ownCredential?: Principal['ownCredential']): Principal => ({
    ...principalOf(principalIds.admin, { scopes: [...impliedScopes, ...explicitScopes] }, ownCredential),
    // Operators see exceptions of agents' code.
    local: true,
    credential: { kind: 'admin', hash },
  });
  const places = new Map([[apiKeyHeader.toLowerCase(), holder()]]);
  places.set('x-api-key', holder('apiKey')).set('authorization', holder('authorization'));
  return {
    hash,
    length,
    made,
    holderOf(caller) {
      for (const [header, principal] of places) {
        const value = caller.header(header);
        if (value === undefined || value.length < length) continue;
        const shown = header === 'authorization' ? value.replace(/^bearer +/i, '') : value;
        if (shown.length === length && timingSafeEqual(Buffer.from(hashOf(shown)), expected)) return principal;
      }
      return undefined;
    },
  };
}
