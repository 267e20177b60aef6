import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nginx } from '../support/nginx.ts';
import type { Block } from './blocks.ts';
import { newcomerEnv } from './newcomer.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const modules = join(root, 'node_modules');

/** Folders with the commands of npm's packages: the project's own, and those of generators that pages name. */
const commands = [root, join(root, 'tools/compile'), join(root, 'tools/plugins')].map((each) =>
  join(each, 'node_modules/.bin'),
);
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Programs that a reader may have and a test machine may not: a block that needs a missing one is skipped. */
const optionalPrograms = [
  'curl',
  'grpcurl',
  'jq',
  'openssl',
  'docker',
  'python3',
  'python',
  'pip',
  'go',
  'java',
  'mvn',
  'nginx',
];

/** Programs that stand for another one: `pip` and `python` of the virtual environment that `python3` makes. */
const standsFor = (program: string): string => (program === 'python' || program === 'pip' ? 'python3' : program);

const isHere = (program: string) =>
  program === 'nginx' ? nginx !== undefined : spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** The line that a block prints once it serves and goes on in the background; undefined for a block that ends. */
const servingLine = ({ text, directives }: Block): string | undefined =>
  directives.get('serves') ??
  (/\bnpm start\b|\ba2a-gateway serve\b/.test(text) ? 'a2a-gateway is listening on' : undefined);

/** The port that the gateway listens on where nothing says another. */
const defaultPort = 8080;

/** A port of this machine in texts and files. */
const port = /(?<=\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0):|--port[ =]|\bport(?:: |=)|\blisten[ (])(\d{4,5})\b/g;

/** Ports that neither a machine's own connections nor other tests use (`freePort` in `test/support/peer.ts`). */
const lowest = 10_000;
const highest = 22_767;

/**
 * A number to add to every port of a document, so that all of them are free. It is the same for all ports, so that ports
 * that differ in the document differ here, and equal ones are equal.
 */
async function freeOffset(documented: ReadonlySet<number>): Promise<number> {
  const busy: number[] = [];
  for (let attempt = 0; attempt < 50; attempt++) {
    const least = lowest - Math.min(...documented);
    const room = highest - Math.max(...documented) - least;
    const offset = least + Math.floor(Math.random() * room);
    const taken = await Promise.all([...documented].map((each) => isTaken(each + offset)));
    if (!taken.includes(true)) return offset;
    busy.push(offset);
  }
  throw new Error(`some of the ports ${[...documented].join(', ')} are in use at every offset of ${busy.join(', ')}`);
}

async function isTaken(number: number): Promise<boolean> {
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer();
    try {
      await once(server.listen(number, host), 'listening');
    } catch (error) {
      // A machine without IPv6 has nothing in use there.
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return true;
      continue;
    }
    await once(server.close(), 'close');
  }
  return false;
}

/** Gives `a2a-gateway serve` a port where neither its command nor its configuration names one. */
const givePort = (port: number): string => `
  config= named= previous=
  for word in "$@"; do
    case "$word" in --port|--port=*) named=yes ;; esac
    [ "$previous" = --config ] && config="$word"
    previous="$word"
  done
  if [ -z "$named" ] && { [ -z "$config" ] || ! grep -Eq 'port: *[0-9]' "$config"; }; then set -- "$@" --port ${port}; fi
`;

/**
 * nginx, which is not in the path of every user. It reads sockets of an earlier nginx from `NGINX`, in which
 * `npm run test:ecosystem` has its path.
 */
const proxies = (): Record<string, string> =>
  nginx === undefined ? {} : { nginx: `PATH="$READER_PATH" exec env -u NGINX ${quote(nginx)} "$@"` };

/** npm's own programs, which leave the gateway on a port of the test. */
const installedPrograms = (listenPort: number): Record<string, string> =>
  Object.assign(
    {
      npm: `PATH="$READER_PATH"; if [ "$1" = start ]; then exec npm start -- --port ${listenPort}; else exec npm "$@"; fi`,
      npx: `PATH="$READER_PATH"; if [ "$1 $2" = 'a2a-gateway serve' ]; then ${givePort(listenPort)} fi; exec npx "$@"`,
      python: 'exec .venv/bin/python "$@"',
    },
    proxies(),
  );

/**
 * Programs as a reader would have them, in front of the real ones: `npm` and `npx` that find the gateway's sources
 * instead of installing it, `pip` and `python` of a virtual environment in the folder, and a `curl` that fails when the
 * answer is an error.
 *
 * @param library the folder of the package, where `npm run build` puts what it builds
 * @param listenPort what a gateway listens on where neither the command nor its configuration names a port
 * @param installs whether `npm install` installs
 */
