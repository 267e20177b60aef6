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
import type { Change } from './diff.ts';
import { type Inputs, readInputs, replaceInputs, replaceLater } from './inputs.ts';
import { leftToWrite, rowsToAdd } from './left.ts';
import { type Loss, newLosses, unknownNames } from './losses.ts';
import type { Place } from './mentions.ts';
import { changedFiles, compile, copyProject, moveFiles } from './project.ts';
import { declarationsIn } from './sources.ts';
import { namedErrors, type Touched, touchedDocuments, touchedOperations, touchedScopes } from './touched.ts';

/** What `specUpdate` needs to know. */
export interface UpdateOptions {
  /** The project to update. */
  readonly root: string;
  /** Name of the version of A2A 1.x to update. Default: the newest that is published. */
  readonly target?: string;
  /** The new proto; absent: it stays. */
  readonly proto?: string;
  /** The new JSON Schema bundle; absent: it stays if it fits the proto, and is made from the proto if not. */
  readonly schema?: string;
  /** Report only. */
  readonly dryRun?: boolean;
  /** Take in what removes, renames or retypes names that clients, agents and stored tasks use. */
  readonly breaking?: boolean;
}

/** What an update changes. The names of these members are those of `--json`. */
export interface UpdateReport {
  readonly result: 'updated' | 'unchanged' | 'refused';
  readonly dryRun: boolean;
  /** Why it was refused; empty if it was not. */
  readonly refused: readonly string[];
  readonly changes: readonly Change[];
  /** What changes in the later versions of A2A 1.x by that. */
  readonly later: readonly { readonly version: string; readonly changes: readonly Change[] }[];
  /** How many declarations have other comments; the project keeps its own. */
  readonly comments: number;
  /** Whether the bundle was made from the proto. */
  readonly generatedSchema: boolean;
  /** What the dialects before A2A 1.0 cannot say of what is new. */
  readonly losses: readonly Loss[];
  readonly touched: Touched;
  /** What is left to write or to check by hand. */
  readonly left: readonly Place[];
  /** Tables of dialects to which rows may be added, so that they carry what is new. */
  readonly rows: readonly Place[];
  /** Files that are written, or would be. */
  readonly files: readonly string[];
}

/** The update was refused. Nothing has changed. */
export class RefusedUpdate extends Error {
  readonly report: UpdateReport;

  constructor(report: UpdateReport) {
    super(report.refused.join('\n'));
    this.report = report;
  }
}

/**
 * Takes in a new version of the proto and its bundle: checks them, generates the code, compiles, and says what that means.
 * All is done in a copy of the project; files are moved from there at the end.
 *
 * @throws RefusedUpdate for a change that breaks names or numbers; Error with the words of buf, of the bundle's reader or
 *   of the agreement check for bad inputs
 */
