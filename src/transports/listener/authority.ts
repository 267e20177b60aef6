import type { IncomingMessage } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http2';

/** A request target in absolute form (RFC 9112 section 3.2.2), up to the end of its authority. */
const absoluteForm = /^(https?):\/\/([^/?#]*)/i;

/**
 * The reason why two servers could read an HTTP/1 request differently although the parser accepts it; undefined when they
 * could not. HTTP/1.0 has no chunked bodies (RFC 9112 section 6.1), and a target in absolute form must name the same
 * authority as the Host header (section 3.2.2).
 */
export function ambiguityOf(req: IncomingMessage): string | undefined {
  const { httpVersionMajor: major, httpVersionMinor: minor, headers } = req;
  if (major !== 1) return 'This is not an HTTP/1.1 request';
  if (headers.host === undefined ? minor !== 0 : headers.host.includes(',')) return 'The request must have one Host';
  if (minor === 0 && headers['transfer-encoding'] !== undefined) return 'HTTP/1.0 has no Transfer-Encoding';
  return targetMatchesHost(req) ? undefined : 'The request target and the Host name different authorities';
}

/** Whether an HTTP/1 request's body has a transfer coding other than chunked. */
export const hasUnknownCoding = ({ headers: { 'transfer-encoding': coding = 'chunked' } }: IncomingMessage): boolean =>
  coding.toLowerCase() !== 'chunked';

/** Whether the target of an HTTP/1 request names no authority other than its Host header. */
export function targetMatchesHost({ url = '/', method, headers }: IncomingMessage): boolean {
  if (url.startsWith('/') || (url === '*' && method === 'OPTIONS')) return true;
  const [, scheme = '', authority = ''] = absoluteForm.exec(url) ?? [];
  return scheme !== '' && headers.host !== undefined && isSame(authority, headers.host, scheme.toLowerCase());
}

/** Whether an HTTP/2 request has no `host` header that differs from its `:authority` (RFC 9113 section 8.3.1). */
export function hostMatchesAuthority({
  ':authority': authority,
  ':scheme': scheme = 'http',
  host,
}: IncomingHttpHeaders): boolean {
  return host === undefined || authority === undefined || isSame(authority, host, scheme);
}

const isSame = (one: string, other: string, scheme: string): boolean =>
  one === other || normalized(one, scheme) === normalized(other, scheme);

/** In lower case, without the default port of the scheme (RFC 9110 section 4.2.3). */
const normalized = (authority: string, scheme: string): string =>
  authority.toLowerCase().replace(scheme === 'https' ? /:(443)?$/ : /:(80)?$/, '');
