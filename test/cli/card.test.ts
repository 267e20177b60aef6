import { expect, it } from 'vitest';
import { signedBySdk, testFolder, testKey } from '../support/card-keys.ts';
import { v1Card } from '../support/cards.ts';
import { inProcess } from '../support/in-process.ts';
import { sendJson, serve } from '../support/peer.ts';

/** Reports of `a2a-gateway card` about signatures. */

const key = testKey();
const plain = v1Card('http://localhost/', {
  name: 'Signed',
  skills: [{ id: 'a', name: 'A', description: 'A', tags: ['a'] }],
});

const serving = (card: object): Promise<string> =>
  serve((req, res) => {
    if (req.url === '/jwks.json') sendJson(res, { keys: [key.jwk] });
    else if (req.url === '/.well-known/agent-card.json') sendJson(res, card);
    else res.writeHead(404).end();
  });

it('a card on the command line is shown without what cannot be read of it, which is named', async () => {
  const url = await serving({ ...plain, version: 7, skills: [{ ...plain.skills[0], tags: 'a,b' }] });
  const { code, stdout, stderr } = await inProcess(['card', url]);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('Signed 7\n') });
  expect(stderr).toContain('note: version is a number: read as the text "7"\n');
  expect(stderr).toContain('note: skills[0].tags is a text: read as a list of 2\n');
});

it('a card on the command line is said to be signed, and by whom', async () => {
  const url = await serving(await signedBySdk(plain, key));
  const { code, stdout } = await inProcess(['card', url]);
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('\nsigned      by "key-1" (ES256); not verified (use --jwks)\n'),
  });
});

it('a card on the command line is verified with keys of a URL or of a file', async () => {
  const url = await serving(await signedBySdk(plain, key));
  const file = testFolder().write('keys.json', JSON.stringify({ keys: [testKey().jwk, key.jwk] }));
  for (const place of [`${url}/jwks.json`, file]) {
    const { code, stdout } = await inProcess(['card', url, '--jwks', place]);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('by "key-1" (ES256), verified\n'),
    });
  }
});

it.each<[what: string, card: () => object | Promise<object>, says: string, why: string]>([
  ['is not signed', () => plain, 'signed      no\n', 'is not signed'],
  [
    'was changed',
    async () => ({ ...(await signedBySdk(plain, key)), name: 'x' }),
    '; not verified\n',
    'does not match this card',
  ],
  [
    'names its key with care',
    () => signedBySdk(plain, testKey('ES256', '\u001b[2J')),
    'by "\\u001b[2J" (ES256); not verified\n',
    'none of the trusted keys is "\\u001b[2J"',
  ],
])('a card on the command line that %s is shown, and the command fails', async (_, card, says, why) => {
  const url = await serving(await card());
  const shown = await inProcess(['card', url, '--jwks', `${url}/jwks.json`]);
  expect(shown.code).toBe(1);
  expect(shown.stdout).toContain(says);
  expect(shown.stderr).toContain(why);
  expect(shown.stderr.trim().split('\n')).toHaveLength(1);
  const json = await inProcess(['card', url, '--json', '--jwks', `${url}/jwks.json`]);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toHaveProperty('name');
});

it.each([
  ['http://keys.example.com/jwks.json', 2, '--jwks: expected the https URL of a JWK set'],
  ['./no-such-file.json', 1, 'the keys of ./no-such-file.json cannot be read (ENOENT)'],
])('a card on the command line is not verified with %s', async (place, code, why) => {
  const url = await serving(plain);
  const outcome = await inProcess(['card', url, '--jwks', place]);
  expect(outcome.code).toBe(code);
  expect(outcome.stderr).toContain(why);
});

it('a card on the command line has one line for each field, whatever is in it, and no characters that change the order of text', async () => {
  const hostile = (text: string): string => `${text}\nsigned      by \u202e"key-1"\u2069\u2028 verified`;
  const url = await serving({
    ...plain,
    name: hostile('Agent'),
    description: hostile('For tests'),
    version: hostile('1'),
    provider: { organization: hostile('Acme'), url: hostile('https://acme.example') },
    defaultInputModes: [hostile('text/plain')],
    skills: [{ ...plain.skills[0], id: hostile('a'), name: hostile('A'), description: hostile('B') }],
  });
  const { code, stdout } = await inProcess(['card', url]);
  expect(code).toBe(0);
  expect(stdout.split('\n').filter((line) => line.startsWith('signed'))).toEqual(['signed      no']);
});