function programs(library: string, listenPort: number, installs: boolean): Record<string, string> {
  const node = quote(process.execPath);
  const gateway = `exec ${node} ${quote(join(root, 'src/cli/main.ts'))}`;
  const sources = {
    node: `exec ${node} "$@"`,
    'a2a-gateway': `if [ "$1" = serve ]; then ${givePort(listenPort)} fi
${gateway} "$@"`,
    pip: `[ -d .venv ] || python3 -m venv .venv
exec .venv/bin/pip --quiet --disable-pip-version-check "$@"`,
    python: `exec .venv/bin/python "$@"`,
    npm: `case "$1" in
  ci|i|install|init) ${installs ? 'PATH="$READER_PATH" exec npm "$@" --no-audit --no-fund --loglevel=error' : 'exit 0'} ;;
  test|t) shift; exec ${node} --test "$@" ;;
  start) shift; [ "\${1:-}" = -- ] && shift; exec a2a-gateway serve "$@" ;;
  run)
    if [ "$2" = build ]; then exec ${node} ${quote(join(root, 'scripts/build.ts'))} --out ${quote(join(library, 'dist'))}; fi
    cd ${quote(root)}; PATH="$READER_PATH" exec npm "$@" ;;
  *) echo "the README test cannot run: npm $*" >&2; exit 1 ;;
esac`,
    npx: `while [ "\${1#-}" != "$1" ]; do shift; done
case "$1" in
  a2a-gateway|a2a-gateway@*) shift; exec a2a-gateway "$@" ;;
  node) shift; exec node "$@" ;;
  *) PATH=${quote(commands.join(delimiter))}:"$PATH" exec "$@" ;;
esac`,
    curl: `PATH="$READER_PATH" exec curl --fail-with-body --silent --show-error --max-time 20 "$@"`,
  };
  return Object.assign(sources, proxies());
}

/** Gives a folder every installed package, and the gateway itself as a checkout has it: without `dist`. */
export function linkModules(folder: string): void {
  const here = join(folder, 'node_modules');
  const library = join(here, 'a2a-gateway');
  mkdirSync(library, { recursive: true });
  for (const name of readdirSync(modules).filter((entry) => !entry.startsWith('.') && entry !== 'a2a-gateway')) {
    symlinkSync(join(modules, name), join(here, name));
  }
  for (const name of ['package.json', 'proto']) cpSync(join(root, name), join(library, name), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
}

/** The result of a block. */
export interface Result {
  readonly code: number | null;
  readonly output: string;
}

/** Modules that users import, with the source and the file in the package of each. */
export const libraries = Object.entries<{ types?: string; default?: string }>(
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).exports,
).flatMap(([name, { types, default: built }]) =>
  types === undefined || built === undefined
    ? []
    : [
        [
          `a2a-gateway${name.slice(1)}`,
          types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts'),
          built.replace('./dist/', ''),
        ] as const,
      ],
);

