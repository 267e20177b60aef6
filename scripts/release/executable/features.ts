import { readFileSync } from 'node:fs';
import { optionalPackages } from '../../../src/config/packages.ts';
import { npm } from '../npm.ts';
import { install } from '../try-out.ts';

/** The packages of the optional features, as npm installs them, in the versions that are tested. */
export function featurePackages(): readonly string[] {
  const { devDependencies } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  return optionalPackages.map((name) => `${name}@${devDependencies[name]}`);
}

/** Installs a packed package into a new folder, with the packages of all optional features, as the container image has them. */
export async function installWithFeatures(tarball: string, folder: string, signal: AbortSignal): Promise<void> {
  await install(tarball, folder, signal);
  const quiet = ['--prefer-offline', '--loglevel=error', '--ignore-scripts'];
  await npm(folder, signal, 'install', ...quiet, ...featurePackages());
}
