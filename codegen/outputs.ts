import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Bundle, type BundleField, bundleOf, joined, readBundle, SchemaError, withFinite } from './bundle.ts';
import { type Disagreement, disagreements } from './check.ts';
import { clientSources } from './clients.ts';
import { header, quote } from './emit.ts';
import { fieldsSource } from './fields.ts';
import { guardsSource } from './guards.ts';
import { helpSource } from './help.ts';
import { buildImage, type Image, neededFiles, ProtoError, runtimeImage } from './image.ts';
import { type SchemaTarget, schemaFiles } from './json-schema.ts';
import { describe, describeFiles, type Model, staleRows } from './model.ts';
import { indexSource, operationsSource, servicesSource } from './operations.ts';
import { type Overlay, overlay as projectOverlay } from './overlay.ts';
import { markedModel } from './since.ts';
import { typesSource } from './types.ts';
import { canonicalHelpSource, canonicalImageSource, canonicalSource, versionsSource } from './version-table.ts';
import { versionPackage, versionProto, versions } from './versions.ts';

/** A service for which code is generated. */
export interface Target {
  /** Output folder, below that of all generated code. */
  readonly dir: string;
  /** Path of the proto file below `proto/`. */
  readonly proto: string;
  readonly package: string;
  /** JSON Schema bundle in `codegen/schemas`. Absent: shapes are derived from the proto alone. */
  readonly schema?: string;
  /**
   * Set if the program itself uses the operations, in which every call is expressed. Absent: they exist only on the
   * wire.
   */
  readonly own?: true;
  /** Set if the program shows the proto's comments. */
  readonly help?: true;
  /** Name of the version of A2A 1.x. Code is generated for the newest, from which the program derives the others. */
  readonly version?: string;
  /** Set if typed clients are generated: their folder below `clients/`, and their value of `A2A-Version`. */
  readonly client?: { readonly dir: string; readonly version: string };
}

/** The version of A2A 1.x for typed clients. */
const published = versions.find(({ preview }) => preview === undefined) ?? versions[0];

const versionTargets = versions.map(
  ({ name, version }, at): Target => ({
    dir: name,
    proto: `${name}/${versionProto}`,
    package: versionPackage,
    schema: `${name}.json`,
    version: name,
    ...(at === 0 && { own: true, help: true }),
    ...(name === published.name && { client: { dir: 'v1', version } }),
  }),
);

export const targets: readonly Target[] = [
  ...versionTargets,
  { dir: 'a2a-v0_3', proto: 'a2a/v1/a2a.proto', package: 'a2a.v1', client: { dir: 'v0_3', version: '0.3' } },
  {
    dir: 'knowledge-v1',
    proto: 'a2agateway/knowledge/v1/knowledge.proto',
    package: 'a2agateway.knowledge.v1',
    schema: 'knowledge.json',
    own: true,
    help: true,
  },
  {
    dir: 'admin-v1',
    proto: 'a2agateway/admin/v1/admin.proto',
    package: 'a2agateway.admin.v1',
    own: true,
    help: true,
  },
];

/** Dialects whose shapes are described only by a JSON Schema. */
export const schemaTargets: readonly SchemaTarget[] = [
  { dir: 'agentvault-0.2', schema: 'agentvault-0.2.json', guarded: true },
  { dir: 'a2a-0.3', schema: 'a2a-0.3.json', guarded: true },
  { dir: 'a2a-0.2', schema: 'a2a-0.2.json', differences: true },
  { dir: 'a2a-0.1', schema: 'a2a-0.1.json', guarded: true },
  { dir: 'a2a-php-0.3', schema: 'a2a-php-0.3.json', guarded: true },
];

/** Protos with further messages that gRPC needs. Field tables are generated for them. */
const grpcProtos = [
  'google/protobuf/any.proto',
  'google/rpc/status.proto',
  'google/rpc/error_details.proto',
  'grpc/health/v1/health.proto',
  'grpc/reflection/v1/reflection.proto',
];

/** A service that reflection describes in addition. Its messages are those of v1. */
const describedProtos = ['grpc/reflection/v1alpha/reflection.proto'];

/** Error: a proto and its bundle contradict each other. */
export class DisagreementError extends Error {}

/** Error: the overlay refers to names that a proto lacks. */
export class StaleOverlayError extends Error {}

/** Returns the compiled protos of a version of A2A 1.x. Each image also contains all other protos. */
export type Images = (version?: string) => Image;

/** Returns the images of a folder of protos. Each is compiled on first use and may throw ProtoError. */
export const imagesOf =
  (protoDir: string): Images =>
  (version) =>
    buildImage(protoDir, version);

