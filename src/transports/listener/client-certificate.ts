import { hash, X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../../core/model/principal.ts';

/** Whether a connection uses TLS. */
export const isEncrypted = (socket: Socket): socket is TLSSocket => (socket as TLSSocket).encrypted === true;

/** Certificates that were parsed already; undefined for connections without one. */
const parsed = new WeakMap<Socket, ClientCertificate | undefined>();

/** The client certificate of a connection, if one of the listener's authorities has signed it. */
export function certificateOf(socket: Socket): ClientCertificate | undefined {
  if (!isEncrypted(socket) || !socket.authorized) return undefined;
  if (parsed.has(socket)) return parsed.get(socket);
  // Node also reports `authorized` for a resumed connection without a certificate.
  const presented = socket.getPeerX509Certificate();
  const certificate =
    presented && describe(presented, only.get(socket) ?? authorityOf(socket.getPeerCertificate(true)));
  parsed.set(socket, certificate);
  return certificate;
}

const longestChain = 10;

/**
 * SHA-256 of the public key of the authority at the end of the chain, in lower-case hexadecimal. Undefined where the chain
 * does not lead to one: Node finds issuers by their names, so each signature is verified again.
 */
function authorityOf(leaf: DetailedPeerCertificate): string | undefined {
  let from = leaf;
  let x509 = new X509Certificate(leaf.raw);
  for (let length = 1; length <= longestChain; length += 1) {
    const { issuerCertificate: above } = from;
    // Node shows an authority as its own issuer.
    if (!above || above === from) break;
    const issuer = new X509Certificate(above.raw);
    if (!issuer.ca || !x509.checkIssued(issuer) || !x509.verify(issuer.publicKey)) return undefined;
    from = above;
    x509 = issuer;
  }
  if (!x509.checkIssued(x509) || !x509.verify(x509.publicKey)) return undefined;
  return fingerprintOf(x509);
}

/** The fingerprint of an authority: SHA-256 of its public key, in lower-case hexadecimal. */
const fingerprintOf = ({ publicKey }: X509Certificate): string =>
  hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'hex');

/** The fingerprints of the authorities in a file of root and intermediate certificates. */
export function authoritiesIn(clientCa: string): string[] {
  const begin = '-----BEGIN CERTIFICATE-----';
  const [, ...certificates] = clientCa.split(begin);
  const roots = certificates
    .filter((rest) => rest.includes('-----END CERTIFICATE-----'))
    .map((rest) => new X509Certificate(begin + rest))
    .filter((one) => one.checkIssued(one));
  return [...new Set(roots.map(fingerprintOf))];
}

/** The authority of connections to listeners that have only one. */
const only = new WeakMap<Socket, string>();

/** Says which authorities a connection's listener has: with one, certificates need no chain that leads to it. */
export function setAuthorities(socket: Socket, [first, second]: readonly string[]): void {
  if (first !== undefined && second === undefined) only.set(socket, first);
}

/** A certificate that a server of another library has verified; which authority signed it is not known there. */
export const certificateFrom = (der: Buffer): ClientCertificate => describe(new X509Certificate(der), undefined);

function describe(x509: X509Certificate, authority: string | undefined): ClientCertificate {
  // One attribute a line; line breaks are escaped.
  const attributes = (x509.subject ?? '').split('\n');
  const names = attributes.filter((attribute) => attribute.startsWith('CN='));
  return {
    subject: attributes.join(','),
    commonName: names.length === 1 ? unescaped(names[0]?.slice('CN='.length) ?? '') : undefined,
    altNames: altNamesOf(x509.subjectAltName ?? ''),
    authority,
    fingerprint: x509.fingerprint256.replaceAll(':', '').toLowerCase(),
    expires: x509.validToDate.getTime(),
  };
}

/** RFC 2253 section 2.4. */
const unescaped = (value: string): string => value.replace(/\\([^\da-f]|[\da-f](?![\da-f]))/gi, '$1');

/** Kinds of names, by OpenSSL's words for them. */
const kinds = new Map(Object.entries({ DNS: 'DNS', URI: 'URI', email: 'email', 'IP Address': 'IP' }));

/**
 * Parses `DNS:a.example, URI:"spiffe://x/a, b"`. Names that contain separators are JSON strings. Text after a malformed
 * entry is left out, so that no name can be mistaken for another.
 */
function altNamesOf(text: string): readonly string[] {
  const names: string[] = [];
  const entry = /(othername:\w+|[\w ]+):(?:("(?:[^"\\]|\\.)*")|([^,"]*))(?:, |$)/gy;
  while (entry.lastIndex < text.length) {
    const [, kind, quoted, unquoted] = entry.exec(text) ?? [];
    if (kind === undefined) break;
    const name = quoted === undefined ? unquoted : (JSON.parse(quoted) as string);
    const shown = kinds.get(kind);
    if (name && shown !== undefined) names.push(`${shown}:${name}`);
  }
  return names;
}
