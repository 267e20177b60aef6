import type { Part } from '../../../core/model/a2a.ts';
import { summaries as adminSummaries, fieldTexts as adminTexts } from '../../../gen/admin-v1/help.ts';
import type { Field, FieldTables, MessageTable } from '../../../gen/api.ts';
import { summaries as a2aSummaries, fieldTexts as a2aTexts } from '../../../gen/canonical-help.ts';
import { summaries as knowledgeSummaries, fieldTexts as knowledgeTexts } from '../../../gen/knowledge-v1/help.ts';
import { base64Of } from './commands.ts';

/** Forms for requests, from the tables of their fields. A form edits the request in v1 itself. */

const textKinds: ReadonlySet<Field['kind']> = new Set(['enum', 'timestamp', 'duration', 'fieldMask']);

/** Whether the value of a field is a text. */
export const isText = ({ kind, type, repeated }: Field): boolean =>
  repeated !== true && (textKinds.has(kind) || (kind === 'scalar' && type === 'string'));

const tableOf = (tables: FieldTables, type: string): MessageTable =>
  tables.messages[type] ?? { fields: [], oneofs: [] };

/** Returns the fields of a message. */
export const fieldsOf = (tables: FieldTables, type: string): readonly Field[] => tableOf(tables, type).fields;

/** Returns a new message with its required fields. */
export function newMessage(tables: FieldTables, type: string): Record<string, unknown> {
  const { fields, oneofs } = tableOf(tables, type);
  const value: Record<string, unknown> = {};
  for (const field of fields) {
    if (!field.required || field.defaulted || field.kind === 'enum') continue;
    value[field.jsonName] = field.repeated ? [newItem(tables, field)] : newItem(tables, field);
  }
  for (const { required, members } of oneofs) {
    const [first] = members;
    const field = fields.find(({ jsonName }) => jsonName === first);
    if (required && field) value[field.jsonName] = newItem(tables, field);
  }
  return value;
}

/** Returns the initial value of a field, or of a list's item. */
function newItem(tables: FieldTables, { kind, type }: Field): unknown {
  if (kind === 'message') return newMessage(tables, type);
  if (kind === 'struct' || kind === 'map' || kind === 'empty') return {};
  if (kind === 'list') return [];
  if (kind === 'value') return null;
  if (kind !== 'scalar' || type === 'string') return '';
  return type === 'bool' ? false : type.endsWith('64') ? '0' : 0;
}

/** Returns words for a field's name: `returnImmediately` is `Return immediately`. */
export function labelOf(name: string): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
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