export async function specUpdate(options: UpdateOptions): Promise<UpdateReport> {
  const { root, proto, schema, dryRun = false, breaking = false } = options;
  const target = targetOf(options.target ?? stableVersion);
  for (const path of [proto, schema])
    if (path !== undefined && !existsSync(path)) throw new Error(`${path}: no such file`);
  const before = readInputs(root, target);
  const work = mkdtempSync(join(tmpdir(), 'a2a-spec-update-'));
  const copy = join(work, 'project');
  try {
    copyProject(root, copy);
    const { changes, comments, generated: generatedSchema } = replaceInputs(copy, target, before.proto, proto, schema);
    const later = replaceAllLater(root, copy, target);
    const start: UpdateReport = { ...empty(dryRun), changes, later, comments, generatedSchema };
    const reused = [changes, ...later.map((one) => one.changes)].flat().filter(({ breaks }) => breaks === 'numbers');
    if (reused.length > 0) throw new RefusedUpdate({ ...start, refused: numbersRefusal(reused) });
    // Nothing to generate and to compile where the inputs are the same.
    if (changedFiles(root, copy).length === 0) return { ...start, result: 'unchanged' };
    const after = readInputs(copy, target);
    const generated = await outputs(after.described).catch((error) => {
      if (!(error instanceof VersionError)) throw error;
      throw new RefusedUpdate({ ...start, refused: error.message.split('\n') });
    });
    writeFiles(generated, join(copy, 'src', 'gen'));
    const docs = join(copy, 'docs', 'dialects');
    writePages(dialectPages(canonicalModel(after.described), docs), docs);
    const files = changedFiles(root, copy);
    const report = describeUpdate(root, copy, target, before, after, changes);
    const renamed = changes.filter(({ breaks }) => breaks === 'names');
    const refused = breaking ? [] : namesRefusal(renamed, report.left);
    const result = refused.length > 0 ? 'refused' : 'updated';
    const whole: UpdateReport = { ...start, ...report, result, refused, files };
    if (refused.length > 0) throw new RefusedUpdate(whole);
    if (!dryRun) moveFiles(files, copy, root);
    return whole;
  } catch (error) {
    // The compiler names the files of the copy, which is gone afterwards.
    if (error instanceof ProtoError) throw new ProtoError(error.message.replaceAll(join(copy, '/'), ''));
    throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The newest version of A2A 1.x that is published. */
export const stableVersion: string = (versions.find(({ preview }) => !preview) ?? versions[0]).name;

/** The names of the versions that can be updated. */
export const updatable: readonly string[] = versions.map(({ name }) => name);

function targetOf(version: string): Target {
  const target = targets.find((one) => one.version === version);
  if (!target) throw new Error(`${version} is no version of A2A 1.x; expected one of ${updatable.join(', ')}`);
  return target;
}

function modelOf({ described }: Inputs, target: Target): Model {
  const found = described.find((entry) => entry.target === target);
  if (!found) throw new Error(`${target.dir} was not described`);
  return found.model;
}

/** Brings the change of one version to all later ones. */
function replaceAllLater(root: string, copy: string, target: Target): UpdateReport['later'] {
  const [was, is] = [root, copy].map((dir) => readFileSync(join(dir, 'proto', target.proto), 'utf8')) as [
    string,
    string,
  ];
  const later =
    was === is ? [] : targets.slice(0, targets.indexOf(target)).filter(({ version }) => version !== undefined);
  return later.map((one) => ({ version: one.dir, changes: replaceLater(copy, one, was, is).changes }));
}

function empty(dryRun: boolean): UpdateReport {
  const touched = { operations: [], scopes: [], movedScopes: [], errors: [], documents: [] };
  const lists = { refused: [], changes: [], later: [], losses: [], left: [], rows: [], files: [] };
  return { result: 'refused', dryRun, comments: 0, generatedSchema: false, touched, ...lists };
}

/** What the changes mean for the rest of the project. */
function describeUpdate(
  root: string,
  copy: string,
  target: Target,
  before: Inputs,
  after: Inputs,
  changes: readonly Change[],
): Pick<UpdateReport, 'losses' | 'touched' | 'left' | 'rows'> {
  const [was, is] = [modelOf(before, target), modelOf(after, target)];
  const declarations = declarationsIn(root, 'src');
  const reached = [...touchedOperations(before.proto.file, changes), ...touchedOperations(after.proto.file, changes)];
  const operations = [...new Set(reached)];
  const comments = readComments(after.proto.file.proto);
  // The compiler's messages about the project as it is are not about the update.
  const errors = compile(copy);
  const known = new Set(errors.length === 0 ? [] : compile(root).map(({ file, message }) => `${file} ${message}`));
  const newErrors = errors.filter(({ file, message }) => !known.has(`${file} ${message}`));
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
    left: leftToWrite({ copy, changes, declarations, before: before.proto.file, was, model: is, errors: newErrors }),
    rows: rowsToAdd(declarations, changes),
  };
}

function numbersRefusal(changes: readonly Change[]): string[] {
  const named = changes.map(({ change, kind, name, detail }) => `  ${change} ${kind} ${name}: ${detail}`);
  return [
    'Numbers of the proto have changed. Protobuf messages of other programs would be misread, so this cannot be taken in:',
    ...named,
  ];
}

function namesRefusal(changes: readonly Change[], left: readonly Place[]): string[] {
  if (changes.length === 0) return [];
  const named = changes.map(({ change, kind, name, detail, word }) => {
    const users = left.filter(({ why }) => new RegExp(`(?<!\\w)${word}(?!\\w)`).test(why));
    const places = [...new Set(users.map(({ file, name }) => (name ? `${file} ${name}` : file)))];
    const more = places.length > 2 ? ` and ${places.length - 2} more places` : '';
    const use = places.length > 0 ? `; used in ${places.slice(0, 2).join(', ')}${more}` : '';
    return `  ${change} ${kind} ${name}${detail ? `: ${detail}` : ''}${use}`;
  });
  return [
    'Names that clients, agents and stored tasks use are removed, renamed or retyped. --breaking takes this in:',
    ...named,
  ];
}
