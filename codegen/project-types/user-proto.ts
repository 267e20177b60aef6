import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Image, imageOf, readImage } from '../image.ts';
import { describeWithImports, type Model } from '../model.ts';
import { type Overlay, overlay } from '../overlay.ts';
import { versionPackage, versionProto, versions } from '../versions.ts';
import { withProgress } from './progress.ts';
import { InputError, type Spec, withBundle } from './spec.ts';
import { toolCache } from './tool-cache.ts';

/** User files from which types are generated. */
export interface UserFiles {
  /** Path of the proto. */
  readonly proto: string;
  /** Path of its bundle. */
  readonly schema?: string | undefined;
}

/** A proto with its imports, not yet compiled. */
export interface ReadProto {
  /** Name by which other protos import it. */
  readonly name: string;
  /** Texts of the proto and the user files that it imports, by import name. */
  readonly texts: ReadonlyMap<string, string>;
  /** Paths of these files, by import name. */
  readonly paths: ReadonlyMap<string, string>;
  /** Text of the bundle. */
  readonly schema?: string;
}

/** Folder of the package's protos, which user protos may import. */
const ownProtos = fileURLToPath(new URL('../../proto', import.meta.url));

/** Folders in which imported protos are usually kept, below the project or a folder above the proto. */
const usualFolders = ['', 'proto', 'protos', 'third_party'];

/**
 * Reads a proto and its imports: from the folders above it, up to its project, and from the package.
 *
 * @throws InputError for a file that cannot be read
 */
export function readProto({ proto, schema }: UserFiles, shown: (path: string) => string): ReadProto {
  const text = readText(proto, shown);
  const name = importNameOf(proto, text);
  const texts = new Map([[name, text]]);
  const paths = new Map([[name, proto]]);
  const roots = foldersAbove(proto).flatMap((folder) => usualFolders.map((each) => join(folder, each)));
  for (const [, each] of texts) {
    for (const imported of importsIn(each)) {
      if (texts.has(imported) || imported.startsWith('google/protobuf/')) continue;
      const path = roots.map((root) => join(root, imported)).find(isFile);
      if (path === undefined) continue;
      texts.set(imported, readText(path, shown));
      paths.set(imported, path);
    }
  }
  return { name, texts, paths, ...(schema !== undefined && { schema: readText(schema, shown) }) };
}

/**
 * Compiles a proto and compares it with its bundle.
 *
 * @throws InputError that names the file, and the line or the field
 */
export async function specOf(files: UserFiles, read: ReadProto, shown: (path: string) => string): Promise<Spec> {
  const image = imageOf(await compile(read, shown), read.name);
  const model = modelOf(image, read.name, shown(files.proto));
  const schema =
    read.schema === undefined || files.schema === undefined
      ? undefined
      : { name: shown(files.schema), json: parsed(read.schema, shown(files.schema)) };
  const title = [files.proto, files.schema].flatMap((path) => (path === undefined ? [] : [shown(path)])).join(' and ');
  return { title, image, ...withBundle(model, schema) };
}

function modelOf(image: Image, name: string, shown: string): Model {
  let model: Model;
  try {
    const pkg = image.registry.getFile(name)?.proto.package ?? '';
    model = describeWithImports(image, name, overlayFor(pkg));
  } catch (error) {
    throw new InputError(`${shown}: ${(error as Error).message}`, { cause: error });
  }
  const names = [...model.messages, ...model.enums].map((type) => type.name);
  const double = names.find((each, at) => names.indexOf(each) !== at);
  if (double !== undefined) throw new InputError(`${shown}: two types would have the name ${double} in TypeScript`);
  refuse(namesTaken(model).map((problem) => `${shown}: ${problem}`));
  if (names.length === 0) throw new InputError(`${shown} declares no messages`);
  return model;
}

/** Returns names for which no code can be generated, each with advice. */
function namesTaken({ messages, enums }: Model): string[] {
  const types = [...messages, ...enums].map(({ name }) => name).filter((name) => reserved.has(name));
  const ofEnums = enums.map(({ name }) => name).filter((name) => notForEnums.has(name));
  const fields = messages.flatMap(({ name, fields }) =>
    fields.filter(({ jsonName }) => unusable.has(jsonName)).map(({ jsonName }) => `${name}.${jsonName}`),
  );
  return [
    ...[...types, ...ofEnums].map((name) => `${name} cannot be the name of a type in TypeScript; rename it`),
    ...fields.map(
      (name) => `${name} cannot be the name of a member in TypeScript; rename the field, or give it a json_name`,
    ),
  ];
}

/** @throws InputError that lists the problems, if there are any */
export function refuse([first, ...details]: readonly string[]): void {
  if (first !== undefined) throw new InputError(first, { details });
}

/** Returns the overlay for a package. Facts about A2A also apply to forks, whose package names differ. */
function overlayFor(pkg: string): Overlay {
  const rows = JSON.stringify(overlay);
  return rows.includes(`"${pkg}.`) ? overlay : JSON.parse(rows.replaceAll(`"${versionPackage}.`, `"${pkg}.`));
}

/** JSON names with a special meaning in JavaScript objects. */
const unusable: ReadonlySet<string> = new Set(['__proto__']);

/** A message `Empty` replaces Google's; `export type as =` would be parsed as an export under another name. */
const notForEnums: ReadonlySet<string> = new Set(['Empty', 'as']);

