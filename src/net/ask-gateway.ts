import type { AskGateway } from '../core/model/agent.ts';
import { pathHeader } from '../core/model/call.ts';
import type { HttpClient } from './http-client.ts';

/** Bytes of an answer. */
const maxAnswer = 2 ** 21;
/** Segments of an address below which a gateway is looked for. */
const maxDepth = 4;

/**
 * The gateway at an address. Its pages for gateways are at the root of its host, or, where a proxy has it below a path, below the
 * beginning of the address's path that is the first to answer.
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
