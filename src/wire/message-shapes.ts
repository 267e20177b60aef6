import type { Field, FieldTables, Shape } from '../gen/api.ts';
import { cachedByType } from './values.ts';

/** The shape of a message in canonical ProtoJSON, from its field table. */
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

/** @param strict the default is not legal */
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
