import type { HttpClient } from '../net/http-client.ts';
import { webResponse } from '../net/web-response.ts';

/** Milliseconds without a byte of an answer. */
const silence = 600_000;

/**
 * `fetch` over a pool of connections, for libraries that take one. Bodies of requests are texts; redirects are not followed.
 *
 * @param timeout milliseconds until an answer begins
 */
export const fetchOver =
  (http: HttpClient, timeout = 330_000) =>
  async (input: string | URL, { method = 'GET', headers, body, signal }: RequestInit = {}): Promise<Response> => {
    const answer = await http.request({
      method,
      url: new URL(input),
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === 'string' ? body : undefined,
      signal: signal ?? new AbortController().signal,
      timeout,
      silence,
    });
    return webResponse(answer);
  };