/** Type names that the generated code uses, or that TypeScript reserves. */
export const reserved: ReadonlySet<string> = new Set([
  ...['readonly', 'keyof', 'unique', 'infer', 'implements'],
  ...[
    'Struct',
    'MessageTypes',
    'Record',
    '__proto__',
    'any',
    'bigint',
    'boolean',
    'never',
    'null',
    'number',
    'object',
    'string',
  ],
  ...['symbol', 'undefined', 'unknown', 'void', 'class', 'const', 'default', 'delete', 'enum', 'export', 'extends'],
  ...['false', 'for', 'function', 'if', 'import', 'in', 'instanceof', 'new', 'return', 'super', 'switch', 'this'],
  ...['throw', 'true', 'try', 'typeof', 'var', 'while', 'with', 'interface', 'let', 'package', 'private', 'protected'],
  ...['public', 'static', 'yield', 'await', 'break', 'case', 'catch', 'continue', 'debugger', 'do', 'else', 'finally'],
]);

/** Compiles protos in a separate folder, where buf finds no configuration. */
async function compile({ name, texts, paths }: ReadProto, shown: (path: string) => string): Promise<Image> {
  const buf = join(dirname((await toolCache('compile')).resolve('@bufbuild/buf/package.json')), 'bin', 'buf');
  const folder = mkdtempSync(join(tmpdir(), 'a2a-gateway-types-'));
  try {
    for (const [file, text] of withOwnProtos(texts)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    const { code, output, errors } = await withProgress(`compiling ${shown(paths.get(name) ?? name)}`, () =>
      run(buf, ['build', '.', '--as-file-descriptor-set', '-o', '-'], folder),
    );
    if (code !== 0) throw compilerError(errors, { texts, paths }, shown);
    return readImage(output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Adds the protos of the package that the texts import. */
function withOwnProtos(texts: ReadonlyMap<string, string>): Map<string, string> {
  const all = new Map(texts);
  for (const [, text] of all) {
    for (const imported of importsIn(text)) {
      // The protos of all versions of A2A 1.x have the same import name.
      const published = versions.find(({ preview }) => !preview) ?? versions[0];
      const own = join(ownProtos, imported === versionProto ? join(published.name, imported) : imported);
      if (!all.has(imported) && !imported.startsWith('google/protobuf/') && isFile(own))
        all.set(imported, readFileSync(own, 'utf8'));
    }
  }
  return all;
}

function run(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<{ readonly code: number | null; readonly output: Buffer; readonly errors: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof run>>>();
  const env = { ...process.env, BUF_CACHE_DIR: join(cwd, '.cache') };
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
  });
  const output: Buffer[] = [];
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  child.on('error', reject);
  child.on('close', (code) => resolve({ code, output: Buffer.concat(output), errors }));
  return promise;
}

/** Converts the compiler's output to an error with the user's paths. */
function compilerError(
  errors: string,
  { texts, paths }: Pick<ReadProto, 'texts' | 'paths'>,
  shown: (path: string) => string,
): InputError {
  const lines = errors
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [, file = '', at = '', column = '', words = ''] =
        /^(?:\.\/)?([^:]+):(\d+)(:\d+)?:\s*(.*)$/.exec(line) ?? [];
      const path = paths.get(file);
      if (file === '' || path === undefined) return line;
      // The compiler does not name the missing file, so the line is quoted.
      const code = texts.get(file)?.split('\n')[Number(at) - 1]?.trim();
      const more = /does not exist$/.test(words) && code ? `: ${code}` : '';
      return `${shown(path)}:${at}${column}: ${words}${more}`;
    });
  const [first = 'buf could not compile the proto', ...others] = lines;
  return new InputError(first, { details: others });
}

/** Returns the name by which other protos import a proto, derived from its package and its folders. */
function importNameOf(proto: string, text: string): string {
  const [, name = ''] = /^\s*package\s+([\w.]+)\s*;/m.exec(withoutComments(text)) ?? [];
  const folders = dirname(proto).replaceAll('\\', '/');
  const below = name.replaceAll('.', '/');
  return below !== '' && folders.endsWith(`/${below}`) ? `${below}/${basename(proto)}` : basename(proto);
}

function importsIn(text: string): string[] {
  const found = withoutComments(text).matchAll(/^\s*import\s+(?:public\s+|weak\s+|option\s+)?["']([^"'\n]+)["']\s*;/gm);
  return [...found].map(([, name = '']) => name);
}

const withoutComments = (text: string): string =>
  text.replace(
    /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (_, string?: string) => string ?? '',
  );

/** Returns the folder of a file and its parents, up to that of its project. */
function foldersAbove(file: string): string[] {
  const folders: string[] = [];
  for (let at = dirname(file); ; at = dirname(at)) {
    folders.push(at);
    const isProject = ['package.json', '.git', 'buf.yaml'].some((name) => existsSync(join(at, name)));
    if (isProject || dirname(at) === at) return folders;
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function readText(path: string, shown: (path: string) => string): string {
  try {
    return readFileSync(path, 'utf8')
      .replace(/^\uFEFF/, '')
      .replaceAll('\r\n', '\n');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const reason = { ENOENT: 'no such file', EISDIR: 'a folder, but a file is expected' }[code];
    throw new InputError(`${shown(path)}: ${reason ?? `cannot be read (${code})`}`, { cause: error });
  }
}

function parsed(text: string, shown: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`${shown}: not JSON: ${(error as Error).message}`, { cause: error });
  }
}
