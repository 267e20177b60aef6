import type { Bundle } from './bundle.ts';
import { header, list, literal, record } from './emit.ts';
import type { Model, ModelField } from './model.ts';
import type { Field } from './templates/api.ts';

/** Source of the field and enum tables of a package. The bundle says which numbers are finite. */
export function fieldsSource(model: Model, bundle: Bundle, source: string): string {
  const messages: [name: string, source: string][] = model.messages.map(({ name, fullName, fields, oneofs }) => {
    const described = bundle.messages.find((message) => message.name === name)?.fields ?? [];
    const hasNoSpecialValues = ({ jsonName }: ModelField): boolean =>
      described.some((field) => field.jsonName === jsonName && field.finite);
    const rows = list(
      fields.map((field) =>
        literal(hasNoSpecialValues(field) ? { ...tableRow(field), finite: true } : tableRow(field)),
      ),
      '      ',
    );
    return [fullName, `{\n      fields: ${rows},\n      oneofs: ${literal(oneofs)},\n    }`];
  });
  messages.unshift(['google.protobuf.Empty', '{ fields: [], oneofs: [] }']);
  const enums = model.enums.map(({ fullName, values }) => {
    const entries = values.map(({ name, number }) => [name, String(number)] as const);
    return [fullName, record(entries, '    ')] as const;
  });
  return `${header(source)}
import type { FieldTables } from '../api.ts';

/** Messages and enums of \`${model.package}\`. */
export const fields: FieldTables = {
  messages: ${record(messages, '  ')},
  enums: ${record(enums, '  ')},
};
`;
}

function tableRow(field: ModelField): Field {
  const { description: _description, deprecated: _deprecated, ...row } = field;
  return row;
}
