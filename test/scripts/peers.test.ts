import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withTables } from '../../scripts/reference/pages.ts';
import { declaredIn, declaredPeers, peersTable, versionOf } from '../../scripts/reference/peers.ts';

const root = new URL('../../', import.meta.url);
const { devDependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

it('the page of peers has the rows that the tests declare, in the versions that they run; `npm run generate` writes it', () => {
  const page = readFileSync(new URL('docs/reference/peers.md', root), 'utf8');
  expect(page).toBe(withTables(page, new Map([['peers', peersTable()]])));
});

it('the page of peers has every generation, as client and as agent', () => {
  for (const generation of ['A2A 0.1', 'A2A 0.2', 'A2A 0.3', 'A2A 1.0', 'AgentVault 0.2']) {
    const peers = declaredPeers().filter(({ speaks }) => speaks.startsWith(generation));
    const roles = new Set(peers.flatMap(({ role }) => role.split(' and ')));
    expect([...roles].sort(), generation).toEqual(expect.arrayContaining(['agent', 'client']));
  }
});

describe('a declaration of a peer', () => {
  const call = (version: string): string =>
    `peerRow({ software: 'x', role: 'agent', speaks: 'A2A', does: 'calls it', version: ${version} });`;

  it('a declaration of a peer is read without running the test', () => {
    const [row] = declaredIn('test/a.test.ts', `throw new Error();\n${call("{ npm: 'fastify' }")}`);
    expect(row).toMatchObject({ path: 'test/a.test.ts', software: 'x', version: { npm: 'fastify' } });
  });

  it('a declaration of a peer that is no literal is refused by its line', () => {
    expect(() => declaredIn('test/a.test.ts', '\npeerRow(row);')).toThrow('test/a.test.ts:2');
    expect(() => declaredIn('test/a.test.ts', call('version'))).toThrow('test/a.test.ts:1');
  });
});

it.each([
  [{ npm: 'fastify' }, devDependencies.fastify],
  [
    { golden: 'a2a-0.1/js-client.json', source: 'A2AClient of samples/js in google/A2A, *, as it ran' },
    '25 April 2025',
  ],
  [{ recorded: 'Java' }, '0.3.2.Final'],
  [{ constant: 'repository', of: 'test/scripts/peers.test.ts' }, undefined],
  [{ npm: 'no-such-package' }, undefined],
  [{ golden: 'a2a-0.1/js-client.json', source: 'a2a-go * client' }, undefined],
  [{ installed: 'no-such-package', by: 'docs/guides/frameworks.md' }, undefined],
])('the version of a peer is read from %j, or there is an error', (source, expected) => {
  if (expected === undefined) expect(() => versionOf(source)).toThrow('there is no version in');
  else expect(versionOf(source)).toBe(expected);
});

it.each(['a2a-sdk', '@a2a-js/sdk', 'github.com/a2aproject/a2a-go/v2', 'a2a-java-sdk-client'])(
  'the version of a peer is read from the commands of a page: %s',
  (installed) => {
    expect(versionOf({ installed, by: 'docs/guides/frameworks.md' })).toMatch(/^\d+\.\d+\.\d+/);
  },
);