/** A target whose inputs have been read. */
export interface Described {
  readonly target: Target;
  readonly image: Image;
  readonly model: Model;
  readonly bundle: Bundle;
}

/**
 * Reads the inputs of all targets and compares each proto with its bundle.
 *
 * @param schemaFile returns the path of a target's bundle
 * @throws SchemaError, DisagreementError
 */
export function describeAll(
  images: Images,
  schemaFile: (target: Target) => string | undefined,
  overlay: Overlay = projectOverlay,
): Described[] {
  return targets.map((target) => {
    const image = images(target.version);
    const model = describe(image, target.proto, overlay);
    if (model.package !== target.package) {
      throw new ProtoError(`${target.proto}: package ${model.package}, expected ${target.package}`);
    }
    const path = schemaFile(target);
    if (path === undefined) return { target, image, model, bundle: bundleOf(model) };
    const bundle = readBundle(readJson(path), model);
    const differences = disagreements(model, bundle, overlay);
    if (differences.length > 0) {
      throw new DisagreementError(`${target.proto} and its JSON Schema disagree:\n${inLines(model, differences)}`);
    }
    return { target, image, model: withFinite(model, bundle), bundle: joined(model, bundle) };
  });
}

/** Maximum number of reported differences. An unrelated bundle differs in everything. */
const maxDifferences = 20;

