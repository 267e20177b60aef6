import type { Operation } from '../src/gen/operations.ts';
import { header, list, literal, quote } from './emit.ts';
import { localName, type Model } from './model.ts';

/**
 * Returns the source of a service's operation table, with the types of requests and responses.
 *
 * @param source inputs to name in the header
 */
export function operationsSource(model: Model, source: string): string {
  const type = (fullName: string): string =>
    fullName === 'google.protobuf.Empty' ? 'Empty' : localName(fullName, model.package);
  const used = new Set(model.operations.flatMap(({ request, response }) => [type(request), type(response)]));
  const rows = model.operations.map((row) => operationRow(row));
  const types = model.operations.map(
    ({ name, request, response, streaming }) =>
      `  ${name}: { request: ${type(request)}; response: ${type(response)}; streaming: ${streaming} };\n`,
  );
  return `${header(source)}
import type { Operation } from '../operations.ts';
import type {
${[...used]
  .sort()
  .map((name) => `  ${name},\n`)
  .join('')}} from './types.ts';

/** The operations of \`${model.service}\`, in the proto's order. */
export const operations = ${list(rows, '')} as const satisfies readonly Operation[];

/** Name of an operation. */
export type OperationName = (typeof operations)[number]['name'];

/** Request and response types by operation. For a streaming operation, \`response\` is the type of its events. */
export interface OperationTypes {
${types.join('')}}

/** The request type of an operation. */
export type RequestOf<K extends OperationName> = OperationTypes[K]['request'];

/** The response type of an operation; for a streaming operation, the type of its events. */
export type ResponseOf<K extends OperationName> = OperationTypes[K]['response'];
`;
}

/**
 * Returns the source of the types of all services together.
 *
 * @throws Error if two services have operations of the same name, because calls name only the operation
 */
export function servicesSource(services: readonly { readonly dir: string; readonly model: Model }[]): string {
  const owners = new Map<string, string>();
  for (const { name, service } of services.flatMap(({ model }) => model.operations)) {
    const owner = owners.get(name);
    if (owner !== undefined) throw new Error(`${owner} and ${service} both have an operation ${name}`);
    owners.set(name, service);
  }
  const alias = (at: number): string => `Types${at + 1}`;
  const imports = services.map(
    ({ dir }, at) => `import type { OperationTypes as ${alias(at)} } from './${dir}/operations.ts';\n`,
  );
  return `${header(services.map(({ model }) => `proto/${model.file}`).join(' and '))}
${imports.join('')}
/**
 * Request and response types by operation of any service. For a streaming operation, \`response\` is the type of its
 * events.
 */
export interface OperationTypes extends ${services.map((_, at) => alias(at)).join(', ')} {}

/** Name of an operation of any service. */
export type OperationName = keyof OperationTypes;

/** The request type of an operation. */
export type RequestOf<K extends OperationName> = OperationTypes[K]['request'];

/** The response type of an operation; for a streaming operation, the type of its events. */
export type ResponseOf<K extends OperationName> = OperationTypes[K]['response'];
`;
}

function operationRow(row: Operation): string {
  const { http, ...rest } = row;
  const lines = Object.entries(rest).map(([key, value]) => `    ${key}: ${literal(value)},\n`);
  const rules = http.map((rule) => `      ${literal(rule)},\n`).join('');
  return `{\n${lines.join('')}    http: ${rules ? `[\n${rules}    ]` : '[]'},\n  }`;
}

/** Returns the source of the module that exports everything about a service. */
export function indexSource(model: Model, source: string): string {
  return `${header(source)}
import type { Api } from '../api.ts';
import { fields } from './fields.ts';
import { guards } from './guards.ts';
import { operations } from './operations.ts';

export type * from './operations.ts';
export type * from './types.ts';

/** Generated code of \`${model.service}\`. */
export const api: Api = {
  package: ${quote(model.package)},
  service: ${quote(model.service)},
  operations,
  fields,
  guards,
};
`;
}
