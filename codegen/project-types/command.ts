import { relative, resolve, sep } from 'node:path';
import { builtInVersions, defaultVersion, readBuiltIn } from './built-in.ts';
import { type FileOptions, filesOf, type ImportExtension, type Part, parts } from './files.ts';
import { TypesFolder } from './folder.ts';
import { importExtensionFor } from './import-extension.ts';
import { InstallError } from './npm-ci.ts';
import { GeneratorError } from './plugin-process.ts';
import { descriptorsOf, digestOf, type LastRun, recordName, recordText, type Source } from './record.ts';
import { InputError, type Spec } from './spec.ts';

/** The options of `a2a-gateway types`. What is absent is as in the folder's last run, or the default. */
export interface TypesOptions {
  readonly out?: string;
  readonly a2a?: string;
  readonly proto?: string;
  readonly schema?: string;
  /** A list with commas. */
  readonly with?: string;
  readonly importExtension?: string;
  readonly check?: boolean;
}

/** What the command needs of the program. */
export interface Surroundings {
  /** Folder to which paths are relative. */
  readonly cwd: string;
  /** Version of the gateway. */
  readonly version: string;
  /** Prints results. */
  out(text: string): void;
}

/** Why the command failed; `usage` where it was called in a wrong way. */
export interface Failure {
  readonly usage?: true;
  readonly message: string;
}

/** The options are wrong. */
class WrongOptions extends Error {}

/**
 * Runs `a2a-gateway types`.
 *
 * @returns undefined when all is done
 */
export async function runTypes(options: TypesOptions, surroundings: Surroundings): Promise<Failure | undefined> {
  try {
    return await new Run(options, surroundings).run();
  } catch (error) {
    if (error instanceof WrongOptions) return { usage: true, message: error.message };
    if (userErrors.some((kind) => error instanceof kind)) return { message: (error as Error).message };
    throw error;
  }
}

/** What is wrong with inputs, with npm or with a generator, and not with this program. */
const userErrors = [InputError, InstallError, GeneratorError];

class Run {
  readonly #options: TypesOptions;
  readonly #surroundings: Surroundings;
  readonly #folder: TypesFolder;

  constructor(options: TypesOptions, surroundings: Surroundings) {
    this.#options = options;
    this.#surroundings = surroundings;
    this.#folder = new TypesFolder(resolve(surroundings.cwd, options.out ?? 'a2a'));
  }

  async run(): Promise<Failure | undefined> {
    const source = this.#source();
    const wanted = this.#wanted();
    const spec = this.#read(source);
    const files = await filesOf(spec, wanted);
    const run = this.#record(source, spec, wanted, files);
    files.set(recordName, recordText(run));
    return this.#options.check === true ? this.#check(files) : this.#write(spec, files);
  }

  #source(): Source {
    const { a2a, proto, schema } = this.#options;
    if (a2a !== undefined && !builtInVersions.includes(a2a)) {
      throw new WrongOptions(`--a2a: expected one of ${builtInVersions.join(', ')}`);
    }
    if (a2a !== undefined && proto !== undefined) throw new WrongOptions('--a2a and --proto exclude each other');
    if (schema !== undefined && proto === undefined) throw new WrongOptions('--schema needs --proto');
    if (a2a !== undefined) return { a2a };
    return this.#folder.last?.source ?? { a2a: defaultVersion };
  }

  #wanted(): FileOptions {
    const last = this.#folder.last;
    const { importExtension, with: list } = this.#options;
    if (importExtension !== undefined && importExtension !== '.ts' && importExtension !== '.js') {
      throw new WrongOptions('--import-extension: expected .ts or .js');
    }
    const named = list?.split(',').map((name) => name.trim());
    const unknown = named?.find((name) => name !== '' && !parts.includes(name as Part));
    if (unknown !== undefined) throw new WrongOptions(`--with: expected some of ${parts.join(', ')}, not ${unknown}`);
    const wanted = named ?? last?.with ?? ['zod', 'operations'];
    const extension: ImportExtension =
      importExtension ?? last?.importExtension ?? importExtensionFor(this.#folder.path);
    return { with: new Set(parts.filter((part) => wanted.includes(part))), importExtension: extension };
  }

  #read(source: Source): Spec {
    if ('a2a' in source) return readBuiltIn(source.a2a);
    throw new InputError('not yet');
  }

  #record(source: Source, spec: Spec, wanted: FileOptions, files: ReadonlyMap<string, string>): LastRun {
    return {
      source,
      inputs: digestOf(spec.title),
      with: [...wanted.with],
      importExtension: wanted.importExtension,
      gateway: this.#surroundings.version,
      files: Object.fromEntries([...files].map(([name, text]) => [name, digestOf(text)])),
      proto: spec.model.file,
      descriptors: descriptorsOf(spec),
      ...(spec.definitions && { definitions: spec.definitions }),
    };
  }

  #check(files: ReadonlyMap<string, string>): Failure | undefined {
    const stale = this.#folder.differing(files);
    if (stale.length === 0) return undefined;
    return { message: `${this.#shown()} is not up to date: ${stale.join(', ')}; run npx a2a-gateway types` };
  }

  async #write(spec: Spec, files: ReadonlyMap<string, string>): Promise<Failure | undefined> {
    const obstacles = this.#folder.inTheWay([...files.keys()].filter((name) => name !== recordName));
    if (obstacles.length > 0) {
      const [first] = obstacles;
      throw new InputError(
        `${this.#shown(first)} was not written by this command and would be overwritten; move it, or name another folder with --out`,
      );
    }
    const changed = this.#folder.differing(files);
    await this.#folder.write(
      new Map([...files].filter(([name]) => changed.includes(name))),
      this.#folder.obsolete(files),
    );
    this.#surroundings.out(`${spec.title} in ${this.#shown()}: ${[...files.keys()].join(', ')}\n`);
    return undefined;
  }

  #shown(name = ''): string {
    const path = relative(this.#surroundings.cwd, resolve(this.#folder.path, name)).split(sep).join('/');
    return path === '' ? '.' : path;
  }
}
