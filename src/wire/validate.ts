import { A2AError, type FieldViolation } from '../core/model/errors.ts';
import type { Api, Field, FieldTables, Shape } from '../gen/api.ts';
import { formatPath, normalize } from './protojson.ts';
import { type Issue, type Reading, readShape, type ShapeSource } from './read-shape.ts';
import { cachedByType } from './values.ts';

/**
 * Reads untrusted ProtoJSON: converts it to canonical form and validates it.
 *
 * @param typeName full message name, such as `lf.a2a.v1.SendMessageRequest`
 * @param value parsed JSON, or the result of `decode` in protobuf.ts
 * @param path path of the value within the request, for errors
 * @returns the canonical value, which is `value` itself if that is canonical
 * @throws A2AError `invalidParams` that names the invalid fields, such as `message.parts[0].text`
 */
export function parseAs<T = unknown>(api: Api, typeName: string, value: unknown, path = ''): T {
  const canonical = normalize(api, typeName, value);
  if (!isOf(api, typeName, canonical)) throw refusal(issuesOf(api, typeName, canonical), path);
  return canonical as T;
}

/** Returns the violations of a value that should be canonical ProtoJSON of a type; empty if it is. */
export function violationsOf(api: Api, typeName: string, value: unknown): FieldViolation[] {
  return isOf(api, typeName, value) ? [] : violations(issuesOf(api, typeName, value), '');
}

/** Shapes of a dialect without a ProtoJSON form, by name. */
export type Shapes<Name extends string = string> = Readonly<Record<Name, Shape>>;

/**
 * Reads JSON of a dialect without a ProtoJSON form.
 *
 * @param path path of the value within the request, for errors
 * @returns the value without members that the shape does not define
 * @throws A2AError `invalidParams` that names the invalid fields
 */
export function parseWith<T = unknown, Name extends string = string>(
  shapes: Shapes<Name>,
  name: NoInfer<Name>,
  value: unknown,
  path = '',
): T {
  const { known, issues } = readWith(shapes, name, value);
  if (issues.length > 0) throw refusal(issues, path);
  return known as T;
}

/**
 * Reads like `parseWith`, but returns issues instead of throwing.
 *
 * @param guards guards by name; a value that a guard accepts keeps its unknown members
 */
export function readWith<Name extends string>(
  shapes: Shapes<Name>,
  name: NoInfer<Name>,
  value: unknown,
  guards: ShapeSource['guards'] = {},
): Reading {
  return readShape({ find: (other) => shapes[other as Name], guards }, shapes[name], value);
}

function isOf(api: Api, typeName: string, value: unknown): boolean {
  const guard = api.guards[typeName];
  if (!guard) throw new Error(`no guard for ${typeName}`);
  return guard(value);
}

/**
 * Returns the issues of a value that should be canonical ProtoJSON of a type; empty if it is.
 *
 * @param api if it has no guards, every part of the value is checked
 */
export function issuesOf(
  { fields, guards = {} }: Pick<Api, 'fields'> & Partial<Pick<Api, 'guards'>>,
  typeName: string,
  value: unknown,
): readonly Issue[] {
  const find = (name: string): Shape => messageShape(fields, name);
  return readShape({ find, guards }, find(typeName), value).issues;
}

/** Returns the error that names the invalid fields. */
export function refusal(issues: readonly Issue[], path = ''): A2AError {
  const found = violations(issues, path);
  const [first] = found;
  const reason = first ? `${first.field || 'The value'} ${first.description}` : 'they are not valid';
  return A2AError.invalidParams(`Invalid parameters: ${reason}`, found);
}

function violations(issues: readonly Issue[], prefix: string): FieldViolation[] {
  const start = prefix === '' ? [] : [prefix];
  return issues.map((issue) => ({ field: formatPath([...start, ...issue.path]), description: issue.message }));
}

/** Returns the shape of a message in canonical ProtoJSON, from its field table. */
export const messageShape: (tables: FieldTables, typeName: string) => Shape = cachedByType((tables, typeName) => {
  const table = tables.messages[typeName];
  if (!table) throw new Error(`no message ${typeName}`);
  const { fields, oneofs } = table;
  const needed = fields.filter(({ required, kind }) => required && kind !== 'value');
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.jsonName, fieldShape(tables, field)])),
    required: needed.map(({ jsonName }) => jsonName),
    oneofs,
  };
});

function fieldShape(tables: FieldTables, field: Field): Shape {
  const strict = field.required === true && !field.defaulted;
  if (field.repeated) return { type: 'array', items: valueShape(tables, field, false), minItems: strict ? 1 : 0 };
  if (field.kind !== 'map') return valueShape(tables, field, strict);
  const { keyType } = field;
  return { type: 'map', items: valueShape(tables, field, false), ...(keyType !== undefined && { keyType }) };
}

/** @param strict whether the field's default is invalid */
function valueShape(
  tables: FieldTables,
  { kind, valueKind = kind as never, type, finite }: Field,
  strict: boolean,
): Shape {
  switch (valueKind) {
    case 'message':
      return { $ref: type };
    case 'enum': {
      const values = Object.entries(tables.enums[type] ?? {});
      return { enum: values.filter(([, number]) => !strict || number !== 0).map(([name]) => name) };
    }
    case 'value':
      return {};
    case 'scalar':
      return { type: finite ? 'number' : type, ...(strict && type === 'string' && { minLength: 1 }) };
    default:
      return { type: valueKind };
  }
}
