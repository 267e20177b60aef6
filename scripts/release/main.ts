/**
 * `npm run release:check`: a release without publishing anything. It checks the version, packs twice, compares, checks what
 * is inside, installs the tarball elsewhere and uses it, and writes what a release consists of to `release/`: the tarball, its
 * software bill of materials, checksums, an unsigned provenance statement, and the release notes.
 *
 * `-- --tag v1.2.3` demands what a release needs besides: a date in CHANGELOG.md, and no changed files. `--out FOLDER`
 * writes elsewhere.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { addressMark, markedAddresses } from './addresses.ts';
import { isPermissive } from './bundled.ts';
import { notesElsewhere, releaseIn, versionErrors } from './changelog.ts';
import { contentErrors } from './contents.ts';
import { deadLinks } from './links.ts';
import { npm } from './npm.ts';
import { pack } from './pack.ts';
import { provenanceOf } from './provenance.ts';
import type { Sbom } from './sbom.ts';
import { install, tryOut } from './try-out.ts';

const { values } = parseArgs({ options: { tag: { type: 'string' }, out: { type: 'string', default: 'release' } } });
const { tag } = values;
const root = fileURLToPath(new URL('../../', import.meta.url));
const out = resolve(values.out);
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json'));
const { version } = manifest;
const digest = (algorithm: string, data: Buffer): string => createHash(algorithm).update(data).digest('hex');

/** Prints the outcome of a step, and ends the check at the first one that has errors. */
function report(step: string, errors: readonly string[]): void {
  console.log(`${errors.length === 0 ? 'ok    ' : 'FAILED'} ${step}`);
  for (const error of errors) console.log(`       ${error}`);
  if (errors.length > 0) throw new Error(`release:check failed: ${step}`);
}

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** Licenses of what the package brings along that are not permissive. */
function licenseErrors(sbom: Sbom): string[] {
  return sbom.components.flatMap(({ purl, licenses = [] }) => {
    const names = licenses.map((each) => ('expression' in each ? each.expression : each.license.id));
    return names.length > 0 && names.every(isPermissive) ? [] : [`${purl} has the license ${names.join() || '(none)'}`];
  });
}

async function main(base: string, signal: AbortSignal): Promise<void> {
  const changelog = read('CHANGELOG.md');
  const lock = read('package-lock.json');
  report(`version ${version}`, versionErrors(version, JSON.parse(lock).version, changelog, tag));
  const marked = markedAddresses(read).map((place) => `${place} has an address that is marked as ${addressMark}`);
  report('addresses', tag === undefined ? [] : marked);
  for (const line of marked) console.log(`       ${line}; a release refuses it`);
  const changed = git('status', '--porcelain');
  report('files', tag !== undefined && changed !== '' ? [`differ from the commit:\n${changed}`] : []);

  for (const name of ['first', 'second']) mkdirSync(join(base, name));
  const packed = await pack(join(base, 'first'), signal);
  const again = await pack(join(base, 'second'), signal);
  const tarball = readFileSync(packed.tarball);
  const isSame = tarball.equals(readFileSync(again.tarball));
  report('packed twice', isSame ? [] : [`${packed.tarball} and ${again.tarball} differ`]);
  const size = `${Math.round(packed.size / 1_000)} kB, unpacked ${Math.round(packed.unpackedSize / 1_000)} kB`;
  report(`${packed.files.length} files, ${size}`, contentErrors(packed.files));

  const user = join(base, 'user');
  await install(packed.tarball, user, signal);
  const inPackage = (path: string): string => readFileSync(join(user, 'node_modules', 'a2a-gateway', path), 'utf8');
  report('links in the package', deadLinks(packed.files, inPackage));
  const sbom = inPackage('dist/sbom.cdx.json');
  const { components }: Sbom = JSON.parse(sbom);
  report(`licenses of ${components.length} components`, licenseErrors(JSON.parse(sbom)));
  await tryOut({ folder: user, version }, signal);
  report('installed elsewhere and used', []);

  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const name = basename(packed.tarball);
  copyFileSync(packed.tarball, join(out, name));
  const sbomName = `${name.replace(/\.tgz$/, '')}.cdx.json`;
  writeFileSync(join(out, sbomName), sbom);
  const files = `${manifest.repository.url.replace(/^git\+|\.git$/g, '')}/blob/v${version}`;
  const notes = notesElsewhere(releaseIn(changelog, version)?.notes ?? '', files);
  writeFileSync(join(out, 'release-notes.md'), `${notes}\n`);
  const sums = [name, sbomName].map((path) => `${digest('sha256', readFileSync(join(out, path)))}  ${path}\n`);
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
  const statement = provenanceOf(
    [{ name, digest: { sha256: digest('sha256', tarball), sha512: digest('sha512', tarball) } }],
    {
      repository: manifest.repository.url.replace(/^git\+/, ''),
      commit: git('rev-parse', 'HEAD'),
      isChanged: changed !== '',
      ...(tag !== undefined && { tag }),
      lock: digest('sha256', Buffer.from(lock)),
      versions: { node: process.versions.node, npm: (await npm(root, signal, '--version')).trim() },
    },
  );
  writeFileSync(join(out, 'provenance.intoto.json'), `${JSON.stringify(statement, undefined, 2)}\n`);
  console.log(
    `\n${sums.join('')}\nWritten to ${values.out}. Nothing was published or signed: RELEASING.md says how that is done.`,
  );
}

const base = mkdtempSync(join(tmpdir(), 'a2a-gateway-release-'));
try {
  await main(base, AbortSignal.timeout(15 * 60_000));
  rmSync(base, { recursive: true, force: true });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (readdirSync(base).length > 0) console.error(`The package is in ${base}.`);
  else rmSync(base, { recursive: true });
  process.exitCode = 1;
}
