import type { Principal } from '../core/model/principal.ts';
import { principalIds } from './callers.ts';
import { principalOf } from './grants.ts';
import type { ApiKeySettings } from './settings.ts';

/**
 * The callers of API keys, by hash. A look-up by the hash of what was shown takes no time that says anything of a key:
 * whoever measured it would have to find keys whose hashes begin alike.
 *
 * @param forwarded whether agents could be forwarded what such a key comes in
 */
export const keyHolders = (keys: readonly ApiKeySettings[], forwarded: boolean): ReadonlyMap<string, Principal> =>
  new Map(
    keys.map(({ name, hash, ...grant }) => {
      const principal = principalOf(principalIds.key(name), grant, forwarded ? 'apiKey' : undefined);
      return [hash, { ...principal, credential: { kind: 'apiKey', hash } }];
    }),
  );
