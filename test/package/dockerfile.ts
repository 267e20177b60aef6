import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, resolve } from 'node:path';

/** An instruction of a Dockerfile. */
export interface Step {
  readonly word: string;
  readonly rest: string;
}

/** A stage of a Dockerfile, named as in `FROM … AS NAME`, else by its number. */
interface Stage {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** The instructions of a Dockerfile in their order. A line that ends in a backslash continues on the next one. */
export const stepsOf = (text: string): Step[] =>
  text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .flatMap((line) => {
      const [, word, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
      return word && rest ? [{ word, rest }] : [];
    });

function stagesOf(steps: readonly Step[]): Stage[] {
  const starts = steps.flatMap(({ word }, index) => (word === 'FROM' ? [index] : []));
  return starts.map((start, number) => ({
    name: / AS (\w+)$/.exec(steps[start]?.rest ?? '')?.[1] ?? String(number),
    steps: steps.slice(start + 1, starts[number + 1]),
  }));
}

/** The sources of a COPY, without its flags: paths of the context, or of the stage `from`. */
export function copyOf({ rest }: Step): { from?: string; sources: string[]; target: string } {
  const words = rest.split(/\s+/);
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  const paths = words.filter((word) => !word.startsWith('--'));
  return { ...(from !== undefined && { from }), sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
}

/** Whether a builder gets a file of the project: the last pattern of .dockerignore that matches it or a folder above decides. */
export function isInContext(path: string, ignore: string): boolean {
  let isIn = true;
  for (const line of ignore.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const pattern = line.replace(/^!/, '').replace(/\/$/, '');
    for (let each = path; each !== '.'; each = dirname(each)) {
      if (matchesGlob(each, pattern)) isIn = line.startsWith('!');
    }
  }
  return isIn;
}

/** An image that was built without an engine. */
export interface Image {
  /** The folder that stands for the root of the file system. */
  readonly root: string;
  readonly workdir: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
}

/**
 * Builds the image that a Dockerfile describes, in folders of this machine: each stage has a folder for its root, gets
 * exactly the files that the Dockerfile copies, and runs its commands. Base images are not looked at, and a stage whose folder is
 * there already is left as it is.
 */
export function buildImage(dockerfile: string, place: Place): Image {
  const stages = stagesOf(stepsOf(dockerfile)).filter(({ name }) => !existsSync(join(place.folder, name)));
  let image: Image | undefined;
  for (const { name, steps } of stages) image = buildStage(join(place.folder, name), steps, place);
  if (image === undefined) throw new Error('The Dockerfile has no stage');
  return image;
}

interface Place {
  /** Folder with exactly the files that a builder gets. */
  readonly context: string;
  /** Folder for the stages. */
  readonly folder: string;
  /** Environment of the commands, with `node` and `npm` in its path. */
  readonly env: NodeJS.ProcessEnv;
}

function buildStage(root: string, steps: readonly Step[], { context, folder, env }: Place): Image {
  mkdirSync(root, { recursive: true });
  const variables = { ...env };
  let image: Image = { root, workdir: '/', entrypoint: [], command: [] };
  const place = (path: string): string => join(root, resolve(image.workdir, path));
  const instructions: Readonly<Record<string, (step: Step) => void>> = {
    WORKDIR({ rest }) {
      image = { ...image, workdir: resolve(image.workdir, rest) };
      mkdirSync(place('.'), { recursive: true });
    },
    ARG: ({ rest }) => setVariable(variables, rest),
    ENV: ({ rest }) => setVariable(variables, rest),
    COPY(step) {
      const { from, sources, target } = copyOf(step);
      const base = from === undefined ? context : join(folder, from);
      for (const source of sources) copy(join(base, source), place(target), target.endsWith('/'));
    },
    RUN: ({ rest }) => run(rest.replaceAll(/(?<=\s)\/(?=\w)/g, `${root}/`), place('.'), variables),
    ENTRYPOINT({ rest }) {
      image = { ...image, entrypoint: JSON.parse(rest) };
    },
    CMD({ rest }) {
      image = { ...image, command: JSON.parse(rest) };
    },
  };
  for (const step of steps) instructions[step.word]?.(step);
  return image;
}

function setVariable(variables: NodeJS.ProcessEnv, text: string): void {
  const [, name, value] = /^(\w+)="?(.*?)"?$/.exec(text) ?? [];
  if (name !== undefined) variables[name] = value;
}

/** Copies a file into a folder or to a path, and what is in a folder into another one. */
function copy(source: string, target: string, isFolder: boolean): void {
  const isFile = statSync(source).isFile();
  const to = isFile && isFolder ? join(target, basename(source)) : target;
  mkdirSync(dirname(to), { recursive: true });
  cpSync(source, to, { recursive: true, verbatimSymlinks: true });
  if (!isFile) chmodSync(to, 0o755);
}

/** Milliseconds for one command of the Dockerfile; an installation takes longest. */
const commandTimeout = 300_000;

function run(command: string, cwd: string, env: NodeJS.ProcessEnv): void {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: commandTimeout,
  });
  if (status !== 0) throw new Error(`RUN ${command} failed with ${status}:\n${stdout}${stderr}`);
}
