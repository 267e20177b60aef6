import { holdsScope, type Principal } from '../core/model/principal.ts';
import type { GrantSettings } from './settings.ts';

/** The scopes of somebody for whom none are configured, as a token endpoint writes them. */
export const impliedScopes: readonly string[] = ['tasks', 'knowledge'];

/**
 * What is left of scopes that a token claims, within those that are configured. Undefined stands for every one that need
 * not be given in so many words.
 */
export function narrowed(
  configured: readonly string[] | undefined,
  claimed: readonly string[] | undefined,
): readonly string[] | undefined {
  if (configured === undefined || claimed === undefined) return configured ?? claimed;
  const [bound, wanted] = [new Set(configured), new Set(claimed)];
  const within = claimed.filter((scope) => holdsScope(bound, scope));
  return [...new Set([...within, ...configured.filter((scope) => holdsScope(wanted, scope))])];
}

/** Which of the credentials that agents may be forwarded is the gateway's own, and meant for nobody else. */
export type OwnCredential = NonNullable<Principal['ownCredential']>;

/** A caller who has shown who it is. */
export function principalOf(id: string, { agents, scopes }: GrantSettings, ownCredential?: OwnCredential): Principal {
  return {
    id,
    anonymous: false,
    ...(agents && { agents: new Set(agents) }),
    ...(scopes && { scopes: new Set(scopes) }),
    ...(ownCredential && { ownCredential }),
  };
}
