import type { Credential, Principal } from '../core/model/principal.ts';
import { jwtHolders } from './jwt.ts';
import { certificateHolders, keyHolders } from './principals.ts';
import type { AuthSettings } from './settings.ts';
import type { TokenAuthority } from './tokens.ts';

/** The current principal of a caller that was authenticated before; undefined when its credential is no longer valid. */
export type Revalidate = (principal: Principal) => Principal | undefined;

type Holder<K extends Credential['kind']> = (
  credential: Extract<Credential, { kind: K }>,
  principal: Principal,
) => Principal | undefined;

/**
 * Checks callers that earlier settings authenticated. Anonymous callers are accepted as long as the rule for them is the
 * same or wider, since their addresses are no longer known.
 *
 * @param own the authority of the gateway's own tokens
 * @param former the earlier rule for anonymous callers
 */
export function createRevalidation(
  settings: AuthSettings,
  own: TokenAuthority | undefined,
  former: AuthSettings['anonymous'],
): Revalidate {
  const keys = { forwarded: keyHolders(settings.apiKeys, true), kept: keyHolders(settings.apiKeys, false) };
  const certified = settings.mtls && certificateHolders(settings.mtls);
  const jwt = settings.jwt && jwtHolders(settings.jwt);
  const holders: { readonly [K in Credential['kind']]: Holder<K> } = {
    apiKey: ({ hash }, { ownCredential }) => (ownCredential ? keys.forwarded : keys.kept).get(hash),
    token: (credential) => own?.holderOf(credential),
    jwt: (credential, { id }) => jwt?.(id, credential),
    certificate: (credential) => {
      const holder = certified?.(credential.certificate);
      return holder && { ...holder, credential };
    },
  };
  const open = settings.anonymous === 'anyone' || settings.anonymous === former;
  return (principal) => {
    const { credential, until, anonymous } = principal;
    if (anonymous) return open && settings.anonymous !== 'nobody' ? principal : undefined;
    if (!credential) return principal;
    const holder = (holders[credential.kind] as Holder<typeof credential.kind>)(credential as never, principal);
    // With another id it would be another caller, with other tasks.
    if (holder?.id !== principal.id) return undefined;
    return until === undefined ? holder : { ...holder, until };
  };
}
