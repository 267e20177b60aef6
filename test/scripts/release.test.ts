import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addressMark, filesWithAddresses, markedAddresses } from '../../scripts/release/addresses.ts';
import { isPermissive, notices } from '../../scripts/release/bundled.ts';
import { notesElsewhere, releaseIn, versionErrors } from '../../scripts/release/changelog.ts';
import { contentErrors } from '../../scripts/release/contents.ts';
import { deadLinks } from '../../scripts/release/links.ts';
import { installedWith, type Lock } from '../../scripts/release/lock.ts';
import { provenanceOf } from '../../scripts/release/provenance.ts';
import { createSbom, type Manifest } from '../../scripts/release/sbom.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const manifest: Manifest = JSON.parse(read('package.json'));

describe('the version', () => {
  const changelog = `# Changelog

## [Unreleased]

## [1.2.0] - 2026-11-23

- In short, a thing.

### Added

- A thing.

## [1.1.0] - not released yet

- Another.

## [1.0.0] - 2026-01-01

## [0.9.0] - 2025-12-01

${'- One of many.\n'.repeat(11)}
[1.2.0]: https://example.com
`;

  it('the version is the same in package.json, the lock file and the changelog of this project', () => {
    const lock = JSON.parse(read('package-lock.json'));
    expect(lock.packages[''].version).toBe(lock.version);
    expect(versionErrors(manifest.version, lock.version, read('CHANGELOG.md'))).toEqual([]);
  });

  it('the version is found in the changelog with its date and notes', () => {
    expect(releaseIn(changelog, '1.2.0')).toEqual({
      date: '2026-11-23',
      notes: '- In short, a thing.\n\n### Added\n\n- A thing.',
    });
    expect(releaseIn(changelog, '1.1.0')).toEqual({ notes: '- Another.' });
    expect(releaseIn(changelog, '1.2')).toBeUndefined();
  });

  it('the version has release notes whose links lead into the repository at its tag', () => {
    const notes = 'See [push](docs/push.md#retries), [below](#details), [npm](https://npmjs.com) and `[code](x.md)`.';
    expect(notesElsewhere(notes, 'https://example.com/blob/v1')).toBe(
      'See [push](https://example.com/blob/v1/docs/push.md#retries), [below](https://example.com/blob/v1/CHANGELOG.md#details), ' +
        '[npm](https://npmjs.com) and `[code](x.md)`.',
    );
  });

  it.each([
    ['1.2.0', '1.2.0', 'v1.2.0', []],
    ['1.2.0', '1.2.0', undefined, []],
    ['1.1.0', '1.1.0', undefined, []],
    ['1.1.0', '1.1.0', 'v1.1.0', [/no date for 1\.1\.0/]],
    ['1.2.0', '1.2.0', '1.2.0', [/the tag is 1\.2\.0/]],
    ['1.2.0', '1.2.0', 'v1.2.1', [/the tag is v1\.2\.1/]],
    ['1.2.0', '1.1.0', undefined, [/package-lock\.json has version 1\.1\.0/]],
    ['1.3.0', '1.3.0', 'v1.3.0', [/no section "## \[1\.3\.0\]"/]],
    ['1.0.0', '1.0.0', 'v1.0.0', [/says nothing about 1\.0\.0/, /begins 1\.0\.0 with 0 items/]],
    ['0.9.0', '0.9.0', 'v0.9.0', [/begins 0\.9\.0 with 11 items; it needs 1 to 10/]],
    ['0.9.0', '0.9.0', undefined, []],
  ])('the version %s with a lock file of %s and the tag %s is checked', (version, locked, tag, expected) => {
    expect(versionErrors(version, locked, changelog, tag)).toEqual(expected.map((text) => expect.stringMatching(text)));
  });
});

describe('addresses', () => {
  it('an address that is marked as not registered yet is found by its file and line', () => {
    const read = (path: string): string =>
      path === 'SECURITY.md' ? `One line\nhttps://example.com ${addressMark}\n` : '';
    expect(markedAddresses(read)).toEqual(['SECURITY.md:2']);
  });

  it('every file with an address of the project is marked, or none is', () => {
    const places = new Set(markedAddresses(read).map((place) => place.split(':')[0]));
    expect([[], [...filesWithAddresses]]).toContainEqual([...places]);
    const named = filesWithAddresses.filter((path) => read(path).includes('github.com/a2a-gateway'));
    expect(named).toEqual(filesWithAddresses);
  });
});

