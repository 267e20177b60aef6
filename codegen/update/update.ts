import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readComments } from '../comments.ts';
import { dialectPages } from '../dialect-pages.ts';
import { writeFiles, writePages } from '../generate.ts';
import { ProtoError } from '../image.ts';
import type { Model } from '../model.ts';
import { canonicalModel, outputs, type Target, targets, versionModels } from '../outputs.ts';
import { VersionError } from '../since.ts';
import { versions } from '../versions.ts';
import { type Change, changeLine } from './diff.ts';
import { type Inputs, readInputs, replaceInputs, replaceLater } from './inputs.ts';
import { cleanedUp } from './interrupted.ts';
import { leftToWrite, rowsToAdd } from './left.ts';
import { type Loss, newLosses, unknownNames } from './losses.ts';
import type { Place } from './mentions.ts';
import { type Progress, quiet } from './progress.ts';
import { type CompilerError, changedFiles, compile, copyProject, moveFiles } from './project.ts';
import { declarationsIn } from './sources.ts';
import { namedErrors, type Touched, touchedDocuments, touchedOperations, touchedScopes } from './touched.ts';

/** Options of `specUpdate`. */
export interface UpdateOptions {
  /** Project to update. */
  readonly root: string;
  /** Name of the version of A2A 1.x to update. Default: the newest published version. */
  readonly target?: string;
  /** Path of the new proto. Absent: the proto is kept. */
  readonly proto?: string;
  /**
   * Path of the new JSON Schema bundle. Absent: the bundle is kept if it fits the proto, and otherwise generated from
   * it.
   */
  readonly schema?: string;
  /** Whether only to report, without writing files. */
  readonly dryRun?: boolean;
  /** Whether to accept changes that remove, rename or retype names used by clients, agents and stored tasks. */
  readonly breaking?: boolean;
  /** Reports steps that take long. Default: nothing is reported. */
  readonly progress?: Progress;
}

/** Result of an update. Its members are those of the `--json` output. */
export interface UpdateReport {
  readonly result: 'updated' | 'unchanged' | 'refused';
  readonly dryRun: boolean;
  /** Reasons for refusing the update; empty if it was not refused. */
  readonly refused: readonly string[];
  readonly changes: readonly Change[];
  /** Resulting changes in later versions of A2A 1.x. */
  readonly later: readonly { readonly version: string; readonly changes: readonly Change[] }[];
  /** Number of declarations with other comments. The project's comments are kept. */
  readonly comments: number;
  /** Whether the bundle was generated from the proto. */
  readonly generatedSchema: boolean;
  /** New elements that the dialects before A2A 1.0 cannot express. */
  readonly losses: readonly Loss[];
  readonly touched: Touched;
  /** Places that must be written or checked by hand. */
  readonly left: readonly Place[];
  /** Dialect tables to which rows can be added to convert new elements. */
  readonly rows: readonly Place[];
  /** Files that are written, or would be written. */
  readonly files: readonly string[];
}

/** Error: the update was refused. Nothing has changed. */
export class RefusedUpdate extends Error {
  readonly report: UpdateReport;

  constructor(report: UpdateReport) {
    super(report.refused.join('\n'));
    this.report = report;
  }
}

/**
 * Adopts a new version of the proto and its bundle: checks them, generates code, compiles, and reports the
 * consequences. All work is done in a copy of the project, from which files are moved at the end.
 *
 * @throws RefusedUpdate for a change that breaks names or numbers; Error with the message of buf, of the bundle's
 * reader or of the agreement check for invalid inputs
 */
export async function specUpdate(options: UpdateOptions): Promise<UpdateReport> {
  const { proto, schema } = options;
  const target = targetOf(options.target ?? stableVersion);
  for (const path of [proto, schema])
    if (path !== undefined && !existsSync(path)) throw new Error(`${path}: no such file`);
  const work = mkdtempSync(join(tmpdir(), 'a2a-spec-update-'));
  const copy = join(work, 'project');
  const update = new Update(options, target, copy);
  return await cleanedUp(
    (signal) =>
      update.run(signal).catch((error) => {
        // The compiler's messages contain paths of the copy, which no longer exists.
        if (error instanceof ProtoError) throw new ProtoError(error.message.replaceAll(join(copy, '/'), ''));
        throw error;
      }),
    () => rmSync(work, { recursive: true, force: true }),
  );
}

