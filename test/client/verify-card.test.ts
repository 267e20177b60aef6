import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { allDialects } from '../../src/client/dialects.ts';
import { signaturesOfCard, UntrustedCard, verifyCard } from '../../src/client/verify-card.ts';
import { unsigned, withoutEmpty } from '../../src/dialects/kernel/card-signing.ts';
import { canonicalJson } from '../../src/wire/canonical-json.ts';
import { signatureOver, signedBySdk, type TestKey, testKey } from '../support/card-keys.ts';
import { serve } from '../support/peer.ts';

/** Signatures of cards: the signers that are trusted, and the members of the card that a signature covers. */

const card = {
  name: 'Signed — 奇妙 😀',
  description: 'Grüße',
  version: '1.0.0',
  supportedInterfaces: [
    { url: 'https://agents.example.com/a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: 'https://agents.example.com/b', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0', tenant: 't' },
  ],
  provider: { organization: 'Example', url: 'https://example.com' },
  capabilities: {
    streaming: false,
    extendedAgentCard: true,
    extensions: [{ uri: 'urn:x', required: true, params: { one: 1, half: 0.5, big: 1e21, tiny: 1e-7, ключ: [true] } }],
  },
  securitySchemes: {
    key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } },
    token: {
      oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: 'https://t.example', scopes: { a: 'A' } } } },
    },
  },
  securityRequirements: [{ schemes: { token: { list: ['a'] } } }],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain', 'application/json'],
  skills: [{ id: 'one', name: 'One', description: 'Does one thing', tags: ['a', 'b'], examples: ['go'] }],
  iconUrl: 'https://example.com/icon.png',
};

const key = testKey();
const set = (...keys: TestKey[]) => ({ keys: keys.map(({ jwk }) => jwk) });
const verify = (document: unknown, keys: { keys: Record<string, unknown>[] } = set(key)) =>
  verifyCard(document, keys, allDialects(), 'the card');
const essence = (document: object): string => canonicalJson(withoutEmpty(unsigned(document)) ?? {});

/** The card with signatures over its canonical form. */
const bearing = (...signatures: unknown[]): object => ({ ...card, signatures });
const whole = canonicalJson(card);

it.each(['ES256', 'ES384', 'EdDSA', 'RS256', 'PS256'])(
  'a signature by the official SDK with %s is good',
  async (alg) => {
    const signer = testKey(alg, `${alg} key`);
    const signed = await signedBySdk(card, signer);
    const { document, kid, alg: said } = await verify(signed, set(key, signer));
    expect({ kid, said }).toEqual({ kid: `${alg} key`, said: alg });
    expect(document).toEqual(card);
    expect(signaturesOfCard(signed)).toEqual([{ kid, alg }]);
  },
);

it('a signature by the official SDK says nothing about members that A2A 1.0 does not know: they are not used', async () => {
  const signed = await signedBySdk({ ...card, url: 'https://honest.example', preferredTransport: 'JSONRPC' }, key);
  const { document } = await verify({ ...signed, url: 'https://evil.example' });
  expect(document).toEqual(card);
});

it('a signature by the official SDK is good for a card of which empty members were taken out on the way', async () => {
  const bare = { ...card, description: '', skills: [], iconUrl: '' };
  const { iconUrl: _, ...sent } = await signedBySdk(bare, key);
  expect((await verify(sent)).document).toMatchObject({ name: card.name, description: '', skills: [] });
});

it('the form that A2A 1.0 section 8.4.1 prescribes is that of its example', () => {
  const example = {
    name: 'Example Agent',
    description: '',
    capabilities: { streaming: false, pushNotifications: false, extensions: [] },
    skills: [],
  };
  const v1 = allDialects().find(({ name }) => name === 'a2a-1.0');
  const payloads = v1?.card.signing?.forms(example).map(({ payload }) => JSON.parse(payload)) ?? [];
  // The example is a fragment: what else a card must have is there too, empty.
  const found = payloads.find(({ skills, version }) => skills && version === '');
  expect(found).toMatchObject({ name: 'Example Agent', description: '', skills: [], supportedInterfaces: [] });
  expect(found.capabilities).toEqual({ streaming: false, pushNotifications: false });
});