export interface WorkspaceOptions {
  /** Whether the package can be imported. Default: once it was built. */
  readonly installed?: boolean;
  /** Whether packages are installed from the registry. Default: the folder has those of this project. */
  readonly installs?: boolean;
  /** A folder `node_modules` with packages besides those of this project. */
  readonly modules?: string;
  /** Whether npm, npx and the gateway are the real ones, of which the blocks install what they need; only ports differ. */
  readonly real?: boolean;
  /** Variables of the reader's shell. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A reader's folder: files that the README shows are written into it, and its commands run in it, in order. */
export class Workspace {
  /** Removed at the end: commands may write beside the folder. */
  readonly #outer = mkdtempSync(join(tmpdir(), 'a2a-gateway-readme-'));
  /** Current folder of the next command. */
  folder = join(this.#outer, 'reader');
  readonly #bin = join(this.#outer, 'bin');
  readonly #library = join(this.folder, 'node_modules/a2a-gateway');
  readonly #documented: ReadonlySet<number>;
  readonly #offset: number;
  /** Ends what was started and left running. */
  readonly #serving: { readonly text: string; readonly stop: () => Promise<void> }[] = [];

  readonly #env: NodeJS.ProcessEnv;

  private constructor(
    documented: ReadonlySet<number>,
    offset: number,
    { installs = false, real, env }: WorkspaceOptions,
  ) {
    this.#documented = documented;
    this.#offset = offset;
    this.#env = Object.assign({}, real ? newcomerEnv() : process.env, env);
    mkdirSync(this.folder);
    mkdirSync(this.#bin);
    const listenPort = defaultPort + offset;
    const scripts = real ? installedPrograms(listenPort) : programs(this.#library, listenPort, installs);
    for (const [name, script] of Object.entries(scripts)) {
      writeFileSync(join(this.#bin, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(this.#bin, name), 0o755);
    }
    if (real) return;
    if (installs) writeFileSync(join(this.folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
    else {
      linkModules(this.folder);
      symlinkSync(this.#bin, join(this.folder, 'node_modules/.bin'));
      for (const name of ['proto', 'examples']) symlinkSync(join(root, name), join(this.folder, name));
    }
  }

  /** A folder for the blocks of one document, whose ports are all free. */
  static async open(blocks: readonly Block[], options: WorkspaceOptions = {}): Promise<Workspace> {
    const { installed = false, modules: further } = options;
    const named = blocks.flatMap(({ text }) => [...text.matchAll(port)].map(([found]) => Number(found)));
    const documented = new Set([defaultPort, ...named]);
    const workspace = new Workspace(documented, await freeOffset(documented), options);
    if (installed) workspace.#install();
    if (further !== undefined) workspace.#link(further);
    return workspace;
  }

  /** A text of the document with the ports that are used in its place. */
  translate(text: string): string {
    return text.replaceAll(port, (found) =>
      this.#documented.has(Number(found)) ? String(Number(found) + this.#offset) : found,
    );
  }

  /** Puts what leads to the sources where the package has what was built. */
  #install(): void {
    const dist = join(this.#library, 'dist');
    mkdirSync(dist);
    for (const [, source, built] of libraries)
      writeFileSync(join(dist, built), `export * from ${JSON.stringify(pathToFileURL(join(root, source)))};\n`);
  }

  /** Gives the folder packages that this project has not. */
  #link(further: string): void {
    const here = join(this.folder, 'node_modules');
    const had = new Set(readdirSync(here));
    for (const name of readdirSync(further).filter((entry) => !entry.startsWith('.') && !had.has(entry)))
      symlinkSync(join(further, name), join(here, name));
  }

  /** Why a block cannot run on this machine, or undefined when it can. */
  obstacle(block: Block): string | undefined {
    const missing = optionalPrograms.find(
      (program) => new RegExp(`(^|[|;&(]\\s*|\\n)${program}\\b`).test(block.text) && !isHere(standsFor(program)),
    );
    return missing === undefined ? undefined : `needs ${standsFor(missing)}, which this machine does not have`;
  }

  write(block: Block): void {
    if (block.file === undefined) return;
    mkdirSync(dirname(join(this.folder, block.file)), { recursive: true });
    writeFileSync(join(this.folder, block.file), this.translate(block.text));
  }

  /** Runs a block of shell commands to its end, or, where it starts a server, until that serves. */
  run(block: Block, signal: AbortSignal): Promise<Result> {
    const line = servingLine(block);
    return line === undefined ? this.#finish(block.text, signal) : this.#serve(block.text, line, signal);
  }

  #spawn(text: string) {
    const script = this.translate(text);
    const path = this.#env.PATH ?? '';
    return spawn('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: this.folder,
      env: Object.assign({}, this.#env, { PATH: `${this.#bin}${delimiter}${path}`, READER_PATH: path }),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a group of its own, so that everything that it started can be ended with it
    });
  }

  async #finish(text: string, signal: AbortSignal): Promise<Result> {
    const child = this.#spawn(text);
    const kill = () => endGroup(child.pid, 'SIGKILL');
    signal.addEventListener('abort', kill);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
      });
    }
    try {
      const [code] = await once(child, 'close');
      return { code, output };
    } finally {
      signal.removeEventListener('abort', kill);
    }
  }

  async #serve(text: string, line: string, signal: AbortSignal): Promise<Result> {
    const child = this.#spawn(text);
    const closed = once(child, 'close');
    const stop = async () => {
      endGroup(child.pid, 'SIGTERM');
      const late = setTimeout(() => endGroup(child.pid, 'SIGKILL'), 5_000);
      await closed;
      clearTimeout(late);
    };
    const kill = () => endGroup(child.pid, 'SIGKILL');
    signal.addEventListener('abort', kill);
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    for await (const printed of createInterface({ input: child.stdout })) {
      output += `${printed}\n`;
      if (!printed.includes(line)) continue;
      child.stdout.resume();
      signal.removeEventListener('abort', kill);
      this.#serving.push({ text, stop });
      return { code: 0, output };
    }
    signal.removeEventListener('abort', kill);
    const [code] = await closed;
    return { code: code || 1, output: `${output}(it ended, or was ended, before it served)\n` };
  }

  /** Stops the servers that blocks with a text have left running, as Ctrl-C in their terminals. Default: all. */
  async stop(text = ''): Promise<void> {
    const stopped = this.#serving.filter((each) => each.text.includes(text));
    if (text !== '' && stopped.length === 0) throw new Error(`no block with "${text}" has left a server running`);
    this.#serving.splice(0, Infinity, ...this.#serving.filter((each) => !stopped.includes(each)));
    await Promise.all(stopped.map(({ stop }) => stop()));
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#outer, { recursive: true, force: true });
  }
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // it has ended already
  }
}
