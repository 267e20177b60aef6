import { type Config, isLoopbackHost } from '../../config/types.ts';
import type { Audit } from '../../core/ports/audit.ts';
import { createUrlGuard, type UrlGuard, UrlRefused } from '../../net/guard.ts';

/**
 * The one guard of a gateway: `outbound.allow` of the configuration that counts at the moment, and this machine's own
 * services where nobody else can reach the gateway. What it refuses is audited.
 */
export const createOutboundGuard = (
  { listen }: Pick<Config, 'listen'>,
  allow: () => readonly string[],
  audit: Audit,
): UrlGuard =>
  createUrlGuard({
    allow,
    loopback: isLoopbackHost(listen.host) && listen.publicUrl === undefined,
    onRefused: (target, reason) => audit({ event: 'url.refused', reason, ...(target !== '' && { target }) }),
  });

/** What the guard says against a webhook that is being registered, undefined where it is let through. */
export const judgeWebhook =
  (guard: UrlGuard) =>
  (url: string): string | undefined => {
    try {
      guard.check(url);
      return undefined;
    } catch (thrown) {
      if (thrown instanceof UrlRefused) return thrown.message;
      throw thrown;
    }
  };