it('the form that A2A 1.0 section 8.4.1 prescribes is good when it was signed', async () => {
  const bare = { ...card, description: '', securityRequirements: [{ schemes: { key: { list: [] } } }] };
  const form = canonicalJson({ ...bare, securityRequirements: [{ schemes: { key: {} } }] });
  const { document } = await verify({ ...bare, signatures: [await signatureOver(form, key)] });
  expect(essence(document)).toBe(essence(bare));
  // Here, unlike with the SDKs, what a caller must show cannot be taken out.
  const open = { ...bare, securityRequirements: [], signatures: [await signatureOver(form, key)] };
  await expect(verify(open)).rejects.toThrow('does not match this card');
});

describe('a card of A2A 0.3', () => {
  const old = {
    protocolVersion: '0.3.0',
    name: 'Old',
    description: 'Grüße',
    url: 'https://agents.example.com/a',
    preferredTransport: 'JSONRPC',
    version: '1',
    capabilities: { streaming: true },
    securitySchemes: { k: { type: 'http', scheme: 'bearer' } },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'one', name: 'One', description: 'One', tags: ['a'] }],
  };
  // The Python SDK 0.3.26 made this signature.
  const python = String.raw`{"capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"description":"Gr\u00fc\u00dfe","name":"Old","securitySchemes":{"k":{"scheme":"bearer"}},"skills":[{"description":"One","id":"one","name":"One","tags":["a"]}],"url":"https://agents.example.com/a","version":"1"}`;

  it('a card of A2A 0.3 is verified as its Python SDK signs it', async () => {
    const signatures = [await signatureOver(python, key)];
    expect((await verify({ ...old, signatures })).document).toEqual(old);
    for (const changed of [
      { url: 'https://evil.example' },
      { preferredTransport: 'GRPC' },
      { protocolVersion: '0.2.6' },
      { securitySchemes: { k: { type: 'mutualTLS', scheme: 'bearer' } } },
      { additionalInterfaces: [{ url: 'https://evil.example', transport: 'GRPC' }] },
    ]) {
      await expect(verify({ ...old, ...changed, signatures })).rejects.toThrow(UntrustedCard);
    }
    // Members that the version's models do not have are neither signed nor used.
    const more = { ...old, supportedInterfaces: [{ url: 'https://evil.example' }], signatures };
    expect((await verify(more)).document).toEqual(old);
  });
});

/** Every way to every member of a value. */
function* paths(value: unknown, at: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  if (at.length > 0) yield at;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    yield* paths(member, [...at, Array.isArray(value) ? Number(name) : name]);
  }
}

const nothing = Symbol('nothing');

/** The value with another member at the end of a path. */
function changed(
  value: unknown,
  [name, ...rest]: readonly (string | number)[],
  change: (old: unknown) => unknown,
): unknown {
  if (name === undefined) return change(value);
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, unknown>;
  const made = changed(copy[name], rest, change);
  if (made !== nothing) copy[name] = made;
  else if (Array.isArray(copy)) copy.splice(Number(name), 1);
  else delete copy[name];
  return copy;
}