/** A single update, in a copy of the project. */
class Update {
  readonly #options: UpdateOptions;
  readonly #target: Target;
  readonly #copy: string;
  readonly #progress: Progress;

  constructor(options: UpdateOptions, target: Target, copy: string) {
    this.#options = options;
    this.#target = target;
    this.#copy = copy;
    this.#progress = options.progress ?? quiet;
  }

  async run(signal: AbortSignal): Promise<UpdateReport> {
    const { root, dryRun = false, breaking = false } = this.#options;
    const copy = this.#copy;
    const before = await this.#progress.step('reading the protos of the project', () => readInputs(root, this.#target));
    await this.#progress.step('copying the project', () => copyProject(root, copy));
    const start = await this.#progress.step('reading the new proto', () => this.#replace(before));
    // If the inputs are unchanged, there is nothing to generate or compile.
    if (changedFiles(root, copy).length === 0) return { ...start, result: 'unchanged' };
    const after = await this.#progress.step('generating code', () => this.#generate(start));
    const files = changedFiles(root, copy);
    const errors = await this.#progress.step('compiling the project', () => newErrors(root, copy, signal));
    const report = await this.#progress.step('looking for what is left to write', () =>
      describeUpdate(root, copy, this.#target, { before, after, changes: start.changes, errors }),
    );
    const renamed = start.changes.filter(({ breaks }) => breaks === 'names');
    const refused = breaking ? [] : namesRefusal(renamed, report.left);
    const result = refused.length > 0 ? 'refused' : 'updated';
    const whole: UpdateReport = { ...start, ...report, result, refused, files };
    if (refused.length > 0) throw new RefusedUpdate(whole);
    if (!dryRun) moveFiles(files, copy, root);
    return whole;
  }

