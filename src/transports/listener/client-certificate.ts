import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../../core/model/principal.ts';

/** What was read already; undefined for connections without a certificate. */
const read = new WeakMap<Socket, ClientCertificate | undefined>();

/** The certificate that a client made its connection with, where one of the listener's authorities has signed it. */
export function certificateOf(socket: Socket): ClientCertificate | undefined {
  const { encrypted, authorized } = socket as TLSSocket;
  if (encrypted !== true || !authorized) return undefined;
  if (read.has(socket)) return read.get(socket);
  // Node calls a resumed connection authorized that never had a certificate.
  const shown = (socket as TLSSocket).getPeerX509Certificate();
  const certificate = shown && describe(shown);
  read.set(socket, certificate);
  return certificate;
}

function describe(shown: X509Certificate): ClientCertificate {
  // One attribute a line; what would break a line is escaped.
  const attributes = (shown.subject ?? '').split('\n');
  const names = attributes.filter((attribute) => attribute.startsWith('CN='));
  return {
    subject: attributes.join(','),
    commonName: names.length === 1 ? unescaped(names[0]?.slice('CN='.length) ?? '') : undefined,
    altNames: altNamesOf(shown.subjectAltName ?? ''),
    fingerprint: shown.fingerprint256.replaceAll(':', '').toLowerCase(),
    expires: shown.validToDate.getTime(),
  };
}

/** RFC 2253 section 2.4. */
const unescaped = (value: string): string => value.replace(/\\([^\da-f]|[\da-f](?![\da-f]))/gi, '$1');

/**
 * `DNS:a.example, URI:"spiffe://x/a, b"`: names that could be mistaken for several are JSON strings. What is in no such
 * form is left out, so that no name can pretend to be another.
 */
function altNamesOf(text: string): readonly string[] {
  const names: string[] = [];
  const entry =
    /(?:DNS|URI|email|IP Address):(?:("(?:[^"\\]|\\.)*")|([^,"]*))(?:, |$)|[^,"]*(?:"(?:[^"\\]|\\.)*"[^,"]*)*(?:, |$)/gy;
  while (entry.lastIndex < text.length) {
    const found = entry.exec(text);
    if (!found) break;
    const [, quoted, plain] = found;
    if (quoted !== undefined) names.push(JSON.parse(quoted) as string);
    else if (plain !== undefined && plain !== '') names.push(plain);
  }
  return names;
}