describe('a card that was changed after it was signed', () => {
  const changes: Readonly<Record<string, (old: unknown) => unknown>> = {
    'taken out': () => nothing,
    'another text': () => 'https://evil.example',
    'another number': (old) => (typeof old === 'number' ? old + 1 : old),
    'the opposite': (old) => (typeof old === 'boolean' ? !old : old),
    null: (old) => (typeof old === 'object' ? null : old),
    'empty text': () => '',
    'an empty list': (old) => (typeof old === 'object' ? [] : old),
    'an empty object': (old) => (typeof old === 'object' ? {} : old),
    'one more': (old) =>
      Array.isArray(old) ? [...old, old[0]] : typeof old === 'object' && old !== null ? { ...old, url: 'x' } : [old],
    'in another order': (old) => (Array.isArray(old) ? old.toReversed() : `${String(old)} `),
  };

  const made: Readonly<Record<string, () => Promise<object>>> = {
    'by the SDK': () => signedBySdk(card, key),
    'as it stands': async () => bearing(await signatureOver(whole, key)),
  };

  /** A third of the changes, by the seed that the runner prints. */
  const seed = Number(process.env.TEST_SEED ?? 1);

  it.each(Object.keys(made))(
    'a card that was changed after it was signed %s is refused, or used without the change',
    async (how) => {
      const signed = (await made[how]?.()) as object;
      const { document } = await verify(signed);
      const before = essence(document);
      let refused = 0;
      let harmless = 0;
      for (const [nth, path] of [...paths(unsigned(signed))].entries()) {
        const some = Object.entries(changes).filter((_, at) => (at + nth + seed) % 3 === 0);
        for (const [name, change] of some) {
          const other = changed(signed, path, change) as object;
          if (canonicalJson(other) === canonicalJson(signed)) continue;
          const result = await verify(other).catch((thrown: unknown) => {
            expect(thrown).toBeInstanceOf(UntrustedCard);
            return undefined;
          });
          if (result) expect(essence(result.document), `${path.join('.')}: ${name}`).toBe(before);
          if (result) harmless++;
          else refused++;
        }
      }
      expect(refused).toBeGreaterThan(60);
      expect(harmless).toBeLessThan(refused / 5);
    },
  );
});

describe('a signature that counts for nothing', () => {
  const encoded = (header: object): string => Buffer.from(JSON.stringify(header)).toString('base64url');
  const other = testKey('ES256', 'key-1');

  it.each<[what: string, make: () => unknown | Promise<unknown>, why: string]>([
    ['no algorithm', () => ({ protected: encoded({ alg: 'none', kid: 'key-1' }), signature: '' }), 'is not allowed'],
    [
      'a public key as a shared secret',
      () => {
        const head = encoded({ alg: 'HS256', kid: 'key-1', typ: 'JOSE' });
        const input = `${head}.${Buffer.from(whole).toString('base64url')}`;
        const secret = JSON.stringify(key.jwk);
        return { protected: head, signature: createHmac('sha256', secret).update(input).digest('base64url') };
      },
      'is not allowed',
    ],
    ['another key under the same name', () => signatureOver(whole, other), 'does not match this card'],
    ['an unknown key', () => signatureOver(whole, { ...other, kid: 'key-9' }), 'none of the trusted keys is "key-9"'],
    ['no name of a key', () => signatureOver(whole, { ...key, kid: '' }), 'does not name its key'],
    [
      'a key that it brings along',
      () => signatureOver(whole, { ...other, kid: 'x' }, { jwk: other.jwk }),
      'none of the trusted',
    ],
    [
      'a key under a name that is its own',
      () => signatureOver(whole, other, { jwk: other.jwk }),
      'does not match this card',
    ],
    [
      'an extension that must be understood',
      () => signatureOver(whole, key, { crit: ['urn:e'], 'urn:e': 1 }),
      'extensions',
    ],
    ['a payload that is not encoded', () => signatureOver(whole, key, { crit: ['b64'], b64: false }), 'extensions'],
    ['an end that has passed', () => signatureOver(whole, key, { exp: 1_000_000_000 }), 'expired'],
    ['an end that is no time', () => signatureOver(whole, key, { exp: 'never' }), 'expired'],
    ['a beginning that is to come', () => signatureOver(whole, key, { nbf: 9_999_999_999 }), 'not valid yet'],
    ['another algorithm of the same family', () => signatureOver(whole, testKey('ES384')), 'none of the trusted'],
    ['another text', () => signatureOver(`${whole} `, key), 'does not match this card'],
    [
      'a payload of its own',
      async () => ({ ...(await signatureOver('{}', key)), payload: Buffer.from('{}').toString('base64url') }),
      'does not match this card',
    ],
    [
      'an algorithm that stands in both headers',
      async () => ({ ...(await signatureOver(whole, key)), header: { alg: 'ES256' } }),
      'not valid (ERR_JWS_INVALID)',
    ],
    [
      'half of itself',
      async () => {
        const good = await signatureOver(whole, key);
        return { ...good, signature: good.signature.slice(0, 43) };
      },
      'does not match this card',
    ],
    [
      'no signature',
      async () => ({ ...(await signatureOver(whole, key)), signature: undefined }),
      'does not match this card',
    ],
    ['no header', async () => ({ ...(await signatureOver(whole, key)), protected: undefined }), 'cannot be read'],
    [
      'a list as its header',
      () => ({ protected: Buffer.from('[]').toString('base64url'), signature: 'AA' }),
      'cannot be read',
    ],
    ['nothing', () => null, 'cannot be read'],
    [
      'a compact form',
      async () => {
        const good = await signatureOver(whole, key);
        return `${good.protected}..${good.signature}`;
      },
      'cannot be read',
    ],
  ])('a signature counts for nothing: one with %s', async (_, make, why) => {
    const signature = await make();
    await expect(verify(bearing(signature))).rejects.toThrow(why);
    // Beside a good one it does no harm.
    await expect(verify(bearing(signature, await signatureOver(whole, key)))).resolves.toMatchObject({ kid: 'key-1' });
  });

  it('verifying a card does not fetch keys from the URLs in a signature', async () => {
    const asked: string[] = [];
    const base = await serve((req, res) => {
      asked.push(String(req.url));
      res.end(JSON.stringify({ keys: [other.jwk] }));
    });
    const header = { jku: `${base}/jwks.json`, x5u: `${base}/cert.pem` };
    await expect(verify(bearing(await signatureOver(whole, other, header)))).rejects.toThrow(
      'does not match this card',
    );
    await expect(verify(bearing(await signatureOver(whole, key, header)))).resolves.toBeDefined();
    expect(asked).toEqual([]);
  });

  it.each<[what: string, document: unknown]>([
    ['no signatures', card],
    ['an empty list of them', bearing()],
    ['something else in their place', { ...card, signatures: { 0: 'x', length: 1 } }],
    ['no card', 'card'],
    ['a list', [card]],
  ])('a document bears no signature: %s', async (_, document) => {
    await expect(verify(document)).rejects.toThrow('the card is not signed');
  });

  it('a valid signature is not looked for among hundreds', async () => {
    const good = await signatureOver(whole, key);
    const bad = await signatureOver(whole, other);
    await expect(verify(bearing(...Array(500).fill(bad), good))).rejects.toThrow(UntrustedCard);
  });
});

