import { hashOf } from '../../src/auth/hash.ts';
import type { AuthSettings } from '../../src/auth/settings.ts';
import type { CallerFacts } from '../../src/core/limits/admission.ts';
import { A2AError } from '../../src/core/model/errors.ts';
import type { Audit, SecurityEvent } from '../../src/core/ports/audit.ts';

/** A caller with these headers. */
export function callerWith(headers: Record<string, string> = {}, over: Partial<CallerFacts> = {}): CallerFacts {
  return {
    header: (name) => headers[name],
    headerNames: () => Object.keys(headers),
    httpVersion: '1.1',
    host: 'agents.example.com',
    remoteAddress: '192.0.2.1',
    hasBody: true,
    encrypted: true,
    ...over,
  };
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** Settings without any way in. */
export const closed: AuthSettings = {
  anonymous: 'none',
  apiKeys: [],
  apiKeyHeader: 'X-Api-Key',
  jwt: undefined,
  tokenEndpoint: undefined,
  mtls: undefined,
  publicCards: true,
  failuresPerMinute: 20,
};

/** An entry of `auth.apiKeys`. */
export const keyOf = (name: string, key: string): AuthSettings['apiKeys'][number] => ({
  name,
  hash: hashOf(key),
  agents: undefined,
  scopes: undefined,
});

/** An audit that remembers. */
export function remembering(): { audit: Audit; events: SecurityEvent[] } {
  const events: SecurityEvent[] = [];
  return { audit: (event) => void events.push(event), events };
}

/** The A2AError that something throws or rejects with. */
export async function refusalOf(attempt: () => unknown): Promise<A2AError> {
  try {
    await attempt();
  } catch (thrown) {
    if (thrown instanceof A2AError) return thrown;
    throw thrown;
  }
  throw new Error('It was let in.');
}
