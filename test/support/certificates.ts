import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Certificates for tests, since Node makes none: X.509 v3 with ECDSA over P-256 (RFC 5280), in as little DER as will do. */

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const octets = (bytes: Uint8Array): Buffer => der(0x04, bytes);
const yes = der(0x01, Buffer.from([255]));

/** An object identifier. */
function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 127];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 127) | 128);
    bytes.push(...groups);
  }
  return der(0x06, Buffer.from(bytes));
}

const algorithm = sequence(oid('1.2.840.10045.4.3.2'));
const attributes = { CN: '2.5.4.3', O: '2.5.4.10' } as const;

type Subject = readonly (readonly [attribute: keyof typeof attributes, value: string])[];

const nameOf = (subject: Subject): Buffer =>
  sequence(
    ...subject.map(([name, value]) => der(0x31, sequence(oid(attributes[name]), der(0x0c, Buffer.from(value))))),
  );

/** GeneralizedTime; RFC 5280 wants another form before 2050, but no client here insists on it. */
const time = (ms: number): Buffer =>
  der(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')}`));

const extension = (id: string, value: Uint8Array, critical = false): Buffer =>
  sequence(oid(id), ...(critical ? [yes] : []), octets(value));

/** Context tags of GeneralName. */
const kinds = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const;

export interface CertificateOptions {
  readonly subject: Subject;
  readonly altNames?: readonly (readonly [kind: keyof typeof kinds, value: string])[];
  /** Milliseconds since the epoch. Default: a day. */
  readonly until?: number;
}

/** A certificate with its private key, in PEM. */
export interface Certified {
  readonly cert: string;
  readonly key: string;
}

const pem = (bytes: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;

/** An authority. */
export interface Authority {
  /** Its own certificate, in PEM. */
  readonly cert: string;
  issue(options: CertificateOptions): Certified;
  /** An authority that this one has signed. */
  intermediate(name: string): Authority;
  /** Its own certificate anew, with the same key. */
  renewed(): Pick<Authority, 'cert'>;
}

export const createAuthority = (name: string): Authority => authorityOf(name);

type Make = (options: CertificateOptions, publicKey: KeyObject, extensions: readonly Buffer[]) => string;

/** @param above makes its certificate. Default: itself */
function authorityOf(name: string, above?: Make): Authority {
  const subject: Subject = [['CN', name]];
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const isAuthority = [extension('2.5.29.19', sequence(yes), true)];
  const create: Make = (options, publicKey, extensions) => {
    const day = 86_400_000;
    const { until = Date.now() + day } = options;
    const body = sequence(
      der(0xa0, der(0x02, Buffer.from([2]))),
      der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
      algorithm,
      nameOf(subject),
      sequence(time(until - 2 * day), time(until)),
      nameOf(options.subject),
      publicKey.export({ type: 'spki', format: 'der' }),
      ...(extensions.length === 0 ? [] : [der(0xa3, sequence(...extensions))]),
    );
    const signature = sign('sha256', body, own.privateKey);
    return pem(sequence(body, algorithm, der(0x03, Buffer.from([0]), signature)));
  };
  return {
    cert: (above ?? create)({ subject }, own.publicKey, isAuthority),
    intermediate: (below) => authorityOf(below, create),
    renewed: () => ({ cert: create({ subject }, own.publicKey, isAuthority) }),
    issue(options) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const names = (options.altNames ?? []).map(([kind, value]) =>
        der(kinds[kind], kind === 'ip' ? Buffer.from(value.split('.').map(Number)) : Buffer.from(value)),
      );
      const extensions = names.length === 0 ? [] : [extension('2.5.29.17', sequence(...names))];
      const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      return { cert: create(options, publicKey, extensions), key };
    },
  };
}
