import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { generate, writeFiles, writePages } from '../../codegen/generate.ts';
import { versionProto, versions } from '../../codegen/versions.ts';
import type { Api } from '../../src/gen/api.ts';
import { newFolder } from './folders.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A copy of the project's inputs that a test may change. */
export interface Inputs {
  readonly dir: string;
  /** Import root of the protos. */
  readonly protoDir: string;
  /** Folder of the JSON Schema bundles. */
  readonly schemaDir: string;
  /** Proto of the newest version of A2A 1.x. */
  readonly protoFile: string;
  /** Its JSON Schema bundle. */
  readonly schemaFile: string;
  /** Replaces text in the protos of all versions of A2A 1.x; the text must be there. */
  editProto(from: string, to: string): void;
  /** Changes the parsed bundles of all versions in place. */
  editSchema(change: (bundle: { definitions: Record<string, object> }) => void): void;
}

/** Copies the protos and the bundle into a temporary folder in which generated code finds its imports. */
export function copyInputs(): Inputs {
  const dir = newFolder();
  const protoDir = join(dir, 'proto');
  const schemaDir = join(dir, 'schemas');
  const protoOf = ({ name }: { name: string }): string => join(protoDir, name, versionProto);
  const schemaOf = ({ name }: { name: string }): string => join(schemaDir, `${name}.json`);
  cpSync(join(root, 'proto'), protoDir, { recursive: true });
  cpSync(join(root, 'codegen', 'schemas'), schemaDir, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'), 'dir');
  writeFileSync(join(dir, 'package.json'), '{ "type": "module" }\n');
  return {
    dir,
    protoDir,
    schemaDir,
    protoFile: protoOf(versions[0]),
    schemaFile: schemaOf(versions[0]),
    editProto(from, to) {
      for (const file of versions.map(protoOf)) {
        const text = readFileSync(file, 'utf8');
        if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
        writeFileSync(
          file,
          text.replace(from, () => to),
        );
      }
    },
    editSchema(change) {
      for (const file of versions.map(schemaOf)) {
        const bundle = JSON.parse(readFileSync(file, 'utf8'));
        change(bundle);
        writeFileSync(file, JSON.stringify(bundle));
      }
    },
  };
}

/** Adds `rpc PauseTask(PauseTaskRequest) returns (Task)`, POST /tasks/{id=*}:pause, to a copy of the inputs. */
export function addPauseTask(inputs: Inputs): void {
  inputs.editProto(
    'service A2AService {\n',
    `service A2AService {
  // Asks the agent to rest.
  rpc PauseTask(PauseTaskRequest) returns (Task) {
    option (google.api.http) = {
      post: "/tasks/{id=*}:pause"
      body: "*"
      additional_bindings {
        post: "/{tenant}/tasks/{id=*}:pause"
        body: "*"
      }
    };
  }
`,
  );
  inputs.editProto(
    '// Asks for one task.\n',
    `// Asks an agent to rest.
message PauseTaskRequest {
  string tenant = 1;
  string id = 2 [(google.api.field_behavior) = REQUIRED];
  int32 rest_seconds = 3;
}

// Asks for one task.
`,
  );
  inputs.editSchema(({ definitions }) => {
    const seconds = { anyOf: [{ maximum: 2147483647, minimum: -2147483648, type: 'integer' }] };
    definitions['Pause Task Request'] = {
      additionalProperties: false,
      patternProperties: { '^(rest_seconds)$': seconds },
      properties: { id: { type: 'string' }, restSeconds: seconds, tenant: { type: 'string' } },
      title: 'Pause Task Request',
      type: 'object',
    };
  });
}

/**
 * Adds messages with every kind of field, with the definitions that the A2A project's generator writes for them
 * (`kinds/`), and rpcs that take and return them: TryKinds, GetKinds with path and query parameters, and Talk, whose client
 * streams.
 */
export function addKinds(inputs: Inputs): void {
  const read = (name: string): string => readFileSync(new URL(`kinds/${name}`, import.meta.url), 'utf8');
  inputs.editProto(
    'service A2AService {\n',
    `service A2AService {
  rpc TryKinds(Kinds) returns (Kinds) {
    option (google.api.http) = { post: "/kinds" body: "*" };
  }
  rpc GetKinds(Kinds) returns (Kinds) {
    option (google.api.http) = {
      get: "/kinds/{a_int64}"
      additional_bindings { get: "/inner/{inner.number}" }
    };
  }
  rpc Talk(stream Kinds) returns (stream Kinds) {
    option (google.api.http) = { post: "/talk" body: "*" };
  }
`,
  );
  const imports = ['duration', 'field_mask', 'wrappers'].map((name) => `import "google/protobuf/${name}.proto";\n`);
  inputs.editProto('package lf.a2a.v1;\n', `package lf.a2a.v1;\n${imports.join('')}`);
  inputs.editProto('// Asks for one task.\n', `${read('messages.proto.txt')}\n// Asks for one task.\n`);
  inputs.editSchema(({ definitions }) => Object.assign(definitions, JSON.parse(read('definitions.json'))));
}

/** Changes a copy of the inputs in every way that proto3 has: `addKinds`, `addPauseTask`, and what is in neither. */
export function changeSpec(inputs: Inputs): void {
  addKinds(inputs);
  addPauseTask(inputs);
  // A request may have a field of the same name as another one.
  inputs.editProto('int32 rest_seconds = 3;', 'int32 rest_seconds = 3;\n  string message = 4;');
  inputs.editProto('message Task {\n', 'message Task {\n  // How many events it has had.\n  int64 events_seen = 20;\n');
  inputs.editProto('message GetTaskRequest {\n', 'message GetTaskRequest {\n  optional int64 seen = 20;\n');
  inputs.editProto('string context_id = 2;', 'string context_id = 2 [deprecated = true];');
  inputs.editProto('TASK_STATE_AUTH_REQUIRED = 8;', 'TASK_STATE_AUTH_REQUIRED = 8;\n  TASK_STATE_PAUSED = 9;');
  inputs.editProto('  oneof content {\n', '  oneof content {\n    // A measured value.\n    double measure = 20;\n');
  inputs.editProto('post: "/tasks/{id=*}:cancel"', 'post: "/tasks/{id=*}:stop"');
  inputs.editProto(
    'service A2AService {\n',
    `service A2AService {
  // Streams the message three times.
  rpc RepeatKinds(Kinds) returns (stream Kinds) {
    option (google.api.http) = { post: "/kinds:repeat" body: "*" };
  }
  // Adds up what the client streams.
  rpc CollectKinds(stream Kinds) returns (Kinds) {
    option (google.api.http) = { post: "/kinds:collect" body: "*" };
  }
`,
  );
  inputs.editSchema((bundle) => {
    const integer = { pattern: '^-?(0|[1-9][0-9]*)$', type: 'string' };
    const add = (title: string, properties: object, patterns: object = {}): void => {
      const found = bundle.definitions[title] as Record<'properties' | 'patternProperties', object | undefined>;
      Object.assign(found, {
        properties: { ...found.properties, ...properties },
        patternProperties: { ...found.patternProperties, ...patterns },
      });
    };
    const int64 = { anyOf: [{ type: 'integer' }, integer] };
    add('Task', { eventsSeen: int64 }, { '^(events_seen)$': int64 });
    add('Get Task Request', { seen: int64 });
    add('Pause Task Request', { message: { type: 'string' } });
    const special = { enum: ['NaN', 'Infinity', '-Infinity'], type: 'string' };
    add('Part', { measure: { anyOf: [{ type: 'number' }, { type: 'string' }, special] } });
    const text = JSON.stringify(bundle.definitions);
    const states = text.replaceAll('"TASK_STATE_AUTH_REQUIRED"', '"TASK_STATE_AUTH_REQUIRED","TASK_STATE_PAUSED"');
    // The newer form of bundles: definitions by type name, referred to within the file.
    const newer = states.replaceAll(/"(?:lf\.a2a\.v1|google\.protobuf)\.([\w.]+)\.jsonschema\.json"/g, '"#/$defs/$1"');
    const titled = Object.entries<object>(JSON.parse(newer));
    Object.assign(bundle, {
      $defs: Object.fromEntries(titled.map(([title, one]) => [title.replaceAll(' ', ''), one])),
    });
    Reflect.deleteProperty(bundle, 'definitions');
  });
}

/** Code generated from changed inputs, loaded. */
export interface ChangedApi {
  /** The newest version of A2A 1.x. */
  readonly api: Api;
  /** The generated files by path. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Generates code from a changed copy of the inputs and loads it, so that a test can hand transports an Api that no code
 * was written for.
 *
 * @param change what to do with the copy; adds PauseTask by default
 */
export async function changedApi(change: (inputs: Inputs) => void = addPauseTask): Promise<ChangedApi> {
  const inputs = copyInputs();
  change(inputs);
  const { files } = await generate({ proto: inputs.protoDir, schemas: inputs.schemaDir });
  const out = join(inputs.dir, 'gen');
  writeFiles(files, out);
  symlinkSync(join(root, 'src', 'gen', 'checks.ts'), join(out, 'checks.ts'));
  const { api } = await import(pathToFileURL(join(out, 'canonical.ts')).href);
  return { api, files };
}

/** A copy of the project's sources and of its pages about dialects, generated anew from changed inputs. */
export interface ChangedProject {
  readonly dir: string;
}

/** @param change what to do with the copy of the proto and the bundle */
export async function changedProject(change: (inputs: Inputs) => void): Promise<ChangedProject> {
  const inputs = copyInputs();
  const { dir, protoDir, schemaDir } = inputs;
  change(inputs);
  for (const path of ['src', 'docs/dialects', 'package.json']) {
    cpSync(join(root, path), join(dir, path), { recursive: true });
  }
  const docs = join(dir, 'docs', 'dialects');
  const { files, pages } = await generate({ proto: protoDir, schemas: schemaDir, docs });
  writeFiles(files, join(dir, 'src', 'gen'));
  writePages(pages, docs);
  return { dir };
}

/** The text of a JSON Schema bundle without what comments say. */
export function undescribed(bundle: unknown): string {
  // A property may have the name `description`, too; it is no text.
  return JSON.stringify(bundle, (key, value) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  );
}
