import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { buildImage } from '../../../codegen/image.ts';
import { installTools } from '../../../scripts/tools.ts';

/** The official conformance suite of Connect, gRPC and gRPC-Web: a program in Go, built from the Go module proxy. */

const run = promisify(execFile);

const module = 'connectrpc.com/conformance';
export const version = 'v1.0.7';

/** A folder for programs that are built once. */
export const cacheFolder = (name: string): string =>
  fileURLToPath(new URL(`../../../node_modules/.cache/${name}/`, import.meta.url));

export const executable = (name: string): string => (process.platform === 'win32' ? `${name}.exe` : name);

const folder = cacheFolder(`connectconformance-${version}`);

/** The suite, on this machine. */
export interface Suite {
  readonly program: string;
  /** A file with the descriptors of its service and of the messages that it exchanges with the programs under test. */
  readonly descriptors: string;
}

const suite: Suite = {
  program: join(folder, executable('connectconformance')),
  descriptors: join(folder, 'descriptors.binpb'),
};

/** Why the suite cannot be installed here; undefined where it can. */
export function whyNoSuite(): string | undefined {
  if (isInstalled() || spawnSync('go', ['version']).status === 0) return undefined;
  return `Go is not installed, and ${module} is a program in Go: install Go 1.24 or newer from https://go.dev/dl`;
}

export const isInstalled = (): boolean => existsSync(suite.program) && existsSync(suite.descriptors);

/** Installs the suite, unless it is there. Rejects with what Go says. */
export async function installSuite(): Promise<Suite> {
  if (isInstalled()) return suite;
  await mkdir(folder, { recursive: true });
  console.error(`building ${module} ${version}, which takes some minutes the first time`);
  await go(['install', `${module}/cmd/connectconformance@${version}`], folder);
  const { Dir }: { readonly Dir: string } = JSON.parse(
    await go(['mod', 'download', '-json', `${module}@${version}`], folder),
  );
  await installTools('compile');
  const { set } = buildImage(join(Dir, 'proto'));
  await writeFile(suite.descriptors, toBinary(FileDescriptorSetSchema, set));
  return suite;
}

/** Milliseconds that Go may take to load and build what it is asked for. */
const timeoutMs = 900_000;

/** Runs Go outside of any module of Go, with `bin` for what it installs, and resolves with what it prints. */
export async function go(args: readonly string[], bin: string): Promise<string> {
  const env = { ...process.env, GOBIN: bin, GOFLAGS: '' };
  const { stdout } = await run('go', args, { cwd: tmpdir(), env, timeout: timeoutMs });
  return stdout;
}
