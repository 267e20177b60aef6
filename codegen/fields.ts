import type { Field } from '../src/gen/api.ts';
import { header, list, literal, record } from './emit.ts';
import { type Model, type ModelField, valueMarks } from './model.ts';

/** Returns the source of the field and enum tables of one or more packages. */
export function fieldsSource(model: Pick<Model, 'package' | 'messages' | 'enums'>, source: string): string {
  const messages = model.messages.map(({ fullName, fields, oneofs, since, until }): [string, string] => {
    const rows = list(
      fields.map((field) => literal(tableRow(field))),
      '      ',
    );
    const mark = Object.entries({ since, until })
      .map(([name, version]) => (version === undefined ? '' : `      ${name}: ${literal(version)},\n`))
      .join('');
    return [fullName, `{\n      fields: ${rows},\n      oneofs: ${literal(oneofs)},\n${mark}    }`];
  });
  messages.unshift(['google.protobuf.Empty', '{ fields: [], oneofs: [] }']);
  const enums = model.enums.map(({ fullName, values }) => {
    const entries = values.map(({ name, number }) => [name, String(number)] as const);
    return [fullName, record(entries, '    ')] as const;
  });
  const marks = Object.entries(valueMarks(model.enums)).map(([name, table]) => {
    const rows = Object.entries(table).map(([type, of]) => [type, literal(of)] as const);
    return `  ${name}: ${record(rows, '  ')},\n`;
  });
  return `${header(source)}
import type { FieldTables } from '../api.ts';

/** Messages and enums of \`${model.package}\`. */
export const fields: FieldTables = {
  messages: ${record(messages, '  ')},
  enums: ${record(enums, '  ')},
${marks.join('')}};
`;
}

function tableRow(field: ModelField): Field {
  const { description: _description, deprecated: _deprecated, ...row } = field;
  return row;
}
