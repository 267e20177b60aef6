import type { Bundle, BundleField } from './bundle.ts';
import { bundleOf } from './bundle.ts';
import { checkedType } from './guards.ts';
import type { Model } from './model.ts';
import type { Overlay } from './overlay.ts';

/** A difference between a proto and its bundle. */
export interface Disagreement {
  /** Local name of a message, a field (`Message.field`) or an enum. */
  readonly at: string;
  readonly says: string;
}

/**
 * Compares a proto with its JSON Schema bundle: messages, fields by JSON name, their types, whether they are repeated,
 * aliases and enum values. Required and exclusive members are declared only in the proto.
 *
 * @returns the differences that the overlay does not explain, sorted by place
 */
export function disagreements(model: Model, bundle: Bundle, overlay: Overlay): Disagreement[] {
  const proto = bundleOf(model);
  const found: Disagreement[] = [];
  const note = (at: string, says: string): void => {
    found.push({ at, says });
  };
  compareNames(proto.messages, bundle.messages, '', note);
  for (const message of proto.messages) {
    const other = bundle.messages.find(({ name }) => name === message.name);
    if (!other) continue;
    if (other.unknown !== undefined) {
      note(message.name, `proto has a message, schema has ${other.unknown}`);
      continue;
    }
    const byJsonName = (fields: readonly BundleField[]) => fields.map(({ jsonName }) => ({ name: jsonName }));
    compareNames(byJsonName(message.fields), byJsonName(other.fields), `${message.name}.`, note);
    for (const field of message.fields) {
      const there = other.fields.find(({ jsonName }) => jsonName === field.jsonName);
      if (there?.unknown !== undefined) {
        note(`${message.name}.${field.jsonName}`, `proto has ${typeName(field)}, schema has ${there.unknown}`);
      } else if (there && comparable(field) !== comparable(there)) {
        note(`${message.name}.${field.jsonName}`, `proto has ${typeName(field)}, schema has ${typeName(there)}`);
      }
    }
    const aliases = (list: readonly string[]) => [...list].sort().join(', ') || 'none';
    if (aliases(message.aliases) !== aliases(other.aliases)) {
      note(message.name, `proto names are ${aliases(message.aliases)}; the schema admits ${aliases(other.aliases)}`);
    }
  }
  // Bundles do not contain enums that no field uses.
  const used = new Set(proto.messages.flatMap(({ fields }) => fields.map(({ type }) => type)));
  compareNames(
    proto.enums.filter(({ name }) => used.has(name)),
    bundle.enums,
    '',
    note,
  );
  for (const { name, values } of proto.enums) {
    const other = bundle.enums.find((entry) => entry.name === name);
    if (other) compareNames(values.map(named), other.values.map(named), `${name}.`, note);
  }
  const explained = (row: Disagreement): boolean =>
    overlay.disagreements.some(({ at, says }) => at === `${model.package}.${row.at}` && says === row.says);
  return found.filter((row) => !explained(row)).sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

const named = (name: string): { name: string } => ({ name });

function compareNames(
  proto: readonly { name: string }[],
  schema: readonly { name: string }[],
  prefix: string,
  note: (at: string, says: string) => void,
): void {
  const inProto = new Set(proto.map(({ name }) => name));
  const inSchema = new Set(schema.map(({ name }) => name));
  for (const name of inProto) if (!inSchema.has(name)) note(`${prefix}${name}`, 'only in the proto');
  for (const name of inSchema) if (!inProto.has(name)) note(`${prefix}${name}`, 'only in the schema');
}

/** Returns a field's type as far as a bundle expresses it. Bundles do not state the wire format of integers. */
const comparable = (field: BundleField): string =>
  typeName({ ...field, type: (field.valueKind ?? field.kind) === 'scalar' ? checkedType(field.type) : field.type });

function typeName(field: BundleField): string {
  if (field.kind === 'map') return `map of ${field.type}`;
  return field.repeated ? `repeated ${field.type}` : field.type;
}
