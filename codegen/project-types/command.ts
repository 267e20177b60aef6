import { relative, resolve, sep } from 'node:path';
import type { Failure, Surroundings, TypesOptions } from '../../src/cli/commands/types.ts';
import type { Change } from '../update/diff.ts';
import { builtInVersions, defaultVersion, isPacked, readBuiltIn } from './built-in.ts';
import { changesSince, newLosses, protoOf } from './changes.ts';
import { type FileOptions, filesOf, type ImportExtension, type Part, parts } from './files.ts';
import { TypesFolder } from './folder.ts';
import { importExtensionFor } from './import-extension.ts';
import { InstallError } from './npm-ci.ts';
import { missingPackages } from './packages.ts';
import { GeneratorError } from './plugin-process.ts';
import {
  descriptorsOf,
  digestOf,
  imageIn,
  type LastRun,
  recordName,
  recordText,
  type Source,
  sameRun,
  titleOf,
} from './record.ts';
import { reportText } from './report.ts';
import { InputError, type Spec } from './spec.ts';
import { type ReadProto, readProto, specOf } from './user-proto.ts';
import { projectOf, usesOf } from './uses.ts';

/** Error: the options are invalid. */
class WrongOptions extends Error {}

/**
 * Runs `a2a-gateway types`.
 *
 * @returns undefined on success
 */
export async function runTypes(options: TypesOptions, surroundings: Surroundings): Promise<Failure | undefined> {
  try {
    const run = new Run(options, surroundings);
    return options.check === true ? await run.check() : await run.write();
  } catch (error) {
    if (error instanceof WrongOptions) return { usage: true, message: error.message };
    if (error instanceof InputError) return { message: error.message, details: error.details };
    if (error instanceof InstallError || error instanceof GeneratorError) return { message: error.message };
    throw error;
  }
}

/** Inputs of a run that have been read but not compiled. */
interface Inputs {
  readonly source: Source;
  /** Set for a user's proto. */
  readonly read?: ReadProto;
  /** Digest of the user's files; for a version of A2A, derived from the gateway's version. */
  readonly digest: string;
}

/** Specification of a run and the files generated from it. */
interface Generated {
  readonly spec: Spec;
  readonly files: Map<string, string>;
}

class Run {
  readonly #surroundings: Surroundings;
  readonly #folder: TypesFolder;
  readonly #wanted: FileOptions;
  readonly #inputs: Inputs;
  readonly #options: TypesOptions;

  constructor(options: TypesOptions, surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#options = options;
    this.#folder = new TypesFolder(resolve(surroundings.cwd, options.out ?? 'a2a'), (path) => this.#shown(path));
    this.#wanted = wantedBy(options, this.#folder);
    this.#inputs = this.#inputsOf(sourceBy(options, this.#folder, surroundings.cwd));
  }

  /** Reports whether the folder is up to date. If the inputs have not changed, nothing is generated. */
  async check(): Promise<Failure | undefined> {
    const { last } = this.#folder;
    const again = `run ${commandWith(this.#options)}`;
    const where = this.#shown(this.#folder.path);
    if (last === undefined) {
      const why = this.#folder.hasBrokenRecord ? `${recordName} cannot be read` : 'nothing was generated there yet';
      return { message: `${where} is not up to date: ${why}; ${again}` };
    }
    const changed = this.#folder.changedSince(last);
    const isSame =
      sameRun(last, { source: this.#inputs.source, inputs: this.#inputs.digest, ...this.#recordOptions() }) &&
      last.gateway === this.#surroundings.version &&
      isPacked;
    if (isSame && changed.length === 0) return undefined;
    const stale = isSame ? changed : this.#folder.differing((await this.#generate()).files, { gateway: last.gateway });
    if (stale.length === 0) return undefined;
    return { message: `${where} is not up to date: ${stale.join(', ')}; ${again}` };
  }

  /** Refuses a run that relies on an unreadable record: it would use default options and undo the folder's settings. */
  #refuseBrokenRecord(): void {
    const { a2a, proto } = this.#options;
    if (!this.#folder.hasBrokenRecord || (a2a ?? proto) !== undefined) return;
    const record = this.#shown(resolve(this.#folder.path, recordName));
    const way =
      'restore it from version control, or state the contents of the folder with --a2a or --proto, and --with';
    throw new InputError(`${record} cannot be read, perhaps because of a merge: ${way}`);
  }

  async write(): Promise<Failure | undefined> {
    this.#refuseBrokenRecord();
    // Checked before tools are installed.
    this.#refuseObstacles(['types.ts', recordName]);
    const { spec, files } = await this.#generate();
    const { last, written, removed } = await this.#folder.write(files, () => this.#refuseObstacles([...files.keys()]));
    const changes = last === undefined ? [] : changesSince(last, spec);
    const losses = await newLosses(spec, changes);
    // Descriptors alone call nothing, so Connect's runtime is needed too.
    const others = this.#wanted.with.has('connect') ? ['@connectrpc/connect'] : [];
    this.#surroundings.out(
      reportText({
        title: this.#shownTitle(this.#inputs.source),
        folder: this.#shown(this.#folder.path),
        written,
        unchanged: [...files.keys()].filter((name) => !written.includes(name)),
        removed,
        before: last && this.#shownTitle(last.source),
        changes,
        losses,
        uses: last === undefined ? [] : this.#uses(last, changes),
        missing: missingPackages(files.values(), others, this.#folder.path),
      }),
    );
    return undefined;
  }

  #uses(last: LastRun, changes: readonly Change[]) {
    const project = projectOf(this.#folder.path);
    const was = protoOf(imageIn(last), last.proto);
    return usesOf(project, this.#folder.path, changes, was).map((use) => ({
      ...use,
      file: this.#shown(resolve(project, use.file)),
    }));
  }

