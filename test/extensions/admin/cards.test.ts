import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../../src/agents/define.ts';
import { allDialects } from '../../../src/client/index.ts';
import { defaultConfig } from '../../../src/config/index.ts';
import type { Agent } from '../../../src/core/model/agent.ts';
import { askAdmin } from '../../support/admin.ts';
import { testFolder, testKey } from '../../support/card-keys.ts';
import { v1Card } from '../../support/cards.ts';
import { openGateway } from '../../support/gateway.ts';
import { sendJson, serve } from '../../support/peer.ts';

/** The cards of agents as operators see them: in each dialect, with what is known of their signatures. */

it('the cards of an agent are those that clients of each dialect get, at their paths', async () => {
  const { url } = await openGateway(
    'defaultAgent: demo\nagents: { demo: { kind: reference }, other: { kind: reference } }',
  );
  for (const name of ['demo', 'other']) {
    const { status, cards = [] } = await askAdmin(url, 'GetAgent', { name });
    expect(status).toMatchObject({ name, kind: 'reference' });
    expect(cards.map(({ dialect }) => dialect).sort()).toEqual(
      allDialects()
        .map((dialect) => dialect.name)
        .sort(),
    );
    expect(cards[0]?.dialect).toBe('a2a-1.0');
    for (const { path, card, bytes, signature } of cards) {
      const response = await fetch(url + path);
      const served = await response.text();
      expect([path, response.status]).toEqual([path, 200]);
      expect([path, card]).toEqual([path, JSON.parse(served)]);
      expect([path, bytes]).toEqual([path, Buffer.byteLength(served)]);
      expect(signature).toEqual({ verdict: 'unsigned', keyIds: [], reason: 'cards.signing is not configured' });
    }
  }
});

it('the cards of an agent must be of an agent that exists', async () => {
  const { url } = await openGateway('agents: { demo: { kind: reference } }');
  await expect(askAdmin(url, 'GetAgent', { name: 'none' })).rejects.toThrow('No such agent: none');
});

it('the cards of an agent are verified where the gateway signs them', async () => {
  const { write: file } = testFolder();
  const key = testKey('ES256', 'ours');
  const path = file('key.pem', key.pem);
  const { url } = await openGateway(
    `agents: { demo: { kind: reference } }\ncards: { signing: { key: "${path}", kid: ours } }`,
  );
  const { cards = [] } = await askAdmin(url, 'GetAgent', { name: 'demo' });
  const [first] = cards;
  expect(first?.signature).toMatchObject({ verdict: 'verified', keyIds: expect.arrayContaining(['ours']) });
  const php = cards.find(({ dialect }) => dialect === 'agentvault-0.2');
  expect(php?.signature).toEqual({ verdict: 'unsigned', keyIds: [], reason: 'the dialect has no signatures' });
});

it('the cards of an agent have findings, of the card in A2A 1.0 and of what older dialects leave out', async () => {
  const agent = defineAgent({
    name: 'Agent\u202e',
    description: 'Says it',
    version: 'latest',
    skills: [
      { id: 'a', name: 'A', description: 'A', tags: ['a'] },
      { id: 'a', name: 'B', description: 'B', tags: ['b'] },
    ],
    async *execute() {
      yield { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'heard' }] } };
    },
  });
  const opened = await openGateway(defaultConfig({ port: 0, store: 'memory:' }), { agents: { bad: agent } });
  const { findings = [] } = await askAdmin(opened.url, 'GetAgent', { name: 'bad' });
  expect(findings).toContainEqual({
    severity: 'error',
    dialect: 'a2a-1.0',
    field: 'skills[1].id',
    section: 'A2A 1.0.1 section 4.4.5',
    message: expect.stringContaining('the same id as in skills[0].id'),
  });
  expect(findings).toContainEqual(expect.objectContaining({ severity: 'warning', field: 'name' }));
  expect(findings.filter(({ severity }) => severity === 'error').map(({ field }) => field)).toEqual(['skills[1].id']);
  const ranks = findings.map(({ severity }) => ['error', 'warning', 'note'].indexOf(severity));
  expect(ranks).toEqual(ranks.toSorted());
});

