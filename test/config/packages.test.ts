import { readFileSync } from 'node:fs';
import module from 'node:module';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { included } from '../../scripts/packages.ts';
import { missingPackages, optionalPackages } from '../../src/config/packages.ts';
import { problems } from './support.ts';

/** Packages that are missing here; all others are installed. */
const missing = new Set<string>();
const { findPackageJSON } = module;
beforeAll(() => {
  module.findPackageJSON = (name) => {
    if (missing.has(String(name))) throw new Error(`Cannot find package '${name}'`);
    return '/package.json';
  };
  module.syncBuiltinESMExports();
});
beforeEach(() => missing.clear());
afterAll(() => {
  module.findPackageJSON = findPackageJSON;
  module.syncBuiltinESMExports();
});

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const manifest = JSON.parse(read('package.json'));

describe('packages that are not installed', () => {
  const text = `tracing: { endpoint: "http://localhost:4318" }
agents:
  a: { kind: reference, knowledge: true }
  b: { kind: reference, knowledge: { shapes: ./b.ttl } }`;

  it('are no problem where nothing needs them', () => {
    for (const name of optionalPackages) missing.add(name);
    expect(problems('agents: { a: { kind: reference } }')).toEqual([]);
  });

  it('are a problem of each section that needs them, with what to install', () => {
    expect(problems(text)).toEqual([]);
    missing.add('n3').add('@opentelemetry/resources').add('rdf-validate-shacl');
    const one = 'needs a package that is not installed; run: npm install';
    expect(problems(text)).toEqual([
      `gw.yaml:1: tracing: ${one} @opentelemetry/resources@${manifest.devDependencies['@opentelemetry/resources']}`,
      `gw.yaml:3: agents.a.knowledge: ${one} n3@${manifest.devDependencies.n3}`,
      `gw.yaml:4: agents.b.knowledge: ${one} n3@${manifest.devDependencies.n3}`,
      `gw.yaml:4: agents.b.knowledge.shapes: ${one} rdf-validate-shacl@${manifest.devDependencies['rdf-validate-shacl']}`,
    ]);
  });

  it('are optional peers, in the versions that are tested or later ones', () => {
    for (const name of optionalPackages) {
      expect(manifest.peerDependencies[name]).toBe(`^${manifest.devDependencies[name]}`);
      expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true });
    }
  });
});

describe('docs/reference/packages.md', () => {
  const page = read('docs/reference/packages.md');

  it('has the commands that the gateway names', () => {
    for (const name of optionalPackages) missing.add(name);
    for (const feature of ['tracing', 'spans', 'knowledge', 'rdf', 'shapes', 'signIn'] as const) {
      expect(page).toContain(`\`${missingPackages(feature)?.split('; run: ')[1]}\``);
    }
  });

  it('says what each dependency is for, and whose code is included', () => {
    const rows = page.slice(page.indexOf('| package |')).match(/(?<=^\| `)[^`]+/gm);
    expect(rows).toEqual(Object.keys(manifest.dependencies));
    expect(page.replace(/\s+/g, ' ')).toContain(
      `Code of ${included.map((name) => `\`${name}\``).join(', ')}`.replace(/, (?=[^,]+$)/, ' and '),
    );
  });
});
