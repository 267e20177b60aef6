import { readFileSync } from 'node:fs';

export interface PackageManifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** The folder of this package: a checkout, or a folder in `node_modules`. */
export const packageFolder = new URL('../../../', import.meta.url);

export const packageManifest = (): PackageManifest =>
  JSON.parse(readFileSync(new URL('package.json', packageFolder), 'utf8'));

let version: string | undefined;

export function packageVersion(): string {
  version ??= packageManifest().version;
  return version;
}
