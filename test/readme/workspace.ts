import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Block } from './blocks.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const modules = join(root, 'node_modules');
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Programs that a reader may have and a test machine may not: a block that needs a missing one is skipped. */
const optionalPrograms = ['curl', 'grpcurl', 'jq', 'openssl', 'docker', 'python3'];

const onPath = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** The gateway is still running after this command, and what follows talks to it. */
const servesFor = (text: string) => /\bnpm start\b|\ba2a-gateway serve\b/.test(text);

/**
 * Programs as a reader would have them, in front of the real ones: `npm` and `npx` that find the gateway's sources
 * instead of installing it, and a `curl` that fails when the answer is an error.
 */
function programs(): Record<string, string> {
  const node = quote(process.execPath);
  const gateway = `exec ${node} ${quote(join(root, 'src/cli/main.ts'))}`;
  return {
    node: `exec ${node} "$@"`,
    'a2a-gateway': `if [ "$1" = serve ]; then
  case " $* " in *" --port "*) ;; *) set -- "$@" --port 0 ;; esac
fi
${gateway} "$@"`,
    npm: `case "$1" in
  ci|i|install|init) exit 0 ;;
  start) shift; [ "\${1:-}" = -- ] && shift; exec a2a-gateway serve "$@" ;;
  run) cd ${quote(root)}; PATH="$READER_PATH" exec npm "$@" ;;
  *) echo "the README test cannot run: npm $*" >&2; exit 1 ;;
esac`,
    npx: `while [ "\${1#-}" != "$1" ]; do shift; done
case "$1" in
  a2a-gateway|a2a-gateway@*) shift; exec a2a-gateway "$@" ;;
  *) program="$1"; shift; exec ${quote(join(modules, '.bin'))}/"$program" "$@" ;;
esac`,
    curl: `PATH="$READER_PATH" exec curl --fail-with-body --silent --show-error --max-time 20 "$@"`,
  };
}

/** What a block did. */
export interface Result {
  readonly code: number | null;
  readonly output: string;
}

interface Served {
  /** The port in the README. */
  readonly documented: string;
  readonly actual: string;
  stop(): Promise<void>;
}

/** A reader's folder: files that the README shows are written into it, and its commands run in it, in order. */
export class Workspace {
  readonly folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-readme-'));
  readonly #served = new Map<string, Served>();

  constructor() {
    const bin = join(this.folder, '.bin');
    mkdirSync(bin);
    for (const [name, script] of Object.entries(programs())) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    this.#linkModules();
  }

  /** Gives the folder every installed package, and the gateway itself, straight from its sources. */
  #linkModules(): void {
    const here = join(this.folder, 'node_modules');
    mkdirSync(join(here, 'a2a-gateway'), { recursive: true });
    for (const name of readdirSync(modules).filter((entry) => !entry.startsWith('.'))) {
      symlinkSync(join(modules, name), join(here, name));
    }
    symlinkSync(join(root, 'src'), join(here, 'a2a-gateway/src'));
    const manifest = { name: 'a2a-gateway', type: 'module', exports: { '.': './src/index.ts' } };
    writeFileSync(join(here, 'a2a-gateway/package.json'), JSON.stringify(manifest));
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
    for (const name of ['proto', 'examples']) symlinkSync(join(root, name), join(this.folder, name));
  }

  /** Why a block cannot run on this machine, or undefined when it can. */
  obstacle(block: Block): string | undefined {
    const missing = optionalPrograms.find(
      (program) => new RegExp(`(^|[|;&(]\\s*|\\n)${program}\\b`).test(block.text) && !onPath(program),
    );
    return missing === undefined ? undefined : `needs ${missing}, which this machine does not have`;
  }

  write(block: Block): void {
    if (block.file === undefined) return;
    mkdirSync(dirname(join(this.folder, block.file)), { recursive: true });
    writeFileSync(join(this.folder, block.file), block.text);
  }

  /** Runs a block of shell commands to its end, or, where it starts a gateway, until that gateway serves. */
  run(block: Block, signal: AbortSignal): Promise<Result> {
    return servesFor(block.text) ? this.#serve(block.text, signal) : this.#finish(block.text, signal);
  }

  #spawn(text: string) {
    let script = text;
    for (const { documented, actual } of this.#served.values()) {
      script = script.replaceAll(new RegExp(`\\b(localhost|127\\.0\\.0\\.1):${documented}\\b`, 'g'), `$1:${actual}`);
    }
    const path = process.env.PATH ?? '';
    return spawn('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: this.folder,
      env: { ...process.env, PATH: `${join(this.folder, '.bin')}${delimiter}${path}`, READER_PATH: path },
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

  async #serve(text: string, signal: AbortSignal): Promise<Result> {
    const documented = /--port[ =](\d+)/.exec(text)?.[1] ?? '8080';
    await this.#served.get(documented)?.stop();
    this.#served.delete(documented);

    const child = this.#spawn(text.replace(/--port[ =]\d+/, '--port 0'));
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
    for await (const line of createInterface({ input: child.stdout })) {
      output += `${line}\n`;
      const actual = /https?:\/\/(?:localhost|127\.0\.0\.1):(\d+)/.exec(line)?.[1];
      // The documented port is none that was picked: that is a command before this one, talking about its configuration.
      if (actual === undefined || actual === documented) continue;
      child.stdout.resume();
      signal.removeEventListener('abort', kill);
      this.#served.set(documented, { documented, actual, stop });
      return { code: 0, output };
    }
    signal.removeEventListener('abort', kill);
    const [code] = await closed;
    return { code: code ?? 1, output: `${output}(it ended, or was ended, before it printed a URL)\n` };
  }

  /** Type-checks the TypeScript blocks against the gateway's own sources; the compiler's messages. */
  typeErrors(blocks: readonly Block[]): string {
    const files = blocks.map((block) => {
      const name = block.file ?? `block-${block.line}.ts`;
      writeFileSync(join(this.folder, name), block.text);
      return name;
    });
    const options = { typeRoots: [join(modules, '@types')], isolatedModules: false, moduleDetection: 'force' };
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions: options, include: [], files };
    writeFileSync(join(this.folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = spawnSync(process.execPath, [join(modules, 'typescript/bin/tsc'), '-p', '.', '--pretty', 'false'], {
      cwd: this.folder,
      encoding: 'utf8',
      timeout: 60_000,
    });
    return tsc.status === 0 ? '' : tsc.stdout + tsc.stderr;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#served.values()].map((served) => served.stop()));
    rmSync(this.folder, { recursive: true, force: true });
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
