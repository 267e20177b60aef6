import { expect, it } from 'vitest';
import { hashOf, shownHash } from '../../src/auth/hash.ts';
import { activeSettings } from '../../src/config/active-settings.ts';
import { problems, read } from './support.ts';

/** People whom policies and guards ask. */

const hash = (key: string): string => shownHash(hashOf(key));
const withPeople = (people: string, more = ''): string => `
auth: { apiKeys: [{ name: a, hash: "${hash('one')}" }, { name: b, hash: "${hash('two')}" }]${more} }
agents: { demo: { kind: reference } }
guards: [{ name: g, module: ./g.ts, approvers: ${people} }]
`;

it('people are a list of names, or a mapping, with the same defaults', () => {
  const expected = { of: ['a', 'b'], until: 3_600_000, otherwise: 'deny', quorum: 1, self: false };
  expect(read(withPeople('[a, b]')).guards[0]?.approvers).toEqual(expected);
  const { guards } = read(withPeople('{ of: [a, b], until: 7d, quorum: 2, delegate: a }'));
  expect(guards[0]?.approvers).toEqual({ ...expected, until: 604_800_000, quorum: 2, delegate: 'a' });
});

it('people are shown to operators as a mapping with all defaults, in the form of the file', () => {
  const shown = activeSettings(read(withPeople('[a]'))) as { guards: [{ approvers: unknown }] };
  const expected = { of: ['a'], until: '1h', otherwise: 'deny', quorum: 1, self: false };
  expect(shown.guards[0].approvers).toEqual(expected);
});

it('people may be as many as their names stand for, with the delegate', () => {
  const tokens = ', jwt: { issuer: "https://i.example", audience: gw, jwksUrl: "https://i.example/keys" }';
  expect(problems(withPeople('{ of: [a], delegate: b, quorum: 2 }'))).toEqual([]);
  expect(problems(withPeople('{ of: [a], delegate: a, quorum: 2 }'))).toEqual([
    expect.stringContaining('guards.0.approvers.quorum: expected at most 1'),
  ]);
  expect(problems(withPeople('{ of: ["key:*"], quorum: 2 }'))).toEqual([]);
  expect(problems(withPeople('{ of: ["jwt:https://i.example#*"], quorum: 50 }', tokens))).toEqual([]);
});