  /** Replaces the inputs of the copy, including those of later versions. */
  async #replace(before: Inputs): Promise<UpdateReport> {
    const { root, proto, schema, dryRun = false } = this.#options;
    const { changes, comments, generated } = await replaceInputs(this.#copy, this.#target, before.proto, proto, schema);
    const later = await replaceAllLater(root, this.#copy, this.#target);
    const start: UpdateReport = { ...empty(dryRun), changes, later, comments, generatedSchema: generated };
    const refused = numbersRefusal([changes, ...later.map((one) => one.changes)].flat());
    if (refused.length > 0) throw new RefusedUpdate({ ...start, refused });
    return start;
  }

  /** Writes the generated code and dialect pages of the copy. */
  async #generate(start: UpdateReport): Promise<Inputs> {
    const after = await readInputs(this.#copy, this.#target);
    const generated = await outputs(after.described).catch((error) => {
      if (!(error instanceof VersionError)) throw error;
      throw new RefusedUpdate({ ...start, refused: error.message.split('\n') });
    });
    writeFiles(generated, join(this.#copy, 'src', 'gen'));
    const docs = join(this.#copy, 'docs', 'dialects');
    writePages(dialectPages(canonicalModel(after.described), docs), docs);
    return after;
  }
}

/** Returns the compiler errors in the copy that the project did not have before. */
async function newErrors(root: string, copy: string, signal: AbortSignal): Promise<CompilerError[]> {
  const errors = await compile(copy, signal);
  if (errors.length === 0) return errors;
  const known = new Set((await compile(root, signal)).map(({ file, message }) => `${file} ${message}`));
  return errors.filter(({ file, message }) => !known.has(`${file} ${message}`));
}

/** Name of the newest published version of A2A 1.x. */
export const stableVersion: string = (versions.find(({ preview }) => !preview) ?? versions[0]).name;

/** Names of the versions that can be updated. */
export const updatable: readonly string[] = versions.map(({ name }) => name);

function targetOf(version: string): Target {
  const target = targets.find((one) => one.version === version);
  if (!target) throw new Error(`${version} is not a version of A2A 1.x; expected one of ${updatable.join(', ')}`);
  return target;
}

function modelOf({ described }: Inputs, target: Target): Model {
  const found = described.find((entry) => entry.target === target);
  if (!found) throw new Error(`${target.dir} was not described`);
  return found.model;
}

/** Applies the changes of one version to all later versions. */
async function replaceAllLater(root: string, copy: string, target: Target): Promise<UpdateReport['later']> {
  const [was, is] = [root, copy].map((dir) => readFileSync(join(dir, 'proto', target.proto), 'utf8')) as [
    string,
    string,
  ];
  const later =
    was === is ? [] : targets.slice(0, targets.indexOf(target)).filter(({ version }) => version !== undefined);
  const found: { readonly version: string; readonly changes: readonly Change[] }[] = [];
  for (const one of later) found.push({ version: one.dir, changes: (await replaceLater(copy, one, was, is)).changes });
  return found;
}

function empty(dryRun: boolean): UpdateReport {
  const touched = { operations: [], scopes: [], movedScopes: [], errors: [], documents: [] };
  const lists = { refused: [], changes: [], later: [], losses: [], left: [], rows: [], files: [] };
  return { result: 'refused', dryRun, comments: 0, generatedSchema: false, touched, ...lists };
}

/** Findings of an update. */
interface Found {
  readonly before: Inputs;
  readonly after: Inputs;
  readonly changes: readonly Change[];
  readonly errors: readonly CompilerError[];
}

/** Describes the effects of the changes on the rest of the project. */
function describeUpdate(
  root: string,
  copy: string,
  target: Target,
  { before, after, changes, errors }: Found,
): Pick<UpdateReport, 'losses' | 'touched' | 'left' | 'rows'> {
  const was = modelOf(before, target);
  const is = modelOf(after, target);
  const declarations = declarationsIn(root, 'src');
  const reached = [...touchedOperations(before.proto.file, changes), ...touchedOperations(after.proto.file, changes)];
  const operations = [...new Set(reached)];
  const comments = readComments(after.proto.file.proto);
  return {
    losses: [
      ...newLosses(versionModels(before.described), versionModels(after.described)),
      ...unknownNames(target.dir, declarations, changes),
    ],
    touched: {
      operations,
      ...touchedScopes(was.operations, is.operations, operations),
      errors: namedErrors(changes, comments, after.proto.file),
      documents: touchedDocuments(root, changes, before.proto.file),
    },
    left: leftToWrite({
      copy,
      changes,
      declarations,
      before: before.proto.file,
      was,
      model: is,
      canonical: canonicalModel(after.described),
      errors,
    }),
    rows: rowsToAdd(declarations, changes),
  };
}

/** @param changes changes of several versions, possibly with duplicates */
function numbersRefusal(changes: readonly Change[]): string[] {
  const named = new Set(
    changes.filter(({ breaks }) => breaks === 'numbers').map((change) => `  ${changeLine(change)}`),
  );
  if (named.size === 0) return [];
  return [
    'Numbers of the proto have changed. Protobuf messages of other programs would be misread, so the update cannot be adopted:',
    ...named,
  ];
}

function namesRefusal(changes: readonly Change[], left: readonly Place[]): string[] {
  if (changes.length === 0) return [];
  const named = changes.map((change) => {
    const users = left.filter(({ why }) => new RegExp(`(?<!\\w)${change.word}(?!\\w)`).test(why));
    const places = [...new Set(users.map(({ file, name }) => (name ? `${file} ${name}` : file)))];
    const more = places.length > 2 ? ` and ${places.length - 2} more places` : '';
    const use = places.length > 0 ? `; used in ${places.slice(0, 2).join(', ')}${more}` : '';
    return `  ${changeLine(change)}${use}`;
  });
  return [
    'Names that clients, agents and stored tasks use are removed, renamed or retyped. --breaking accepts these changes:',
    ...named,
  ];
}
