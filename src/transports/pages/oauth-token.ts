import type { IncomingMessage } from 'node:http';
import { A2AError } from '../../core/model/errors.ts';
import { BodyReader } from '../http/body.ts';
import { mediaTypeOf, type PageHandler, send } from '../http/headers.ts';

/** A request for a token, with its body. */
interface TokenPageRequest {
  readonly authorization: string | undefined;
  readonly mediaType: string | undefined;
  readonly body: string;
  readonly address: string;
  readonly agentsOf: (resource: string) => readonly string[] | 'all' | undefined;
}

interface TokenPageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Path of the token endpoint. */
export const tokenPath = '/oauth/token';

/** Bytes of a request, and milliseconds in which it must arrive. Ids, secrets and scopes are short. */
const limits = { body: 8 * 1024, arrival: 10_000 };

/**
 * Serves `POST /oauth/token`. There is no CORS, because a web page cannot keep a client secret.
 *
 * @param ready throws A2AError `unavailable` when no new work is accepted
 * @param agentsOf the agents that a resource indicator is about; undefined for another server's
 */
export function createTokenPage(
  grant: (request: TokenPageRequest) => Promise<TokenPageAnswer>,
  ready: () => void,
  agentsOf: (req: IncomingMessage, resource: string) => readonly string[] | 'all' | undefined,
): PageHandler {
  const bodies = new BodyReader(limits);

  async function answer(req: IncomingMessage): Promise<TokenPageAnswer> {
    if (req.method !== 'POST') {
      return { status: 405, headers: { Allow: 'POST' }, body: refusal('Tokens must be requested with POST') };
    }
    try {
      ready();
      const body = (await bodies.read({ req })).toString('utf8');
      const { authorization } = req.headers;
      const address = req.socket.remoteAddress ?? '';
      const about = (resource: string) => agentsOf(req, resource);
      return await grant({ authorization, mediaType: mediaTypeOf(req), body, address, agentsOf: about });
    } catch (thrown) {
      const { row, message, retryAfter } = A2AError.from(thrown);
      const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
      return { status: row.http, headers, body: refusal(message) };
    }
  }

  return (req, res) => {
    const { url = '' } = req;
    if (!url.startsWith(tokenPath) || !/^\/?(?:\?|$)/.test(url.slice(tokenPath.length))) return false;
    void answer(req).then(({ status, headers, body }) =>
      send(res, status, Object.entries(headers).flat(), 'application/json', JSON.stringify(body)),
    );
    return true;
  };
}

const refusal = (message: string): object => ({ error: 'invalid_request', error_description: message });
