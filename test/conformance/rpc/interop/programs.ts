import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, executable, go } from '../program.ts';

/** gRPC's own client and server of the interoperability cases: programs in Go, built from the Go module proxy. */

export const version = 'v1.84.0';
const folder = cacheFolder(`grpc-interop-${version}`);

export const programs = {
  client: join(folder, executable('client')),
  server: join(folder, executable('server')),
} as const;

export const areInstalled = (): boolean => Object.values(programs).every((program) => existsSync(program));

/** Installs them, unless they are there. Rejects with what Go says. */
export async function installPrograms(): Promise<void> {
  if (areInstalled()) return;
  await mkdir(folder, { recursive: true });
  console.error(`building gRPC's interoperability programs ${version}, which takes some minutes the first time`);
  for (const name of Object.keys(programs)) {
    await go(['install', `google.golang.org/grpc/interop/${name}@${version}`], folder);
  }
}
