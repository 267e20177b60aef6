import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendEmpty } from './headers.ts';

/** Headers of responses that scripts may read. */
const exposed =
  'A2A-Version, A2A-Extensions, A2A-Gateway-Loss, X-Request-Id, Retry-After, WWW-Authenticate, ETag, Deprecation, Sunset, Link, ' +
  'Grpc-Status, Grpc-Message, Grpc-Status-Details-Bin, Mcp-Session-Id';

/** Headers that scripts may send. */
const allowed =
  'Accept, Authorization, Content-Encoding, Content-Type, A2A-Version, A2A-Extensions, X-A2A-Extensions, A2A-Agent, X-Api-Key, ' +
  'X-Request-Id, Idempotency-Key, Last-Event-ID, Traceparent, Tracestate, Connect-Protocol-Version, Connect-Timeout-Ms, ' +
  'Grpc-Timeout, X-Grpc-Web, X-User-Agent, Mcp-Session-Id, Mcp-Protocol-Version, ' +
  'Mcp-Method, Mcp-Name';

/** Headers with arguments of a tool (MCP 2026-07-28), whose names depend on the tool. */
const argumentHeaders = /\bmcp-param-[\w-]{1,64}/gi;

export interface Cors {
  /**
   * Allows scripts of configured origins to read the response. Must be called before the response begins. Absent if no origins
   * are configured.
   */
  readonly apply?: (req: IncomingMessage, res: ServerResponse) => void;
  /**
   * Answers an OPTIONS request. A preflight of an origin that is not configured gets no permission.
   *
   * @param verbs the methods of the path
   */
  options(req: IncomingMessage, res: ServerResponse, verbs: readonly string[]): void;
}

/**
 * @param origins origins such as `https://console.example.com`, or `*` for all
 * @param more further headers that scripts may send
 */
export function createCors(origins: readonly string[], more: readonly string[] = []): Cors {
  const sendable = [...new Set([...allowed.split(', '), ...more])].join(', ');
  const known = new Set(origins.map((origin) => origin.toLowerCase().replace(/\/$/, '')));
  const permits = (origin: string) => known.has('*') || known.has(origin.toLowerCase());
  const apply: Cors['apply'] = ({ headers: { origin } }, res) => {
    res.appendHeader('Vary', 'Origin');
    if (origin === undefined || !permits(origin)) return;
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Access-Control-Expose-Headers', exposed);
  };
  return {
    ...(known.size > 0 && { apply }),
    options(req, res, verbs) {
      const { origin } = req.headers;
      const headers = ['Allow', verbs.join(', ')];
      if (origin !== undefined && permits(origin) && req.headers['access-control-request-method'] !== undefined) {
        headers.push('Access-Control-Allow-Methods', verbs.join(', '));
        const wanted = req.headers['access-control-request-headers']?.match(argumentHeaders) ?? [];
        headers.push(
          'Access-Control-Allow-Headers',
          [sendable, ...wanted].join(', '),
          'Access-Control-Max-Age',
          '7200',
        );
      }
      sendEmpty(res, 204, headers);
    },
  };
}

/** Serves GET and HEAD of a public document to scripts of configured origins. False for other verbs except OPTIONS. */
export function withCors(
  { apply, options }: Cors,
  req: IncomingMessage,
  res: ServerResponse,
  serve: () => void,
): boolean {
  const { method } = req;
  if (method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS') return false;
  apply?.(req, res);
  if (method === 'OPTIONS') options(req, res, ['GET', 'HEAD']);
  else serve();
  return true;
}
