import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { certificateOf } from '../../../src/transports/listener/client-certificate.ts';
import { createAuthority } from '../../support/certificates.ts';

const raw = new X509Certificate(createAuthority('a').cert).raw;

/** A connection with a certificate whose alternative names Node shows so. */
const connectionWith = (subjectAltName: string): Socket => {
  const shown = { subject: 'CN=tom', subjectAltName, fingerprint256: 'AA:BB', validToDate: new Date(0) };
  const getPeerCertificate = () => ({ raw });
  return {
    encrypted: true,
    authorized: true,
    getPeerX509Certificate: () => shown,
    getPeerCertificate,
  } as unknown as Socket;
};
const namesIn = (text: string) => certificateOf(connectionWith(text))?.altNames;

it.each([
  ['DNS:a.example, URI:spiffe://x/a', ['DNS:a.example', 'URI:spiffe://x/a']],
  ['URI:"spiffe://x/a, URI:spiffe://x/b", DNS:a.example', ['URI:spiffe://x/a, URI:spiffe://x/b', 'DNS:a.example']],
  ['othername:UPN:"x, DNS:b.example", DNS:a.example', ['DNS:a.example']],
  ['Registered ID:1.2.3, IP Address:192.0.2.1', ['IP:192.0.2.1']],
  ['', []],
])('reading a client certificate: reads the names of %s, and takes none for another', (text, names) => {
  expect(namesIn(text)).toEqual(names);
});

it('reading a client certificate: takes no time for names that could be read apart in many ways', () => {
  expect(namesIn(`DNS:a.example, othername:${'"'.repeat(60)},x`)).toEqual(['DNS:a.example']);
});
