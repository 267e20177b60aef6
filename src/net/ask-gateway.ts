import type { AskGateway } from '../core/model/agent.ts';
import { pathHeader } from '../core/model/call.ts';
import type { HttpClient } from './http-client.ts';

/** Largest response, in bytes. */
const maxAnswer = 2 ** 21;
/** Maximum number of path segments of an address that are tried as the gateway's base path. */
const maxDepth = 4;

/**
 * Creates a function that sends requests to the gateway at an address. Its pages for gateways are at the root of the
 * host, or below a prefix of the address's path if a proxy serves the gateway below a path. The first place that
 * answers is used from then on.
 */
export function gatewayAt(http: HttpClient, address: () => URL, signal: AbortSignal): AskGateway {
  let found: string | undefined;
  return async (page, signed, timeout = 10_000) => {
    const until = performance.now() + timeout;
    const base = address();
    for (const place of found === undefined ? placesOf(base) : [found]) {
      const left = Math.max(1, until - performance.now());
      const url = new URL(place + page, base);
      const headers = { [pathHeader]: signed };
      const answer = await http.request({ method: 'POST', url, headers, signal, timeout: left });
      const body = await answer.read(maxAnswer);
      if (answer.status !== 200 || answer.mediaType !== 'application/json') continue;
      found = place;
      return JSON.parse(body.toString());
    }
    return undefined;
  };
}

function placesOf({ pathname }: URL): string[] {
  const segments = pathname.split('/').filter(Boolean).slice(0, maxDepth);
  return ['', ...segments.map((_, at) => `/${segments.slice(0, at + 1).join('/')}`)];
}
