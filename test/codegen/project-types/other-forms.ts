import fc from 'fast-check';
import type { Api, Field } from '../../../src/gen/api.ts';

/** A message of canonical ProtoJSON in some other form that readers must accept. */
export function otherForm(api: Api, typeName: string, json: object): fc.Arbitrary<Record<string, unknown>> {
  const fields = api.fields.messages[typeName]?.fields ?? [];
  const members = fields.map((field) => memberOf(api, field, (json as Record<string, unknown>)[field.jsonName]));
  const unknown = Object.entries(json).filter(([name]) => !fields.some(({ jsonName }) => jsonName === name));
  return fc.tuple(...members).map((all) => Object.fromEntries([...unknown, ...all.flat()]));
}

/** A field under one of its names; one that is absent may be null. */
function memberOf(api: Api, field: Field, value: unknown): fc.Arbitrary<readonly (readonly [string, unknown])[]> {
  const name = fc.constantFrom(field.jsonName, field.protoName);
  if (value !== undefined) {
    return fc.tuple(name, fieldForm(api, field, value)).map((member) => [member]);
  }
  const isValue = field.kind === 'value' && !field.repeated;
  return isValue ? fc.constant([]) : name.chain((one) => fc.constantFrom([], [[one, null] as const]));
}

function fieldForm(api: Api, field: Field, value: unknown): fc.Arbitrary<unknown> {
  if (field.repeated) return fc.tuple(...(value as unknown[]).map((item) => valueForm(api, field, item)));
  if (field.kind !== 'map') return valueForm(api, field, value);
  const entries = Object.entries(value as object).map(([key, item]) =>
    valueForm(api, field, item).map((form) => [key, form] as const),
  );
  return fc.tuple(...entries).map((all) => Object.fromEntries(all));
}

function valueForm(api: Api, { kind, valueKind, type }: Field, value: unknown): fc.Arbitrary<unknown> {
  switch (valueKind ?? kind) {
    case 'message':
      return otherForm(api, type, value as object);
    case 'enum':
      return fc.constantFrom(value, api.fields.enums[type]?.[value as string]);
    case 'bytes':
      return fc.constantFrom(...base64Forms(value as string));
    case 'scalar':
      return fc.constantFrom(value, ...scalarForms(type, value));
    default:
      return fc.constant(value);
  }
}

function base64Forms(text: string): string[] {
  const url = text.replaceAll('+', '-').replaceAll('/', '_');
  return [text, url, text.replaceAll('=', ''), url.replaceAll('=', '')];
}

/** Numbers as strings, and digits as numbers. */
function scalarForms(type: string, value: unknown): unknown[] {
  if (typeof value === 'number') return [String(value), ...(Number.isInteger(value) ? [value.toExponential()] : [])];
  const isSafe = type.endsWith('64') && Number.isSafeInteger(Number(value));
  return isSafe ? [Number(value)] : [];
}
