import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { certificateOf } from '../../../src/transports/listener/client-certificate.ts';

/** A connection with a certificate whose alternative names Node shows so. */
const connectionWith = (subjectAltName: string): Socket => {
  const shown = { subject: 'CN=tom', subjectAltName, fingerprint256: 'AA:BB', validToDate: new Date(0) };
  return { encrypted: true, authorized: true, getPeerX509Certificate: () => shown } as unknown as Socket;
};
const namesIn = (text: string) => certificateOf(connectionWith(text))?.altNames;

it.each([
  ['DNS:a.example, URI:spiffe://x/a', ['a.example', 'spiffe://x/a']],
  ['URI:"spiffe://x/a, URI:spiffe://x/b", DNS:a.example', ['spiffe://x/a, URI:spiffe://x/b', 'a.example']],
  ['othername:UPN:"x, DNS:b.example", DNS:a.example', ['a.example']],
  ['Registered ID:1.2.3, IP Address:192.0.2.1', ['192.0.2.1']],
  ['', []],
])('reads the names of %s, and takes none for another', (text, names) => {
  expect(namesIn(text)).toEqual(names);
});

it('takes no time for names that could be read apart in many ways', () => {
  expect(namesIn(`DNS:a.example, othername:${'"'.repeat(60)},x`)).toEqual(['a.example']);
});
