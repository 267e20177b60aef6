import { trimEnd } from '../core/model/text.ts';
import type { Field, ValueKind } from '../gen/api.ts';

/** Numbers of an enum's values by name, and names by number. */
export interface EnumNames {
  readonly byNumber: ReadonlyMap<number, string>;
  /** Name of the value 0. */
  readonly zero: string | undefined;
}

const canonicalTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const iso8601 = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?$/i;
const bareOffset = /^([+-]\d\d)(\d\d)$/;
const anyBase64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const decimal = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * One value in canonical ProtoJSON. What cannot be read comes back as it is, for the validator to name.
 *
 * @param kind anything but `message`
 */
export function canonicalValue(kind: ValueKind, type: string, value: unknown, names: EnumNames | undefined): unknown {
  switch (kind) {
    case 'scalar':
      return type !== 'string' && type !== 'bool' && typeof value === 'string' ? numberOf(value) : value;
    case 'enum':
      return typeof value === 'number' ? (names?.byNumber.get(value) ?? value) : value;
    case 'bytes':
      return typeof value === 'string' ? canonicalBase64(value) : value;
    case 'timestamp':
      return typeof value === 'string' ? canonicalTimestamp(value) : value;
    default:
      return value;
  }
}

/** Whether a singular field that has no presence holds its default, which canonical ProtoJSON leaves out. */
export function isDefault(kind: ValueKind, value: unknown, names: EnumNames | undefined): boolean {
  if (kind === 'enum') return value === names?.zero;
  return value === '' || value === false || value === 0;
}

/** The default of a field, in canonical ProtoJSON. */
export function defaultOf(field: Field, names: EnumNames | undefined): unknown {
  if (field.repeated) return [];
  if (field.kind === 'map') return {};
  if (field.kind === 'enum') return names?.zero;
  if (field.type === 'bool') return false;
  return field.type === 'string' || field.type === 'bytes' ? '' : 0;
}

/** ProtoJSON parsers take numbers as strings too. */
function numberOf(text: string): number | string {
  return decimal.test(text) ? Number(text) : text;
}

/** Base64 or base64url, padded or not, to padded base64. */
export function canonicalBase64(text: string): string {
  const canonical = text.length % 4 === 0 && !text.includes('-') && !text.includes('_');
  if (canonical || !anyBase64.test(text)) return text;
  const bare = trimEnd(text, '=');
  if (bare.length % 4 === 1) return text;
  return Buffer.from(bare, 'base64url').toString('base64');
}

/**
 * A time in ISO 8601 to UTC, `Z`, milliseconds (A2A 1.0 section 5.6.1); what is finer is cut off. A time without an
 * offset, as several agents in Python write it, is UTC. Text that is no such time, or a day that does not exist, comes
 * back as it is.
 */
export function canonicalTimestamp(text: string): string {
  if (canonicalTime.test(text)) return text;
  const match = iso8601.exec(text);
  if (!match) return text;
  const [, day = '', clock = '', fraction = '', offset = 'Z'] = match;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return text;
  const time = Date.parse(`${day}T${clock}${fraction.slice(0, 4)}${offset.toUpperCase().replace(bareOffset, '$1:$2')}`);
  if (Number.isNaN(time)) return text;
  const utc = new Date(time).toISOString();
  return utc.length === 24 ? utc : text;
}
