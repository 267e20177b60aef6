import type { Part } from '../../../core/model/a2a.ts';
import { summaries as adminSummaries, fieldTexts as adminTexts } from '../../../gen/admin-v1/help.ts';
import type { Field, FieldTables, MessageTable, Oneof } from '../../../gen/api.ts';
import { summaries as a2aSummaries, fieldTexts as a2aTexts } from '../../../gen/canonical-help.ts';
import { summaries as knowledgeSummaries, fieldTexts as knowledgeTexts } from '../../../gen/knowledge-v1/help.ts';
import { base64Of } from './commands.ts';

/** Forms for requests, from the tables of their fields. A form edits the request in v1 itself. */

/** Path to a value: names of members and positions in lists. */
export type Path = readonly (string | number)[];

/** One line of a form: a field, or a choice between fields of which one may be present. */
export type FormRow =
  | { readonly kind: 'field'; readonly field: Field }
  | {
      readonly kind: 'choice';
      readonly oneof: Oneof;
      readonly fields: readonly Field[];
      readonly chosen: Field | undefined;
    };

interface FormRows {
  /** Required fields, and those with a value; of the request itself all simple ones but the tenant, which few callers have. */
  readonly shown: readonly FormRow[];
  /** The other fields. */
  readonly more: readonly Field[];
}

const simpleKinds: ReadonlySet<Field['kind']> = new Set(['scalar', 'enum', 'timestamp', 'duration', 'fieldMask']);

/** Whether a field is edited in one control. */
export const isSimple = (field: Field): boolean => simpleKinds.has(field.kind) && field.repeated !== true;

const tableOf = (tables: FieldTables, type: string): MessageTable =>
  tables.messages[type] ?? { fields: [], oneofs: [] };

/**
 * Returns the lines of a form for a message.
 *
 * @param value the current value
 * @param whole whether it is the request itself
 */
export function rowsOf(tables: FieldTables, type: string, value: object, whole: boolean): FormRows {
  const { fields, oneofs } = tableOf(tables, type);
  const has = ({ jsonName }: Field): boolean => (value as Record<string, unknown>)[jsonName] !== undefined;
  const isShown = (field: Field): boolean =>
    has(field) ||
    (field.required === true && field.defaulted !== true) ||
    (whole && isSimple(field) && field.jsonName !== 'tenant');
  const chosenOf = (name: string): Field | undefined => fields.find((field) => field.oneof === name && has(field));
  const isChoice = ({ oneof }: Field): boolean =>
    oneof !== undefined && oneofs.some(({ name, required }) => name === oneof && (required || chosenOf(name)));
  const shown: FormRow[] = [];
  const more: Field[] = [];
  const seen = new Set<string>();
  for (const field of fields) {
    if (isChoice(field)) {
      const oneof = oneofs.find(({ name }) => name === field.oneof) as Oneof;
      if (seen.has(oneof.name)) continue;
      seen.add(oneof.name);
      const members = fields.filter((each) => each.oneof === oneof.name);
      shown.push({ kind: 'choice', oneof, fields: members, chosen: chosenOf(oneof.name) });
    } else if (isShown(field)) shown.push({ kind: 'field', field });
    else more.push(field);
  }
  return { shown, more };
}

/** Returns a new message with its required fields. */
export function newMessage(tables: FieldTables, type: string): Record<string, unknown> {
  const { fields, oneofs } = tableOf(tables, type);
  const value: Record<string, unknown> = {};
  for (const field of fields) {
    if (field.required && !field.defaulted && field.kind !== 'enum') value[field.jsonName] = newValue(tables, field);
  }
  for (const { required, members } of oneofs) {
    const [first] = members;
    const field = fields.find(({ jsonName }) => jsonName === first);
    if (required && field) value[field.jsonName] = newItem(tables, field);
  }
  return value;
}

/** Returns the initial value of a field that is added. */
export const newValue = (tables: FieldTables, field: Field): unknown =>
  field.repeated ? [newItem(tables, field)] : newItem(tables, field);

/** Returns the initial value of a list's item. */
export function newItem(tables: FieldTables, { kind, type }: Field): unknown {
  if (kind === 'message') return newMessage(tables, type);
  if (kind === 'struct' || kind === 'map' || kind === 'empty') return {};
  if (kind === 'list') return [];
  if (kind === 'value') return null;
  if (kind === 'enum') return enumNames(tables, type)[0] ?? '';
  if (kind !== 'scalar' || type === 'string') return '';
  return type === 'bool' ? false : type.endsWith('64') ? '0' : 0;
}

/** Returns the names of an enum's values, without the one for none. */
export const enumNames = ({ enums }: FieldTables, type: string): string[] =>
  Object.entries(enums[type] ?? {})
    .filter(([, number]) => number !== 0)
    .map(([name]) => name);

/** Copies a value with another value set at a path, or removed if undefined. Missing objects on the way are created. */
export function setAt<T>(value: T, [step, ...rest]: Path, next: unknown): T {
  if (step === undefined) return next as T;
  if (typeof step === 'number') {
    const list = Array.isArray(value) ? [...(value as unknown[])] : [];
    if (rest.length === 0 && next === undefined) list.splice(step, 1);
    else list[step] = setAt(list[step], rest, next);
    return list as T;
  }
  const object: Record<string, unknown> = { ...(value as Record<string, unknown> | undefined) };
  const inner = setAt(object[step], rest, next);
  if (inner === undefined) delete object[step];
  else object[step] = inner;
  return object as T;
}

/**
 * Converts a control's text to the value of a field; undefined for an empty optional one.
 *
 * @throws SyntaxError for invalid JSON if JSON is expected
 */
export function parseControl({ kind, type, required }: Field, text: string): unknown {
  if (kind === 'struct' || kind === 'value' || kind === 'list' || kind === 'map') {
    return text.trim() === '' ? undefined : JSON.parse(text);
  }
  if (text === '' && required !== true) return undefined;
  if (kind !== 'scalar' || type === 'string' || type === 'bytes' || type.endsWith('64')) return text;
  // The gateway reports the fault of a text that is not a number.
  return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
}

/** Returns words for a field's name: `returnImmediately` is `Return immediately`. */
export function labelOf(name: string): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns words for an enum's value: `ROLE_USER` of `Role` is `user`. */
export function enumLabel(type: string, name: string): string {
  const prefix = `${type
    .slice(type.lastIndexOf('.') + 1)
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toUpperCase()}_`;
  const short = name.startsWith(prefix) ? name.slice(prefix.length) : name;
  return short.toLowerCase().replaceAll('_', ' ');
}

/** Comments of the protos about operations and fields. */
const summaries: Readonly<Record<string, string>> = { ...a2aSummaries, ...knowledgeSummaries, ...adminSummaries };
const texts = { ...a2aTexts, ...knowledgeTexts, ...adminTexts };

/** Returns the summary of an operation; '' if it is not known. */
export const summaryOf = (operation: string): string => summaries[operation] ?? '';

/**
 * Returns the comment of a field; undefined if it is not known.
 *
 * @param type full name of its message
 */
export const textOfField = (type: string, jsonName: string): string | undefined => texts[type]?.[jsonName] || undefined;

/** Returns a file as a part with its bytes. */
export async function partOf(file: File): Promise<Part> {
  const raw = base64Of(new Uint8Array(await file.arrayBuffer()));
  return { raw, filename: file.name, mediaType: file.type || 'application/octet-stream' };
}
