import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { included } from '../../scripts/packages.ts';
import { isInRange, packagesOf } from '../../src/config/package-versions.ts';
import { missingPackages, optionalPackages } from '../../src/config/packages.ts';
import { problems } from './support.ts';

/** Packages that are missing here. */
const missing = new Set<string>();
/** An app's folder, with versions of packages that this checkout has others of. */
let app: string;
const { findPackageJSON } = module;
beforeAll(() => {
  app = mkdtempSync(join(tmpdir(), 'a2a-gateway-app-'));
  module.findPackageJSON = (name, base) => {
    if (missing.has(String(name))) throw new Error(`Cannot find package '${name}'`);
    return inApp.has(String(name))
      ? join(app, 'node_modules', String(name), 'package.json')
      : findPackageJSON(name, base);
  };
  module.syncBuiltinESMExports();
});
const inApp = new Set<string>();
beforeEach(() => {
  missing.clear();
  inApp.clear();
});
afterAll(() => {
  module.findPackageJSON = findPackageJSON;
  module.syncBuiltinESMExports();
  rmSync(app, { recursive: true });
});

/** Puts a version of a package into the app's `node_modules`. */
function install(name: string, version: string): void {
  const folder = join(app, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version }));
  inApp.add(name);
}

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const manifest = JSON.parse(read('package.json'));

describe('packages that are not installed', () => {
  const text = `tracing: { endpoint: "http://localhost:4318" }
agents:
  a: { kind: reference, knowledge: true }
  b: { kind: reference, knowledge: { shapes: ./b.ttl } }`;

  it('packages that are not installed are no problem where nothing needs them', () => {
    for (const name of optionalPackages) missing.add(name);
    expect(problems('agents: { a: { kind: reference } }')).toEqual([]);
  });

  it('packages that are not installed are a problem of each section that needs them, with what to install', () => {
    expect(problems(text)).toEqual([]);
    missing.add('n3').add('@opentelemetry/resources').add('rdf-validate-shacl');
    const one = 'needs a package that is not installed; run: npm install';
    expect(problems(text)).toEqual([
      `gw.yaml:1: tracing: ${one} @opentelemetry/resources@3`,
      `gw.yaml:3: agents.a.knowledge: ${one} n3@2`,
      `gw.yaml:4: agents.b.knowledge: ${one} n3@2`,
      `gw.yaml:4: agents.b.knowledge.shapes: ${one} rdf-validate-shacl@0.6`,
    ]);
  });

  it('packages that are not installed are no dependencies and no peers, which npm would install or refuse to install beside others', () => {
    const { dependencies, peerDependencies, peerDependenciesMeta, devDependencies } = manifest;
    const peers = ['@bufbuild/protobuf', '@connectrpc/connect', '@grpc/grpc-js'];
    expect(Object.keys(peerDependencies).filter((name) => !peers.includes(name))).toEqual([]);
    for (const name of Object.keys(peerDependencies)) expect(peerDependenciesMeta[name]).toEqual({ optional: true });
    for (const name of optionalPackages) {
      expect([name, dependencies[name], peerDependencies[name]]).toEqual([name, undefined, undefined]);
    }
    for (const [feature, sets] of Object.entries(packagesOf)) {
      const newest = Object.entries(sets.at(-1) ?? {});
      expect([feature, newest.filter(([name, range]) => !isInRange(devDependencies[name], range))]).toEqual([
        feature,
        [],
      ]);
    }
    for (const range of Object.values(dependencies)) expect(range).toMatch(/^\^\d+\.\d+\.\d+$/);
  });
});

