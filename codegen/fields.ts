import type { Field } from '../src/gen/api.ts';
import { header, list, literal, record } from './emit.ts';
import type { Model, ModelField } from './model.ts';

/** Source of the field and enum tables of a package, or of several. */
export function fieldsSource(model: Pick<Model, 'package' | 'messages' | 'enums'>, source: string): string {
  const messages = model.messages.map(({ fullName, fields, oneofs, since }): [string, string] => {
    const rows = list(
      fields.map((field) => literal(tableRow(field))),
      '      ',
    );
    const mark = since === undefined ? '' : `      since: ${literal(since)},\n`;
    return [fullName, `{\n      fields: ${rows},\n      oneofs: ${literal(oneofs)},\n${mark}    }`];
  });
  messages.unshift(['google.protobuf.Empty', '{ fields: [], oneofs: [] }']);
  const enums = model.enums.map(({ fullName, values }) => {
    const entries = values.map(({ name, number }) => [name, String(number)] as const);
    return [fullName, record(entries, '    ')] as const;
  });
  const newer = model.enums.flatMap(({ fullName, values, since: own }) => {
    const marks = values.flatMap(({ name, since = own }) => (since === undefined ? [] : [[name, since] as const]));
    return marks.length === 0 ? [] : [[fullName, literal(Object.fromEntries(marks))] as const];
  });
  return `${header(source)}
import type { FieldTables } from '../api.ts';

/** Messages and enums of \`${model.package}\`. */
export const fields: FieldTables = {
  messages: ${record(messages, '  ')},
  enums: ${record(enums, '  ')},
${newer.length === 0 ? '' : `  valuesSince: ${record(newer, '  ')},\n`}};
`;
}

function tableRow(field: ModelField): Field {
  const { description: _description, deprecated: _deprecated, ...row } = field;
  return row;
}
