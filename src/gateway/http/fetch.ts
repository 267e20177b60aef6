import type { IncomingMessage, RequestListener } from 'node:http';
import { A2AError } from '../../core/model/errors.ts';
import { isEncrypted } from '../../transports/listener/client-certificate.ts';
import { serveFetch } from './fetch-exchange.ts';

/** Origin of a request, which a `Request` does not contain. The program vouches for it. */
export interface FetchOrigin {
  /**
   * Network address of the client. Default: the address of `incoming`. Without both, the client counts as one of another machine.
   */
  readonly remoteAddress?: string;
  /** Whether the client uses TLS. Default: according to `incoming`, else to the URL. */
  readonly encrypted?: boolean;
  /**
   * Path at which the app serves the gateway, such as `/a2a`. It is part of the URLs in cards, and removed from the paths of
   * requests, unless `incoming` shows that the app has removed it. Hono's `mount` hands over whole paths with `replaceRequest:
   * false`.
   */
  readonly base?: string;
  /** The request of Node from which the `Request` was made, as `@hono/node-server` provides it in `context.env`. */
  readonly incoming?: IncomingMessage;
}

/** Serves requests of the Fetch API with a listener for requests of Node. */
export function createFetch(listener: RequestListener) {
  const pathOfBase = basePaths();
  return async (request: Request, from: FetchOrigin = {}): Promise<Response> => {
    const baseUrl = pathOfBase(from.base);
    const url = new URL(request.url);
    const path = pathBelow(baseUrl, url.pathname, from.incoming?.url);
    try {
      return await serveFetch(listener, request, {
        url: `${path || '/'}${url.search}`,
        baseUrl,
        ...factsOf(request, url, from),
      });
    } catch (thrown) {
      if (request.signal.aborted || !(thrown instanceof A2AError)) throw thrown;
      return refusal(thrown);
    }
  };
}

/** Returns a function that reads `base`. It remembers the last value, because most programs have one. */
function basePaths(): (given?: string) => string {
  let [last, base] = ['', ''];
  return (given = '') => {
    if (given === last) return base;
    const path = withoutSlashes(given);
    const url = path.startsWith('/') ? URL.parse(`http://localhost${path}`) : null;
    const isPath = url !== null && [path, encodeURI(path.toWellFormed())].includes(url.pathname);
    if (path !== '' && (!isPath || path.includes('//')))
      throw new TypeError(`base must be a path that begins with a slash, such as /a2a, not ${given}`);
    [last, base] = [given, path === '' ? '' : (url?.pathname ?? '')];
    return base;
  };
}

/** The path of a request without `base`. If the app has already removed it, the path of Node's request is longer by `base`. */
function pathBelow(base: string, path: string, whole = path): string {
  if (base === '' || !`${path}/`.startsWith(`${base}/`)) return path;
  const isRemoved = whole.split('?', 1)[0] === base + path;
  return isRemoved ? path : path.slice(base.length);
}

/** A response with an error, instead of the gateway's. */
export const refusal = ({ message, row, retryAfter }: A2AError): Response =>
  Response.json(
    { error: { code: row.http, status: row.grpc, message } },
    { status: row.http, headers: retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) } },
  );

function factsOf({ headers }: Request, { host, protocol }: URL, { incoming, ...known }: FetchOrigin) {
  const { socket, httpVersion } = incoming ?? {};
  const named = headers.get('host');
  // Proxies speak HTTP/1.0, and a request that names two hosts is not one of this machine.
  const isPlain = httpVersion !== '1.0' && (named === null || URL.parse(`${protocol}//${named}`)?.host === host);
  return {
    host,
    remoteAddress: isPlain ? (known.remoteAddress ?? socket?.remoteAddress ?? '') : '',
    encrypted: known.encrypted ?? (socket ? isEncrypted(socket) : protocol === 'https:'),
    incoming,
  };
}

/** A path without slashes at its end. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
