import { readComments } from './comments.ts';
import { header, list, literal, quote } from './emit.ts';
import { fieldsSource } from './fields.ts';
import type { Image } from './image.ts';
import { localName, type Model, type ModelField, type ModelMessage } from './model.ts';

/** A version of A2A for which typed clients are generated. */
export interface ClientVersion {
  readonly image: Image;
  readonly model: Model;
  /** Model that provides types and tables for its messages; for A2A 1.x, the model of the newest version. */
  readonly whole: Model;
  /** Folder below `src/gen` with these types and tables. */
  readonly dir: string;
}

/**
 * Generates the code of the typed clients for `@grpc/grpc-js`, which `src/rpc-clients` uses: messages for `grpc.ts`,
 * and rpcs for `service.ts`.
 */
export function clientSources({ image, model, whole, dir }: ClientVersion): Readonly<Record<string, string>> {
  const { file, enums, messages, operations, service } = model;
  const enumTypes = enums.map(
    ({ name, values }) => `export type ${name} = ${union([...values.map((value) => value.name), 'UNRECOGNIZED'])};\n`,
  );
  const types = messages.map((message) => messageType(message, whole, model));
  const comments = readComments(
    image.set.file.find(({ name }) => name === file) ?? fail(`${file} is not in the image`),
  );
  const rows = operations.map(({ name, rpc, request, response, streaming, clientStreaming }) => {
    const { description } = comments.of(`${service}.${rpc}`);
    const doc = description === undefined ? '' : `  /** ${description.replace(/\s+/g, ' ')} */\n`;
    const [taken, given] = [request, response].map((type) => typeName(type, model, 'messages.'));
    const both = clientStreaming ? `${streaming}; clientStreaming: true` : streaming;
    return `${doc}  ${methodName(name)}: { request: ${taken}; response: ${given}; streaming: ${both} };\n`;
  });
  const rpcs = operations.map(({ name, grpcPath: path, request, response, streaming, clientStreaming }) =>
    literal({ name: methodName(name), path, request, response, streaming, clientStreaming }),
  );
  // The tables of the canonical form suffice unless a field of the version has another name or type.
  const isOwn = messages.some(({ fullName, fields }) => fields.some((field) => isOther(field, fullName, whole)));
  return {
    ...(isOwn && { 'fields.ts': fieldsSource(model, `proto/${file}`).replace("'../api.ts'", "'../../api.ts'") }),
    'grpc.ts': `${header(`proto/${file}`)}
import type * as json from '../../${dir}/types.ts';

/** A message of which each field may be missing, some fields have types of their own, and an older version lacks some. */
type Fields<Json, Own extends object = object, Lacking = never> = {
  [K in keyof Json as Exclude<K, Lacking>]?: (K extends keyof Own ? Own[K] : Json[K]) | undefined;
};

${enumTypes.join('')}${types.join('')}`,
    'service.ts': `${header(`proto/${file}`)}
import type * as messages from './grpc.ts';

export { fields } from '${isOwn ? './fields.ts' : `../../${dir}/fields.ts`}';

/** Requests and responses of the rpcs of \`${service}\`. */
export interface Rpcs {
${rows.join('')}}

/** The rpcs of \`${service}\`. */
export const rpcs = ${list(rpcs, '')} as const;
`,
  };
}

function messageType({ name, fullName, fields }: ModelMessage, whole: Model, model: Model): string {
  const same = whole.messages.find((message) => message.fullName === fullName);
  const all = same?.fields ?? [];
  const lacking = all.map(({ jsonName }) => jsonName).filter((one) => !fields.some(({ jsonName }) => jsonName === one));
  const isCanonical = ({ jsonName }: ModelField): boolean => all.some((field) => field.jsonName === jsonName);
  const own = fields.flatMap((field) => {
    const type = ownType(field, model) ?? (isOther(field, fullName, whole) ? plainType(field) : undefined);
    return type === undefined || !isCanonical(field) ? [] : [`${field.jsonName}: ${type}`];
  });
  // Fields whose names are not in the canonical form.
  const beside = fields
    .filter((field) => !isCanonical(field))
    .map((field) => ` ${field.jsonName}?: ${ownType(field, model) ?? plainType(field)} | undefined;`);
  const body = `{${beside.join('')}${beside.length > 0 ? ' ' : ''}}`;
  if (!same) return `export interface ${name} ${body}\n`;
  const second = own.length > 0 || lacking.length > 0 ? `, ${own.length > 0 ? `{ ${own.join('; ')} }` : 'object'}` : '';
  const third = lacking.length > 0 ? `, ${union(lacking)}` : '';
  return `export interface ${name} extends Fields<json.${name}${second}${third}> ${body}\n`;
}

/** Whether a version's field has another name or type than in the canonical form. */
function isOther({ jsonName, number, type, repeated, kind }: ModelField, message: string, whole: Model): boolean {
  const fields = whole.messages.find(({ fullName }) => fullName === message)?.fields ?? [];
  const same = fields.find((field) => field.number === number);
  return same?.jsonName !== jsonName || same.type !== type || same.repeated !== repeated || same.kind !== kind;
}

/** Returns the type of a field in ProtoJSON. */
function plainType({ kind, valueKind = kind as never, type, repeated }: ModelField): string {
  const isText = valueKind !== 'scalar' || type === 'string' || type.endsWith('64');
  const one = isText ? 'string' : type === 'bool' ? 'boolean' : 'number';
  return repeated ? `${one}[]` : kind === 'map' ? `{ [key: string]: ${one} }` : one;
}

/** Returns the type of a field if it differs from its type in ProtoJSON. */
function ownType({ kind: form, valueKind, type, repeated }: ModelField, model: Model): string | undefined {
  const types: Partial<Record<string, string>> = {
    message: typeName(type, model),
    enum: typeName(type, model),
    bytes: 'Buffer',
    struct: '{ [key: string]: any }',
    value: 'any',
    list: 'any[]',
  };
  const one = types[valueKind ?? form];
  if (one === undefined) return undefined;
  return repeated ? `${one}[]` : form === 'map' ? `{ [key: string]: ${one} }` : one;
}

const typeName = (fullName: string, { package: pkg }: Model, prefix = ''): string =>
  fullName === 'google.protobuf.Empty' ? 'object' : `${prefix}${localName(fullName, pkg)}`;

const methodName = (operation: string): string => operation.charAt(0).toLowerCase() + operation.slice(1);

const union = (names: readonly string[]): string => names.map(quote).join(' | ');

function fail(message: string): never {
  throw new Error(message);
}
