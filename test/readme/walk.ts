import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type Block, blocksOf } from './blocks.ts';
import { outcomeOf } from './run-blocks.ts';
import { Workspace } from './workspace.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A page on a reader's way, and the chapters of it that the reader follows. */
export interface Leg {
  readonly page: string;
  readonly chapters: readonly string[];
  /** Blocks of these chapters that are another way to the same end. */
  readonly except?: RegExp;
}

/** The price of one page for its reader. */
export interface Toll {
  readonly page: string;
  /** Blocks to paste, files to write, and commands to run that a program has printed. */
  readonly steps: number;
  /** What its commands need and another page defines, with that page. */
  readonly lookUps: readonly string[];
}

/** The blocks of a page's chapters, in order. Throws where a chapter is missing. */
export function blocksOfLeg({ page, chapters, except }: Leg): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  const headings = [...text.matchAll(/^#{2,3} (.+)$/gm)].map(({ 1: title = '', index }) => ({
    title,
    line: text.slice(0, index).split('\n').length,
  }));
  return chapters.flatMap((chapter) => {
    const at = headings.findIndex(({ title }) => title === chapter);
    if (at < 0) throw new Error(`${page} has no chapter "${chapter}"`);
    const [from, to] = [headings[at]?.line ?? 0, headings[at + 1]?.line ?? Number.POSITIVE_INFINITY];
    return blocksOf(text).filter(({ line, text }) => line > from && line < to && !except?.test(text));
  });
}

/** Files that a command may name, and those of the package. */
const files = /(?<![\w/.-])[\w.-]+\.(?:ts|py|yaml|txt|pem|conf|pid)\b/g;
const thePackage = /\bnpx a2a-gateway\b|node_modules\/(?:\.bin\/)?a2a-gateway\b|\bnpm install a2a-gateway\b/;
const packageFolder = 'node_modules/a2a-gateway';
const variables = /\$\{?([A-Z][A-Z_]*)/g;

/** A reader who knows nothing, with a clone, a shell, and the pages. */
export class Walk {
  readonly #workspace: Workspace;
  readonly #signal: AbortSignal;
  /** The page whose commands have made a file. */
  readonly #madeBy = new Map<string, string>();
  readonly #assigned = new Set<string>();
  readonly seconds: (readonly [command: string, seconds: number])[] = [];
  #steps = 0;
  #lookUps = new Set<string>();

  private constructor(workspace: Workspace, signal: AbortSignal) {
    this.#workspace = workspace;
    this.#signal = signal;
  }

  /** Makes the clone, which is the folder of the first command. */
  static async begin(legs: readonly Leg[], env: Record<string, string>, signal: AbortSignal): Promise<Walk> {
    const workspace = await Workspace.open(legs.flatMap(blocksOfLeg), { real: true, env });
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', '--depth=1', `file://${root}`, workspace.folder]);
    return new Walk(workspace, signal);
  }

  get folder(): string {
    return this.#workspace.folder;
  }

  translate(text: string): string {
    return this.#workspace.translate(text);
  }

  async close(): Promise<void> {
    await this.#workspace.close();
  }

  /** Follows a page to its end, and stops what it has started there. */
  async follow(leg: Leg): Promise<Toll> {
    this.#steps = 0;
    this.#lookUps = new Set();
    this.#assigned.clear();
    for (const block of blocksOfLeg(leg)) await this.#take(leg.page, block);
    await this.#workspace.stop();
    return { page: leg.page, steps: this.#steps, lookUps: [...this.#lookUps] };
  }

  async #take(page: string, block: Block): Promise<void> {
    if (block.language !== 'sh' && block.file === undefined) return;
    this.#noteLookUps(page, block);
    if (block.language === 'sh') {
      if (block.words.includes('no-run')) return;
      const output = await this.#run(page, block);
      await this.#takePrinted(page, output);
    } else {
      this.#steps += 1;
      this.#workspace.write(block);
      this.#madeBy.set(block.file ?? '', page);
    }
  }

  async #run(page: string, block: Block): Promise<string> {
    this.#steps += 1;
    const before = performance.now();
    const { fault, output } = await outcomeOf(this.#workspace, block, this.#signal);
    this.seconds.push([`${page}: ${block.text.split('\n')[0]}`, (performance.now() - before) / 1000]);
    if (fault !== undefined) expect.fail(`${page}, line ${block.line}: ${fault}`);
    const made = [...globSync('*', { cwd: this.folder }), packageFolder].filter((name) =>
      existsSync(join(this.folder, name)),
    );
    for (const name of made) if (!this.#madeBy.has(name)) this.#madeBy.set(name, page);
    return output;
  }

  /** Runs the commands that the program has printed for its reader. */
  async #takePrinted(page: string, output: string): Promise<void> {
    const typed = (text: string, shows = ''): Block => ({
      language: 'sh',
      words: [],
      text: `${text}\n`,
      line: 0,
      directives: new Map([['shows', shows]]),
      file: undefined,
    });
    const [, next = ''] = /^Next:\n((?: {2}.+\n)+)/m.exec(output) ?? [];
    for (const line of next.split('\n').filter(Boolean)) {
      const command = line.trim();
      // The page that the reader opens next serves an agent instead.
      if (command === 'npm run dev') continue;
      if (command.startsWith('cd ')) {
        this.#steps += 1;
        this.#workspace.folder = resolve(this.folder, command.slice(3));
      } else await this.#run(page, typed(command));
    }
    const [, answer] = /answer with: (.+)$/m.exec(output) ?? [];
    if (answer !== undefined) await this.#run(page, typed(answer.replace('YOUR ANSWER', 'Rome'), 'in Rome.'));
  }

  #noteLookUps(page: string, { text, language }: Block): void {
    const named = [...text.matchAll(files)].map(([name]) => name);
    if (thePackage.test(text)) named.push(packageFolder);
    for (const name of language === 'sh' ? named : []) {
      const maker = existsSync(join(this.folder, name)) ? this.#madeBy.get(name) : undefined;
      if (maker !== undefined && maker !== page) this.#lookUps.add(`${name} of ${maker}`);
    }
    for (const [, name = ''] of text.matchAll(/\b([A-Z][A-Z_]*)=/g)) this.#assigned.add(name);
    const needed = language === 'sh' ? [...text.matchAll(variables)].map(([, name = '']) => name) : [];
    for (const name of needed)
      if (name !== 'PWD' && !this.#assigned.has(name)) this.#lookUps.add(`the variable ${name}`);
  }
}
