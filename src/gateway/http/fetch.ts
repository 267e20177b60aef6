import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
  request as startRequest,
} from 'node:http';
import { type Duplex, duplexPair, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { A2AError } from '../../core/model/errors.ts';
import { isEncrypted } from '../../transports/listener/client-certificate.ts';

/** Where a request came from, which a `Request` does not say. The program vouches for it. */
export interface FetchOrigin {
  /** Network address of the client. Default: that of `incoming`; without both, the client is taken for one of another machine. */
  readonly remoteAddress?: string;
  /** Whether the client uses TLS. Default: by `incoming`, else by the URL. */
  readonly encrypted?: boolean;
  /**
   * Path at which the app has the gateway, such as `/a2a`: part of the URLs in cards, and removed from the paths of requests,
   * unless `incoming` shows that the app has removed it. Hono's `mount` hands over whole paths with `replaceRequest: false`.
   */
  readonly base?: string;
  /** The request of Node that was turned into a `Request`, as `@hono/node-server` has it in `context.env`. */
  readonly incoming?: IncomingMessage;
}

/** Headers of one connection (RFC 9110 section 7.6.1), and those that speak of it: this one is within the process. */
const hopByHop = ['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade', 'expect'];

/**
 * Serves requests of the Fetch API with a listener for those of Node, each over a connection within the process: bodies and
 * answers flow as fast as they are read, and end when the other side leaves.
 */
export function createFetch(listener: RequestListener) {
  const server = createServer((req, res) => {
    const { base = '' } = req.socket as Partial<FetchOrigin>;
    if (base !== '') Object.assign(req, { baseUrl: base });
    listener(req, res);
  });
  // Node's own answer has no length, and its connection is cut off, so that its body could not be read.
  server.on('clientError', refuseMalformed);
  const pathOfBase = basePaths();
  return async (request: Request, from: FetchOrigin = {}): Promise<Response> => {
    const base = pathOfBase(from.base);
    if (request.bodyUsed || request.body?.locked) {
      const message =
        'The body of the request was read before it came to the gateway, or is being read: pass a clone() made before that';
      return refusal(new A2AError('internal', message));
    }
    const url = new URL(request.url);
    const headers: Record<string, string> = { host: url.host, ...Object.fromEntries(request.headers) };
    for (const name of hopByHop) delete headers[name];
    if (request.body && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked';
    const path = pathBelow(base, url.pathname, from.incoming?.url);
    const [near, far] = duplexPair();
    near.on('close', () => far.destroy());
    far.on('close', () => far.writableFinished || near.destroy());
    server.emit('connection', Object.assign(far, { ...factsOf(url, headers, from), base }));
    const { method, signal } = request;
    const options = { method, path: `${path || '/'}${url.search}`, headers, signal, createConnection: () => near };
    const sent = startRequest({ ...options, setHost: false });
    const answered = new Promise<IncomingMessage>((resolve, reject) =>
      sent.once('response', resolve).on('error', reject),
    );
    if (request.body) pipeline(Readable.fromWeb(request.body as never), sent).catch(() => {});
    else sent.end();
    return responseOf(await answered, method);
  };
}

/** Reads `base`: the last one that was given is remembered, and most programs have one. */
function basePaths(): (given?: string) => string {
  let [last, base] = ['', ''];
  return (given = '') => {
    if (given === last) return base;
    const path = withoutSlashes(given);
    const url = path.startsWith('/') ? URL.parse(`http://localhost${path}`) : null;
    const isPath = url !== null && decoded(url.pathname) === decoded(path);
    if (path !== '' && (!isPath || path.includes('//')))
      throw new TypeError(`base must be a path that begins with a slash, such as /a2a, not ${given}`);
    [last, base] = [given, path === '' ? '' : (url?.pathname ?? '')];
    return base;
  };
}

/** The path of a request without `base`, unless the app has removed it: then that of the request of Node is longer by `base`. */
function pathBelow(base: string, path: string, whole = path): string {
  if (base === '' || !`${path}/`.startsWith(`${base}/`)) return path;
  const isRemoved = whole.split('?', 1)[0] === base + path;
  return isRemoved ? path : path.slice(base.length);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** An answer to a request that the parser refuses, unless another is on its way. */
function refuseMalformed({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  const { _httpMessage: answering } = socket as { _httpMessage?: ServerResponse | null };
  if (!socket.writable || answering?.headersSent) {
    socket.destroy();
    return;
  }
  const status = code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

/** An answer in place of the gateway's. */
export const refusal = ({ message, row, retryAfter }: A2AError): Response =>
  Response.json(
    { error: { code: row.http, status: row.grpc, message } },
    { status: row.http, headers: retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) } },
  );

function factsOf(url: URL, { host }: Record<string, string>, { incoming, ...known }: FetchOrigin) {
  const { socket, httpVersion } = incoming ?? {};
  // Proxies speak HTTP/1.0, and a request that names two hosts is not one of this machine.
  const isPlain = httpVersion !== '1.0' && URL.parse(`${url.protocol}//${host}`)?.host === url.host;
  return {
    remoteAddress: isPlain ? (known.remoteAddress ?? socket?.remoteAddress ?? '') : '',
    encrypted: known.encrypted ?? (socket ? isEncrypted(socket) : url.protocol === 'https:'),
  };
}

function responseOf(answer: IncomingMessage, method: string): Response {
  const headers = new Headers();
  for (let i = 0; i < answer.rawHeaders.length; i += 2) {
    const name = (answer.rawHeaders[i] as string).toLowerCase();
    if (!hopByHop.includes(name)) headers.append(name, answer.rawHeaders[i + 1] as string);
  }
  const { statusCode: status = 500 } = answer;
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
  if (!hasBody) answer.resume();
  return new Response(hasBody ? (Readable.toWeb(answer) as ReadableStream) : null, { status, headers });
}

/** A path without slashes at its end. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
