import type { HttpClient } from '../client/index.ts';

/** Milliseconds without a byte of an answer. */
const silence = 600_000;

/** Answers that have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

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
    const received = Object.entries(answer.headers).flatMap(([name, value]) =>
      value === undefined || Array.isArray(value) ? [] : [[name, value] as [string, string]],
    );
    if (bodiless.has(answer.status)) answer.discard();
    const content = bodiless.has(answer.status) ? null : ReadableStream.from(answer.chunks());
    return new Response(content as ReadableStream | null, { status: answer.status, headers: received });
  };
