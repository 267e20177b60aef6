import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Packed, pack } from '../../scripts/release/pack.ts';
import { install } from '../../scripts/release/try-out.ts';

/** The package as users get it: packed from a copy of the checkout, and installed into a folder of their own. */
export interface Installed extends Packed {
  /** A user's folder that has the package installed. */
  readonly folder: string;
  remove(): void;
}

/** Packs the package, and installs it into a folder of a user. */
export async function packAndInstall(signal: AbortSignal): Promise<Installed> {
  const base = mkdtempSync(join(tmpdir(), 'a2a-gateway-package-'));
  const remove = () => rmSync(base, { recursive: true, force: true });
  try {
    const packed = await pack(base, signal);
    const folder = join(base, 'user');
    await install(packed.tarball, folder, signal);
    return { ...packed, folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