describe('packages of another version than a feature works with', () => {
  it('packages of another version than a feature works with are a problem of the sections that need them, with both versions and what to install', () => {
    install('graphql', '15.10.1');
    install('n3', '3.0.0');
    expect(problems('agents: { a: { kind: reference } }')).toEqual([]);
    expect(problems('agents: { a: { kind: reference, knowledge: true } }')).toEqual([
      `gw.yaml:1: agents.a.knowledge: needs graphql ^16.9.0 || ^17.1.0, and 15.10.1 is installed; n3 ^1.17.0 || ^2.0.0, and 3.0.0 is installed; run: npm install graphql@17 n3@2`,
    ]);
    missing.add('n3');
    expect(missingPackages('knowledge')).toBe(
      `needs graphql ^16.9.0 || ^17.1.0, and 15.10.1 is installed; a package that is not installed; run: npm install graphql@17 n3@2`,
    );
  });

  it('packages of another version than a feature works with are no problem where an older major works too', () => {
    install('graphql', '16.11.0');
    install('n3', '1.26.0');
    expect(missingPackages('knowledge')).toBeUndefined();
    install('openid-client', '5.7.1');
    expect(missingPackages('signIn')).toBe(
      'needs openid-client ^6.1.1, and 5.7.1 is installed; run: npm install openid-client@6',
    );
  });

  /** Versions of OpenTelemetry's packages: of the API, of those that are stable, of the exporter, and of the SDK for logs. */
  function installOpenTelemetry(api: string, stable: string, otlp: string, logs: string): void {
    for (const name of Object.keys(packagesOf.tracing[0])) {
      const version = name.endsWith('/api')
        ? api
        : name.includes('otlp')
          ? otlp
          : name.endsWith('logs')
            ? logs
            : stable;
      install(name, version);
    }
  }

  it('packages of another version than a feature works with are no problem where all of OpenTelemetry’s are of an older generation', () => {
    installOpenTelemetry('1.9.1', '2.12.1', '0.223.1', '0.223.1');
    expect(missingPackages('tracing')).toBeUndefined();
    expect(missingPackages('spans')).toBeUndefined();
  });

  it('packages of another version than a feature works with are completed with those of the generation that is installed', () => {
    installOpenTelemetry('1.9.1', '2.12.1', '0.223.1', '0.223.1');
    missing.add('@opentelemetry/sdk-trace').add('@opentelemetry/otlp-transformer').add('@opentelemetry/api');
    expect(missingPackages('tracing')).toBe(
      'needs packages that are not installed; run: npm install @opentelemetry/api@1.9 @opentelemetry/otlp-transformer@0.223 @opentelemetry/sdk-trace@2',
    );
  });

  it('packages of another version than a feature works with are a problem where generations are mixed, and where they are too old', () => {
    installOpenTelemetry('1.10.0', '3.1.1', '0.301.1', '3.1.1');
    install('@opentelemetry/resources', '2.12.1');
    expect(missingPackages('tracing')).toBe(
      'needs @opentelemetry/resources ^3.1.1, and 2.12.1 is installed; run: npm install @opentelemetry/resources@3',
    );
    installOpenTelemetry('1.9.0', '1.30.1', '0.57.2', '0.57.2');
    missing.add('@opentelemetry/sdk-trace');
    expect(missingPackages('tracing')).toMatch(
      /^needs @opentelemetry\/api >=1\.10\.0 <1\.11\.0, and 1\.9\.0 is installed; .*; a package that is not installed; run: npm install @opentelemetry\/api@1\.10 .*@opentelemetry\/sdk-logs@3 /,
    );
    expect(missingPackages('spans')).toBeUndefined();
  });

  it.each([
    ['1.26.0', '^1.26.0 || ^2.13.12', true],
    ['1.25.9', '^1.26.0 || ^2.13.12', false],
    ['2.0.0', '^1.26.0 || ^2.13.12', false],
    ['2.14.0', '^1.26.0 || ^2.13.12', true],
    ['3.0.0', '^1.26.0 || ^2.13.12', false],
    ['0.6.1', '^0.6.1', true],
    ['0.6.9', '^0.6.1', true],
    ['0.7.0', '^0.6.1', false],
    ['1.0.0', '^0.6.1', false],
    ['17.1.0-rc.1', '^17.1.0', false],
    ['17.1.1-rc.1', '^17.1.0', true],
    ['17.1.0+build-1', '^17.1.0', true],
    ['17.0.0-rc.1', '^16.9.0', false],
    ['0.0.3', '^0.0.3', true],
    ['0.0.4', '^0.0.3', false],
    ['1.9.1', '>=1.9.0 <1.10.0', true],
    ['1.10.0', '>=1.9.0 <1.10.0', false],
    ['1.10.0-rc.1', '>=1.9.0 <1.10.0', false],
    ['0.301.2', '>=0.220.0 <0.224.0 || ^0.301.1', true],
    ['0.224.0', '>=0.220.0 <0.224.0 || ^0.301.1', false],
    ['', '^1.0.0', false],
    ['latest', '^1.0.0', false],
  ])('version %j is in the range %s: %s', (version, range, expected) => {
    expect(isInRange(version, range)).toBe(expected);
  });
});

describe('docs/reference/packages.md', () => {
  const page = read('docs/reference/packages.md');

  it('docs/reference/packages.md has the commands that the gateway names', () => {
    for (const name of optionalPackages) missing.add(name);
    for (const feature of ['tracing', 'spans', 'knowledge', 'rdf', 'shapes', 'signIn', 'nats', 'cel'] as const) {
      expect(page).toContain(`\`${missingPackages(feature)?.split('; run: ')[1]}\``);
    }
  });

  it('docs/reference/packages.md says what each dependency is for, and whose code is included', () => {
    const rows = page.slice(page.indexOf('| package | used for |')).match(/(?<=^\| `)[^`]+/gm);
    expect(rows).toEqual(Object.keys(manifest.dependencies));
    expect(page.replace(/\s+/g, ' ')).toContain(
      `Code of ${included.map((name) => `\`${name}\``).join(', ')}`.replace(/, (?=[^,]+$)/, ' and '),
    );
  });
});