describe('links', () => {
  const files: Record<string, string> = {
    'README.md': `# One & two (\`three\`)
[a](docs/a.md) [b](docs/a.md#part-one) [c](#one--two-three) [d](docs) [e](https://example.com/none) <img src="docs/p.svg">
\`[no](link.md)\`
\`\`\`md
[no](link.md)
\`\`\`
`,
    'docs/a.md': '# A\n## Part one\n## Part one\n[up](../README.md) [twice](#part-one-1) [self](a.md "title")\n',
    'docs/p.svg': '<svg/>',
  };
  const dead = (page: string) => deadLinks([...Object.keys(files), 'page.md'], (path) => files[path] ?? page);

  it('links to files, folders, headings and other sites are alive', () => {
    expect(dead('')).toEqual([]);
  });

  it.each([
    ['[x](docs/b.md)', 'there is no docs/b.md'],
    ['[x](/docs/a.md)', 'there is no'],
    ['[x](../page.md)', 'there is no ../page.md'],
    ['[x](docs/a.md#part-two)', 'no heading for #part-two'],
    ['[x](#nowhere)', 'no heading for #nowhere'],
    ['![x](docs/q.png)', 'there is no docs/q.png'],
    ['<a href="CONTRIBUTING.md">x</a>', 'there is no CONTRIBUTING.md'],
    ['[x][y]\n\n[y]: missing.md', 'there is no missing.md'],
  ])('the link %s is dead', (page, reason) => {
    expect(dead(page)).toEqual([expect.stringContaining(reason)]);
  });
});

it('the package has the files that it should have', () => {
  const files = [
    ...[
      'package.json',
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
      'SECURITY.md',
      'bin/a2a-gateway.js',
      'bin/node-version.js',
    ],
    ...[
      'dist/index.js',
      'dist/index.d.ts',
      'dist/cli/main.js',
      'dist/cli/project/agent.txt',
      'dist/console/index.html',
      'dist/project-types/command.js',
      'dist/project-types/specs/a2a-1.0.json.br',
      'dist/stores/sqlite/tables.sql',
      'dist/sbom.cdx.json',
      'dist/THIRD-PARTY-NOTICES.txt',
      'tools/types/package-lock.json',
    ],
  ];
  expect(contentErrors(files)).toEqual([]);
  expect(contentErrors([...files.slice(1), 'dist/index.ts', '.env', 'src/a.ts'])).toEqual([
    'the package has dist/index.ts, which is none of its files',
    'the package has .env, which is none of its files',
    'the package has src/a.ts, which is none of its files',
    'the package lacks package.json',
  ]);
});

