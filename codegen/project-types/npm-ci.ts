import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** Error: npm could not install packages. The message ends with npm's output. */
export class InstallError extends Error {}

/** Maximum milliseconds of an installation. */
const deadline = 600_000;

/** Arguments that override npm's configuration. */
const always = [
  'ci',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  '--global=false',
  '--location=project',
  '--dry-run=false',
  '--include=prod',
  '--include=optional',
];

/** Arguments for an installation that a user waits for: without a network connection, it fails within seconds. */
const soon = ['--fetch-retries=2', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=3000'];

/** Settings of the npm that started this program, which concern only the user's project. */
const ofTheProject = /^npm_config_(?:workspaces?|include_workspace_root|prefix|package|call|omit|only|production)$/i;

/**
 * Installs the packages of a folder from its lock file, without running their scripts. Registry, proxy and credentials
 * come from npm's configuration of the user and of the project in which the program runs.
 *
 * @param folder folder with `package.json` and `package-lock.json`, which npm does not change
 * @param project folder whose `.npmrc` replaces that of `folder`
 * @throws InstallError
 */
export async function npmCi(folder: string, project?: string): Promise<void> {
  const settings = project === undefined ? undefined : settingsOf(project);
  const borrowed = join(folder, '.npmrc');
  const own = join(folder, '.npm-cache');
  if (settings !== undefined) copyFileSync(settings, borrowed);
  try {
    // Paths in the settings, such as that of a certificate, are relative to the folder in which npm runs.
    const args = project === undefined ? always : [...always, ...soon, '--prefix', folder];
    await runNpm(canKeep() ? args : [...args, '--cache', own], project ?? folder);
  } finally {
    if (settings !== undefined) rmSync(borrowed, { force: true });
    rmSync(own, { recursive: true, force: true });
  }
}

/** Whether npm can write its usual cache. npm tries forever to create a folder that cannot be created. */
function canKeep(): boolean {
  if (process.platform === 'win32') return true;
  const { npm_config_cache: cache, NPM_CONFIG_CACHE: other } = process.env;
  try {
    makeFolder(resolve(cache || other || join(homedir(), '.npm')));
    return true;
  } catch {
    return false;
  }
}

/** Returns the `.npmrc` of a project, in its folder or a parent folder. npm reads that of the user's home itself. */
function settingsOf(project: string): string | undefined {
  for (let folder = resolve(project); folder !== homedir(); folder = dirname(folder)) {
    const file = join(folder, '.npmrc');
    if (existsSync(file)) return file;
    if (folder === dirname(folder)) return undefined;
  }
  return undefined;
}

function runNpm(args: readonly string[], cwd: string): Promise<void> {
  const [program, ...before] = npmCommand();
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofTheProject.test(name)));
  const { promise, resolve: done, reject } = Promise.withResolvers<void>();
  const npm = spawn(program, [...before, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: deadline,
  });
  let errors = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  npm.on('error', (cause: NodeJS.ErrnoException) =>
    reject(new InstallError(cause.code === 'ENOENT' ? 'npm is not on the PATH' : cause.message, { cause })),
  );
  npm.on('close', (code, signal) => {
    if (code === 0) done();
    else reject(new InstallError(lastWords(errors) || `npm ended with ${signal ?? `exit code ${code}`}`));
  });
  return promise;
}

/**
 * Returns the command that runs npm. On Windows, `npm` is a batch file, which needs a shell; its script runs without
 * one.
 */
function npmCommand(): [program: string, ...args: string[]] {
  if (process.platform !== 'win32') return ['npm'];
  const beside = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', npmScript);
  const started = process.env.npm_execpath;
  // Other package managers set this variable to themselves.
  return [process.execPath, started !== undefined && basename(started) === npmScript ? started : beside];
}

const npmScript = 'npm-cli.js';

/** Returns npm's messages about its failure, without stack traces and members of error objects. */
export function lastWords(errors: string): string {
  const lines = errors.split('\n').map((line) => line.replace(/^npm (?:error|ERR!) ?/, '').trimEnd());
  const words = lines.filter((line) => line !== '' && !isNoise(line));
  const isFact = (line: string): boolean => /^(?:code|syscall|errno) /.test(line);
  // If there is nothing else, codes are better than no message.
  const sentences = words.filter((line) => !isFact(line));
  return (sentences.length > 0 ? sentences : words).slice(0, 12).join('\n');
}

const isNoise = (line: string): boolean =>
  /complete log|debug-0\.log|^\s+at |^ {2,}\[?['\w]+\]?: |^[{}]$|^network$/.test(line);
