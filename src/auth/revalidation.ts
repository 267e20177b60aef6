import type { Credential, Principal } from '../core/model/principal.ts';
import { jwtHolders } from './jwt.ts';
import { certificateHolders, keyHolders } from './principals.ts';
import type { AuthSettings } from './settings.ts';
import type { TokenAuthority } from './tokens.ts';

/** Who a caller is by now that was let in before; undefined when what it showed is no good any more. */
export type Revalidate = (principal: Principal) => Principal | undefined;

type Holder<K extends Credential['kind']> = (
  credential: Extract<Credential, { kind: K }>,
  principal: Principal,
) => Principal | undefined;

/**
 * Judges callers again that other settings let in. Whoever showed nothing is judged by where it called from, which
 * nobody knows any more: it stays as long as those without credentials are let in as they were, or more are.
 *
 * @param own the authority of the gateway's own tokens, where it issues any
 * @param former how those without credentials were let in
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
    // Under another name it would be somebody else, with other tasks.
    if (holder?.id !== principal.id) return undefined;
    return until === undefined ? holder : { ...holder, until };
  };
}
