import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../../core/model/principal.ts';

/** Certificates that were parsed already; undefined for connections without one. */
const parsed = new WeakMap<Socket, ClientCertificate | undefined>();

/** The client certificate of a connection, if one of the listener's authorities has signed it. */
export function certificateOf(socket: Socket): ClientCertificate | undefined {
  const { encrypted, authorized } = socket as TLSSocket;
  if (encrypted !== true || !authorized) return undefined;
  if (parsed.has(socket)) return parsed.get(socket);
  // Node also reports `authorized` for a resumed connection without a certificate.
  const presented = (socket as TLSSocket).getPeerX509Certificate();
  const certificate = presented && describe(presented);
  parsed.set(socket, certificate);
  return certificate;
}

function describe(x509: X509Certificate): ClientCertificate {
  // One attribute a line; line breaks are escaped.
  const attributes = (x509.subject ?? '').split('\n');
  const names = attributes.filter((attribute) => attribute.startsWith('CN='));
  return {
    subject: attributes.join(','),
    commonName: names.length === 1 ? unescaped(names[0]?.slice('CN='.length) ?? '') : undefined,
    altNames: altNamesOf(x509.subjectAltName ?? ''),
    fingerprint: x509.fingerprint256.replaceAll(':', '').toLowerCase(),
    expires: x509.validToDate.getTime(),
  };
}

/** RFC 2253 section 2.4. */
const unescaped = (value: string): string => value.replace(/\\([^\da-f]|[\da-f](?![\da-f]))/gi, '$1');

const namedKinds: ReadonlySet<string | undefined> = new Set(['DNS', 'URI', 'email', 'IP Address']);

/**
 * Parses `DNS:a.example, URI:"spiffe://x/a, b"`. Names that contain separators are JSON strings. What follows a malformed
 * entry is left out, so that no name can be mistaken for another.
 */
function altNamesOf(text: string): readonly string[] {
  const names: string[] = [];
  const entry = /(othername:\w+|[\w ]+):(?:("(?:[^"\\]|\\.)*")|([^,"]*))(?:, |$)/gy;
  while (entry.lastIndex < text.length) {
    const [, kind, quoted, unquoted] = entry.exec(text) ?? [];
    if (kind === undefined) break;
    const name = quoted === undefined ? unquoted : (JSON.parse(quoted) as string);
    if (name && namedKinds.has(kind)) names.push(name);
  }
  return names;
}