  #inputsOf(source: Source): Inputs {
    if ('a2a' in source) return { source, digest: '' };
    const paths = this.#pathsOf(source);
    const read = readProto(paths, (path) => this.#shown(path));
    const digest = digestOf(...[...read.texts].sort(([a], [b]) => (a < b ? -1 : 1)).flat(), read.schema ?? '');
    return { source, read, digest };
  }

  #pathsOf(source: Exclude<Source, { readonly a2a: string }>): { readonly proto: string; readonly schema?: string } {
    const { proto, schema } = source;
    return {
      proto: resolve(this.#folder.path, proto),
      ...(schema !== undefined && { schema: resolve(this.#folder.path, schema) }),
    };
  }

  async #generate(): Promise<Generated> {
    const spec = await this.#spec();
    const files = await filesOf(spec, { ...this.#wanted, shown: this.#shownTitle(this.#inputs.source) });
    const record: LastRun = {
      source: this.#inputs.source,
      inputs: this.#inputs.digest,
      ...this.#recordOptions(),
      gateway: this.#surroundings.version,
      files: Object.fromEntries([...files].map(([name, text]) => [name, digestOf(text)])),
      proto: spec.model.file,
      descriptors: descriptorsOf(spec),
      ...(spec.definitions && { definitions: spec.definitions }),
    };
    files.set(recordName, recordText(record));
    return { spec, files };
  }

  async #spec(): Promise<Spec> {
    const { source, read } = this.#inputs;
    if ('a2a' in source) return readBuiltIn(source.a2a);
    if (read === undefined) throw new Error('the proto was not read');
    const spec = await specOf(this.#pathsOf(source), read, (path) => this.#shown(path));
    // Titles use relative paths, so that files are the same wherever the command runs.
    return { ...spec, title: titleOf(source) };
  }

  #recordOptions(): Pick<LastRun, 'with' | 'importExtension'> {
    return { with: [...this.#wanted.with], importExtension: this.#wanted.importExtension };
  }

  #refuseObstacles(names: readonly string[]): void {
    const [first] = this.#folder.inTheWay(names);
    if (first === undefined) return;
    const path = this.#shown(resolve(this.#folder.path, first));
    throw new InputError(
      `${path} was not written by this command, which would overwrite it; move it, or name another folder with --out`,
    );
  }

  /** Returns the name of a source, with paths as the user writes them. */
  #shownTitle(source: Source): string {
    if ('a2a' in source) return titleOf(source);
    const { proto, schema } = this.#pathsOf(source);
    return titleOf({ proto: this.#shown(proto), ...(schema !== undefined && { schema: this.#shown(schema) }) });
  }

  #shown(path: string): string {
    const below = relative(this.#surroundings.cwd, path).split(sep).join('/');
    return below === '' ? '.' : below;
  }
}

/** Returns the command line that repeats a check's options. */
function commandWith({ out, a2a, proto, schema, with: list, importExtension }: TypesOptions): string {
  const options = { out, a2a, proto, schema, with: list, 'import-extension': importExtension };
  const words = Object.entries(options).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`--${name}`, /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`],
  );
  return ['npx a2a-gateway types', ...words].join(' ');
}

/** Returns the source that the options name, otherwise that of the last run. */
function sourceBy(options: TypesOptions, { path, last }: TypesFolder, cwd: string): Source {
  const { a2a, proto, schema } = options;
  if (a2a !== undefined && !builtInVersions.includes(a2a)) {
    throw new WrongOptions(`--a2a: expected one of ${builtInVersions.join(', ')}, not ${a2a}`);
  }
  if (a2a !== undefined && proto !== undefined) throw new WrongOptions('--a2a and --proto exclude each other');
  if (schema !== undefined && proto === undefined) {
    throw new WrongOptions('--schema needs --proto: a bundle alone does not say what is required');
  }
  if (a2a !== undefined) return { a2a };
  if (proto === undefined) return last?.source ?? { a2a: defaultVersion };
  const below = (file: string): string => relative(path, resolve(cwd, file)).split(sep).join('/');
  return { proto: below(proto), ...(schema !== undefined && { schema: below(schema) }) };
}

/**
 * Returns the parts and import extension that the options name, otherwise those of the last run, otherwise the
 * defaults.
 */
function wantedBy({ importExtension, with: list }: TypesOptions, { path, last }: TypesFolder): FileOptions {
  if (importExtension !== undefined && importExtension !== '.ts' && importExtension !== '.js') {
    throw new WrongOptions(`--import-extension: expected .ts or .js, not ${importExtension}`);
  }
  const named = list
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = named?.find((name) => !parts.includes(name as Part));
  if (unknown !== undefined) throw new WrongOptions(`--with: expected some of ${parts.join(', ')}, not ${unknown}`);
  const wanted = named ?? last?.with ?? ['zod', 'operations'];
  const extension: ImportExtension = importExtension ?? last?.importExtension ?? importExtensionFor(path);
  return { with: new Set(parts.filter((part) => wanted.includes(part))), importExtension: extension };
}
