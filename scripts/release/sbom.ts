import { createHash } from 'node:crypto';
import type { Bundled } from './bundled.ts';
import { type Installed, installedWith, type Lock, type LockedPackage } from './lock.ts';

/** Members of package.json for the software bill of materials. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly homepage: string;
  readonly repository: { readonly url: string };
  readonly bugs: { readonly url: string };
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Package URL, by which scanners find what is known of a package. */
export const purl = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** A license by its SPDX identifier, or an SPDX expression. */
export type License = { readonly license: { readonly id: string } } | { readonly expression: string };

/** A component of a CycloneDX document. */
export interface Component {
  readonly type: string;
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly scope?: string;
  readonly licenses?: readonly License[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

/** A CycloneDX 1.6 document, as far as this project writes it. */
export interface Sbom {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.6';
  readonly serialNumber: string;
  readonly version: 1;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** Mark of CycloneDX for a package whose code another one includes. */
const inBundle = { name: 'cdx:npm:package:bundled', value: 'true' };

const licenseOf = (license: string): License =>
  license.includes(' ') ? { expression: license } : { license: { id: license } };

const split = (name: string): { group?: string; name: string } => {
  const [scope = '', rest] = name.split('/');
  return rest === undefined ? { name } : { group: scope, name: rest };
};

function hashesOf({ integrity = '' }: LockedPackage): Component['hashes'] {
  const [, digest] = /^sha512-([\w+/=]+)$/.exec(integrity) ?? [];
  return digest === undefined
    ? undefined
    : [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }];
}

function component({ name, locked }: Installed, isBundled: boolean): Component {
  const { version = '', license } = locked;
  const hashes = hashesOf(locked);
  return {
    type: 'library',
    'bom-ref': purl(name, version),
    ...split(name),
    version,
    purl: purl(name, version),
    scope: 'required',
    ...(license !== undefined && { licenses: [licenseOf(license)] }),
    ...(hashes !== undefined && { hashes }),
    ...(isBundled && { properties: [inBundle] }),
  };
}

/**
 * The software bill of materials of the package: what npm installs with it, in the versions of the lock file, and the
 * packages whose code is inside it. The same input gives the same bytes: there is no time in it, and the serial number is
 * a digest of the rest.
 *
 * @throws Error when a bundled package is not the one of the lock file
 */
export function createSbom(manifest: Manifest, lock: Lock, bundled: readonly Bundled[]): Sbom {
  const direct = Object.keys(manifest.dependencies);
  const installed = installedWith(lock, direct);
  const all = installedWith(lock, [...direct, ...bundled.map(({ name }) => name)]);
  const inside = new Map(bundled.map((each) => [purl(each.name, each.version), each]));

  const refOf = ({ name, locked }: Installed): string => purl(name, locked.version ?? '');
  const shipped = [...all.values()].filter((each) => installed.has(each.path) || inside.has(refOf(each)));
  const refs = new Set(shipped.map(refOf));
  for (const ref of inside.keys()) if (!refs.has(ref)) throw new Error(`package-lock.json has no ${ref}`);

  const byRef = new Map(shipped.map((each) => [refOf(each), each]));
  const sorted = [...byRef].sort(([a], [b]) => (a < b ? -1 : 1));
  const root = purl(manifest.name, manifest.version);
  const dependencies = [
    {
      ref: root,
      dependsOn: sorted.map(([ref]) => ref).filter((ref) => inside.has(ref) || isDirect(byRef, ref, direct)),
    },
    ...sorted.map(([ref, { needs }]) => {
      const targets = needs.flatMap((path) => all.get(path) ?? []).map(refOf);
      return { ref, dependsOn: [...new Set(targets)].filter((target) => refs.has(target)).sort() };
    }),
  ];
  const body = {
    metadata: { component: describe(manifest, root), lifecycles: [{ phase: 'build' }] },
    components: sorted.map(([ref, each]) => component(each, inside.has(ref))),
    dependencies,
  };
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuid(digest)}`,
    version: 1,
    ...body,
  };
}

const isDirect = (byRef: ReadonlyMap<string, Installed>, ref: string, direct: readonly string[]): boolean => {
  const path = byRef.get(ref)?.path;
  return direct.some((name) => path === `node_modules/${name}`);
};

const describe = (manifest: Manifest, ref: string) => ({
  type: 'application',
  'bom-ref': ref,
  name: manifest.name,
  version: manifest.version,
  description: manifest.description,
  licenses: [licenseOf(manifest.license)],
  purl: ref,
  externalReferences: [
    { type: 'website', url: manifest.homepage },
    { type: 'vcs', url: manifest.repository.url.replace(/^git\+/, '') },
    { type: 'issue-tracker', url: manifest.bugs.url },
  ],
});

/** A UUID of version 8 (RFC 9562), which is made of any bits. */
const uuid = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