it.each<[what: string, more: Record<string, unknown>]>([
  ['has expired', { exp: 1_000_000_000 }],
  ['is to come', { nbf: 9_999_999_999 }],
  ['was revoked', { revoked: { revoked_at: 1_000_000_000 } }],
  ['is for encryption', { use: 'enc' }],
  ['may not verify', { key_ops: ['deriveBits'] }],
  ['is for another algorithm', { alg: 'ES384' }],
  ['is a secret', { kty: 'oct', k: 'c2VjcmV0' }],
  ['is broken', { x: '!' }],
])('the keys are without one that %s', async (_, more) => {
  const signed = await signedBySdk(card, key);
  await expect(verify(signed, { keys: [{ ...key.jwk, ...more }] })).rejects.toThrow(UntrustedCard);
});

it('the keys may be private ones by mistake, which verify nothing', async () => {
  const jwk = { ...key.privateKey.export({ format: 'jwk' }), kid: 'key-1' };
  await expect(verify(await signedBySdk(card, key), { keys: [jwk] })).rejects.toThrow(UntrustedCard);
});

it('the keys may share a name, and change', async () => {
  const [old, next] = [testKey('ES256', 'same'), testKey('ES256', 'same')];
  for (const signer of [old, next]) {
    await expect(verify(await signedBySdk(card, signer), set(key, old, next))).resolves.toMatchObject({
      kid: 'same',
    });
    await expect(verify(await signedBySdk(card, signer), set(key))).rejects.toThrow('none of the trusted keys');
  }
  const twice = await signedBySdk(await signedBySdk(card, testKey('RS256', 'gone')), next);
  await expect(verify(twice, set(next))).resolves.toMatchObject({ kid: 'same' });
});