it('the cards of an agent are left out, but not their sizes, where they are too large for one answer', async () => {
  const text = 'x'.repeat(3_000_000);
  const large: Agent = defineAgent({
    name: 'large',
    description: text,
    async *execute() {
      yield { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'heard' }] } };
    },
  });
  const opened = await openGateway(defaultConfig({ port: 0, store: 'memory:' }), { agents: { large } });
  const { cards = [], findings = [], status } = await askAdmin(opened.url, 'GetAgent', { name: 'large' });
  expect(status.description).toBe(`${'x'.repeat(1_000)}…`);
  expect(cards[0]).toHaveProperty('card');
  expect(cards.filter(({ card }) => card === undefined).length).toBeGreaterThan(3);
  for (const { bytes } of cards) expect(bytes).toBeGreaterThan(3_000_000);
  expect(findings).toContainEqual(expect.objectContaining({ field: '', message: expect.stringContaining('bytes') }));
});

describe('the own card of an upstream agent', () => {
  const plain = (url: string): object =>
    v1Card(url, {
      defaultInputModes: ['text'],
      skills: [{ id: 'say', name: 'Say', description: 'Says it', tags: ['say'] }],
    });

  async function far(settings: string, card = plain) {
    const upstream = await serve((req, res) => {
      if (req.url === '/.well-known/agent-card.json') return sendJson(res, card(upstream));
      return res.writeHead(404).end();
    });
    const { url } = await openGateway(
      `agents: { far: { kind: upstream, url: "${upstream}", dialect: a2a-1.0${settings} } }`,
    );
    return { url, upstream, get: () => askAdmin(url, 'GetAgent', { name: 'far' }) };
  }

  it('the own card of an upstream agent is shown as it was received, with findings of its own', async () => {
    const { get, upstream } = await far('');
    await expect.poll(async () => (await get()).upstreamCard).toEqual(plain(upstream));
    const { upstreamSignature, findings = [] } = await get();
    expect(upstreamSignature).toEqual({ verdict: 'unsigned', keyIds: [], reason: 'the card has no signatures' });
    expect(findings).toContainEqual({
      severity: 'warning',
      dialect: 'upstream',
      field: 'defaultInputModes[0]',
      message: 'is not a media type: write text/plain',
      section: 'A2A 1.0.1 section 4.4.1',
    });
  });

  const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'theirs' })).toString('base64url');
  const signed = (url: string) => ({ ...plain(url), signatures: [{ protected: header, signature: 'AAAA' }] });

  it('the own card of an upstream agent is not verified where nothing is trusted', async () => {
    const { get } = await far('', signed);
    await expect.poll(async () => (await get()).upstreamSignature?.verdict).toBe('not-verified');
    expect((await get()).upstreamSignature?.keyIds).toEqual(['theirs']);
  });

  it('the own card of an upstream agent is refused where its signature is not that of a trusted key', async () => {
    const { write: file } = testFolder();
    const jwks = file('keys.json', JSON.stringify({ keys: [testKey('ES256', 'trusted').jwk] }));
    const { get } = await far(`, trust: { jwks: "${jwks}" }`, signed);
    await expect.poll(async () => (await get()).upstreamSignature?.verdict).toBe('invalid');
    const { upstreamCard, upstreamSignature, status } = await get();
    expect(upstreamCard).toBeUndefined();
    expect(upstreamSignature?.reason).toContain('none of the trusted keys');
    expect(status).not.toHaveProperty('cardReadAt');
  });

  it('the own card of an upstream agent is verified where a trusted key has signed it', async () => {
    const { write: file } = testFolder();
    const key = testKey('ES256', 'ours');
    const signer = await openGateway(
      `agents: { demo: { kind: reference } }\ncards: { signing: { key: "${file('key.pem', key.pem)}", kid: ours } }`,
    );
    const jwks = file('keys.json', JSON.stringify({ keys: [key.jwk] }));
    const { url } = await openGateway(
      `agents: { far: { kind: upstream, url: "${signer.url}", trust: { jwks: "${jwks}" } } }`,
    );
    const verdict = async () => (await askAdmin(url, 'GetAgent', { name: 'far' })).upstreamSignature?.verdict;
    await expect.poll(verdict).toBe('verified');
  });
});
