import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Job, JobContext, Report } from './job.ts';
import { type Command, run } from './processes.ts';

const apps = fileURLToPath(new URL('apps/', import.meta.url));

/** A program of `apps`, and what its app has installed before the gateway. */
export interface App {
  /** The name of the file without its ending. */
  readonly program: string;
  readonly node: string;
  /** Packages as `npm install` takes them. */
  readonly packages: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Runs the program's files when they have been copied and everything is installed. Without it, Node runs the program. */
  readonly start?: (command: Command) => Promise<void>;
}

/** Lines of npm's output with warnings or errors about peers that do not fit. */
export const peerComplaints = (output: string): string[] =>
  output.split('\n').filter((line) => /ERESOLVE|\bpeer\b|invalid:|EBADENGINE/i.test(line));

/** Installs packages as a user does, and takes warnings about peers and engines for failures. */
async function install(command: Command, ...packages: readonly string[]): Promise<void> {
  const output = await run(command, 'npm', 'install', '--prefer-offline', ...packages);
  const complaints = peerComplaints(output);
  if (complaints.length > 0) throw new Error(`npm install ${packages.join(' ')} said:\n${complaints.join('\n')}`);
}

const versionIn = (folder: string, name: string): string =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;

/** An app with some packages, into which the packed gateway is installed, and which then uses it. */
async function runApp(app: App, { folder, tarball, node }: JobContext, signal: AbortSignal): Promise<Report> {
  const bin = await node(app.node);
  const command: Command = { cwd: folder, bin, signal, ...(app.env && { env: app.env }) };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }));
  if (app.packages.length > 0) await install(command, ...app.packages);
  const names = Object.keys(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies ?? {});
  const before = names.map((name) => `${name} ${versionIn(folder, name)}`);
  await install(command, await tarball());
  const after = names.map((name) => `${name} ${versionIn(folder, name)}`);
  if (before.join() !== after.join()) throw new Error(`the installation changed ${before.join()} to ${after.join()}`);
  await run(command, 'npm', 'ls', '--all');
  cpSync(apps, folder, { recursive: true });
  if (app.start) await app.start(command);
  else await run(command, 'node', `${app.program}.mjs`);
  return { note: before.length > 3 ? `${before.slice(0, 3).join(', ')} …` : before.join(', ') };
}

/** @param title such as `express 4` */
export const appJob = (title: string, app: App): Job => ({
  name: `${title}, Node ${app.node}`,
  program: `${app.program}.mjs`,
  timeout: 300_000,
  run: (context, signal) => runApp(app, context, signal),
});