describe('the software bill of materials', () => {
  const lock: Lock = {
    packages: {
      '': {},
      'node_modules/a': { version: '1.0.0', license: 'MIT', dependencies: { b: '^2.0.0', '@s/c': '1' } },
      'node_modules/a/node_modules/b': { version: '2.0.0', license: 'ISC', dependencies: { '@s/c': '1' } },
      'node_modules/b': { version: '1.0.0', license: 'MIT' },
      'node_modules/@s/c': { version: '1.0.0', license: '(MIT AND ISC)', optionalDependencies: { gone: '1' } },
      'node_modules/inside': {
        version: '3.0.0',
        license: 'MIT',
        integrity: 'sha512-AAEC',
        dependencies: { unused: '1' },
      },
      'node_modules/unused': { version: '1.0.0', license: 'MIT' },
    },
  };
  const small: Manifest = { ...manifest, dependencies: { a: '1.0.0' } };
  const inside = { name: 'inside', version: '3.0.0', license: 'MIT', text: 'Do as you like.' };
  const sbom = createSbom(small, lock, [inside]);

  it('the software bill of materials finds packages where Node finds them', () => {
    expect([...installedWith(lock, ['a']).keys()].sort()).toEqual([
      'node_modules/@s/c',
      'node_modules/a',
      'node_modules/a/node_modules/b',
    ]);
    expect(() => installedWith(lock, ['missing'])).toThrow('package-lock.json has no missing, which the project needs');
  });

  it('the software bill of materials has what npm installs and what is bundled, and how they depend on each other', () => {
    expect(sbom.components.map(({ purl }) => purl)).toEqual([
      'pkg:npm/%40s/c@1.0.0',
      'pkg:npm/a@1.0.0',
      'pkg:npm/b@2.0.0',
      'pkg:npm/inside@3.0.0',
    ]);
    expect(sbom.components[0]).toMatchObject({ group: '@s', name: 'c', licenses: [{ expression: '(MIT AND ISC)' }] });
    expect(sbom.components[3]).toMatchObject({
      licenses: [{ license: { id: 'MIT' } }],
      hashes: [{ alg: 'SHA-512', content: '000102' }],
      properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }],
    });
    const own = `pkg:npm/a2a-gateway@${manifest.version}`;
    expect(sbom.dependencies).toEqual([
      { ref: own, dependsOn: ['pkg:npm/a@1.0.0', 'pkg:npm/inside@3.0.0'] },
      { ref: 'pkg:npm/%40s/c@1.0.0', dependsOn: [] },
      { ref: 'pkg:npm/a@1.0.0', dependsOn: ['pkg:npm/%40s/c@1.0.0', 'pkg:npm/b@2.0.0'] },
      { ref: 'pkg:npm/b@2.0.0', dependsOn: ['pkg:npm/%40s/c@1.0.0'] },
      { ref: 'pkg:npm/inside@3.0.0', dependsOn: [] },
    ]);
    expect(sbom.metadata.component).toMatchObject({ 'bom-ref': own, licenses: [{ license: { id: 'Apache-2.0' } }] });
  });

  it('the software bill of materials is the same for the same package, and another one for another', () => {
    expect(createSbom(small, lock, [inside])).toEqual(sbom);
    expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(createSbom(small, lock, []).serialNumber).not.toBe(sbom.serialNumber);
  });

  it('the software bill of materials refuses a bundled package of another version than that of the lock file', () => {
    expect(() => createSbom(small, lock, [{ ...inside, version: '3.0.1' }])).toThrow('has no pkg:npm/inside@3.0.1');
  });

  it('the software bill of materials goes with the text of every license', () => {
    expect(notices([inside])).toContain('\ninside 3.0.0 (MIT)\n\nDo as you like.\n');
    expect(
      ['MIT', '(Apache-2.0 AND BSD-3-Clause)', 'GPL-3.0', '(MIT AND GPL-3.0)', undefined].map(isPermissive),
    ).toEqual([true, true, false, false, false]);
  });
});

it('provenance names the file, the commit and the lock file, and who built it', () => {
  const facts = {
    repository: 'https://github.com/a2a-gateway/a2a-gateway.git',
    commit: 'c0ffee',
    isChanged: false,
    lock: '1234',
    versions: { node: '24.0.0' },
  };
  const statement = provenanceOf([{ name: 'a.tgz', digest: { sha256: '5678' } }], { ...facts, tag: 'v1.0.0' });
  expect(statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'a.tgz', digest: { sha256: '5678' } }],
    predicateType: 'https://slsa.dev/provenance/v1',
  });
  const { buildDefinition, runDetails } = statement.predicate;
  expect(buildDefinition.externalParameters).toEqual({ script: 'release:check', tag: 'v1.0.0' });
  expect(buildDefinition.resolvedDependencies).toEqual([
    { uri: 'git+https://github.com/a2a-gateway/a2a-gateway.git', digest: { gitCommit: 'c0ffee' } },
    { uri: 'package-lock.json', digest: { sha256: '1234' } },
  ]);
  const headings = read('RELEASING.md').match(/(?<=^## ).+$/gm) ?? [];
  const anchors = headings.map((heading) => heading.toLowerCase().replaceAll(' ', '-'));
  for (const uri of [buildDefinition.buildType, runDetails.builder.id]) {
    expect(uri).toMatch(/^https:\/\/github\.com\/a2a-gateway\/a2a-gateway\/blob\/v1\.0\.0\/RELEASING\.md#/);
    expect(anchors).toContain(uri.split('#')[1]);
  }
});