function inLines({ package: pkg }: Model, differences: readonly Disagreement[]): string {
  const lines = differences.slice(0, maxDifferences).map(({ at, says }) => `  ${pkg}.${at}: ${says}`);
  const more = differences.length - lines.length;
  return [...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n');
}

/** @throws StaleOverlayError if an overlay row matches no version of its package any more */
export function checkOverlay(described: readonly Described[], overlay: Overlay = projectOverlay): void {
  const stale = described.map(({ model }) => ({ package: model.package, names: staleRows(model, overlay) }));
  const inAll = (name: string, pkg: string): boolean =>
    stale.every((one) => one.package !== pkg || one.names.includes(name));
  const gone = new Set(stale.flatMap((one) => one.names.filter((name) => inAll(name, one.package))));
  if (gone.size === 0) return;
  throw new StaleOverlayError(`codegen/overlay.ts names what the protos lack:\n  ${[...gone].join('\n  ')}`);
}

/** Returns the versions of A2A 1.x, newest first. */
export function versionModels(described: readonly Described[]): readonly [Model, ...Model[]] {
  const [newest, ...older] = described.filter(({ target }) => target.version !== undefined);
  if (!newest) throw new Error('no version of A2A 1.x was described');
  return [newest.model, ...older.map(({ model }) => model)];
}

/**
 * Returns the form of all data in memory, to which dialect tables refer: the newest version of A2A 1.x with version
 * marks.
 */
export const canonicalModel = (described: readonly Described[]): Model => markedModel(versionModels(described));

/**
 * Returns all generated files by path below the output folder. The result is deterministic.
 *
 * @param beforeTables called with the files that depend only on protos and schemas, before the dialect tables are
 * loaded. The tables import these files, so they can be written first
 * @throws VersionError if an older version of A2A 1.x is not the newest one without later additions
 */
export async function outputs(
  described: readonly Described[],
  beforeTables?: (files: ReadonlyMap<string, string>) => void,
): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const canonical = canonicalModel(described);
  const sharedImage = described[0]?.image as Image;
  const shared = described.filter(({ target }) => target.version === undefined);
  const grpcFiles = grpcProtos.filter((file) => has(sharedImage, file));
  const grpcModel = describeFiles(sharedImage, grpcFiles, projectOverlay);
  const grpcSource = grpcFiles.map((file) => `proto/${file}`).join(', ');
  files.set('grpc/fields.ts', fieldsSource(grpcModel, grpcSource));
  const ofVersions = described.filter(({ target }) => target.version !== undefined);
  for (const { target, ...one } of described) {
    const isNewest = target.version === versions[0].name;
    const model = isNewest ? canonical : one.model;
    if (target.version !== undefined && !isNewest) continue;
    const bundle = isNewest ? canonicalBundle(canonical, ofVersions) : one.bundle;
    const proto = `proto/${model.file}`;
    const both = target.schema ? `${proto} and codegen/schemas/${target.schema}` : proto;
    files.set(`${target.dir}/types.ts`, await typesSource(model, bundle, both));
    files.set(`${target.dir}/guards.ts`, guardsSource(model, bundle, both));
    files.set(`${target.dir}/operations.ts`, operationsSource(model, `${proto} and codegen/overlay.ts`));
    files.set(`${target.dir}/fields.ts`, fieldsSource(model, `${both} and codegen/overlay.ts`));
    files.set(`${target.dir}/index.ts`, indexSource(model, proto));
    if (target.help) files.set(`${target.dir}/help.ts`, helpSource(model, isNewest ? ofVersions : [one], proto));
  }
  for (const [path, text] of clientFiles(described, canonical)) files.set(`clients/${path}`, text);
  for (const { dir, schema, ...target } of schemaTargets) {
    const json = readJson(fileURLToPath(new URL(`schemas/${schema}`, import.meta.url)));
    const generated = await schemaFiles(json, `codegen/schemas/${schema}`, target);
    for (const [name, text] of Object.entries(generated)) files.set(`${dir}/${name}`, text);
  }
  const own = described
    .filter(({ target }) => target.own)
    .map(({ target, model }) => ({ dir: target.dir, model: target.version === undefined ? model : canonical }));
  files.set('services.ts', servicesSource(own));
  files.set('versions.ts', versionsSource());
  files.set('canonical.ts', canonicalSource());
  files.set('canonical-help.ts', canonicalHelpSource());
  files.set('canonical-image.ts', canonicalImageSource());
  const imageRoots = [
    ...shared.map(({ model }) => model.file),
    ...grpcFiles,
    ...describedProtos.filter((file) => has(sharedImage, file)),
  ];
  const known = neededFiles(sharedImage, imageRoots);
  files.set(
    'image.ts',
    imageSource('the services that all versions of A2A 1.x share', runtimeImage(sharedImage, imageRoots)),
  );
  for (const { target, image, model } of described) {
    if (target.version === undefined) continue;
    const bytes = runtimeImage(image, [model.file], known);
    files.set(`${target.dir}/image.ts`, imageSource(`${target.version}, without what \`gen/image.ts\` has`, bytes));
  }
  beforeTables?.(files);
  const { mappings, recordsSource } = await import('./records.ts');
  for (const [name, mapping] of Object.entries(mappings)) {
    files.set(`dialects/${name}.ts`, recordsSource(name, mapping, canonical));
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the shapes of the canonical form, each with the descriptions of the newest bundle that contains it. */
function canonicalBundle(canonical: Model, [newest, ...older]: readonly Described[]): Bundle {
  if (!newest) throw new Error('no version of A2A 1.x was described');
  const words = older.reduce(({ messages, enums }: Bundle, { bundle }): Bundle => {
    const beside = messages.map((message) => {
      const other = bundle.messages.find(({ name }) => name === message.name)?.fields ?? [];
      const isNew = ({ jsonName }: BundleField): boolean =>
        !message.fields.some((field) => field.jsonName === jsonName);
      return { ...message, fields: [...message.fields, ...other.filter(isNew)] };
    });
    const others = bundle.messages.filter(({ name }) => !messages.some((message) => message.name === name));
    return { messages: [...beside, ...others], enums };
  }, newest.bundle);
  return joined(canonical, words);
}

/** Returns the files of typed gRPC clients, by path below `clients/`. */
function clientFiles(described: readonly Described[], canonical: Model): Map<string, string> {
  const files = new Map<string, string>();
  const rows: string[] = [];
  for (const { target, image, model } of described) {
    if (!target.client) continue;
    const { dir, version } = target.client;
    const isOlder = target.version !== undefined;
    const whole = isOlder ? canonical : model;
    const sources = clientSources({ image, model, whole, dir: isOlder ? versions[0].name : target.dir });
    for (const [name, text] of Object.entries(sources)) files.set(`${dir}/${name}`, text);
    rows.push(`  ${quote(model.service)}: ${quote(version)},\n`);
  }
  files.set(
    'versions.ts',
    `${header('codegen/outputs.ts')}
/** The value of \`A2A-Version\` by service. */
export const versions: Readonly<Record<string, string>> = {
${rows.join('')}};
`,
  );
  return files;
}

function has(image: Image, file: string): boolean {
  return image.set.file.some(({ name }) => name === file);
}

/**
 * Returns the source of a module with descriptors for reflection. A separate module, because it is big and rarely
 * needed.
 */
function imageSource(what: string, bytes: Uint8Array): string {
  return `${header('proto/')}
/** The descriptors of ${what}: a serialised google.protobuf.FileDescriptorSet in base64. */
export const image: string =
  ${quote(Buffer.from(bytes).toString('base64'))};
`;
}

function readJson(path: string): unknown {
  if (!existsSync(path)) throw new SchemaError(`${path}: no such file`);
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new SchemaError(`${path}: not JSON: ${(error as Error).message}`);
  }
}
