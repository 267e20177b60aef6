import type { IncomingMessage, ServerResponse } from 'node:http';
import { A2AError } from '../../core/model/errors.ts';
import { BodyReader } from '../http/body.ts';
import { mediaTypeOf, send } from '../http/headers.ts';

/** A request for a token, its body read. */
export interface TokenRequest {
  readonly authorization: string | undefined;
  readonly mediaType: string | undefined;
  readonly body: string;
  readonly address: string;
}

export interface TokenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Where tokens are granted. */
export const tokenPath = '/oauth/token';

/** Bytes of a request, and milliseconds that it may take to arrive: ids, secrets and scopes are short. */
const limits = { maxBody: 8 * 1024, bodyTimeout: 10_000 };

/**
 * Serves `POST /oauth/token`. Not for scripts of other origins: a page cannot keep a secret.
 *
 * @param ready throws A2AError `unavailable` when no new work is taken
 * @returns what says of a request whether it was one for a token
 */
export function createTokenPage(
  grant: (request: TokenRequest) => TokenAnswer,
  ready: () => void,
): (req: IncomingMessage, res: ServerResponse) => boolean {
  const bodies = new BodyReader(limits);

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method !== 'POST') {
      answer(res, { status: 405, headers: { Allow: 'POST' }, body: refusal('Ask for tokens with POST') });
      return;
    }
    try {
      ready();
      const body = (await bodies.read(req)).toString('utf8');
      const { authorization } = req.headers;
      const address = req.socket.remoteAddress ?? '';
      answer(res, grant({ authorization, mediaType: mediaTypeOf(req), body, address }));
    } catch (thrown) {
      const { row, message, retryAfter } = A2AError.from(thrown);
      const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
      answer(res, { status: row.http, headers, body: refusal(message) });
    }
  }

  return (req, res) => {
    const { url = '' } = req;
    if (!url.startsWith(tokenPath) || !/^\/?(?:\?|$)/.test(url.slice(tokenPath.length))) return false;
    void serve(req, res);
    return true;
  };
}

const refusal = (message: string): object => ({ error: 'invalid_request', error_description: message });

function answer(res: ServerResponse, { status, headers, body }: TokenAnswer): void {
  send(res, status, Object.entries(headers).flat(), 'application/json', JSON.stringify(body));
}
