import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** npm could not install packages; the message ends with npm's own words. */
export class InstallError extends Error {}

/** Milliseconds until an installation is given up. */
const deadline = 600_000;

/** Arguments that hold whatever npm's configuration says. */
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

/** For an installation that a user waits for: one that is offline fails within seconds. */
const soon = ['--fetch-retries=2', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=3000'];

/** Settings of the npm that started this program, which concern packages of the user's project alone. */
const ofTheProject = /^npm_config_(?:workspaces?|include_workspace_root|prefix|package|call|omit|only|production)$/i;

/**
 * Installs the packages of a folder by its lock file, without running scripts of theirs. Registry, proxy and credentials are
 * those of npm's configuration: of the user, and of the project that the program runs in.
 *
 * @param folder with `package.json` and `package-lock.json`, which npm leaves as they are
 * @param project folder whose `.npmrc` npm takes in place of the folder's own
 * @throws InstallError
 */
export async function npmCi(folder: string, project?: string): Promise<void> {
  const settings = project === undefined ? undefined : settingsOf(project);
  const borrowed = join(folder, '.npmrc');
  const own = join(folder, '.npm-cache');
  if (settings !== undefined) copyFileSync(settings, borrowed);
  try {
    // Paths in the settings, such as that of a certificate, are relative to the folder where npm runs.
    const args = project === undefined ? always : [...always, ...soon, '--prefix', folder];
    await runNpm(canKeep() ? args : [...args, '--cache', own], project ?? folder);
  } finally {
    if (settings !== undefined) rmSync(borrowed, { force: true });
    rmSync(own, { recursive: true, force: true });
  }
}

/** Whether npm can keep packages where it usually does. It tries for ever to make a folder that cannot be made. */
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

/** The `.npmrc` of a project, in its folder or one above; that of the user's home is read by npm anyway. */
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

/** On Windows `npm` is a batch file, which needs a shell; its script runs without one. */
function npmCommand(): [program: string, ...args: string[]] {
  if (process.platform !== 'win32') return ['npm'];
  const beside = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', npmScript);
  const started = process.env.npm_execpath;
  // Other package managers name themselves there.
  return [process.execPath, started !== undefined && basename(started) === npmScript ? started : beside];
}

const npmScript = 'npm-cli.js';

/** The messages of npm about its failure, without stacks and members of error objects. */
export function lastWords(errors: string): string {
  const lines = errors.split('\n').map((line) => line.replace(/^npm (?:error|ERR!) ?/, '').trimEnd());
  const words = lines.filter((line) => line !== '' && !isNoise(line));
  const isFact = (line: string): boolean => /^(?:code|syscall|errno) /.test(line);
  // Codes alone say more than nothing.
  const sentences = words.filter((line) => !isFact(line));
  return (sentences.length > 0 ? sentences : words).slice(0, 12).join('\n');
}

const isNoise = (line: string): boolean =>
  /complete log|debug-0\.log|^\s+at |^ {2,}\[?['\w]+\]?: |^[{}]$|^network$/.test(line);
