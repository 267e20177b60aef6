import { readFileSync } from 'node:fs';

/** What this package's `package.json` says of it. */
export interface PackageManifest {
  readonly version: string;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export const packageManifest = (): PackageManifest =>
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

/** This package's version. */
export const packageVersion = (): string => packageManifest().version;
